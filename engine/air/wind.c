#include "engine/air/wind.h"

#include "engine/air/triangle_width.h"
#include "engine/base/min_max.h"
#include "engine/kernel/records.h"
#include "engine/kernel/widths.h"

/* ----------------------------------------------------------------------------------------------- faces */

static void put_faces(wind_work *w, const surface_store *s, const particle_store *p, msd_real thickness) {
  for (int32_t n = 0; n < s->triangle_count; n++)
    for (int k = 0; k < WIND_CORNERS; k++)
      w->slots[k][n] = (int32_t)particle_slot(p, s->triangles[n][k]);
  for (int32_t n = 0; n < s->segment_count; n++)
    for (int k = 0; k < WIND_CORNERS; k++)
      w->slots[k][s->triangle_count + n] = (int32_t)particle_slot(p, s->segments[n][k > 0]);
  for (int32_t i = 0; i < s->count; i++) {
    const surface_entry *e = &s->entries[i];
    for (int32_t n = 0; n < e->segment_count; n++)
      w->widths[e->first_segment + n] = (double)(e->thickness < 0 ? thickness : e->thickness);
  }
}

bool wind_work_make(wind_work *w, memory *m, const surface_store *s, const particle_store *p,
                    msd_real thickness) {
  const int64_t faces = (int64_t)s->triangle_count + s->segment_count;
  wind_work_free(w, m);
  if (faces > INT32_MAX / PAIR_CORNERS)
    return false;
  w->face_count = (int32_t)faces;
  w->triangle_count = s->triangle_count;
  bool has_room = true;
  for (int k = 0; k < WIND_CORNERS; k++)
    has_room = (w->slots[k] = memory_allocate_items(m, faces, sizeof *w->slots[k])) && has_room;
  w->widths = memory_allocate_items(m, s->segment_count, sizeof *w->widths);
  w->pushes = memory_allocate_items(m, faces, sizeof *w->pushes);
  w->taken = memory_allocate_items(m, p->count, sizeof *w->taken);
  w->awake.spans = memory_allocate_items(m, faces / 2 + 1, sizeof *w->awake.spans);
  if (has_room && w->widths && w->pushes && w->taken && w->awake.spans &&
      corner_lists_reserve(&w->corners, m, p->count)) {
    put_faces(w, s, p, thickness);
    if (corner_lists_make(&w->corners, m, (const int32_t *const *)w->slots, WIND_CORNERS, w->face_count, NULL,
                          1))
      return true;
  }
  wind_work_free(w, m);
  return false;
}

void wind_work_free(wind_work *w, memory *m) {
  for (int k = 0; k < WIND_CORNERS; k++)
    memory_release(m, w->slots[k]);
  memory_release(m, w->widths);
  memory_release(m, w->pushes);
  memory_release(m, w->taken);
  memory_release(m, w->awake.spans);
  corner_lists_free(&w->corners, m);
  *w = (wind_work){0};
}

static double weight_of(const wind_work *w, int32_t face, int corner) {
  static const double triangle = 1.0 / WIND_CORNERS, segment[WIND_CORNERS] = {0.5, 0.5, 0};
  return face < w->triangle_count ? triangle : segment[corner];
}

double3 wind_corner_impulse(const wind_work *w, int32_t face, int corner) {
  return double3_scale(w->pushes[face].across, weight_of(w, face, corner));
}

/* ------------------------------------------------------------------------------------------------ substep */

static double3 vector_at(const msd_real *component, size_t stride, int32_t slot) {
  return (double3){(double)component[slot], (double)component[stride + (size_t)slot],
                   (double)component[2 * stride + (size_t)slot]};
}

static double length_of(double3 a) {
  return sqrt(double3_dot(a, a));
}

/* The component of u along a vector of length l. */
static double3 part_along(double3 u, double3 direction, double l) {
  return double3_scale(direction, double3_dot(u, direction) / (l * l));
}

/* `speeds` are those for the normal and tangential drag. */
static wind_push push_of(const wind_thread *t, double area, double3 across, double3 along,
                         const double speeds[2]) {
  const double half = t->dt * (double)t->wind->density * area / 2;
  const double b_across = half * (double)t->wind->normal_drag * speeds[0],
               b_along = half * (double)t->wind->tangential_drag * speeds[1];
  const double most = b_across > b_along ? b_across : b_along;
  if (!(most > 0))
    return (wind_push){.most = most};
  return (wind_push){.across = double3_scale(across, b_across),
                     .along = double3_scale(along, b_along),
                     .most = most,
                     .share_across = b_across / most,
                     .share_along = b_along / most};
}

/* A segment of length 0 has no force. */
static wind_push push_segment(const wind_thread *t, const double3 x[WIND_CORNERS], double width, double3 u) {
  const double3 line = double3_subtract(x[1], x[0]);
  const double length = length_of(line);
  if (!(length > 0))
    return (wind_push){.most = 0};
  const double3 along = part_along(u, line, length), across = double3_subtract(u, along);
  return push_of(t, length * width, across, along, (double[2]){length_of(across), length_of(along)});
}

static triangle_kernel *choose_triangle_kernel(msd_simd simd) {
  switch (kernels_width(simd)) {
#ifdef MSD_KERNELS_X86
  case MSD_SIMD_512:
    return triangle_kernel_512;
  case MSD_SIMD_256:
    return triangle_kernel_256;
#endif
  default:
    return triangle_kernel_narrow;
  }
}

