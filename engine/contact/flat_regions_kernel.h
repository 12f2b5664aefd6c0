/* The per-step numbers of flat_regions.h for one vector width; see lane.h. Included by broad_phase_kernel.h.

   A leaf c has a frame: two axes P, and n orthogonal to them. In this frame, F of all its triangles is in a
   box around the central value F0, at 0 and at T. With e and f the half diagonals of its components along P
   and along n, and P of the central leaf a,

       |P_a' (F - F0)| <= e + |P_a' n_c| f,

   so that bending hardly counts. With the numbers of a neighbor,

       L >= (the lower eigenvalue of the symmetric part of P_a' F0 A^-1)
            - s (e + |P_a' n_c| f) - s tan t |F0|.

   If that is too small for some neighbor, L is computed from each triangle of the leaves in between: the
   lower eigenvalue with its own F, less s tan t |F|.

   A distance d, at least the least height of a triangle, becomes at least L d less two skins. That suffices
   if it is the thickness, or the fraction of the distance at rest that limits the thickness within one
   collision mesh. */
#include "engine/contact/broad_phase_work.h"

/* Bounds relative to F: rounding of a sum of a few terms; lines that cross a border. */
static const msd_real PATCH_ROUNDING = 64 * (msd_real)REAL_EPSILON, PATCH_PASSED = (msd_real)(1.0 / 256);

/* Bounds of the columns of F in the frame at 0, then at T. */
typedef struct patch_box {
  LANE low[PATCH_GRADIENT], high[PATCH_GRADIENT];
} patch_box;

/* P and n, row by row. */
typedef struct patch_frame {
  msd_real row[3][3];
} patch_frame;

/* The frame of the plane that fits the vertices of a leaf best, at T/2. False if there is none. */
static bool find_frame(const pair_work *w, int32_t leaf, patch_frame *frame) {
  const msd_real *fit = w->mesh->patches.fit + (size_t)leaf * 2 * SURFACE_BLOCK;
  const msd_real *record = w->search->records + (size_t)leaf * SURFACE_BLOCK * RECORD_SIZE, *first = record;
  msd_real f[2][3] = {{0}};
  for (int v = 0; v < SURFACE_BLOCK; v++, record += RECORD_SIZE)
    for (int axis = 0; axis < 3; axis++) {
      const msd_real x = (record[axis] - first[axis]) +
                         (msd_real)0.5 * (record[RECORD_QUAD + axis] - first[RECORD_QUAD + axis]);
      f[0][axis] += fit[2 * v] * x;
      f[1][axis] += fit[2 * v + 1] * x;
    }
  const msd_real xx = f[0][0] * f[0][0] + f[0][1] * f[0][1] + f[0][2] * f[0][2],
                 yy = f[1][0] * f[1][0] + f[1][1] * f[1][1] + f[1][2] * f[1][2],
                 xy = f[0][0] * f[1][0] + f[0][1] * f[1][1] + f[0][2] * f[1][2];
  const msd_real square = xx * yy - xy * xy, sum = xx + yy;
  if (!(square > (msd_real)0.01 * sum * sum) || !(sum < REAL_MOST))
    return false;
  /* (F' F)^-1/2 */
  const msd_real area = (msd_real)sqrt((double)square);
  const msd_real unit = (1 - PATCH_ROUNDING) / (area * (msd_real)sqrt((double)(sum + 2 * area)));
  const msd_real turn[3] = {(yy + area) * unit, -xy * unit, (xx + area) * unit};
  for (int n = 0; n < 2; n++)
    for (int axis = 0; axis < 3; axis++)
      frame->row[n][axis] = f[0][axis] * turn[n] + f[1][axis] * turn[n + 1];
  for (int axis = 0; axis < 3; axis++) {
    const int next = (axis + 1) % 3, last = (axis + 2) % 3;
    frame->row[2][axis] =
        frame->row[0][next] * frame->row[1][last] - frame->row[0][last] * frame->row[1][next];
  }
  return true;
}

