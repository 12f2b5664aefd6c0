#include "engine/contact/edge_endpoints.h"

#include "engine/base/record.h"
#include "engine/base/vec3.h"

/* The sine of the angle by which a direction may lead nearer and still count as level, and its square. */
static const double LEVEL = 1.0 / 64, LEVEL_SQUARE = LEVEL * LEVEL;

/* The position of a particle as in active_set_kernel.h. */
static double3 place_of(const near_question *q, int32_t slot) {
  const msd_real *x = q->records + (size_t)slot * RECORD_SIZE;
  msd_real at[3] = {x[0], x[1], x[2]};
  if (q->active_bound && q->skins[slot] < MOTION_BOUND_UNWATCHED)
    for (size_t axis = 0; axis < 3; axis++) {
      const msd_real *state = q->active_bound->state + axis * q->active_bound->stride + (size_t)slot;
      at[axis] = state[0] + state[3 * q->active_bound->stride] * (msd_real)q->active_bound->age;
    }
  return (double3){(double)at[0], (double)at[1], (double)at[2]};
}

/* True if the direction from a position to a particle does not lead along `towards`. */
static bool leads_away(const near_question *q, double3 from, int32_t slot, double3 towards) {
  const double3 way = double3_subtract(place_of(q, slot), from);
  const double along = double3_dot(way, towards);
  return !(along > 0 && along * along > LEVEL_SQUARE * double3_dot(way, way) * double3_dot(towards, towards));
}

static bool vertex_is_outermost(const near_question *q, int32_t slot, double3 towards) {
  const vertex_adjacency *at = &q->mesh->edges_at;
  const double3 from = place_of(q, slot);
  for (int32_t n = at->first[slot]; n < at->first[slot + 1]; n++)
    if (!leads_away(q, from, at->others[n][0], towards))
      return false;
  return true;
}

/* The same for an inner point of an edge, with `towards` perpendicular to the edge. */
static bool edge_is_outermost(const near_question *q, const int32_t ends[2], double3 towards) {
  const vertex_adjacency *at = &q->mesh->triangles_at;
  const double3 from = place_of(q, ends[0]);
  for (int32_t n = at->first[ends[0]]; n < at->first[ends[0] + 1]; n++)
    for (int k = 0; k < 2; k++)
      if (at->others[n][k] == ends[1] && !leads_away(q, from, at->others[n][1 - k], towards))
        return false;
  return true;
}

/* The point of an edge nearest to a position, as a fraction of its length. */
static double nearest_share(double3 place, double3 from, double3 to) {
  const double3 along = double3_subtract(to, from);
  const double square = double3_dot(along, along),
               share = double3_dot(double3_subtract(place, from), along) / square;
  return !(square > 0 && share > 0) ? 0 : share < 1 ? share : 1;
}

/* True if the surface of the edge `ends` leads away from `towards` at a fraction of that edge. `facing` are
   the ends of the other edge. */
static bool is_outermost_at(const near_question *q, const int32_t ends[2], double share, double3 towards,
                            const int32_t facing[2]) {
  if (share > 0 && share < 1)
    return edge_is_outermost(q, ends, towards);
  const int end = share > 0;
  return surface_mesh_is_first_edge(q->mesh, ends[end], ends[1 - end], facing) &&
         vertex_is_outermost(q, ends[end], towards);
}

/* Tests one of the four ends. */
static bool find_at(const near_question *q, const int32_t slots[PAIR_CORNERS], int end,
                    near_witness *witness) {
  const int own = end / 2 * 2, other = 2 - own, mate = end ^ 1;
  const int32_t *ends = slots + own, *facing = slots + other;
  if (!surface_mesh_is_first_edge(q->mesh, slots[end], slots[mate], facing))
    return false;
  const double3 x = place_of(q, slots[end]), from = place_of(q, facing[0]), to = place_of(q, facing[1]);
  const double share = nearest_share(x, from, to);
  const double3 apart = double3_subtract(x, double3_add_scaled(from, double3_subtract(to, from), share));
  const double distance = sqrt(double3_dot(apart, apart));
  if (!(distance > 0) || !vertex_is_outermost(q, slots[end], double3_scale(apart, -1)) ||
      !is_outermost_at(q, facing, share, apart, ends))
    return false;
  const double sign = own == 0 ? 1 : -1;
  witness->normal[0] = (msd_real)(apart.x * (sign / distance));
  witness->normal[1] = (msd_real)(apart.y * (sign / distance));
  witness->normal[2] = (msd_real)(apart.z * (sign / distance));
  witness->weight[end] = (msd_real)sign;
  witness->weight[mate] = 0;
  witness->weight[other] = (msd_real)(-sign * (1 - share));
  witness->weight[other + 1] = (msd_real)(-sign * share);
  return true;
}

/* For nearly parallel edges the closest points may be anywhere along them. */
static bool are_level(const near_question *q, const int32_t slots[PAIR_CORNERS]) {
  const double3 a = double3_subtract(place_of(q, slots[1]), place_of(q, slots[0])),
                b = double3_subtract(place_of(q, slots[3]), place_of(q, slots[2]));
  const double along = double3_dot(a, b);
  return along * along >= (1 - LEVEL_SQUARE) * double3_dot(a, a) * double3_dot(b, b);
}

