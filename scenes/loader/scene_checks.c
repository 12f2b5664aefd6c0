#include "scenes/loader/scene_checks.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

/* -------------------------------------------------------------------------------------------- intersections */

static const scene_body *body_of_surface(const scene *s, int32_t surface) {
  int b = 0;
  while (b < s->body_count - 1 && s->bodies[b].surface.number != surface)
    b++;
  return &s->bodies[b];
}

static double thickness_of(const scene *s, int32_t surface) {
  const msd_real own = msd_collision_mesh_get_def(s->world, surface).thickness;
  return (double)(own < 0 ? msd_world_get_contact_settings(s->world).thickness : own);
}

enum { INTERSECTION_MAX = 240 };

/* `bodies "shirt" and "coat" intersect at the start (9 pairs)`, and in m how far they have to be apart. False
   where nothing intersects. */
static bool describe_intersection(const scene *s, char text[INTERSECTION_MAX], double *apart) {
  msd_penetration first;
  if (msd_world_get_penetrations(s->world, &first, 1) == 0)
    return false;
  const int64_t pairs = msd_world_get_stats(s->world).penetrations;
  const char *one = body_of_surface(s, first.mesh_a)->name;
  const char *other = body_of_surface(s, first.mesh_b)->name;
  const char *plural = pairs == 1 ? "" : "s";
  if (first.mesh_a == first.mesh_b)
    snprintf(text, INTERSECTION_MAX, "body \"%.60s\" intersects itself at the start (%lld pair%s)", one,
             (long long)pairs, plural);
  else
    snprintf(text, INTERSECTION_MAX, "bodies \"%.60s\" and \"%.60s\" intersect at the start (%lld pair%s)",
             one, other, (long long)pairs, plural);
  *apart = fmax(thickness_of(s, first.mesh_a), thickness_of(s, first.mesh_b));
  return true;
}

/* ------------------------------------------------------------------------------------------- coordinates */

/* Where the particles of a scene are, relative to the origin of the file. */
typedef struct scene_extent {
  /* m */
  double middle[3];

  /* m: the largest coordinate in the world, and how far neighboring numbers are apart there. */
  double farthest, spacing;
} scene_extent;

static scene_extent find_extent(const scene *s) {
  const double epsilon = sizeof(msd_real) == sizeof(double) ? DBL_EPSILON : FLT_EPSILON;
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  scene_extent e = {.farthest = 0};
  for (int32_t i = 0; i < msd_world_get_particle_count(s->world); i++) {
    const msd_vec3 at = msd_particle_get_position(s->world, i);
    const double x[3] = {(double)at.x, (double)at.y, (double)at.z};
    for (int c = 0; c < 3; c++) {
      low[c] = fmin(low[c], x[c]);
      high[c] = fmax(high[c], x[c]);
      e.farthest = fmax(e.farthest, fabs(x[c]));
    }
  }
  for (int c = 0; e.farthest > 0 && c < 3; c++)
    e.middle[c] = s->origin[c] + (low[c] + high[c]) / 2;
  e.spacing = epsilon * e.farthest;
  return e;
}

enum { ORIGIN_MAX = 200 };

/* `"origin": [445120, 0, 5400300]`, in whole meters. */
static void describe_origin(const scene_extent *e, char text[ORIGIN_MAX]) {
  snprintf(text, ORIGIN_MAX, "\"origin\": [%.0f, %.0f, %.0f]", round(e->middle[0]), round(e->middle[1]),
           round(e->middle[2]));
}

/* The spacing of positions should be smaller than a thickness or a spring by this factor. Otherwise rounding is
   seen as jitter, and contact takes longer. */
static const double FINE = 256;

/* m: the least thickness of what collides, and the mean length of springs; 0 where there are none. */
static double least_thickness(const scene *s) {
  double least = INFINITY;
  for (int b = 0; b < s->body_count; b++)
    if (s->bodies[b].surface.number >= 0)
      least = fmin(least, thickness_of(s, s->bodies[b].surface.number));
  return isinf(least) ? 0 : least;
}

static double mean_length(const scene *s) {
  const int32_t count = msd_world_get_spring_count(s->world);
  double sum = 0;
  for (int32_t i = 0; i < count; i++)
    sum += (double)msd_spring_get_def(s->world, i).rest_length;
  return count > 0 ? sum / count : 0;
}

static void warn_of_coordinates(scene *s) {
  const scene_extent e = find_extent(s);
  const double thickness = least_thickness(s), length = mean_length(s);
  const bool is_thin = thickness > 0 && e.spacing * FINE > thickness;
  char origin[ORIGIN_MAX];
  if (!is_thin && !(length > 0 && e.spacing * FINE > length))
    return;
  describe_origin(&e, origin);
  scene_warn(
      &s->warnings,
      "%s: bodies are up to %.3g m from the origin, where positions are rounded to %.2g mm, coarse for %s "
      "of %.3g mm; add %s to the scene",
      scene_error_path(s->path), e.farthest, 1e3 * e.spacing, is_thin ? "a thickness" : "springs",
      1e3 * (is_thin ? thickness : length), origin);
}

