/* What test_determinism.c needs of Criterion, for a machine that Criterion is not built for: its tests are run
   one after another in one process. */
#ifndef MSD_TESTS_PACKAGING_CROSS_CRITERION_CRITERION_H
#define MSD_TESTS_PACKAGING_CROSS_CRITERION_CRITERION_H

#include <stdbool.h>
#include <stddef.h>

/* Called before main by each test. */
void plain_add_test(const char *name, void (*function)(void));

/* Tells of a condition that does not hold, with a message made from `format` when that is not NULL; a fatal one
   ends the program. */
void plain_check(const char *file, int line, const char *text, bool fatal, bool condition, const char *format,
                 ...);

#define Test(suite, name)                                                                                    \
  static void suite##_##name(void);                                                                          \
  __attribute__((constructor)) static void add_##suite##_##name(void) {                                      \
    plain_add_test(#suite "::" #name, suite##_##name);                                                       \
  }                                                                                                          \
  static void suite##_##name(void)

/* A NULL behind the arguments stands for the message that a check may lack. */
#define PLAIN_TRUE(fatal, text, condition, ...)                                                              \
  plain_check(__FILE__, __LINE__, text, fatal, (condition), __VA_ARGS__)
#define PLAIN_EQUAL(fatal, text, a, b, ...)                                                                  \
  plain_check(__FILE__, __LINE__, text, fatal, (a) == (b), __VA_ARGS__)
#define cr_assert(...)          PLAIN_TRUE(true, #__VA_ARGS__, __VA_ARGS__, NULL)
#define cr_assert_not_null(...) PLAIN_TRUE(true, #__VA_ARGS__, NULL != __VA_ARGS__, NULL)
#define cr_assert_eq(...)       PLAIN_EQUAL(true, #__VA_ARGS__, __VA_ARGS__, NULL)
#define cr_expect_eq(...)       PLAIN_EQUAL(false, #__VA_ARGS__, __VA_ARGS__, NULL)

#endif
