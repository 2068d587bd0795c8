/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The four levels of access of MPI-IO, after Parabench's pattern in "Monitoring Energy Consumption
 * With SIOX", Table 1 and Fig. 3: blocks of one shared file lie in turn with the ranks, block i of
 * rank r at (i * ranks + r) * block.
 *
 *   level 0  each rank for itself, a block a call            MPI_File_write_at
 *   level 1  together, a block a call                        MPI_File_write_at_all
 *   level 2  each rank for itself, through a view with holes MPI_File_set_view, MPI_File_write_at
 *   level 3  together, through a view with holes             MPI_File_set_view,
 * MPI_File_write_at_all
 *
 * For each level: write, barrier, drop the caches, read, barrier, delete. What a byte must be
 * follows from its place in the file, so that --verify can tell whose block came where. */
#include "options.h"
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <mpi.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static const char usage[] =
    "usage: levels [options] FILE\n"
    "\n"
    "Writes and reads FILE at the four levels of access of MPI-IO and prints what each phase "
    "took.\n"
    "\n"
    "  --levels LIST       which, in this order (0,1,2,3)\n"
    "  --blocks N          blocks of each rank (6400)\n"
    "  --block SIZE        bytes of a block; K, M and G are powers of 1024 (100K)\n"
    "  --scale X           this part of the blocks (1)\n"
    "  --batch N           blocks a call at levels 2 and 3, 0: all of them, as in the paper\n"
    "                      (as many as 64 MB hold)\n"
    "  --info KEY=VALUE    a hint for MPI_File_open; may be repeated\n"
    "  --phases LIST       of write, read and delete (write,read,delete)\n"
    "  --repeats N         everything so often (1)\n"
    "  --think SECONDS     between two calls (0)\n"
    "  --seed N            of what is written (1)\n"
    "  --verify            every byte that is read is compared with what was written\n"
    "  --drop-caches       root: the node's caches are dropped before the read, as the paper did;\n"
    "                      those of the file always are, where the kernel does it\n"
    "  --json[=OUTPUT]     one object on stdout, or in OUTPUT, in the place of the table\n"
    "\n"
    "Columns: seconds between two barriers; the slowest rank's seconds in calls of MPI-IO; "
    "processor\n"
    "seconds of rank 0 and of all ranks. Status 1: an error, or a byte is wrong; 2: a wrong "
    "option.\n"
    "\n"
    "examples:\n"
    "  mpiexec -n 8 levels --scale 0.1 --verify /tmp/siox/output.dat\n"
    "  mpiexec -n 8 levels --levels 3 --info romio_cb_write=disable --json=3.json "
    "/tmp/siox/output.dat\n"
    "  siox run --json=0.json -- mpiexec -n 8 levels --levels 0 /tmp/siox/output.dat\n";

enum { LEVELS = 4, ORDER = 64, HINTS = 64, WRITE = 1, READ = 2, DELETE = 4 };
static const int64_t BATCH_BYTES = 64000000; /* of a rank's buffer */

struct options {
  const char *file, *json_file, *hint[HINTS];
  int level[ORDER], nlevels, nhints, phases;
  int64_t blocks, block, batch, repeats, seed;
  double scale, think;
  bool verify, drop, json;
};

struct phase {
  int level, repeat;
  const char *name;
  double seconds, io_seconds;
  int64_t calls; /* of each rank */
};

static int rank, ranks;
static FILE *out;

