#include "app/export/row_source.h"

bool export_next(const export_source *source, export_column column, msd_range *left, export_stretch *out) {
  if (left->count == 0)
    return false;
  *out = source->get(source->context, column, *left);
  left->first += out->rows.count;
  left->count -= out->rows.count;
  return out->rows.count > 0;
}

static msd_view view_from(msd_view view, msd_range rows) {
  if (view.slot != NULL) {
    view.slot += rows.first;
  } else {
    view.x += rows.first;
    view.y += rows.first;
    view.z += rows.first;
  }
  view.count = rows.count;
  return view;
}

static const int32_t *corners_from(const export_shape *shape, export_column column, int32_t first) {
  return column == EXPORT_TRIANGLES ? shape->triangles[first]
         : column == EXPORT_LINES   ? shape->lines[first]
                                    : &shape->points[first];
}

static export_stretch get_whole(void *context, export_column column, msd_range wanted) {
  const export_whole *whole = context;
  if (column == EXPORT_POSITIONS || column == EXPORT_VELOCITIES)
    return (export_stretch){
        .rows = wanted,
        .vectors = view_from(column == EXPORT_POSITIONS ? whole->positions : whole->velocities, wanted)};
  return (export_stretch){.rows = wanted, .corners = corners_from(whole->shape, column, wanted.first)};
}

export_source export_source_of(export_whole *whole) {
  return (export_source){get_whole, whole};
}
