/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Puts a compiler's command line together with what Siox adds, and runs it. */
#include "cli/text.h"
#include "driver.h"
#include "driver_config.h"
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct siox__language siox__language = {
#if SIOX_DRIVER == 1
    "siox-cc",       SIOX_CLANG,   SIOX_CLANG_PACKAGE,      "clang version ",
    SIOX_MPICC_PATH, "SIOX_MPICC", {"MPICH_CC", "OMPI_CC"}, false,
#elif SIOX_DRIVER == 2
    "siox-cxx",       SIOX_CLANGXX,  SIOX_CLANG_PACKAGE,        "clang version ",
    SIOX_MPICXX_PATH, "SIOX_MPICXX", {"MPICH_CXX", "OMPI_CXX"}, false,
#else
    "siox-fc", SIOX_FLANG, SIOX_FLANG_PACKAGE,      "flang-new version ",
    NULL,      NULL,       {"MPICH_FC", "OMPI_FC"}, true,
#endif
};

void siox__die(const char *format, ...) {
  va_list list;
  va_start(list, format);
  fprintf(stderr, "%s: ", siox__language.name);
  vfprintf(stderr, format, list);
  fputc('\n', stderr);
  exit(1);
}

void siox__add(struct siox__args *args, const char *text) {
  if (args->n + 2 > args->room) {
    args->room = args->room ? 2 * args->room : 64;
    args->v = realloc(args->v, args->room * sizeof *args->v);
    if (!args->v)
      siox__die("no memory for %zu arguments", args->room);
  }
  args->v[args->n++] = (char *)text;
  args->v[args->n] = NULL;
}

void siox__add_all(struct siox__args *args, char *const *more) {
  for (; more && *more; more++)
    siox__add(args, *more);
}

char *siox__text(const char *format, ...) {
  char *out;
  va_list list;
  va_start(list, format);
  if (vasprintf(&out, format, list) < 0)
    siox__die("no memory");
  va_end(list);
  return out;
}

/* What --siox-... asked for. */
struct wishes {
  bool show, help, no_pass;
};

static const struct {
  const char *name, *value, *help;
  bool takes_value;
} settings[] = {
#define VALUE true
#define FLAG false
#define SIOX_PASS_OPTION(name, kind, value, help) {name, value, help, kind},
#include "frontend/options.def"
#undef SIOX_PASS_OPTION
#undef FLAG
#undef VALUE
};
enum { SETTINGS = sizeof settings / sizeof *settings };
static bool by_option[SETTINGS];

static char *variable_of(const char *name) {
  char *out = siox__text("SIOX_%s", name);
  for (char *c = out; *c; c++)
    *c = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
  return out;
}

static void help(void) {
  const struct siox__language *l = &siox__language;
  const char *of = l->fortran ? "flang" : l->wrapper_variable + strlen("SIOX_");
  char *base = siox__text("%s", of);
  for (char *c = base; *c; c++)
    *c = (char)tolower((unsigned char)*c);
  printf("usage: %s [options of %s] [--siox-...] FILE...\n", l->name, base);
  printf("%s with %s, the Siox pass and libsiox; takes its options, compiles, links or both. %s "
         "(environment) names\n"
         "another compiler of major version %d%s.\n\n",
         base, l->compiler, l->chosen[0], SIOX_LLVM_MAJOR,
         l->fortran ? ""
                    : siox__text(", %s another MPI wrapper (empty: the compiler alone)",
                                 l->wrapper_variable));
  if (l->fortran)
    fputs("Programs with mpif.h or `use mpi` are hinted. Module mpi_f08 of MPICH is gfortran's: "
          "flang cannot read it.\n\n",
          stdout);
  for (int i = 0; i < SETTINGS; i++) {
    char option[40];
    snprintf(option, sizeof option, "--siox-%s%s%s", settings[i].name,
             settings[i].takes_value ? "=" : "", settings[i].value);
    printf("  %-26s ", option);
    siox__fold(stdout,
               siox__text("%s (environment %s)", settings[i].help, variable_of(settings[i].name)),
               29);
  }
  printf("  %-26s print the command and run nothing\n", "--siox-show");
  printf("  %-26s compile without the pass; still link libsiox\n", "--siox-no-pass");
  printf("  %-26s this text\n", "--siox-help, --help");
  printf("\nexample: %s -O2 -o solver solver.%s --siox-summary\n", l->name,
         l->fortran                    ? "f90"
         : !strcmp(l->name, "siox-cc") ? "c"
                                       : "cpp");
  printf("the other options are the compiler's: %s --help\n", l->compiler);
}

