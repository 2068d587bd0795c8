/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whether the machine was busy while the command ran. Pauses of a program that has to wait for a
 * core are uneven, so its hints foretell their ends less well, and its I/O meets disks that are not
 * ready although every hint was there: the report says so, or people look for the fault elsewhere.
 */
#include "siox_tool.h"

/* Cores that others keep busy; less is a machine's own housekeeping. As test/bench has it. */
static const double OTHERS = 0.2;
/* Others disturb where no cores are free; below this part of all there are. */
static const double FREE_BELOW = 0.5, FULL_FROM = 0.9;
static const double NOTABLE = 0.01; /* of added I/O time: what Siox is to stay within */

static double real(const json_t *o, const char *key) {
  return json_number_value(json_object_get(o, key));
}

/* Ranks that were there at the same time, on average over the run. */
static double ranks_at_once(const json_t *report) {
  const json_t *p = json_object_get(json_object_get(report, "totals"), "processes");
  const double wall = real(report, "wall_seconds");
  const json_t *seconds = json_object_get(json_object_get(p, "figures"), "seconds");
  return wall > 0 ? real(p, "ranks") * real(seconds, "average") / wall : 0;
}

void siox__report_machine(json_t *report, const struct siox__load *load) {
  if (load->seconds <= 0) {
    json_object_set_new(report, "machine", json_null());
    json_object_set_new(json_object_get(report, "unavailable"), "machine",
                        json_string("/proc/stat cannot be read"));
    return;
  }
  /* Ranks that another service started are not our children, but the daemon has metered them. */
  const json_t *totals = json_object_get(report, "totals");
  const double metered = real(json_object_get(totals, "listing"), "consumed_cpu_seconds");
  const double cores = load->cores, command = metered > load->own ? metered : load->own;
  if (load->daemon < 0) { /* what it took is among the others', so nothing is known of those */
    json_object_set_new(report, "machine",
                        json_pack("{s:I, s:f, s:n, s:n, s:n, s:b}", "cores",
                                  (json_int_t)load->cores, "command_cores", command / load->seconds,
                                  "daemon_cores", "other_cores", "busy", "notable", 0));
    json_object_set_new(json_object_get(report, "unavailable"), "machine.other_cores",
                        json_string("the daemon has ended, or its /proc/PID/stat cannot be read"));
    return;
  }
  double others = (load->busy - command - load->daemon) / load->seconds;
  others = others > 0 ? others : 0;
  const double used = load->busy / load->seconds / cores, ranks = ranks_at_once(report);
  json_t *why = json_null();
  if (others >= OTHERS && used >= FREE_BELOW)
    why = json_sprintf("other processes kept %.1f of %u cores busy", others, load->cores);
  else if (used >= FULL_FROM && ranks > 1.05 * cores)
    why = json_sprintf("%.0f ranks shared %u cores", ranks, load->cores);
  const bool notable =
      !json_is_null(why) && real(json_object_get(report, "run"), "added_io_time") >= NOTABLE;
  json_object_set_new(report, "machine",
                      json_pack("{s:I, s:f, s:f, s:f, s:o, s:b}", "cores", (json_int_t)load->cores,
                                "command_cores", command / load->seconds, "daemon_cores",
                                load->daemon / load->seconds, "other_cores", others, "busy", why,
                                "notable", notable));
}

void siox__report_machine_print(FILE *out, const json_t *report) {
  const json_t *machine = json_object_get(report, "machine");
  const char *why = json_string_value(json_object_get(machine, "busy"));
  if (why && json_is_true(json_object_get(machine, "notable")))
    fprintf(
        out,
        "  the machine was busy: %s, which makes pauses uneven and their ends hard to foretell: "
        "the added I/O may come from that; measure on a quiet machine\n",
        why);
}