/* Bit n: the edge may be the first one at its n-th end. */
static unsigned find_first_ends(const near_question *q, const int32_t slots[PAIR_CORNERS]) {
  unsigned bits = 0;
  for (int end = 0; end < PAIR_CORNERS; end++) {
    const int32_t first = q->mesh->first_edge[slots[end]], *facing = slots + (2 - end / 2 * 2);
    bits |= (unsigned)((first == slots[end ^ 1]) | (first < 0) | (first == facing[0]) | (first == facing[1]))
            << end;
  }
  return bits;
}

bool near_ends_find(const near_question *q, const int32_t slots[PAIR_CORNERS], unsigned closest,
                    near_witness *witness) {
  unsigned ends = find_first_ends(q, slots);
  closest &= ends;
  if (ends != closest && !are_level(q, slots))
    ends = closest;
  for (int end = 0; ends >> end; end++)
    if (ends >> end & 1 && find_at(q, slots, end, witness))
      return true;
  return false;
}

/* ------------------------------------------------------------------------------------------- flat surfaces */

/* Longest way along a flat surface, as a part of the thickness, for which a witness stays as it is. */
static const double MOST_ALONG = 0.125;

/* The distance of the closest points along a normal. */
static double distance_along(const near_question *q, const int32_t slots[PAIR_CORNERS],
                             const near_witness *witness, double3 normal) {
  const double3 first = place_of(q, slots[0]);
  double sum = 0;
  for (int corner = 1; corner < PAIR_CORNERS; corner++)
    sum += (double)witness->weight[corner] *
           double3_dot(normal, double3_subtract(place_of(q, slots[corner]), first));
  return sum;
}

/* True if the closest points slide farther along a surface with that normal until the motion bound ends, and
   farther than they move along the normal. */
static bool slides_far(const motion_bound *f, const int32_t slots[PAIR_CORNERS], const near_witness *witness,
                       double3 normal, double thickness) {
  const msd_real *v = f->state + 3 * f->stride;
  double way[3] = {0};
  for (size_t axis = 0; axis < 3; axis++)
    for (int corner = 0; corner < PAIR_CORNERS; corner++)
      way[axis] += (double)witness->weight[corner] * (double)v[axis * f->stride + (size_t)slots[corner]] *
                   (f->horizon - f->age);
  const double3 whole = {way[0], way[1], way[2]};
  const double along = double3_dot(whole, normal), square = double3_dot(whole, whole) - along * along;
  return square > MOST_ALONG * MOST_ALONG * thickness * thickness && square > along * along;
}

/* Least cosine of the angle between the normal of a pair and that of the surface. */
static const double LEAST_UPRIGHT = 1.0 / 16;

/* The common normal of the triangles at an edge, or at a vertex (`to` < 0). Its direction is that of the first
   triangle, and its length is not 1. False if some corner is not kinematic, the triangles are not level with
   each other, or they do not surround the edge or vertex. */
static bool find_flat_normal(const near_question *q, const msd_real *inverse_mass, int32_t slot, int32_t to,
                             double3 *normal) {
  const vertex_adjacency *at = &q->mesh->triangles_at, *edges = &q->mesh->edges_at;
  const double3 from = place_of(q, slot);
  int32_t count = 0;
  for (int32_t n = at->first[slot]; n < at->first[slot + 1]; n++) {
    const int32_t *others = at->others[n];
    if (to >= 0 && others[0] != to && others[1] != to)
      continue;
    if (inverse_mass[others[0]] > 0 || inverse_mass[others[1]] > 0)
      return false;
    const double3 up = double3_cross(double3_subtract(place_of(q, others[0]), from),
                                     double3_subtract(place_of(q, others[1]), from));
    const double square = double3_dot(up, up);
    if (count++ == 0)
      *normal = up;
    const double3 across = double3_cross(up, *normal);
    if (!(square > 0 && double3_dot(across, across) <= LEVEL_SQUARE * square * double3_dot(*normal, *normal)))
      return false;
  }
  return count > 1 && count == (to < 0 ? edges->first[slot + 1] - edges->first[slot] : 2);
}

void near_level_witness(const near_question *q, const motion_bound *f, const msd_real *inverse_mass,
                        int32_t listed, near_witness *witness) {
  const int32_t *slots = q->list->slots[listed];
  const pair_kind kind = (pair_kind)q->list->kind[listed];
  const double thickness = (double)q->list->thickness[listed];
  const int last = kind == PAIR_EDGE_EDGE;
  for (int first = 0; first <= (last ? 2 : 0); first += 2) {
    if (inverse_mass[slots[first]] > 0 || inverse_mass[slots[first + last]] > 0)
      continue;
    const bool is_inner = last && witness->weight[first] != 0 && witness->weight[first + 1] != 0;
    const int corner = witness->weight[first] != 0 ? first : first + last;
    double3 up = {0, 0, 0};
    if (!find_flat_normal(q, inverse_mass, slots[corner], is_inner ? slots[first + 1] : -1, &up))
      continue;
    const double3 had = {(double)witness->normal[0], (double)witness->normal[1], (double)witness->normal[2]};
    const double along = double3_dot(had, up), length = sqrt(double3_dot(up, up));
    if (!(fabs(along) > LEAST_UPRIGHT * length))
      return;
    const double3 normal = double3_scale(up, (along < 0 ? -1 : 1) / length);
    if (!slides_far(f, slots, witness, normal, thickness) ||
        !(distance_along(q, slots, witness, normal) > SURFACE_LEAST_LEVEL_GAP * thickness))
      return;
    witness->normal[0] = (msd_real)normal.x;
    witness->normal[1] = (msd_real)normal.y;
    witness->normal[2] = (msd_real)normal.z;
    return;
  }
}
