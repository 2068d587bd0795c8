/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The compiler drivers siox-cc, siox-cxx and siox-fc: one program, built once for each language.
 *
 *   siox-cc -O2 -c a.c    becomes    mpicc -fpass-plugin=... -idirafter ... -O2 -c a.c
 *   siox-cc -o a a.o      becomes    mpicc -L... -lsiox ... -o a a.o
 *
 * with MPICH_CC=clang-19 in the environment.
 *
 * line.c reads what a command line asks for, places.c looks into the sources, find.c finds the
 * parts of Siox and the compiler, fortran.c knows what is particular to Fortran, ccache.c what
 * ccache has to be told, main.c puts the new command line together and runs it. */
#ifndef SIOX_TOOLS_DRIVER_H
#define SIOX_TOOLS_DRIVER_H

#include <stdbool.h>
#include <stddef.h>

/* Arguments that grow; always ended by NULL. Strings are not owned: the process is about to be
 * replaced. */
struct siox__args {
  char **v;
  size_t n, room;
};
/* Every function here that needs memory ends the process with a message when there is none. */
void siox__add(struct siox__args *args, const char *text);
void siox__add_all(struct siox__args *args, char *const *more);
char *siox__text(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Ends the process with status 1 after "siox-cc: ..." on stderr. */
_Noreturn void siox__die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What one of the drivers stands for. */
struct siox__language {
  const char *name;             /* siox-cc */
  const char *compiler;         /* clang-19 */
  const char *package;          /* that has it */
  const char *version_word;     /* precedes the major version in what --version prints */
  const char *wrapper;          /* mpicc as it was found when Siox was built; NULL: none is used */
  const char *wrapper_variable; /* environment that names another one */
  const char
      *chosen[2]; /* environment of MPICH's and Open MPI's wrappers for the compiler they call */
  bool fortran;
};
extern const struct siox__language siox__language;

/* What a command line asks for. */
struct siox__line {
  bool inputs;     /* there is something to compile or to link */
  bool sources;    /* of it something that the pass can see: no assembly, no headers */
  bool reads;      /* of it something that reads headers: no bitcode, nothing preprocessed */
  bool preprocess; /* -E and the like: no code is made */
  bool link;       /* an executable or a shared library is made */
  bool is_static;
  enum siox__lto { SIOX__LTO_NONE, SIOX__LTO_FULL, SIOX__LTO_THIN } lto;
  bool lld;                      /* links with it */
  bool forced;                   /* -include: more is compiled than the files say */
  struct siox__args files;       /* sources */
  struct siox__args directories; /* of -I and -iquote */
};
void siox__read_line(struct siox__line *line, char *const *argv);
/* The words of a text, which is changed and must stay. */
void siox__split(char *text, struct siox__args *out);
enum { SIOX__NESTED = 16 }; /* response files in response files, at the most */
/* The words of a response file; false where it cannot be read. */
bool siox__read_response(const char *path, struct siox__args *out);

/* Has a source, or a header in quotes, a call of MPI-IO by name. When in doubt, it has. */
bool siox__mentions_mpi_io(const struct siox__line *line);

/* Where the parts of Siox are, from where this program is; NULL where they are not. */
struct siox__places {
  const char *plugin, *library /* directory of libsiox.so */, *include,
      *fortran /* mpif.h, mpi.mod */;
  const char *looked; /* for messages */
};
void siox__find(struct siox__places *places);
/* The compiler: the environment's choice or the default. Ends the process where it is of another
 * major version. */
const char *siox__find_compiler(void);
/* The MPI wrapper to call; NULL: the compiler itself. */
const char *siox__find_wrapper(void);

/* A setting of the pass, in the environment by now. */
struct siox__set {
  const char *name, *variable; /* form, SIOX_FORM */
  bool by_option;              /* --siox-form put it there */
};
/* Keeps ccache from taking what was made with other settings, files or another pass; says so where
 * it cannot. */
void siox__tell_ccache(const struct siox__set *set, size_t n, const char *plugin);

/* Runs flang, and says what can be done when modules were the problem; returns the exit status. */
int siox__run_fortran(char *const *argv, const struct siox__line *line);

#endif