/* The subdomains of a distributed scene are checked by their first step. */
bool scene_check_world(const json_place *root, const scene *s) {
  const msd_result result = s->ranks ? MSD_OK : msd_world_check(s->world);
  char text[INTERSECTION_MAX], origin[ORIGIN_MAX];
  double apart;
  if (result == MSD_TOO_FAR) {
    const scene_extent e = find_extent(s);
    describe_origin(&e, origin);
    return place_fail(root, "%s: add %s to the scene", msd_world_message(s->world), origin);
  }
  if (result == MSD_INITIAL_INTERSECTION && describe_intersection(s, text, &apart))
    return place_fail(root,
                      "%s; contact.error_on_intersection allows none: move them apart by more than %.3g m",
                      text, apart);
  return result == MSD_OK || place_fail(root, "%s", msd_world_message(s->world));
}

/* -------------------------------------------------------------------------------------------- falling bodies
   */

/* Where nothing is attached, falling is what the scene is about. */
static void warn_of_falling(scene *s) {
  const msd_vec3 g = msd_world_get_gravity(s->world);
  scene_pieces pieces;
  if (s->ranks || (g.x == 0 && g.y == 0 && g.z == 0) || s->collider_count > 0 ||
      msd_world_get_collision_mesh_count(s->world) > 0 || !scene_count_pieces(s, &pieces) ||
      pieces.loose == 0 || pieces.loose == pieces.count)
    return;
  char first[160];
  scene_describe_particle(s, pieces.loose_particle, first, sizeof first);
  scene_warn(
      &s->warnings,
      "%s: %d of %d connected components %s attached to nothing: %s will fall freely; pin it, or add a "
      "collider",
      scene_error_path(s->path), (int)pieces.loose, (int)pieces.count, pieces.loose == 1 ? "is" : "are",
      first);
}

/* ---------------------------------------------------------------------------------------- meshes from files */

/* Sizes that no cloth, rope or soft body has: the file has other units. */
static const double SIZE_LARGEST = 100, SIZE_SMALLEST = 1e-3;

/* 1,000 m and 0.5 mm, without exponents. */
static void describe_length(double meters, char text[48]) {
  char digits[48];
  if (meters < 1e-6)
    snprintf(text, 48, "less than 0.001 mm");
  else if (meters < 1)
    snprintf(text, 48, "%.3g mm", 1e3 * meters);
  else if (meters >= 1e15)
    snprintf(text, 48, "more than 10^15 m");
  else {
    const int length = snprintf(digits, sizeof digits, "%.0f", meters);
    int used = 0;
    for (int i = 0; i < length; i++) {
      if (i > 0 && (length - i) % 3 == 0)
        text[used++] = ',';
      text[used++] = digits[i];
    }
    snprintf(text + used, 48 - (size_t)used, " m");
  }
}

static void warn_of_size(scene *s, int b) {
  const scene_body *body = &s->bodies[b];
  double sides[3];
  char across[48];
  scene_body_size(s, body, sides);
  const double size = fmax(fmax(sides[0], sides[1]), sides[2]);
  if (size <= SIZE_LARGEST && size >= SIZE_SMALLEST)
    return;
  describe_length(size, across);
  scene_warn(
      &s->warnings,
      "%s: bodies[%d]: the %s is %s across; lengths are in m: check \"scale\", which is 0.001 for a file in "
      "mm",
      scene_error_path(s->path), b, body->kind, across);
}

/* -------------------------------------------------------------------------------------------- fast rotations
   */

/* Degrees in a frame about one axis, from which a rotation about several axes is no longer close to a uniform
   turn; and from which an axis counts. */
static const double TUMBLE_DEGREES = 90, AXIS_DEGREES = 1;

/* Within a frame everything turns uniformly about one axis, by any angle (msd_turn). */
static void warn_of_tumbling(scene *s, const scene_track *track, const char *what) {
  for (int k = 1; k < track->count; k++) {
    const scene_key *from = &track->keys[k - 1], *to = &track->keys[k];
    double most = 0;
    int axes = 0;
    for (int c = 0; c < 3; c++) {
      const double rate = fabs(to->rotation[c] - from->rotation[c]) / (to->time - from->time) * s->frame_time;
      most = fmax(most, rate);
      axes += rate > AXIS_DEGREES;
    }
    if (axes < 2 || most <= TUMBLE_DEGREES)
      continue;
    scene_warn(
        &s->warnings,
        "%s: %s turns about several axes at once, by %.0f degrees in a frame, from %g s on: it is exact at "
        "the end of each frame, and not within; shorten \"frame_time\", or turn about one axis",
        scene_error_path(s->path), what, most, from->time);
    return;
  }
}

void scene_check_oddities(scene *s) {
  warn_of_coordinates(s);
  warn_of_falling(s);
  for (int c = 0; c < s->animation.collider_motion_count; c++)
    warn_of_tumbling(s, &s->animation.collider_motions[c].track, "a collider");
  for (int m = 0; m < s->animation.motion_count; m++)
    warn_of_tumbling(s, &s->animation.motions[m].track, "an animation");
  for (int b = 0; b < s->body_count; b++)
    if (s->bodies[b].is_from_file)
      warn_of_size(s, b);
}
