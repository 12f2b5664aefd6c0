#include <criterion/criterion.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TESTS_MAX = 64 };

static struct test {
  const char *name;
  void (*function)(void);
} tests[TESTS_MAX];
static int test_count, failures;

void plain_add_test(const char *name, void (*function)(void)) {
  if (test_count == TESTS_MAX)
    abort();
  tests[test_count++] = (struct test){name, function};
}

void plain_check(const char *file, int line, const char *text, bool fatal, bool condition, const char *format,
                 ...) {
  if (condition)
    return;
  failures++;
  printf("%s:%d: ", file, line);
  va_list values;
  va_start(values, format);
  if (format)
    vprintf(format, values);
  else
    printf("%s does not hold", text);
  va_end(values);
  printf("\n");
  if (fatal)
    exit(EXIT_FAILURE);
}

/* Runs the tests whose names contain the argument; all when there is none. */
int main(int argc, char **argv) {
  int run = 0;
  for (int n = 0; n < test_count; n++) {
    if (argc > 1 && !strstr(tests[n].name, argv[1]))
      continue;
    printf("%s\n", tests[n].name);
    fflush(stdout);
    tests[n].function();
    run++;
  }
  return run > 0 && failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