/* Extends the bounds by the triangles from a place on, and stores their F. */
LANE_INLINE void take_gradients(const pair_work *w, int32_t place, const LANE_MOTION at[SURFACE_CORNERS],
                                const patch_frame *frame, patch_box *box) {
  patch_block *block = &w->search->triangles[place / SURFACE_BLOCK];
  const flat_regions *patches = &w->mesh->patches;
  LANE turn[FLAT_REGION_TURN];
  for (int n = 0; n < FLAT_REGION_TURN; n++)
    turn[n] = lane_load(patches->unfold[n] + place);
  const LANE3 a = lane_subtract(at[1].x, at[0].x), b = lane_subtract(at[2].x, at[0].x);
  const LANE3 c = lane_add(a, lane_subtract(at[1].v, at[0].v)),
              d = lane_add(b, lane_subtract(at[2].v, at[0].v));
  const LANE3 column[4] = {lane_add(lane_scale(a, turn[0]), lane_scale(b, turn[2])),
                           lane_add(lane_scale(a, turn[1]), lane_scale(b, turn[3])),
                           lane_add(lane_scale(c, turn[0]), lane_scale(d, turn[2])),
                           lane_add(lane_scale(c, turn[1]), lane_scale(d, turn[3]))};
  for (int n = 0; n < 4; n++)
    lane_store3(block->at[3 * n] + place % SURFACE_BLOCK, SURFACE_BLOCK, column[n]);
  for (int n = 0; n < 4; n++)
    for (int axis = 0; axis < 3; axis++) {
      const msd_real *row = frame->row[axis];
      const LANE entry = column[n].x * row[0] + column[n].y * row[1] + column[n].z * row[2];
      box->low[3 * n + axis] = lane_least(box->low[3 * n + axis], entry);
      box->high[3 * n + axis] = lane_most(box->high[3 * n + axis], entry);
    }
}

static void empty_patch_box(patch_box *box) {
  for (int n = 0; n < PATCH_GRADIENT; n++) {
    box->low[n] = lane_set((msd_real)INFINITY);
    box->high[n] = -box->low[n];
  }
}

/* The larger of two lengths, from their squares. */
static msd_real longer(const msd_real square[2]) {
  return (msd_real)sqrt((double)(square[0] > square[1] ? square[0] : square[1]));
}

/* Writes F0, |F0|, e and f of a leaf. Values that are not finite prove nothing. */
static void put_gradients(const pair_work *w, int32_t leaf, const patch_frame *frame, const patch_box *box) {
  msd_real *to = w->search->gradients[leaf];
  msd_real middle[PATCH_GRADIENT], size[2] = {0, 0}, along[2] = {0, 0}, across[2] = {0, 0};
  LANE sides[2 * PATCH_GRADIENT];
  msd_real least[2 * SURFACE_BLOCK];
  for (int n = 0; n < PATCH_GRADIENT; n++) {
    sides[n] = box->low[n];
    sides[PATCH_GRADIENT + n] = -box->high[n];
  }
  least_of_each(sides, 2 * PATCH_GRADIENT, least);
  for (int n = 0; n < PATCH_GRADIENT; n++) {
    const msd_real low = least[n], high = -least[PATCH_GRADIENT + n];
    const msd_real half = (msd_real)0.5 * (high - low);
    middle[n] = (msd_real)0.5 * (low + high);
    size[n / 6] += middle[n] * middle[n];
    *(n % 3 == 2 ? &across[n / 6] : &along[n / 6]) += half * half;
  }
  for (int column = 0; column < PATCH_GRADIENT / 3; column++)
    for (int axis = 0; axis < 3; axis++)
      to[RECORD_QUAD * column + axis] = middle[3 * column] * frame->row[0][axis] +
                                        middle[3 * column + 1] * frame->row[1][axis] +
                                        middle[3 * column + 2] * frame->row[2][axis];
  for (int row = 0; row < 3; row++)
    for (int axis = 0; axis < 3; axis++)
      to[PATCH_FRAME + RECORD_QUAD * row + axis] = frame->row[row][axis];
  to[PATCH_SIZE] = longer(size);
  to[PATCH_ALONG] = longer(along);
  to[PATCH_ACROSS] = longer(across);
}

/* Marks a leaf as unknown. */
static void put_no_gradients(const pair_work *w, int32_t leaf) {
  msd_real *to = w->search->gradients[leaf];
  memset(to, 0, PATCH_NUMBERS * sizeof *to);
  to[PATCH_ALONG] = REAL_MOST;
}