static wind_push push_of_segment(const wind_thread *t, int32_t n, turbulence_cell *cell) {
  const wind_work *w = t->work;
  double3 x[WIND_CORNERS], middle = {0, 0, 0}, velocity = {0, 0, 0};
  for (int k = 0; k < WIND_CORNERS; k++) {
    x[k] = vector_at(t->before, t->stride, w->slots[k][n]);
    middle = double3_add_scaled(middle, x[k], weight_of(w, n, k));
    velocity =
        double3_add_scaled(velocity, vector_at(t->behind + VELOCITY_X * t->stride, t->stride, w->slots[k][n]),
                           weight_of(w, n, k));
  }
  const double3 u = double3_subtract(turbulence_wind_at(t->wind, middle, t->time, cell), velocity);
  return push_segment(t, x, w->widths[n - w->triangle_count], u);
}

static void find_pushes(const wind_thread *t, parallel_range faces) {
  const wind_work *w = t->work;
  const int32_t middle = int_max(faces.first, int_min(faces.last, w->triangle_count));
  turbulence_cell cell = {0};
  choose_triangle_kernel(t->simd)(t, (parallel_range){faces.first, middle}, &cell);
  for (int32_t n = middle; n < faces.last; n++)
    w->pushes[n] = push_of_segment(t, n, &cell);
}

static void sum_taken(const wind_thread *t, parallel_range owned) {
  const wind_work *w = t->work;
  const corner_lists *c = &w->corners;
  for (int32_t n = owned.first; n < owned.last; n++) {
    const double inverse_mass = (double)t->inverse_mass[c->slots[n]];
    double sum = 0;
    for (int32_t k = c->first[n]; k < c->first[n + 1] && inverse_mass > 0; k++) {
      const int32_t face = c->corners[k] / PAIR_CORNERS;
      sum += w->pushes[face].most * weight_of(w, face, c->corners[k] % PAIR_CORNERS);
    }
    w->taken[n] = sum * inverse_mass;
  }
}

/* S */
static double scale_of(double d) {
  return 1 / (1 + d + (sqrt(1 + 4 * d) - 1) / 2);
}

static void scale_pushes(const wind_thread *t, parallel_range faces) {
  const wind_work *w = t->work;
  for (int32_t n = faces.first; n < faces.last; n++) {
    wind_push *push = &w->pushes[n];
    double d = 0;
    for (int k = 0; k < WIND_CORNERS; k++)
      d += w->taken[w->corners.owner[w->slots[k][n]]] * weight_of(w, n, k);
    push->across = double3_add_scaled(double3_scale(push->across, scale_of(d * push->share_across)),
                                      push->along, scale_of(d * push->share_along));
  }
}

static bool move(const wind_thread *t, size_t slot, double3 change) {
  const double changes[3] = {change.x, change.y, change.z};
  bool finite = true;
  for (size_t axis = 0; axis < 3; axis++) {
    msd_real *x = t->behind + axis * t->stride + slot, *v = x + VELOCITY_X * t->stride;
    *x = (msd_real)((double)*x + t->dt * changes[axis]);
    *v = (msd_real)((double)*v + changes[axis]);
    finite = finite && isfinite(*x) && isfinite(*v);
  }
  return finite;
}

static bool push_particles(const wind_thread *t, parallel_range owned) {
  const wind_work *w = t->work;
  const corner_lists *c = &w->corners;
  bool finite = true;
  for (int32_t n = owned.first; n < owned.last; n++) {
    const msd_real inverse_mass = t->inverse_mass[c->slots[n]];
    double3 sum = {0, 0, 0};
    for (int32_t k = c->first[n]; k < c->first[n + 1] && inverse_mass > 0; k++) {
      const int32_t face = c->corners[k] / PAIR_CORNERS;
      sum = double3_add_scaled(sum, w->pushes[face].across, weight_of(w, face, c->corners[k] % PAIR_CORNERS));
    }
    if (inverse_mass > 0)
      finite = move(t, (size_t)c->slots[n], double3_scale(sum, (double)inverse_mass)) && finite;
  }
  return finite;
}

/* Applies a function to the faces of a thread. */
static void for_faces(const wind_thread *t, void (*act)(const wind_thread *t, parallel_range faces)) {
  const parallel_range own = span_share(&t->faces, t->work->face_count, t->thread, t->threads);
  parallel_range part = {own.first, own.first};
  while (span_next(&t->faces, 1, own, &part))
    act(t, part);
}

/* The next processed particles of the thread, as a range of the corner lists. */
static bool next_owned(const wind_thread *t, parallel_range *groups, parallel_range *owned) {
  const bool is_there = span_next(&t->chunks, WIND_CHUNK, t->groups, groups);
  *owned = corner_lists_next(&t->work->corners, 0,
                             (parallel_range){groups->first * WIND_GROUP, groups->last * WIND_GROUP});
  return is_there;
}

bool wind_act(const wind_thread *t) {
  const parallel_range none = {t->groups.first, t->groups.first};
  parallel_range owned;
  bool finite = true;
  parallel_wait(t->barrier, t->threads);
  for_faces(t, find_pushes);
  parallel_wait(t->barrier, t->threads);
  for (parallel_range groups = none; next_owned(t, &groups, &owned);)
    sum_taken(t, owned);
  parallel_wait(t->barrier, t->threads);
  for_faces(t, scale_pushes);
  parallel_wait(t->barrier, t->threads);
  for (parallel_range groups = none; next_owned(t, &groups, &owned);)
    finite = push_particles(t, owned) && finite;
  if (t->records)
    records_from_slab(t->behind, t->stride, t->records, (size_t)t->groups.first * WIND_GROUP,
                      (size_t)t->groups.last * WIND_GROUP);
  return finite;
}
