/* Reading the reference tables in data/: CSV with one header row and numbers below. */
#ifndef MSD_TESTS_SUPPORT_TABLE_H
#define MSD_TESTS_SUPPORT_TABLE_H

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

enum { TABLE_COLUMNS_MAX = 32, TABLE_ROWS_MAX = 2000 };

typedef struct table {
  int rows;
  double at[TABLE_ROWS_MAX][TABLE_COLUMNS_MAX];
} table;

/* The test fails unless every row has exactly `columns` numbers and there is at least one row. */
static inline table *table_read(const char *name, int columns) {
  char path[1024], line[4096];
  snprintf(path, sizeof path, "%s/%s", MSD_TEST_DATA, name);
  FILE *file = fopen(path, "r");
  cr_assert(file != NULL, "cannot open %s", path);
  table *t = calloc(1, sizeof *t);
  cr_assert(t != NULL);
  cr_assert(fgets(line, sizeof line, file) != NULL, "%s is empty", path);
  while (fgets(line, sizeof line, file) != NULL) {
    cr_assert(t->rows < TABLE_ROWS_MAX && columns <= TABLE_COLUMNS_MAX);
    char *at = line;
    for (int c = 0; c < columns; c++) {
      char *end;
      t->at[t->rows][c] = strtod(at, &end);
      cr_assert(end != at && *end == (c + 1 < columns ? ',' : '\n'), "%s: row %d is bad", path, t->rows + 2);
      at = end + 1;
    }
    t->rows++;
  }
  fclose(file);
  cr_assert(t->rows > 0, "%s has no rows", path);
  return t;
}

#endif