/* Computes the numbers of a leaf from its vertex records. */
static void find_gradients(const pair_work *w, int32_t leaf) {
  const surface_primitives *of = &w->mesh->of[SURFACE_TRIANGLES];
  patch_frame frame;
  if (w->mesh->patches.around[leaf].count == 0 || !find_frame(w, leaf, &frame)) {
    put_no_gradients(w, leaf);
    return;
  }
  patch_box box;
  empty_patch_box(&box);
  for (int32_t place = of->first_block[leaf] * SURFACE_BLOCK;
       place < of->first_block[leaf + 1] * SURFACE_BLOCK; place += LANE_COUNT) {
    LANE_MOTION at[SURFACE_CORNERS];
    for (int corner = 0; corner < SURFACE_CORNERS; corner++)
      at[corner] = lane_gather_motion(w->search->records, of->corner[corner] + place);
    take_gradients(w, place, at, &frame, &box);
  }
  put_gradients(w, leaf, &frame, &box);
}

/* Loads a quad of the numbers of several leaves. */
LANE_INLINE LANE3 gather_gradients(const pair_work *w, int first, const int32_t *leaf) {
  return lane_gather_sized(&w->search->gradients[0][first], PATCH_NUMBERS, leaf);
}

/* The lower eigenvalue of the symmetric part of P' F A^-1, of the columns x and y of F. */
LANE_INLINE LANE lower_eigenvalue(LANE3 x, LANE3 y, const LANE3 axis[2], const LANE turn[FLAT_REGION_TURN]) {
  const LANE a = lane_dot(axis[0], x), b = lane_dot(axis[0], y), c = lane_dot(axis[1], x),
             d = lane_dot(axis[1], y);
  const LANE xx = a * turn[0] + b * turn[2], xy = a * turn[1] + b * turn[3], yx = c * turn[0] + d * turn[2],
             yy = c * turn[1] + d * turn[3];
  const LANE half = lane_set((msd_real)0.5), apart = half * (xx - yy), shear = half * (xy + yx);
  return half * (xx + yy) - lane_sqrt(apart * apart + shear * shear);
}

/* The same for F0 of leaves from the n-th on. `first`: where F begins, at 0 or at T. */
LANE_INLINE LANE middle_eigenvalue(const pair_work *w, const flat_region *patch, int n, int first,
                                   const LANE3 axis[2]) {
  const LANE turn[FLAT_REGION_TURN] = {lane_load(patch->turn[0] + n), lane_load(patch->turn[1] + n),
                                       lane_load(patch->turn[2] + n), lane_load(patch->turn[3] + n)};
  return lower_eigenvalue(gather_gradients(w, first, patch->leaf + n),
                          gather_gradients(w, first + RECORD_QUAD, patch->leaf + n), axis, turn);
}

/* The L needed between the central leaf and another. */
static msd_real needed_of(const pair_work *w, const flat_region *patch, int32_t other) {
  const pair_search *search = w->search;
  const int32_t own = patch->leaf[0];
  const msd_real thick = 2 * (msd_real)w->mesh->leaves[own].half / patch->height,
                 share = pair_rest_share(true) * patch->longest;
  const msd_real slack = search->skin[own] + search->skin[other] +
                         PATCH_ROUNDING * (search->travel[own] + search->travel[other]);
  return ((thick < share ? thick : share) + slack / patch->height) * (1 + PATCH_ROUNDING);
}

/* L by the bounds of leaves, for at least those with a bit in `some`. */
LANE_INLINE void find_smoothness(const pair_work *w, const flat_region *patch, uint32_t some,
                                 const LANE3 axis[2], msd_real smoothness[PATCH_LEAVES]) {
  for (int n = 0; n < PATCH_LEAVES && some >> n; n += LANE_COUNT) {
    const int32_t *leaf = patch->leaf + n;
    const LANE3 sizes = gather_gradients(w, PATCH_SIZE, leaf);
    const LANE size = sizes.x, along = sizes.y, across = sizes.z;
    const LANE3 normal = gather_gradients(w, PATCH_FRAME + 2 * RECORD_QUAD, leaf);
    const LANE x = lane_dot(axis[0], normal), y = lane_dot(axis[1], normal);
    const LANE spread = along + lane_sqrt(x * x + y * y) * across;
    const LANE stretch = lane_load(patch->stretch + n);
    const LANE least = lane_least(middle_eigenvalue(w, patch, n, 0, axis),
                                  middle_eigenvalue(w, patch, n, 2 * RECORD_QUAD, axis));
    const LANE off = stretch * spread + lane_load(patch->tilt + n) * size +
                     (PATCH_ROUNDING + PATCH_PASSED) * stretch * (size + along + across);
    lane_store(smoothness + n, least - off);
  }
}