static void fail(const char *what, const char *name, int code) {
  char reason[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  if (code != MPI_SUCCESS)
    MPI_Error_string(code, reason, &length);
  fprintf(stderr, "levels: rank %d: %s: %s%s%s\n", rank, name, what, length ? ": " : "", reason);
  MPI_Abort(MPI_COMM_WORLD, 1);
  exit(1);
}

/* ---- what is written ---- */

/* The byte at each place of the file, for a piece of it. */
static void fill(unsigned char *to, int64_t offset, int64_t bytes, uint64_t seed) {
  for (int64_t i = 0; i < bytes;) {
    uint64_t word = option_mix(seed, (uint64_t)(offset + i) / 8);
    int64_t within = (offset + i) % 8, n = 8 - within < bytes - i ? 8 - within : bytes - i;
    memcpy(to + i, (unsigned char *)&word + within, (size_t)n);
    i += n;
  }
}

static int64_t place(const struct options *o, int64_t i) { return (i * ranks + rank) * o->block; }

static void make(const struct options *o, unsigned char *buffer, int64_t first, int64_t n) {
  for (int64_t i = 0; i < n; i++)
    fill(buffer + i * o->block, place(o, first + i), o->block, (uint64_t)o->seed);
}

static void check(const struct options *o, const unsigned char *got, unsigned char *wanted,
                  int64_t first, int64_t n) {
  char what[160];
  for (int64_t i = 0; i < n; i++) {
    fill(wanted, place(o, first + i), o->block, (uint64_t)o->seed);
    const unsigned char *block = got + i * o->block;
    if (!memcmp(block, wanted, (size_t)o->block))
      continue;
    int64_t at = 0;
    while (block[at] == wanted[at])
      at++;
    snprintf(what, sizeof what, "block %" PRId64 ": byte %" PRId64 " is %d, not %d", first + i,
             place(o, first + i) + at, block[at], wanted[at]);
    fail(what, o->file, MPI_SUCCESS);
  }
}

/* ---- files ---- */

static MPI_File open_file(const struct options *o, int mode) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_File file;
  if (o->nhints)
    MPI_Info_create(&info);
  for (int i = 0; i < o->nhints; i++) {
    char key[MPI_MAX_INFO_KEY + 1];
    const char *value = strchr(o->hint[i], '=') + 1;
    snprintf(key, sizeof key, "%.*s", (int)(value - 1 - o->hint[i]), o->hint[i]);
    int code = MPI_Info_set(info, key, value);
    if (code != MPI_SUCCESS)
      fail("cannot be a hint", o->hint[i], code);
  }
  int code = MPI_File_open(MPI_COMM_WORLD, o->file, mode, info, &file);
  if (code != MPI_SUCCESS)
    fail("cannot be opened", o->file, code);
  if (info != MPI_INFO_NULL)
    MPI_Info_free(&info);
  return file;
}

/* The rank's own blocks alone, one after the other. */
static void set_view(const struct options *o, MPI_File file) {
  MPI_Datatype block, spread;
  MPI_Type_contiguous((int)o->block, MPI_BYTE, &block);
  MPI_Type_create_resized(block, 0, (MPI_Aint)(o->block * ranks), &spread);
  MPI_Type_commit(&spread);
  int code = MPI_File_set_view(file, rank * o->block, MPI_BYTE, spread, "native", MPI_INFO_NULL);
  if (code != MPI_SUCCESS)
    fail("view cannot be set", o->file, code);
  MPI_Type_free(&spread);
  MPI_Type_free(&block);
}

/* One call: n blocks from the first on. */
static void move(const struct options *o, MPI_File file, int level, bool write, int64_t first,
                 int64_t n, unsigned char *buffer) {
  MPI_Offset offset = level < 2 ? place(o, first) : first * o->block;
  int bytes = (int)(n * o->block), got = 0, code;
  MPI_Status status;
  if (write)
    code = level % 2 ? MPI_File_write_at_all(file, offset, buffer, bytes, MPI_BYTE, &status)
                     : MPI_File_write_at(file, offset, buffer, bytes, MPI_BYTE, &status);
  else
    code = level % 2 ? MPI_File_read_at_all(file, offset, buffer, bytes, MPI_BYTE, &status)
                     : MPI_File_read_at(file, offset, buffer, bytes, MPI_BYTE, &status);
  if (code != MPI_SUCCESS)
    fail(write ? "cannot be written" : "cannot be read", o->file, code);
  MPI_Get_count(&status, MPI_BYTE, &got);
  if (got != bytes)
    fail(write ? "not all was written" : "ends too early", o->file, MPI_SUCCESS);
}

static void think(double seconds) {
  struct timespec t = {(time_t)seconds, (long)((seconds - floor(seconds)) * 1e9)};
  while (seconds > 0 && nanosleep(&t, &t) < 0 && errno == EINTR)
    ;
}

