/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* siox sim --map: plays the points that are not there yet, and tells what all of them say. */
#include "sim_map.h"
#include "output.h"
#include "sim_parts.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char sim_map_schemes[] = "timeout,timeout:adaptive,hw,com,rt,claims,siox,siox:delay=1,"
                               "siox:delay=2,siox:delay=5";

struct map {
  const struct sim_map_options *o;
  char **schemes;
};

static void complain(const struct sim_point *p, const char *what) {
  fprintf(stderr, "siox sim: ");
  sim_point_print(p, stderr);
  fprintf(stderr, ": %s\n", what);
}

static int run_point(void *context, uint64_t index, FILE *out) {
  struct map *m = context;
  struct sim_point p;
  struct sim_scene scene;
  struct sim_scenario s;
  struct sim_rows rows = {0};
  struct siox_diag diag = {""};
  sim_grids_point(&m->o->grids, index, &p);
  int rc = sim_scene_make(&scene, &p, &diag), status = 0;
  if (rc == 0 && scene.text) {
    rc = sim_scenario_parse(&s, "point", scene.text, &diag);
    if (rc == 0) {
      rc = sim_rows_make(&rows, &s, m->schemes, &(struct sim_watch){0}, &diag);
      sim_scenario_free(&s);
    }
  }
  if (rc) {
    complain(&p, *diag.text ? diag.text : siox_strerror(rc));
    status = 1;
  } else {
    sim_results_put(&p, &scene, scene.text ? &rows : NULL, out);
  }
  for (uint32_t i = 0; i < rows.count && rc == 0; i++) {
    if (rows.row[i].wrong[0]) {
      char what[sizeof rows.row->name + sizeof rows.row->wrong + 2];
      snprintf(what, sizeof what, "%s: %s", rows.row[i].name, rows.row[i].wrong);
      complain(&p, what);
      status = SIM_POINT_FAULTY;
    }
  }
  sim_rows_free(&rows);
  sim_scene_free(&scene);
  return status;
}

static void write_head(void *context, FILE *out) {
  (void)context;
  sim_results_head(out);
}

/* The command that makes the same again. */
static void print_command(const struct sim_map_options *o, FILE *out) {
  fprintf(out, "siox sim --map");
  for (uint32_t i = 0; i < o->grids.count && !o->whole && !o->quick; i++)
    fprintf(out, " --points \"%s\"", o->grids.grid[i].asked);
  if (o->quick)
    fprintf(out, " --quick");
  if (o->schemes && o->schemes != sim_map_schemes)
    fprintf(out, " --schemes %s", o->schemes);
  if (o->plot)
    fprintf(out, " --plot %s", o->plot);
  fprintf(out, " --report %s", o->report);
}

struct report {
  const struct sim_map_options *o;
  const struct sim_results *r;
  const struct sim_groups *g;
  const char *command;
};
static int put_report(void *context, FILE *out) {
  const struct report *t = context;
  return sim_report_map(t->r, t->g, t->command,
                        t->o->plot ? siox__seen_from(t->o->report, t->o->plot) : NULL, out);
}

static int write_report(const struct sim_map_options *o, const struct sim_results *r,
                        const struct sim_groups *g) {
  char *command = NULL;
  size_t size;
  FILE *text = open_memstream(&command, &size);
  if (text) {
    print_command(o, text);
    fclose(text);
  }
  int status = 1;
  if (command)
    status =
        siox__output_write("siox sim", o->report, put_report, &(struct report){o, r, g, command});
  else
    fprintf(stderr, "siox sim: %s\n", siox_strerror(SIOX_ENOMEM));
  free(command);
  return status;
}

