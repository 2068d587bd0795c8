/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* siox sim --paper: plays it all, and tells. */
#include "sim_paper.h"
#include "output.h"
#include <stdlib.h>
#include <string.h>

struct told {
  const struct sim_paper_options *o;
  const struct sim_paper *p;
};

static int put_report(void *context, FILE *out) {
  const struct told *t = context;
  char *command = NULL;
  size_t size;
  FILE *text = open_memstream(&command, &size);
  if (!text)
    return SIOX_ENOMEM;
  fputs("siox sim --paper", text);
  if (t->o->directory)
    fprintf(text, " %s", t->o->directory);
  if (t->o->quick)
    fputs(" --quick", text);
  if (t->o->report)
    fprintf(text, " --report %s", t->o->report);
  if (t->o->plot)
    fprintf(text, " --plot %s", t->o->plot);
  fclose(text);
  const char *plots =
      t->o->report && t->o->plot ? siox__seen_from(t->o->report, t->o->plot) : t->o->plot;
  int rc = command ? sim_paper_report(t->p, command, t->o->report, plots, out) : SIOX_ENOMEM;
  free(command);
  return rc;
}

static void put_csv(const struct sim_paper *p, FILE *out) {
  fputs("scenario,rule,", out);
  sim_show_csv_head(out);
  for (int scene = 0; scene < SIM_NSCENES; scene++)
    for (int rule = p->first_rule; rule <= p->last_rule; rule++) {
      char name[32], lead[48];
      sim_paper_name((enum sim_paper_scene)scene, name);
      snprintf(lead, sizeof lead, "%s,%s,", name, sim_rule_name(rule));
      sim_show_csv(&p->scene[scene].rule[rule].rows, lead, out);
    }
}

static void put_json(const struct sim_paper *p, FILE *out) {
  json_t *files = json_object(), *scenes = json_object();
  for (size_t i = 0; i < p->files.count; i++)
    json_object_set_new(files, p->files.file[i].name, json_string(p->files.file[i].hash));
  for (int scene = 0; scene < SIM_NSCENES; scene++) {
    char name[32];
    json_t *rules = json_object();
    for (int rule = p->first_rule; rule <= p->last_rule; rule++)
      json_object_set(rules, sim_rule_name(rule), p->scene[scene].rule[rule].json);
    sim_paper_name((enum sim_paper_scene)scene, name);
    json_object_set_new(scenes, name, rules);
  }
  json_t *all =
      json_pack("{s:s, s:o, s:o, s:o, s:o, s:o}", "headline_rule", sim_rule_name(p->headline),
                "files", files, "scenarios", scenes, "stated", sim_paper_stated_json(p), "trends",
                sim_paper_trends_json(p), "bars", sim_paper_bars_json(p));
  json_dumpf(all, out, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
  fputc('\n', out);
  json_decref(all);
}

/* Nothing that is read may be written. */
static bool output_free(const struct sim_paper *p, const char *path) {
  if (path && sim_paper_reads(&p->files, path)) {
    fprintf(stderr, "siox sim: --report: %s is read for it\n", path);
    return false;
  }
  return !path || siox__output_possible("siox sim", path);
}

int sim_paper(const struct sim_paper_options *o, const struct sim_watch *watch) {
  struct sim_paper *p = calloc(1, sizeof *p);
  struct siox_diag diag = {""};
  struct told told = {o, p};
  int rc = p ? sim_paper_files_open(&p->files, o->directory, &diag) : SIOX_ENOMEM, status = 0;
  if (rc) {
    fprintf(stderr, "siox sim: %s\n", *diag.text ? diag.text : siox_strerror(rc));
    status = 1;
  } else if (!output_free(p, o->report)) {
    status = SIOX__USAGE;
  } else {
    p->first_rule = o->quick ? SIOX_RULE_B : SIOX_RULE_A;
    p->last_rule = o->quick ? SIOX_RULE_B : SIOX_RULE_C;
    status = o->plot ? siox__output_directory("siox sim", o->plot) : 0;
    status = status ? status : sim_paper_play(p, o->json, watch);
  }
  if (status == 0) {
    if (o->json)
      put_json(p, stdout);
    else if (o->csv)
      put_csv(p, stdout);
    else if (!o->report)
      rc = put_report(&told, stdout);
    status = rc && rc != SIOX_EIO; /* of a stream that failed the command's end tells */
    if (status)
      fprintf(stderr, "siox sim: %s\n", siox_strerror(rc));
    if (o->report)
      status |= siox__output_write("siox sim", o->report, put_report, &told);
    if (o->plot)
      status |= sim_paper_plot(p, o->plot);
  }
  if (p)
    sim_paper_free(p);
  free(p);
  return status;
}
