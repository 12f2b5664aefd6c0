/* Values of JSON objects that JSON has no word for. */
#ifndef MSD_APP_BASE_JSON_VALUES_H
#define MSD_APP_BASE_JSON_VALUES_H

#include <jansson.h>

#include <math.h>
#include <stdint.h>

/* A number, or null when it is not finite. */
static inline json_t *json_number(double value) {
  return isfinite(value) ? json_real(value) : json_null();
}

/* An index, or null when it is negative: there is none. */
static inline json_t *json_index(int32_t index) {
  return index >= 0 ? json_integer(index) : json_null();
}

#endif