/* L of the n-th leaf from each of its triangles: no smaller, but more work. */
static msd_real find_least(const pair_work *w, const flat_region *patch, int n, const LANE3 axis[2]) {
  const int32_t leaf = patch->leaf[n], *blocks = w->mesh->of[SURFACE_TRIANGLES].first_block + leaf;
  const msd_real *from = w->search->gradients[leaf];
  const msd_real most = from[PATCH_SIZE] + from[PATCH_ALONG] + from[PATCH_ACROSS];
  LANE turn[FLAT_REGION_TURN], least = lane_set(REAL_MOST);
  LANE_MASK is_finite = least > 0;
  for (int entry = 0; entry < FLAT_REGION_TURN; entry++)
    turn[entry] = lane_set(patch->turn[entry][n]);
  for (int32_t block = blocks[0]; block < blocks[1] && most < REAL_MOST; block++)
    for (int32_t lane = 0; lane < SURFACE_BLOCK; lane += LANE_COUNT)
      for (int column = 0; column < PATCH_GRADIENT; column += 6) {
        const msd_real *at = w->search->triangles[block].at[column] + lane;
        const LANE own = lower_eigenvalue(lane_load3(at, SURFACE_BLOCK),
                                          lane_load3(at + 3 * SURFACE_BLOCK, SURFACE_BLOCK), axis, turn);
        is_finite &= own - own == 0;
        least = lane_least(least, own);
      }
  const msd_real off = patch->tilt[n] + (PATCH_ROUNDING + PATCH_PASSED) * patch->stretch[n];
  return most < REAL_MOST ? least_of(lane_select(is_finite, least, lane_set(-REAL_MOST))) - off * most
                          : -REAL_MOST;
}

/* The index of a leaf in a patch, or -1. */
LANE_INLINE int member_of(const flat_region *patch, int32_t leaf) {
  for (int n = 0; n < patch->count; n += LANE_COUNT) {
    const uint32_t same = lane_bits(lane_equals(patch->leaf + n, leaf));
    if (same)
      return n + lowest_bit(same);
  }
  return -1;
}

/* L of the leaves of a patch. `is_least`: those computed from each triangle. */
typedef struct patch_smoothness {
  LANE3 axis[2];
  uint32_t is_least;
  msd_real of[PATCH_LEAVES];
} patch_smoothness;

/* True if all leaves between the central one and the n-th are smooth enough. */
static bool is_smooth(const pair_work *w, const flat_region *patch, int n, patch_smoothness *s) {
  const msd_real needed = needed_of(w, patch, patch->leaf[n]);
  uint32_t left = patch->between[n];
  bool is = left != 0;
  for (; left && is; left &= left - 1) {
    const int between = lowest_bit(left);
    const uint32_t bit = (uint32_t)1 << between;
    if (!(s->of[between] >= needed) && !(s->is_least & bit)) {
      s->of[between] = find_least(w, patch, between, s->axis);
      s->is_least |= bit;
    }
    is = s->of[between] >= needed;
  }
  return is;
}

/* Removes leaves that cannot come close to `leaf`; returns how many of the others remain, at most
   PATCH_LEAVES. Not used in repairs: a particle that violated its skin is rarely smooth within the wider
   one. */
static int32_t leave_out_smooth(const pair_work *w, int32_t leaf, int32_t *others, int32_t count) {
  const flat_region *patch = &w->mesh->patches.around[leaf];
  if (patch->count == 0 || w->updates)
    return count;
  int member[PATCH_LEAVES];
  uint32_t between = 0;
  for (int32_t k = 0; k < count; k++) {
    member[k] = member_of(patch, others[k]);
    between |= member[k] >= 0 ? patch->between[member[k]] : 0;
  }
  const msd_real *from = w->search->gradients[leaf] + PATCH_FRAME;
  patch_smoothness s = {.is_least = 0};
  for (int n = 0; n < 2; n++)
    s.axis[n] = lane_set3(from[RECORD_QUAD * n], from[RECORD_QUAD * n + 1], from[RECORD_QUAD * n + 2]);
  find_smoothness(w, patch, between, s.axis, s.of);
  int32_t left = 0;
  for (int32_t k = 0; k < count; k++)
    if (member[k] < 0 || !is_smooth(w, patch, member[k], &s))
      others[left++] = others[k];
  return left;
}