/* The write or the read of one level. */
static struct phase transfer(const struct options *o, int level, int repeat, bool write,
                             unsigned char *buffer, unsigned char *wanted) {
  struct phase p = {.level = level, .repeat = repeat, .name = write ? "write" : "read"};
  int64_t most = level < 2 ? 1 : o->batch;
  MPI_Barrier(MPI_COMM_WORLD);
  double begin = MPI_Wtime(), own = 0;
  MPI_File file = open_file(o, write ? MPI_MODE_CREATE | MPI_MODE_WRONLY : MPI_MODE_RDONLY);
  if (level >= 2)
    set_view(o, file);
  for (int64_t i = 0; i < o->blocks; p.calls++) {
    int64_t n = o->blocks - i < most ? o->blocks - i : most;
    if (i)
      think(o->think);
    if (write)
      make(o, buffer, i, n);
    double start = MPI_Wtime();
    move(o, file, level, write, i, n, buffer);
    own += MPI_Wtime() - start;
    if (!write && o->verify)
      check(o, buffer, wanted, i, n);
    i += n;
  }
  double start = MPI_Wtime();
  int code = MPI_File_close(&file);
  own += MPI_Wtime() - start;
  if (code != MPI_SUCCESS)
    fail("cannot be closed", o->file, code);
  MPI_Barrier(MPI_COMM_WORLD);
  p.seconds = MPI_Wtime() - begin;
  MPI_Reduce(&own, &p.io_seconds, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  return p;
}

/* What lies in memory is no measure of a disk. Dirty pages stay, so they are written before. */
static void drop_caches(const struct options *o) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    int fd = open(o->file, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
      fdatasync(fd);
      posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
      close(fd);
    }
    if (o->drop) {
      fd = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);
      if (fd < 0 || write(fd, "3\n", 2) != 2)
        fprintf(stderr, "levels: caches are not dropped: /proc/sys/vm/drop_caches: %s\n",
                strerror(errno));
      if (fd >= 0)
        close(fd);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/* ---- what is told ---- */

static double processor_seconds(void) {
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
         (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static void begin_report(const struct options *o) {
  if (rank)
    return;
  if (!o->json) {
    fprintf(out, "%d ranks, %" PRId64 " blocks of %" PRId64 " bytes each, %" PRId64 " bytes\n",
            ranks, o->blocks, o->block, ranks * o->blocks * o->block);
    fprintf(out, "level  phase     seconds  in MPI-IO      calls    CPU, rank 0  CPU, all\n");
    return;
  }
  fprintf(out, "{\"program\":\"levels\",\"ranks\":%d,\"blocks\":%" PRId64 ",\"block\":%" PRId64,
          ranks, o->blocks, o->block);
  fprintf(out, ",\"batch\":%" PRId64 ",\"think\":%.9g,\"seed\":%" PRId64 ",\"verified\":%s",
          o->batch, o->think, o->seed, o->verify ? "true" : "false");
  fprintf(out, ",\"file\":");
  option_json(out, o->file);
  fprintf(out, ",\"info\":[");
  for (int i = 0; i < o->nhints; i++) {
    if (i)
      fputc(',', out);
    option_json(out, o->hint[i]);
  }
  fprintf(out, "],\"phases\":[");
}

/* cpu: processor seconds of this rank in the phase. */
static void tell(const struct options *o, const struct phase *p, double cpu) {
  static int told;
  double *all = malloc((size_t)ranks * sizeof *all), sum = 0;
  if (!all)
    fail("out of memory", "report", MPI_SUCCESS);
  MPI_Gather(&cpu, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  for (int r = 0; rank == 0 && r < ranks; r++)
    sum += all[r];
  if (rank == 0 && !o->json) {
    fprintf(out, "%5d  %-6s %10.3f %10.3f %10" PRId64 " %14.3f %9.3f\n", p->level, p->name,
            p->seconds, p->io_seconds, p->calls, all[0], sum);
  } else if (rank == 0) {
    fprintf(out,
            "%s\n{\"level\":%d,\"repeat\":%d,\"phase\":\"%s\",\"seconds\":%.9g,\"io_seconds\":%.9g,"
            "\"calls\":%" PRId64 ",\"bytes\":%" PRId64 ",\"cpu_seconds\":[",
            told ? "," : "", p->level, p->repeat, p->name, p->seconds, p->io_seconds, p->calls,
            ranks * o->blocks * o->block);
    for (int r = 0; r < ranks; r++)
      fprintf(out, "%s%.6f", r ? "," : "", all[r]);
    fprintf(out, "]}");
  }
  told++;
  free(all);
}

static void end_report(const struct options *o) {
  if (rank)
    return;
  if (o->json)
    fprintf(out, "]}\n");
  if (fflush(out) || ferror(out))
    fail("cannot be written", o->json_file ? o->json_file : "standard output", MPI_SUCCESS);
}

static void run(const struct options *o) {
  size_t room = (size_t)(o->batch * o->block);
  unsigned char *buffer = malloc(room), *wanted = malloc((size_t)o->block);
  if (!buffer || !wanted)
    fail("out of memory: fewer blocks a call (--batch) need less", "buffer", MPI_SUCCESS);
  begin_report(o);
  for (int repeat = 0; repeat < o->repeats; repeat++)
    for (int l = 0; l < o->nlevels; l++) {
      double before = processor_seconds();
      if (o->phases & WRITE) {
        struct phase p = transfer(o, o->level[l], repeat, true, buffer, wanted);
        tell(o, &p, processor_seconds() - before);
      }
      if (o->phases & READ) {
        drop_caches(o);
        before = processor_seconds();
        struct phase p = transfer(o, o->level[l], repeat, false, buffer, wanted);
        tell(o, &p, processor_seconds() - before);
      }
      if ((o->phases & DELETE) && rank == 0) {
        int code = MPI_File_delete(o->file, MPI_INFO_NULL);
        if (code != MPI_SUCCESS)
          fail("cannot be deleted", o->file, code);
      }
      MPI_Barrier(MPI_COMM_WORLD);
    }
  end_report(o);
  free(buffer);
  free(wanted);
}

/* ---- the command line ---- */

static bool parse_levels(const char *text, struct options *o) {
  o->nlevels = 0;
  for (;; text += 2) {
    if (*text < '0' || *text >= '0' + LEVELS || o->nlevels == ORDER || (text[1] && text[1] != ','))
      return false;
    o->level[o->nlevels++] = *text - '0';
    if (!text[1])
      return true;
  }
}

static bool parse_phases(const char *text, struct options *o) {
  static const char *const name[] = {"write", "read", "delete"};
  o->phases = 0;
  for (;;) {
    size_t n = strcspn(text, ",");
    int i = 0;
    while (i < 3 && (strlen(name[i]) != n || memcmp(name[i], text, n) != 0))
      i++;
    if (i == 3)
      return false;
    o->phases |= 1 << i;
    if (!text[n])
      return true;
    text += n + 1;
  }
}

static bool parse_hint(const char *text, struct options *o) {
  const char *equals = strchr(text, '=');
  if (!equals || equals == text || equals - text > MPI_MAX_INFO_KEY || !equals[1] ||
      strlen(equals + 1) >= MPI_MAX_INFO_VAL || o->nhints == HINTS)
    return false;
  o->hint[o->nhints++] = text;
  return true;
}

static int slip(const char *what, const char *where) {
  if (rank == 0)
    fprintf(stderr, "levels: %s%s%s; try levels --help\n", where, *where ? ": " : "", what);
  return 2;
}

static int slip_value(const char *option, const char *value) {
  if (rank == 0)
    fprintf(stderr, "levels: --%s: \"%s\" cannot be its value; try levels --help\n", option, value);
  return 2;
}

/* What several options together ask for. */
static int fit(struct options *o) {
  static const char too_much[] = "so many bytes cannot be in one file";
  o->blocks = (int64_t)fmax(1, round((double)o->blocks * o->scale));
  int64_t all;
  if (__builtin_mul_overflow(o->blocks, o->block, &all) || __builtin_mul_overflow(all, ranks, &all))
    return slip(too_much, "--blocks");
  if (o->block * ranks > INT_MAX)
    return slip("a block of each rank together are more than 2 GB", "--block");
  if (o->batch < 0)
    o->batch = BATCH_BYTES / o->block > 0 ? BATCH_BYTES / o->block : 1;
  if (o->batch == 0 || o->batch > o->blocks)
    o->batch = o->blocks;
  if (o->batch > INT_MAX / o->block)
    return slip("a call moves less than 2 GB", "--batch");
  return 0;
}

/* 0 go on, otherwise an exit status + 1. */
static int parse(int argc, char **argv, struct options *o) {
  enum {
    LIST = 256,
    BLOCKS,
    BLOCK,
    SCALE,
    BATCH,
    INFO,
    PHASES,
    REPEATS,
    THINK,
    SEED,
    VERIFY,
    DROP,
    JSON
  };
  static const struct option known[] = {{"levels", required_argument, NULL, LIST},
                                        {"blocks", required_argument, NULL, BLOCKS},
                                        {"block", required_argument, NULL, BLOCK},
                                        {"scale", required_argument, NULL, SCALE},
                                        {"batch", required_argument, NULL, BATCH},
                                        {"info", required_argument, NULL, INFO},
                                        {"phases", required_argument, NULL, PHASES},
                                        {"repeats", required_argument, NULL, REPEATS},
                                        {"think", required_argument, NULL, THINK},
                                        {"seed", required_argument, NULL, SEED},
                                        {"verify", no_argument, NULL, VERIFY},
                                        {"drop-caches", no_argument, NULL, DROP},
                                        {"json", optional_argument, NULL, JSON},
                                        {"help", no_argument, NULL, 'h'},
                                        {0}};
  opterr = 0;
  for (int c, which = 0; (c = getopt_long(argc, argv, ":h", known, &which)) != -1;) {
    bool good = true;
    switch (c) {
    case LIST:
      good = parse_levels(optarg, o);
      break;
    case BLOCKS:
      good = option_whole(optarg, 1, INT32_MAX, &o->blocks);
      break;
    case BLOCK:
      good = option_bytes(optarg, 1, 1 << 30, &o->block);
      break;
    case SCALE:
      good = option_real(optarg, 0, 1000, &o->scale) && o->scale > 0;
      break;
    case BATCH:
      good = option_whole(optarg, 0, INT32_MAX, &o->batch);
      break;
    case INFO:
      good = parse_hint(optarg, o);
      break;
    case PHASES:
      good = parse_phases(optarg, o);
      break;
    case REPEATS:
      good = option_whole(optarg, 1, 1000000, &o->repeats);
      break;
    case THINK:
      good = option_real(optarg, 0, 1e6, &o->think);
      break;
    case SEED:
      good = option_whole(optarg, 0, INT64_MAX, &o->seed);
      break;
    case VERIFY:
      o->verify = true;
      break;
    case DROP:
      o->drop = true;
      break;
    case JSON:
      o->json = true;
      o->json_file = optarg;
      break;
    case 'h':
      if (rank == 0)
        fputs(usage, stdout);
      return 1;
    default:
      return slip(c == ':' ? "a value is wanted" : "no such option", argv[optind - 1]) + 1;
    }
    if (!good)
      return slip_value(known[which].name, optarg) + 1;
  }
  if (optind != argc - 1)
    return slip("one FILE is wanted", optind < argc ? argv[optind + 1] : "") + 1;
  o->file = argv[optind];
  int r = fit(o);
  return r ? r + 1 : 0;
}

int main(int argc, char **argv) {
  struct options o = {.level = {0, 1, 2, 3},
                      .nlevels = LEVELS,
                      .phases = WRITE | READ | DELETE,
                      .blocks = 6400,
                      .block = 100 << 10,
                      .batch = -1,
                      .repeats = 1,
                      .seed = 1,
                      .scale = 1};
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int status = parse(argc, argv, &o);
  out = stdout;
  if (!status && rank == 0 && o.json_file && !(out = fopen(o.json_file, "we")))
    fail(strerror(errno), o.json_file, MPI_SUCCESS);
  if (!status)
    run(&o);
  if (out && out != stdout)
    fclose(out);
  MPI_Finalize();
  return status ? status - 1 : 0;
}