/* --help, but not as the value of an option: -Xlinker --help, -o --help. */
static bool asks_for_help(const struct siox__args *rest) {
  for (size_t i = 0; i < rest->n; i++)
    if (!strcmp(rest->v[i], "--help") &&
        (i == 0 || (strncmp(rest->v[i - 1], "-X", 2) && strcmp(rest->v[i - 1], "-o"))))
      return true;
  return false;
}

static void setting(const char *text) {
  size_t length = strcspn(text, "=");
  for (int i = 0; i < SETTINGS; i++)
    if (strlen(settings[i].name) == length && !strncmp(settings[i].name, text, length)) {
      const char *value = text[length] ? text + length + 1 : "1";
      if (settings[i].takes_value && (!text[length] || !*value))
        siox__die("--siox-%s needs a value: --siox-%s=%s", settings[i].name, settings[i].name,
                  settings[i].value);
      setenv(variable_of(settings[i].name), value, 1);
      by_option[i] = true;
      return;
    }
  siox__die("no option --siox-%.*s; see %s --siox-help", (int)length, text, siox__language.name);
}

/* Has a response file one of ours? The compiler reads it itself otherwise. */
static bool response_wishes(const char *path, struct siox__args *words, int depth) {
  bool found = false;
  if (!siox__read_response(path, words))
    return false;
  for (size_t i = 0; i < words->n && !found; i++) {
    struct siox__args inner = {0};
    found = !strncmp(words->v[i], "--siox-", 7) ||
            (words->v[i][0] == '@' && depth < SIOX__NESTED &&
             response_wishes(words->v[i] + 1, &inner, depth + 1));
  }
  return found;
}

/* Takes --siox-... out of the arguments. */
static void take_wishes(struct wishes *wishes, char *const *argv, struct siox__args *rest,
                        int depth) {
  for (; argv && *argv; argv++) {
    const char *text = *argv;
    struct siox__args words = {0};
    if (text[0] == '@' && depth < SIOX__NESTED && response_wishes(text + 1, &words, depth))
      take_wishes(wishes, words.v, rest, depth + 1);
    else if (strncmp(text, "--siox-", 7))
      siox__add(rest, text);
    else if (!strcmp(text, "--siox-show"))
      wishes->show = true;
    else if (!strcmp(text, "--siox-help"))
      wishes->help = true;
    else if (!strcmp(text, "--siox-no-pass"))
      wishes->no_pass = true;
    else
      setting(text + 7);
  }
}

/* A word as a shell reads it back. */
static void print_quoted(const char *word) {
  if (*word &&
      strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+./,:@%^") ==
          strlen(word)) {
    fputs(word, stdout);
    return;
  }
  putchar('\'');
  for (; *word; word++)
    if (*word == '\'')
      fputs("'\\''", stdout);
    else
      putchar(*word);
  putchar('\'');
}

static int show(const struct siox__args *command, bool wrapped) {
  for (int i = 0; wrapped && i < 2; i++) {
    printf("%s=", siox__language.chosen[i]);
    print_quoted(getenv(siox__language.chosen[i]));
    putchar(' ');
  }
  for (int i = 0; i < SETTINGS; i++) {
    const char *variable = variable_of(settings[i].name), *value = getenv(variable);
    if (value && *value) {
      printf("%s=", variable);
      print_quoted(value);
      putchar(' ');
    }
  }
  for (size_t i = 0; i < command->n; i++) {
    if (i)
      putchar(' ');
    print_quoted(command->v[i]);
  }
  putchar('\n');
  return fflush(stdout) ? 1 : 0;
}

/* Is the pass the linker's business? */
static bool left_to_linker(const struct siox__line *line) {
  const char *wish = getenv("SIOX_AT_LINK");
  if (!wish || !*wish || !strcmp(wish, "0") || line->preprocess)
    return false;
  if (line->lto != SIOX__LTO_FULL)
    siox__die("--siox-at-link needs -flto (not thin) where it compiles and where it links");
  if (line->link && !line->lld)
    siox__die("--siox-at-link needs -fuse-ld=lld where it links: other linkers load no pass");
  return true;
}

