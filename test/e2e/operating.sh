#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# docs/operating.md: every command in it, in its order, as it stands. Only the places differ; and systemctl, which needs an
# init, is played by a script that does what the unit file says.
. "$(dirname "$0")/common.sh"
page=$SIOX_SOURCE/docs/operating.md
mkdir root commands
export root=$work/root work SIOX_SOURCE
unit=$root/etc/systemd/system/sioxd.service
mkdir -p "$root/etc/systemd/system"

cat >commands/systemctl <<'END'
#!/bin/bash
unit=$root/etc/systemd/system/sioxd.service
start() {
  mkdir -p "$root/run/siox" # RuntimeDirectory
  command=$(sed -n 's/^ExecStart=//p' "$unit")
  $command 2>>"$work/journal" &
  echo $! >"$work/pid"
  until "$SIOX_SOURCE/test/e2e/wire_ready.py" "$SIOX_SOCKET"; do kill -0 "$(cat "$work/pid")" || exit 1; done
}
stop() {
  local pid=$(cat "$work/pid")
  kill -TERM "$pid" 2>/dev/null
  while kill -0 "$pid" 2>/dev/null; do read -rt 0.05 <> <(:); done
  return 0
}
case "$*" in
  daemon-reload) ;;
  'enable --now sioxd') start ;;
  'restart sioxd') stop; start ;;
  'disable --now sioxd') stop ;;
  *) echo "systemctl $*: what is that?" >&2; exit 1 ;;
esac
END
printf '#!/bin/sh\ncat "$work/journal"\n' >commands/journalctl
chmod +x commands/*
trap '[ ! -s "$work/pid" ] || kill -KILL "$(cat "$work/pid")" 2>/dev/null || true; rm -rf "$work"' EXIT
export PATH=$root/usr/local/bin:$work/commands:$PATH
export SIOX_SOCKET=$root/run/siox/siox.sock SIOX_CONFIG=$root/etc/siox/siox.yaml

sed -n '/^```sh$/,/^```$/p' "$page" | grep -v '^```' >steps
[ "$(wc -l <steps)" -ge 15 ] || fail "the page has no commands"
sed -i "s#/tmp/siox\$#$root/store#; s#install build#install $SIOX_BUILD#; s# /usr/local# $root/usr/local#g; s# /etc/# $root/etc/#g" steps
# The watch is left with ^C; and what is put in place knows where the test's places are (the unit knows its installation).
sed -i 's#^\(siox disks --watch\)$#timeout -s INT 2 \1 || [ $? = 124 ]#' steps
sed -i "/^systemd-analyze/i sed -i 's#/etc/#$root/etc/#' $unit; sed -i 's#/tmp/siox #$root/store #' $root/etc/siox/siox.yaml" steps
sed -i 's/^systemd-analyze/command -v systemd-analyze >known \&\& systemd-analyze/' steps
touch journal
number=0
while IFS= read -r step; do
  number=$((number + 1))
  bash -c "$step" >out 2>err </dev/null || {
    [[ $step == command\ -v* && ! -s known ]] || fail "\"$step\" ends with $?: $(cat err journal)"
  }
  [[ $step != *systemd-analyze* ]] || ! grep -q sioxd err || fail "the unit: $(cat err)"
  [[ $step != 'siox disks' ]] || grep -q '^0-7 .*36Z15' out || fail "siox disks: $(cat out)"
  [[ $step != *--watch* ]] || grep -q '^0-7 .*36Z15' out || fail "watch: $(cat out err)"
  [[ $step != *'level 0-3 full' ]] || { siox disks >out && grep -q '^0-3 .*15000.!' out || fail "not set: $(cat out)"; }
  [[ $step != *'level 0-3 auto' ]] || { siox disks >out && grep -q '^0-7 ' out || fail "not given back: $(cat out)"; }
  [[ $step != 'siox admin drain' ]] || while "$SIOX_SOURCE/test/e2e/wire_ready.py" "$SIOX_SOCKET"; do :; done
done <steps
! "$SIOX_SOURCE/test/e2e/wire_ready.py" "$SIOX_SOCKET" || fail "it is still on"
[ "$number" -ge 15 ] || fail "only $number steps were run"
