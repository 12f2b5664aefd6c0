/* Lines of text files, cut into words and numbers. */
#ifndef MSD_SCENES_MESHES_TEXT_LINE_H
#define MSD_SCENES_MESHES_TEXT_LINE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BLANKS " \t\r"

static inline const char *skip_space(const char *text) {
  while (*text == ' ' || (*text >= '\t' && *text <= '\r'))
    text++;
  return text;
}

static inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/* The digits from *text on, behind those in *number; returns how many there are, or a hundred, and *text moves
   behind them. */
static inline int take_digits(const char **text, uint64_t *number) {
  enum { COUNT_MAX = 100 };
  const char *first = *text;
  for (; is_digit(**text); ++*text)
    *number = 10 * *number + (uint64_t)(**text - '0');
  return *text - first < COUNT_MAX ? (int)(*text - first) : COUNT_MAX;
}

/* What follows the digits of a number: a power of ten. False where it is none of few digits. */
static inline bool take_power(const char **text, int *power) {
  uint64_t number = 0;
  if (**text != 'e' && **text != 'E')
    return **text != 'x' && **text != 'X';
  const bool is_below = (*text)[1] == '-';
  *text += is_below || (*text)[1] == '+' ? 2 : 1;
  const int digits = take_digits(text, &number);
  *power += is_below ? -(int)(number % 1000) : (int)(number % 1000);
  return digits >= 1 && digits <= 3;
}

/* As strtod, several times as fast for what most files have: so few digits that they are exact in a double,
   times a power of ten that is. Then one operation is left, which rounds as strtod does. */
static inline double text_number(const char *text, char **end) {
  enum { DIGITS_MAX = 18, POWER_MAX = 22 };
  static const double powers[POWER_MAX + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                               1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                               1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  const char *at = skip_space(text);
  const bool is_negative = *at == '-';
  uint64_t number = 0;
  at += is_negative || *at == '+' ? 1 : 0;
  int digits = take_digits(&at, &number), power = 0;
  if (*at == '.') {
    at++;
    power = -take_digits(&at, &number);
  }
  if (digits > DIGITS_MAX || digits - power > DIGITS_MAX || digits - power == 0 ||
      number > UINT64_C(1) << 53 || !take_power(&at, &power) || power > POWER_MAX || power < -POWER_MAX)
    return strtod(text, end);
  const double size = power < 0 ? (double)number / powers[-power] : (double)number * powers[power];
  *end = (char *)(uintptr_t)at;
  return is_negative ? -size : size;
}

/* As strtol in tens. */
static inline long text_whole(const char *text, char **end) {
  enum { DIGITS_MAX = 9 };
  const char *at = text;
  const bool is_negative = *at == '-';
  uint64_t number = 0;
  at += is_negative ? 1 : 0;
  const int digits = take_digits(&at, &number);
  if (digits == 0 || digits > DIGITS_MAX)
    return strtol(text, end, 10);
  *end = (char *)(uintptr_t)at;
  return is_negative ? -(long)number : (long)number;
}

static inline const char *skip_blanks(const char *text) {
  return text + strspn(text, LINE_BLANKS);
}

/* The characters of the first word; 0 at the end of the line. */
static inline size_t word_length(const char *text) {
  return strcspn(text, LINE_BLANKS);
}

/* The characters of a line, without the blanks at its end. */
static inline size_t trimmed_length(const char *text) {
  size_t length = strlen(text);
  while (length > 0 && strchr(LINE_BLANKS, text[length - 1]))
    length--;
  return length;
}

/* How many numbers a line begins with, at most 3; the others are 0. */
static inline int line_numbers(const char *line, double numbers[3]) {
  int count = 0;
  for (int c = 0; c < 3; c++)
    numbers[c] = 0;
  for (char *end; count < 3; count++, line = end) {
    const double number = text_number(line, &end);
    if (end == line)
      break;
    numbers[count] = number;
  }
  return count;
}

#endif