static int tell(const struct sim_map_options *o, FILE *in) {
  struct sim_results r;
  struct sim_groups g = {0};
  struct siox_diag diag = {""};
  int status = 0, rc = sim_results_read(&r, in, o->output, &diag);
  if (rc == 0)
    rc = sim_groups_make(&g, &r);
  if (rc) {
    fprintf(stderr, "siox sim: %s\n", *diag.text ? diag.text : siox_strerror(rc));
    status = 1;
  } else if (!r.count) {
    fprintf(stderr,
            o->so_far ? "siox sim: %s.d: no point is done yet: none by this build with these "
                        "--points and --schemes\n"
                      : "siox sim: %s: there is no result in it\n",
            o->output);
    status = 1;
  } else if (o->json) {
    json_t *all = sim_verdict_json(&r);
    json_dumpf(all, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    putchar('\n');
    json_decref(all);
  } else if (o->csv) {
    sim_verdict_csv(&r, stdout);
  } else {
    sim_verdict_print(&r, o->worst, stdout);
  }
  if (status == 0 && o->plot)
    status = sim_plot_map(&g, o->plot);
  if (status == 0 && o->report)
    status = write_report(o, &r, &g);
  sim_groups_free(&g);
  sim_results_free(&r);
  return status;
}

static int tell_all(const struct sim_map_options *o) {
  FILE *in = fopen(o->output, "re");
  if (!in) {
    fprintf(stderr, "siox sim: %s: %s\n", o->output, strerror(errno));
    return 1;
  }
  int status = tell(o, in);
  fclose(in);
  return status;
}

static int tell_so_far(const struct sim_map_options *o, const struct sim_parts *parts) {
  FILE *some = tmpfile();
  if (!some) {
    fprintf(stderr, "siox sim: a temporary file: %s\n", strerror(errno));
    return 1;
  }
  int status = sim_parts_so_far(parts, write_head, NULL, some);
  rewind(some);
  status = status ? status : tell(o, some);
  fclose(some);
  return status;
}

/* Results depend on the points, the schemes and the drives' profiles. */
static uint64_t mark_of(const struct sim_map_options *o, const char *schemes) {
  uint64_t mark = sim_mark(2, schemes, strlen(schemes));
  for (uint32_t i = 0; i < o->grids.count; i++) {
    const struct sim_grid *g = &o->grids.grid[i];
    for (int a = 0; a < SIM_NAXES; a++) {
      mark = sim_mark(mark, &a, sizeof a);
      for (uint32_t k = 0; k < g->count[a]; k++)
        mark = sim_mark(mark, g->value[a][k], strlen(g->value[a][k]));
    }
    for (uint32_t k = 0; k < g->count[SIM_AXIS_drive]; k++) {
      struct siox_drive d; /* zeroed where it has no figures */
      struct siox_diag diag;
      char name[128];
      const char *drive = g->value[SIM_AXIS_drive][k];
      snprintf(name, sizeof name, "%.*s", (int)strcspn(drive, ":"), drive);
      if (siox_drive_load(&d, name, 1, &diag) == 0)
        mark = sim_mark(mark, &d, sizeof d);
    }
  }
  return mark;
}

static bool report_free(const struct sim_map_options *o) {
  bool taken =
      o->report && (!strcmp(o->report, o->output) || siox__same_file(o->report, o->output));
  if (taken)
    fprintf(stderr, "siox sim: --report: %s is the map itself\n", o->report);
  return !taken && (!o->report || siox__output_possible("siox sim", o->report));
}

/* What lies there already is replaced only if it begins as a map's results do, of whatever build.
 */
static bool output_free(const struct sim_map_options *o) {
#define AXIS_OF(name, type, member, low, high, initial, what) #name ",",
  static const char *const axes[] = {SIM_AXES(AXIS_OF)};
#undef AXIS_OF
  char text[64] = "";
  struct stat st;
  bool good = true;
  FILE *in = stat(o->output, &st) == 0 && S_ISREG(st.st_mode) ? fopen(o->output, "re") : NULL;
  size_t n = in ? fread(text, 1, sizeof text - 1, in) : 0;
  if (n)
    good = strncmp(text, axes[0], strlen(axes[0])) == 0;
  if (in)
    fclose(in);
  if (!good)
    fprintf(stderr, "siox sim: %s: is there and is not a map's results; it is left as it is\n",
            o->output);
  return good && report_free(o);
}

int sim_map(const struct sim_map_options *o, const struct sim_watch *watch) {
  static const struct sim_scenario none;
  const char *schemes = o->schemes ? o->schemes : sim_map_schemes;
  struct map m = {.o = o, .schemes = sim_schemes(schemes, &none)};
  struct sim_parts parts = {0};
  bool joined = false;
  if (o->read) {
    free(m.schemes);
    return report_free(o) ? tell_all(o) : SIOX__USAGE;
  }
  int status = m.schemes ? 0 : 1;
  if (status)
    fprintf(stderr, "siox sim: %s\n", siox_strerror(SIOX_ENOMEM));
  if (status == 0 && !output_free(o))
    status = SIOX__USAGE;
  if (status == 0)
    status = sim_parts_open(&parts, o->output, o->grids.points, mark_of(o, schemes), !o->so_far);
  if (status == 0 && o->so_far) {
    status = tell_so_far(o, &parts);
  } else if (status == 0) {
    status = sim_parts_work(&parts, run_point, &m, watch);
    int failed = sim_parts_join(&parts, write_head, &m, &joined);
    status = status ? status : failed;
  }
  sim_parts_close(&parts);
  free(m.schemes);
  int told = joined ? tell_all(o) : 0;
  return status ? status : told;
}
