/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The configuration from defaults, file, environment and command line, in that order; see
 * siox/config.h. Each list below comes from config.def. */
#include "siox/config.h"
#include "common/conf/config_value.h"
#include "common/conf/yaml.h"
#include "common/paths.h"
#include <libgen.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#define DEFAULT_FILE "/etc/siox/siox.yaml"

struct setting {
  enum siox__config_kind kind;
  const char *key, *initial, *environment, *help;
  size_t field; /* offset in struct siox_config */
};
static const struct setting settings[] = {
#define SIOX_CONFIG(type, key, initial, environment, help)                                         \
  {SIOX__KIND_##type, #key, initial, environment, help, offsetof(struct siox_config, key)},
#include "siox/config.def"
#undef SIOX_CONFIG
};

/* The document as it stands: every value a text. A list may also be a single value, which libcyaml
 * cannot express, so it leaves lists alone and they are taken from the tree. */
struct document {
#define SIOX_CONFIG(type, key, initial, environment, help) char *key;
#include "siox/config.def"
#undef SIOX_CONFIG
};
#define FIELD_scalar(key)                                                                          \
  CYAML_FIELD_STRING_PTR(#key, CYAML_FLAG_POINTER | CYAML_FLAG_OPTIONAL, struct document, key, 0,  \
                         CYAML_UNLIMITED)
#define FIELD_policy FIELD_scalar
#define FIELD_path FIELD_scalar
#define FIELD_database FIELD_scalar
#define FIELD_word FIELD_scalar
#define FIELD_servers FIELD_list
#define FIELD_count FIELD_scalar
#define FIELD_list(key) CYAML_FIELD_IGNORE(#key, CYAML_FLAG_OPTIONAL)
#define FIELD_rule FIELD_scalar
#define FIELD_scale FIELD_scalar
#define FIELD_factor FIELD_scalar
#define FIELD_amount FIELD_scalar
#define FIELD_percent FIELD_scalar
#define FIELD_seconds FIELD_scalar
#define FIELD_speed FIELD_scalar
#define FIELD_layout FIELD_scalar
#define FIELD_clock FIELD_scalar
#define FIELD_record FIELD_scalar
#define FIELD_extent FIELD_scalar
#define FIELD_level FIELD_scalar
static const cyaml_schema_field_t fields[] = {
#define SIOX_CONFIG(type, key, initial, environment, help) FIELD_##type(key),
#include "siox/config.def"
#undef SIOX_CONFIG
    CYAML_FIELD_END};
static const cyaml_schema_value_t schema = {
    CYAML_VALUE_MAPPING(CYAML_FLAG_POINTER, struct document, fields)};

/* One load under way. */
struct loader {
  struct siox_config *config;
  struct siox_diag *diag;
  struct siox__yaml yaml; /* path NULL: no file */
  char *directory;        /* of the file, absolute */
  struct value {          /* last one given for each setting */
    char *text;
    const char *origin; /* NULL: the file, or the default when from_file is false */
    bool from_file;
  } value[SIOX_NSETTINGS];
  bool asked; /* values given now are the caller's own, not the machine's */
};

static int complain(struct loader *in, size_t i, int code, const char *what) {
  const struct value *v = &in->value[i];
  if (v->from_file)
    return siox__yaml_fail(&in->yaml, in->diag, code, settings[i].key, "%s", what);
  snprintf(in->diag->text, sizeof in->diag->text, "%s: %s: %s", v->origin ? v->origin : "default",
           settings[i].key, what);
  return code;
}

/* "FILE:LINE", or the variable or option. */
static int remember_origin(struct loader *in, size_t i) {
  const struct value *v = &in->value[i];
  char **origin = &in->config->origin[i];
  free(*origin);
  *origin = NULL;
  if (v->from_file)
    return asprintf(origin, "%s:%zu", in->yaml.path, siox__yaml_line(&in->yaml, settings[i].key)) <
                   0
               ? (*origin = NULL, SIOX_ENOMEM)
               : 0;
  return v->origin && !(*origin = strdup(v->origin)) ? SIOX_ENOMEM : 0;
}

static int convert(struct loader *in, size_t i) {
  const struct value *v = &in->value[i];
  struct siox__config_reader reader = {.directory = v->from_file ? in->directory : NULL,
                                       .ndisks = in->config->disks};
  int rc = siox__config_convert(&reader, settings[i].kind, v->text,
                                (char *)in->config + settings[i].field);
  return rc ? complain(in, i, rc, reader.what) : 0;
}

/* Takes a value for setting i. A layout waits until the number of disks is known. */
static int give(struct loader *in, size_t i, const char *text, bool from_file, const char *origin) {
  char *copy = strdup(text);
  if (!copy)
    return SIOX_ENOMEM;
  free(in->value[i].text);
  in->value[i] = (struct value){.text = copy, .from_file = from_file, .origin = origin};
  in->config->given[i] |= in->asked;
  int rc = remember_origin(in, i);
  if (rc)
    return rc;
  return settings[i].kind == SIOX__KIND_layout ? 0 : convert(in, i);
}

/* A list from the tree, as text with commas; NULL when it is not there. */
static int list_text(struct loader *in, size_t i, char **text) {
  const yaml_node_t *node = siox__yaml_find(&in->yaml, settings[i].key);
  *text = NULL;
  if (!node)
    return 0;
  if (node->type == YAML_SCALAR_NODE)
    return (*text = strdup((const char *)node->data.scalar.value)) ? 0 : SIOX_ENOMEM;
  size_t size = 0;
  FILE *out = open_memstream(text, &size);
  if (!out)
    return SIOX_ENOMEM;
  int rc = 0;
  char key[64];
  for (unsigned n = 0; rc == 0; n++) {
    snprintf(key, sizeof key, "%s[%u]", settings[i].key, n);
    const yaml_node_t *item = siox__yaml_find(&in->yaml, key);
    if (!item && n > 0)
      break;
    if (!item || item->type != YAML_SCALAR_NODE)
      rc = siox__yaml_fail(&in->yaml, in->diag, SIOX_EINVAL, item ? key : settings[i].key,
                           "expected a name or a list of names");
    else if (strchr((const char *)item->data.scalar.value, ','))
      rc = siox__yaml_fail(&in->yaml, in->diag, SIOX_EINVAL, key, "a name cannot hold a comma");
    else
      fprintf(out, "%s%s", n ? "," : "", (const char *)item->data.scalar.value);
  }
  fclose(out);
  return rc;
}

static int give_document(struct loader *in, const struct document *doc) {
  char *const text[] = {
#define SIOX_CONFIG(type, key, initial, environment, help) doc->key,
#include "siox/config.def"
#undef SIOX_CONFIG
  };
  int rc = 0;
  for (size_t i = 0; rc == 0 && i < SIOX_NSETTINGS; i++) {
    if (settings[i].kind == SIOX__KIND_list || settings[i].kind == SIOX__KIND_servers) {
      char *list;
      rc = list_text(in, i, &list);
      if (rc == 0 && list)
        rc = give(in, i, list, true, NULL);
      free(list);
    } else if (text[i]) {
      rc = give(in, i, text[i], true, NULL);
    }
  }
  return rc;
}

static int load_file(struct loader *in, const char *path) {
  int rc = siox__yaml_open(&in->yaml, path, in->diag);
  if (rc)
    return rc;
  char *real = realpath(path, NULL);
  if (!real)
    real = strdup(path); /* a pipe can be read but lies nowhere */
  in->config->file = strdup(path);
  in->directory = real ? strdup(dirname(real)) : NULL;
  free(real);
  if (!in->config->file || !in->directory)
    return SIOX_ENOMEM;
  void *doc = NULL;
  rc = siox__yaml_read(&in->yaml, &schema, &doc, NULL, in->diag);
  if (rc == 0)
    rc = give_document(in, doc);
  siox__yaml_free(&schema, doc, 0);
  return rc;
}

static int load_environment(struct loader *in) {
  int rc = 0;
  for (size_t i = 0; rc == 0 && i < SIOX_NSETTINGS; i++) {
    const char *text = secure_getenv(settings[i].environment);
    if (text && *text) /* an empty variable is as good as none */
      rc = give(in, i, text, false, settings[i].environment);
  }
  return rc;
}

static int load_override(struct loader *in, const struct siox_config_override *o) {
  size_t length = strcspn(o->text, "=");
  if (o->text[length])
    for (size_t i = 0; i < SIOX_NSETTINGS; i++)
      if (strlen(settings[i].key) == length && memcmp(settings[i].key, o->text, length) == 0)
        return give(in, i, o->text + length + 1, false, o->origin);
  snprintf(in->diag->text, sizeof in->diag->text, "%s: %.*s: %s", o->origin, (int)length, o->text,
           o->text[length] ? "unknown key" : "expected key=value");
  return SIOX_EINVAL;
}

/* What depends on several settings. */
static int finish(struct loader *in) {
  struct siox_config *c = in->config;
  char text[4096];
  for (size_t i = 0; i < SIOX_NSETTINGS; i++)
    if (settings[i].kind == SIOX__KIND_layout) {
      int rc = convert(in, i);
      if (rc)
        return rc;
    }
  if (c->drive.count != 1 && c->drive.count != c->disks) {
    snprintf(text, sizeof text, "%u profiles for %u disks; give one, or one a disk", c->drive.count,
             c->disks);
    return complain(in, SIOX_SETTING_drive, SIOX_EINVAL, text);
  }
  if (c->mount && c->mount[0] != '/')
    return complain(in, SIOX_SETTING_mount, SIOX_EINVAL, "the path must be absolute");
  if (!c->socket) {
    int rc = siox__default_socket(text, sizeof text);
    if (rc)
      return complain(in, SIOX_SETTING_socket, rc, "the default path is too long");
    if (!(c->socket = strdup(text)))
      return SIOX_ENOMEM;
  }
  struct sockaddr_un address;
  if (strlen(c->socket) >= sizeof address.sun_path)
    return complain(in, SIOX_SETTING_socket, SIOX_ERANGE, "a socket's path has at most 107 bytes");
  return 0;
}

int siox_config_load(struct siox_config *config, const char *path,
                     const struct siox_config_override *overrides, size_t noverrides,
                     struct siox_diag *diag) {
  struct loader in = {.config = config, .diag = diag};
  int rc = 0;
  memset(config, 0, sizeof *config);
  diag->text[0] = '\0';
  for (size_t i = 0; rc == 0 && i < SIOX_NSETTINGS; i++)
    rc = give(&in, i, settings[i].initial, false, NULL);
  const char *named = path ? path : secure_getenv("SIOX_CONFIG");
  in.asked = path || (named &&
                      *named); /* an empty variable is as good as none, an empty option is a slip */
  path = in.asked ? named : access(DEFAULT_FILE, F_OK) == 0 ? DEFAULT_FILE : NULL;
  if (rc == 0 && path)
    rc = load_file(&in, path);
  in.asked = true;
  if (rc == 0)
    rc = load_environment(&in);
  for (size_t i = 0; rc == 0 && i < noverrides; i++)
    rc = load_override(&in, &overrides[i]);
  if (rc == 0)
    rc = finish(&in);
  for (size_t i = 0; i < SIOX_NSETTINGS; i++)
    free(in.value[i].text);
  if (in.yaml.path)
    siox__yaml_close(&in.yaml);
  free(in.directory);
  if (rc) {
    siox_config_free(config);
    if (!diag->text[0])
      snprintf(diag->text, sizeof diag->text, "configuration: %s", siox_strerror(rc));
  }
  return rc;
}

void siox_config_free(struct siox_config *config) {
  for (size_t i = 0; i < SIOX_NSETTINGS; i++)
    siox__config_release(settings[i].kind, (char *)config + settings[i].field);
  for (size_t i = 0; i < SIOX_NSETTINGS; i++)
    free(config->origin[i]);
  free(config->file);
  memset(config, 0, sizeof *config);
}

int siox_config_refuse(const struct siox_config *config, enum siox_setting setting,
                       struct siox_diag *diag, int code, const char *format, ...) {
  char what[sizeof diag->text];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  const char *origin = config->origin[setting];
  int head = snprintf(diag->text, sizeof diag->text, "%.200s%s%s: ", origin ? origin : "",
                      origin ? ": " : "", settings[setting].key);
  snprintf(diag->text + head, sizeof diag->text - (size_t)head, "%.*s",
           (int)(sizeof diag->text) - head - 1, what);
  return code;
}

const char *siox_config_key(enum siox_setting setting) { return settings[setting].key; }

char *siox_config_text(const struct siox_config *config, enum siox_setting setting) {
  return siox__config_format(settings[setting].kind,
                             (const char *)config + settings[setting].field);
}

struct siox_limits siox_config_limits(const struct siox_config *config) {
  struct siox_limits limits = {.measure = config->delay_budget_max > 0, .wear = true};
#define OF_percent(v) ((v) / 100)
#define OF_plain(v) (v)
#define OF_number(v) (v)
#define OF_seconds(v) ((int64_t)((v)*1e9))
#define SIOX_LIMIT(type, key, unit, member, initial, environment, help)                            \
  limits.member = OF_##unit(config->key);
#include "siox/limits.def"
  return limits;
}

/* Text on lines of its own, as wide as a terminal of 100 columns shows. */
static void explain(FILE *out, const char *text) {
  enum { WIDTH = 95 };
  while (*text) {
    size_t length = strlen(text);
    for (size_t i = WIDTH; length > WIDTH && i > 0; i--)
      if (text[i] == ' ')
        length = i;
    fprintf(out, "    %.*s\n", (int)length, text);
    text += length;
    text += strspn(text, " ");
  }
}

void siox_config_describe(FILE *out) {
  fprintf(out, "%-19s %-9s %s\n", "KEY", "DEFAULT", "ENVIRONMENT");
  for (size_t i = 0; i < SIOX_NSETTINGS; i++) {
    fprintf(out, "%-19s %-9s %s\n", settings[i].key,
            settings[i].initial[0] ? settings[i].initial : "-", settings[i].environment);
    explain(out, settings[i].help);
  }
  fputs("\nPolicies:\n", out);
#define SIOX_POLICY(name, argument, what)                                                          \
  fputs(#name argument "\n", out);                                                                 \
  explain(out, what);
#include "siox/policies.def"
#undef SIOX_POLICY
}
