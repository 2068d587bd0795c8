/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The files of share/paper, each as SHA256SUMS says, so that a report names what it was made from.
 */
#include "common/conf/data_dir.h"
#include "output.h"
#include "sim_paper.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char list_name[] = "SHA256SUMS";
enum { LINE_ROOM = 1024 };

static int say(struct siox_diag *diag, int code, const char *path, const char *what) {
  snprintf(diag->text, sizeof diag->text, "%.300s: %s", path, what);
  return code;
}

void sim_paper_dashes(char *name) {
  for (char *c = name; *c; c++)
    *c = *c == '_' ? '-' : *c;
}

void sim_paper_name(enum sim_paper_scene scene, char name[32]) {
  static const char *const names[] = {
#define SIM_SCENE(id, alone) #id,
#include "sim_paper.def"
  };
  snprintf(name, 32, "%s", names[scene]);
  sim_paper_dashes(name);
}

static char *join(const char *directory, const char *name) {
  char *path = NULL;
  return asprintf(&path, "%s/%s", directory, name) < 0 ? NULL : path;
}

/* The first share/paper that there is. */
static int find(char **out, struct siox_diag *diag) {
  char beside[SIOX__DATA_DIR];
  const char *dirs[SIOX__NDATA_DIRS];
  siox__data_dirs(dirs, beside);
  for (size_t i = 0; i < SIOX__NDATA_DIRS; i++) {
    char *path = dirs[i] && *dirs[i] ? join(dirs[i], "paper") : NULL;
    if (path && access(path, X_OK) == 0) {
      *out = path;
      return 0;
    }
    free(path);
  }
  return say(diag, SIOX_ENOENT, "share/paper",
             "is not there; name a directory, or set SIOX_DATA_DIR");
}

/* What can be read to its end and is the same when it is read again. A pipe without a writer would
 * keep us waiting, a device has no end. */
static FILE *open_file(const char *path, int *rc, struct siox_diag *diag) {
  struct stat st;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  FILE *in = NULL;
  if (fd >= 0 && fstat(fd, &st) == 0 && !S_ISREG(st.st_mode)) {
    close(fd);
    *rc = say(diag, SIOX_EIO, path, "is not a file");
    return NULL;
  }
  if (fd < 0 || !(in = fdopen(fd, "r"))) {
    *rc = say(diag, errno == ENOENT ? SIOX_ENOENT : SIOX_EIO, path, strerror(errno));
    if (fd >= 0)
      close(fd);
  }
  return in;
}

static int hash_file(const char *path, char hash[SIM_SHA256], struct siox_diag *diag) {
  unsigned char block[65536], digest[EVP_MAX_MD_SIZE];
  unsigned length = 0;
  size_t n;
  int rc = 0;
  FILE *in = open_file(path, &rc, diag);
  if (!in)
    return rc;
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  bool good = context && EVP_DigestInit_ex(context, EVP_sha256(), NULL) == 1;
  while (good && (n = fread(block, 1, sizeof block, in)) > 0)
    good = EVP_DigestUpdate(context, block, n) == 1;
  good = good && EVP_DigestFinal_ex(context, digest, &length) == 1;
  EVP_MD_CTX_free(context);
  bool read = !ferror(in);
  fclose(in);
  if (!read || !good)
    return say(diag, SIOX_EIO, path, read ? "its hash cannot be computed" : "cannot be read");
  for (unsigned i = 0; i < length && 2 * i + 2 < SIM_SHA256; i++)
    snprintf(hash + 2 * i, 3, "%02x", digest[i]);
  return 0;
}

/* "HASH  NAME" or "HASH *NAME". */
static int read_line(struct sim_paper_files *f, const char *list, unsigned number, char *line,
                     struct siox_diag *diag) {
  char where[400];
  size_t n = strspn(line, "0123456789abcdef");
  snprintf(where, sizeof where, "%.300s:%u", list, number);
  if (strlen(line) == LINE_ROOM - 1 && line[LINE_ROOM - 2] != '\n')
    return say(diag, SIOX_ESYNTAX, where, "the line is too long");
  line[strcspn(line, "\r\n")] = '\0';
  if (!*line)
    return 0;
  if (n != SIM_SHA256 - 1 || line[n] != ' ' || (line[n + 1] != ' ' && line[n + 1] != '*') ||
      !line[n + 2])
    return say(diag, SIOX_ESYNTAX, where, "expected a hash of 64 digits, two blanks and a name");
  if (strchr(line + n + 2, '/'))
    return say(diag, SIOX_ESYNTAX, where, "names a file elsewhere");
  struct sim_paper_file *more = realloc(f->file, (f->count + 1) * sizeof *more);
  char *name = strdup(line + n + 2);
  f->file = more ? more : f->file;
  if (!more || !name) {
    free(name);
    return say(diag, SIOX_ENOMEM, where, siox_strerror(SIOX_ENOMEM));
  }
  f->file[f->count].name = name;
  snprintf(f->file[f->count].hash, SIM_SHA256, "%.*s", (int)n, line);
  f->count++;
  return 0;
}

