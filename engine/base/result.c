/* The public functions of msd/base.h. */

#include "msd/base.h"

#define TEXT(number)                      #number
#define VERSION_TEXT(major, minor, patch) TEXT(major) "." TEXT(minor) "." TEXT(patch)

const char *msd_result_string(msd_result result) {
  static const char *const texts[] = {
#define RESULT_TEXT(name, text) #name ": " text,
      MSD_RESULTS(RESULT_TEXT)
#undef RESULT_TEXT
  };
  return (unsigned)result < MSD_RESULT_COUNT ? texts[result] : "unknown result";
}

const char *msd_version(void) {
  return VERSION_TEXT(MSD_VERSION_MAJOR, MSD_VERSION_MINOR, MSD_VERSION_PATCH);
}

int msd_precision(void) {
  return (int)sizeof(msd_real);
}