/* What goes before the given arguments: their own choices come later and win. */
static void add_before(struct siox__args *command, const struct siox__line *line,
                       const struct wishes *wishes, const struct siox__places *places) {
  const bool linker = left_to_linker(line) && line->link;
  if ((linker || (line->sources && !line->preprocess)) && !wishes->no_pass) {
    if (!places->plugin)
      siox__die("SioxPass.so is neither in %s; was Siox built or installed with the pass (cmake "
                "-DSIOX_BUILD_PASS=ON, and "
                "ninja to its end)? --siox-no-pass compiles without it",
                places->looked);
    if (linker)
      siox__add(command, siox__text("-Wl,--load-pass-plugin=%s", places->plugin));
  }
  if (line->sources && !line->preprocess && !wishes->no_pass) {
    siox__add(command, siox__text("-fpass-plugin=%s", places->plugin));
    /* Makes the front end keep places in the source for the pass, and write none of them into the
     * object: the run time names calls by file and line. No pass has the name: nothing is printed.
     */
    if (siox__mentions_mpi_io(line))
      siox__add(command, "-Rpass-analysis=^siox-places");
  }
  if (line->reads && places->include && !siox__language.fortran) {
    siox__add(command, "-idirafter");
    siox__add(command, places->include);
  }
  if (line->link) {
    if (!places->library)
      siox__die("libsiox.so is neither in %s; was the build or the installation complete?",
                places->looked);
    if (line->is_static)
      siox__die("libsiox is a shared library: link without -static");
    /* First of all libraries: the loader has to find its MPI calls before those of an MPI library
     * that is named. */
    siox__add(command, siox__text("-L%s", places->library));
    siox__add(command, "-Wl,--push-state,--no-as-needed");
    siox__add(command, "-lsiox");
    siox__add(command, "-Wl,--pop-state");
    siox__add(command, siox__text("-Wl,-rpath,%s", places->library));
  }
}

/* What goes behind them where no wrapper knows MPI. */
static void add_behind(struct siox__args *command, const struct siox__line *line,
                       const struct siox__places *places) {
  if (!siox__language.fortran)
    return;
  if (line->sources && places->fortran)
    siox__add(command, siox__text("-I%s", places->fortran));
  if (line->link) {
    static const char *const mpi[] = {SIOX_MPI_FORTRAN_LINK, NULL};
    for (int i = 0; mpi[i]; i++)
      siox__add(command, mpi[i]);
  }
}

static void tell_ccache(const struct siox__places *places) {
  struct siox__set set[SETTINGS];
  for (int i = 0; i < SETTINGS; i++)
    set[i] = (struct siox__set){settings[i].name, variable_of(settings[i].name), by_option[i]};
  siox__tell_ccache(set, SETTINGS, places->plugin);
}

int main(int argc, char **argv) {
  struct wishes wishes = {0};
  struct siox__args rest = {0}, command = {0};
  (void)argc;
  take_wishes(&wishes, argv + 1, &rest, 0);
  if (wishes.help || asks_for_help(&rest)) {
    help();
    return fflush(stdout) ? 1 : 0;
  }
  if (!rest.n && !wishes.show) /* mpicc would say so with advice for mpicc */
    siox__die("no input files; try %s --help", siox__language.name);
  const char *compiler = siox__find_compiler(), *wrapper = siox__find_wrapper();
  if (wrapper) {
    siox__add(&command, wrapper);
    for (int i = 0; i < 2; i++)
      setenv(siox__language.chosen[i], compiler, 1);
  } else {
    siox__split(siox__text("%s", compiler), &command); /* it may be two words: ccache clang */
  }
  struct siox__line line = {0};
  static char *none[] = {NULL};
  char *const *given = rest.n ? rest.v : none;
  siox__read_line(&line, given);
  struct siox__places places = {0};
  if (line.inputs) {
    siox__find(&places);
    add_before(&command, &line, &wishes, &places);
    siox__add_all(&command, given);
    add_behind(&command, &line, &places);
  } else {
    siox__add_all(&command, given);
  }
  if (line.sources && !line.preprocess && !wishes.no_pass && !wishes.show)
    tell_ccache(&places);
  if (wishes.show)
    return show(&command, wrapper != NULL);
  if (siox__language.fortran)
    return siox__run_fortran(command.v, &line);
  execvp(command.v[0], command.v);
  siox__die("%s: %s", command.v[0], strerror(errno));
}
