#include "engine/base/validate.h"

#include "engine/base/vec3.h"

msd_result check_index(report *r, const char *what, int32_t index, int32_t count) {
  if (index >= 0 && index < count)
    return MSD_OK;
  return report_fail(r, MSD_BAD_INDEX, "there is no %s %d; the world has %d", what, (int)index, (int)count);
}

msd_result check_field_index(report *r, subject about, const char *field, int32_t index, int32_t count,
                             const char *of, const char *otherwise) {
  if (index >= (otherwise ? -1 : 0) && index < count)
    return MSD_OK;
  return report_refuse(r, MSD_BAD_INDEX, about, "%s is %d; it must be one of the world's %d %ss%s%s", field,
                       (int)index, (int)count, of, otherwise ? ", or " : "", otherwise ? otherwise : "");
}

msd_result check_list(report *r, const char *function, int count, const void *list) {
  if (count == 0 || (count > 0 && list))
    return MSD_OK;
  return report_fail(r, MSD_BAD_VALUE, "%s: count is %d and defs %s", function, count,
                     list ? "set; count must be 0 or more" : "NULL");
}

static const char *name_of(definition_cookie cookie) {
  switch (cookie) {
#define DEFINITION_NAME(name, value, text)                                                                   \
  case name:                                                                                                 \
    return text;
    DEFINITIONS(DEFINITION_NAME)
#undef DEFINITION_NAME
  }
  return "";
}

msd_result check_cookie(report *r, subject about, const uint32_t *cookie, definition_cookie expected) {
  if (cookie && *cookie == expected)
    return MSD_OK;
  const char *what = about.field ? about.field : "the definition";
  about.field = NULL;
  if (!cookie)
    return report_refuse(r, MSD_UNINITIALIZED_DEF, about, "%s is NULL", what);
  return report_refuse(r, MSD_UNINITIALIZED_DEF, about, "%s was not made by msd_default_%s", what,
                       name_of(expected));
}

msd_result check_finite(report *r, subject about, const char *field, double value) {
  if (isfinite(value))
    return MSD_OK;
  return report_refuse(r, MSD_BAD_VALUE, about, "%s is %g; it must be finite", field, value);
}

msd_result check_vector(report *r, subject about, const char *field, msd_vec3 value) {
  if (vec3_is_finite(value))
    return MSD_OK;
  return report_refuse(r, MSD_BAD_VALUE, about, "%s is (%g, %g, %g); it must be finite", field,
                       (double)value.x, (double)value.y, (double)value.z);
}

msd_result check_turn(report *r, subject about, msd_turn turn) {
  const msd_result result = check_vector(r, about, "rotation of the turn", turn.rotation);
  return result == MSD_OK ? check_vector(r, about, "pivot of the turn", turn.pivot) : result;
}
