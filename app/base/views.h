/* A particle of a bulk view. */
#ifndef MSD_APP_BASE_VIEWS_H
#define MSD_APP_BASE_VIEWS_H

#include <msd/msd.h>

static inline msd_vec3 view_at(const msd_view *view, int32_t i) {
  int32_t at = view->slot != NULL ? view->slot[i] : i;
  return (msd_vec3){view->x[at], view->y[at], view->z[at]};
}

#endif