static int read_list(struct sim_paper_files *f, struct siox_diag *diag) {
  char line[LINE_ROOM], *list = join(f->directory, list_name);
  unsigned number = 0;
  int rc = list ? 0 : SIOX_ENOMEM;
  FILE *in = list ? open_file(list, &rc, diag) : NULL;
  while (rc == 0 && fgets(line, sizeof line, in))
    rc = read_line(f, list, ++number, line, diag);
  if (rc == 0 && ferror(in))
    rc = say(diag, SIOX_EIO, list, "cannot be read");
  if (in)
    fclose(in);
  free(list);
  return rc;
}

static const char *hash_of(const struct sim_paper_files *f, const char *name) {
  for (size_t i = 0; i < f->count; i++)
    if (strcmp(f->file[i].name, name) == 0)
      return f->file[i].hash;
  return NULL;
}

/* Every scenario stands in the list. */
static int scenes_named(const struct sim_paper_files *f, struct siox_diag *diag) {
  char name[40], what[80];
  int rc = 0;
  for (int scene = 0; scene < SIM_NSCENES && rc == 0; scene++) {
    sim_paper_name((enum sim_paper_scene)scene, name);
    strcat(name, ".yaml"); /* names have at most 31 characters */
    char *path = join(f->directory, name);
    bool missing = path && access(path, F_OK) < 0;
    if (path && (missing || !hash_of(f, name))) {
      snprintf(what, sizeof what, "%s",
               missing ? "is missing" : "is not in SHA256SUMS; sha256sum *.yaml *.siox makes it");
      rc = say(diag, SIOX_ENOENT, path, what);
    }
    free(path);
  }
  return rc;
}

int sim_paper_files_open(struct sim_paper_files *f, const char *directory, struct siox_diag *diag) {
  *f = (struct sim_paper_files){.directory = directory ? strdup(directory) : NULL};
  int rc = directory ? f->directory ? 0 : SIOX_ENOMEM : find(&f->directory, diag);
  struct stat st;
  if (rc == 0 && stat(f->directory, &st) == 0 && !S_ISDIR(st.st_mode))
    rc = say(diag, SIOX_EINVAL, f->directory,
             "is a file; --paper takes a directory of scenarios and traces, as share/paper");
  rc = rc ? rc : read_list(f, diag);
  rc = rc ? rc : scenes_named(f, diag);
  for (size_t i = 0; i < f->count && rc == 0; i++) {
    char hash[SIM_SHA256], *path = join(f->directory, f->file[i].name);
    rc = path ? hash_file(path, hash, diag) : SIOX_ENOMEM;
    if (rc == 0 && strcmp(hash, f->file[i].hash) != 0)
      rc = say(
          diag, SIOX_ECHECKSUM, path,
          "is not what SHA256SUMS says; to play a variant, copy the directory, change that, and "
          "there: sha256sum *.yaml *.siox >SHA256SUMS");
    free(path);
  }
  return rc;
}

bool sim_paper_reads(const struct sim_paper_files *f, const char *path) {
  char *list = join(f->directory, list_name);
  bool same = list && siox__same_file(list, path);
  free(list);
  return same || sim_paper_hash(f, path);
}

const char *sim_paper_hash(const struct sim_paper_files *f, const char *path) {
  char *directory = realpath(f->directory, NULL), *real = realpath(path, NULL);
  const char *slash = real ? strrchr(real, '/') : NULL;
  bool inside = directory && slash && (size_t)(slash - real) == strlen(directory) &&
                strncmp(real, directory, strlen(directory)) == 0;
  const char *hash = inside ? hash_of(f, slash + 1) : NULL;
  free(directory);
  free(real);
  return hash;
}

void sim_paper_files_close(struct sim_paper_files *f) {
  for (size_t i = 0; i < f->count; i++)
    free(f->file[i].name);
  free(f->file);
  free(f->directory);
  *f = (struct sim_paper_files){0};
}
