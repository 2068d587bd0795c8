/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* siox db info: what is in a database. */
#include "db.h"
#include "store/maintain.h"
#include <time.h>

static void take_table(void *tables, const char *table, int64_t rows) {
  json_object_set_new(tables, table, json_integer((json_int_t)rows));
}

/* In this machine's time; "" for none. */
static const char *time_text(int64_t ns, char *text, size_t size) {
  const time_t seconds = (time_t)(ns / 1000000000);
  struct tm local;
  if (!ns || !localtime_r(&seconds, &local) || !strftime(text, size, "%Y-%m-%dT%H:%M:%S%z", &local))
    *text = 0;
  return text;
}

static json_t *time_json(int64_t ns) {
  char text[40];
  return ns ? json_string(time_text(ns, text, sizeof text)) : json_null();
}

int siox__db_info(struct siox__db *db) {
  struct siox__store_info info;
  struct siox_diag diag = {""};
  if (!siox__db_open(db, SIOX__BASE_READ))
    return 1;
  json_t *tables = json_object(), *rows;
  const char *table;
  char text[40];
  int r = siox__store_info(db->base, &info, take_table, tables, &diag);
  if (r == 0 && db->json) {
    siox__db_print(json_pack("{s:s, s:i, s:b, s:I, s:I, s:o, s:o, s:O}", "place", db->name,
                             "version", info.version, "current",
                             info.version == SIOX__STORE_VERSION, "runs", (json_int_t)info.runs,
                             "bytes", (json_int_t)info.bytes, "oldest", time_json(info.oldest),
                             "newest", time_json(info.newest), "tables", tables));
  } else if (r == 0) {
    printf("%s\nversion        %d%s\nruns           %lld\nbytes          %lld\n", db->name,
           info.version, info.version < SIOX__STORE_VERSION ? " (siox db migrate)" : "",
           (long long)info.runs, (long long)info.bytes);
    if (info.oldest) {
      printf("oldest         %s\n", time_text(info.oldest, text, sizeof text));
      printf("newest         %s\n", time_text(info.newest, text, sizeof text));
    }
    puts("rows");
    json_object_foreach(tables, table, rows)
        printf("  %-12s %lld\n", table, (long long)json_integer_value(rows));
  }
  json_decref(tables);
  return r < 0 ? siox__db_fail(db, r, &diag) : 0;
}
