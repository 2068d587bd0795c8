#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What MPI-IO makes of an access stays within its prediction: independent and collective, through views with holes,
# nonblocking, in two halves and by a shared pointer, whether ROMIO sieves and gathers or not, in rank order and against it,
# on 1 to 4 ranks, with the pass and without. Each kind's file has four disks of its own, so that what one of them claimed
# covers no other.
. "$(dirname "$0")/common.sh"
. "$SIOX_SOURCE/test/e2e/pass.sh"
. "$SIOX_SOURCE/test/e2e/sound.sh"
mkdir store
cat >siox.yaml <<END
socket: $work/siox.sock
mount: $work/store
layouts: $work/layouts.yaml
disks: 40
drive: 36Z15
time_scale: 1000
default_layout: "36:4:64K"
END
first=0
for kind in alone together first later together_later halves view view_together ordered; do
  echo "- {file: \"v.$kind\", layout: \"$first:4:64K\"}" >>layouts.yaml
  first=$((first + 4))
done
hints() { # hints NAME collective-buffering sieving [aggregators]: a file for ROMIO
  printf 'romio_cb_write %s\nromio_cb_read %s\nromio_ds_write %s\nromio_ds_read %s\n' "$2" "$2" "$3" "$3" >"$1"
  [ $# -lt 4 ] || echo "cb_config_list $4" >>"$1"
}
hints gather enable enable '*:*'
hints one enable automatic '*:1'
hints sieve disable enable
hints plain disable disable
with_pass views.c views -O2 -D_GNU_SOURCE

# views_are_sound RANKS HINTS options...
views_are_sound() {
  local n=$1 romio=$2
  shift 2
  rm -f store/*
  sound "views $* on $n ranks, ROMIO $romio" siox $n env ROMIO_HINTS="$work/$romio" ./views --chunk 20000 --rest-ms 5 "$@" store/v
  grep -q '^views: alone together first later together_later halves view view_together ordered right$' out ||
    fail "views $* on $n ranks, ROMIO $romio: $(cat out err)"
}
for romio in gather one sieve plain none; do
  views_are_sound 4 $romio --turn --hole 100000
  views_are_sound 2 $romio --down --hole 100000
done
views_are_sound 1 sieve --hole 100000
views_are_sound 3 gather --hole 1000

# Of holes larger than a stripe only what is touched is predicted, with and without data sieving in small pieces.
printf 'romio_cb_write disable\nromio_cb_read disable\nind_wr_buffer_size 65536\nind_rd_buffer_size 65536\n' >small
for romio in plain small; do
  for n in 1 4; do
    rm -f store/*
    sound "holes on $n ranks, ROMIO $romio" siox $n env ROMIO_HINTS="$work/$romio" ./views --kinds view,view_together \
      --chunk 20000 --hole 300000 --rounds 2 --rest-ms 5 store/v
    reported "holes on $n ranks, ROMIO $romio" 'r["check"]["predicted"] <= 1.25 * r["check"]["touched"]'
  done
done

rm -f store/*
sound "views without the pass" siox 3 "$bin/views" --rest-ms 0 --chunk 20000 store/v
for kind in alone together later halves view ordered; do
  rm -f store/*
  unsound "views --kinds $kind with a disk lost" 2 \
    env LD_LIBRARY_PATH="$SIOX_BUILD/stripe_lost" ./views --kinds $kind --chunk 200000 --rest-ms 0 store/v
done
for n in 1 4; do
  with_pass mixed.c mixed -O2
  sound "mixed on $n ranks" siox $n ./mixed store/mixed
done
