/* The functions that the public headers declare, for tests that must not forget one. */
#ifndef MSD_TESTS_DECLARATIONS_H
#define MSD_TESTS_DECLARATIONS_H

#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The text of a file, to be freed. */
static inline char *declarations_read(const char *path) {
  FILE *file = fopen(path, "rb");
  cr_assert(file != NULL, "cannot open %s", path);
  cr_assert_eq(fseek(file, 0, SEEK_END), 0);
  const long size = ftell(file);
  cr_assert_gt(size, 0);
  rewind(file);
  char *text = calloc((size_t)size + 1, 1);
  cr_assert(text != NULL && fread(text, 1, (size_t)size, file) == (size_t)size);
  fclose(file);
  return text;
}

static inline bool declarations_is_called(const char *source, const char *name) {
  const size_t length = strlen(name);
  for (const char *at = strstr(source, name); at; at = strstr(at + 1, name)) {
    const char before = at == source ? ' ' : at[-1];
    if (at[length] == '(' && !isalnum((unsigned char)before) && before != '_')
      return true;
  }
  return false;
}

/* The name before the first parenthesis of a declaration. */
static inline void declarations_name(const char *declaration, char *name, size_t size) {
  const char *end = strchr(declaration, '(');
  cr_assert(end != NULL);
  const char *start = end;
  while (isalnum((unsigned char)start[-1]) || start[-1] == '_')
    start--;
  snprintf(name, size, "%.*s", (int)(end - start), start);
}

/* Expects that all functions of a header are called in a source whose declarations begin like that, and whose
   first argument does, where `argument` is not NULL. `user` is the name of the source. Returns how many there
   are. */
static inline int declarations_expect_called(const char *header, const char *beginning, const char *argument,
                                             const char *source, const char *user) {
  char path[512], complaint[200];
  snprintf(path, sizeof path, "%s/../../engine/include/msd/%s", MSD_TEST_DATA, header);
  snprintf(complaint, sizeof complaint, "declared in %s and not called in %s", header, user);
  char *text = declarations_read(path);
  int functions = 0;
  for (char *at = strstr(text, beginning); at; at = strstr(at + 1, beginning)) {
    char name[80];
    declarations_name(at, name, sizeof name);
    if (argument && strncmp(strchr(at, '(') + 1, argument, strlen(argument)) != 0)
      continue;
    cr_expect(declarations_is_called(source, name), "%s is %s", name, complaint);
    functions++;
  }
  free(text);
  return functions;
}

#endif
