/* The numbers of patches.h for one width of vectors; see lane.h. Included by pair_kernel.h.

   A leaf c has a frame: two axes P, and n across them. In it, F of all its triangles is in a box around the
   middle one, F0, at 0 and at T. With e and f the half diagonals of its parts along P and along n, and P of the
   leaf a in the middle,

       |P_a' (F - F0)| <= e + |P_a' n_c| f,

   so that what bends hardly counts. With the numbers of a neighbour,

       L >= the lower eigenvalue of the symmetric part of P_a' F0 A^-1, less s (e + |P_a' n_c| f) + s tan t
       |F0|.

   What is left of a distance d >= the least height of a triangle is at least L d, less two skins. It is enough
   where that is the thickness of surfaces or, since no pair of one piece is thicker, its share of the distance
   at rest. */
#include "engine/contact/pair_work.h"

/* What a sum of a few terms may be off by, and what ways may pass borders by, as a share of F. */
static const msd_real PATCH_ROUNDING = 64 * (msd_real)REAL_EPSILON, PATCH_PASSED = (msd_real)(1.0 / 256);

/* The columns of F in the frame at 0, then at T. */
typedef struct patch_box {
  LANE low[PATCH_GRADIENT], high[PATCH_GRADIENT];
} patch_box;

/* P and n, row by row. */
typedef struct patch_frame {
  msd_real row[3][3];
} patch_frame;

/* The frame along F of the plane that fits the vertices of a leaf best, halfway. False where there is none. */
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

/* Takes the triangles from a place on into the box. */
LANE_INLINE void take_gradients(const pair_work *w, int32_t place, const LANE_MOTION at[SURFACE_CORNERS],
                                const patch_frame *frame, patch_box *box) {
  const surface_patches *patches = &w->mesh->patches;
  LANE turn[PATCH_TURN];
  for (int n = 0; n < PATCH_TURN; n++)
    turn[n] = lane_load(patches->unfold[n] + place);
  const LANE3 a = lane_subtract(at[1].x, at[0].x), b = lane_subtract(at[2].x, at[0].x);
  const LANE3 c = lane_add(a, lane_subtract(at[1].v, at[0].v)),
              d = lane_add(b, lane_subtract(at[2].v, at[0].v));
  const LANE3 column[4] = {lane_add(lane_scale(a, turn[0]), lane_scale(b, turn[2])),
                           lane_add(lane_scale(a, turn[1]), lane_scale(b, turn[3])),
                           lane_add(lane_scale(c, turn[0]), lane_scale(d, turn[2])),
                           lane_add(lane_scale(c, turn[1]), lane_scale(d, turn[3]))};
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

/* The larger of two lengths, of which the squares are given. */
static msd_real longer(const msd_real square[2]) {
  return (msd_real)sqrt((double)(square[0] > square[1] ? square[0] : square[1]));
}

/* F0, |F0|, e and f of a leaf. What is not finite proves nothing. */
static void put_gradients(const pair_work *w, int32_t leaf, const patch_frame *frame, const patch_box *box) {
  msd_real *const *to = w->search->gradients;
  msd_real middle[PATCH_GRADIENT], size[2] = {0, 0}, along[2] = {0, 0}, across[2] = {0, 0};
  for (int n = 0; n < PATCH_GRADIENT; n++) {
    msd_real low[LANE_COUNT], high[LANE_COUNT];
    lane_store(low, box->low[n]);
    lane_store(high, box->high[n]);
    for (int lane = 1; lane < LANE_COUNT; lane++) {
      low[0] = low[lane] < low[0] ? low[lane] : low[0];
      high[0] = high[lane] > high[0] ? high[lane] : high[0];
    }
    const msd_real half = (msd_real)0.5 * (high[0] - low[0]);
    middle[n] = (msd_real)0.5 * (low[0] + high[0]);
    size[n / 6] += middle[n] * middle[n];
    *(n % 3 == 2 ? &across[n / 6] : &along[n / 6]) += half * half;
  }
  for (int column = 0; column < PATCH_GRADIENT; column += 3)
    for (int axis = 0; axis < 3; axis++)
      to[column + axis][leaf] = middle[column] * frame->row[0][axis] +
                                middle[column + 1] * frame->row[1][axis] +
                                middle[column + 2] * frame->row[2][axis];
  for (int row = 0; row < 3; row++)
    for (int axis = 0; axis < 3; axis++)
      to[PATCH_FRAME + 3 * row + axis][leaf] = frame->row[row][axis];
  to[PATCH_SIZE][leaf] = longer(size);
  to[PATCH_ALONG][leaf] = longer(along);
  to[PATCH_ACROSS][leaf] = longer(across);
}

/* Of a leaf of which nothing is known. */
static void put_no_gradients(const pair_work *w, int32_t leaf) {
  for (int n = 0; n < PATCH_NUMBERS; n++)
    w->search->gradients[n][leaf] = 0;
  w->search->gradients[PATCH_ALONG][leaf] = REAL_MOST;
}

/* Three numbers of leaves. */
LANE_INLINE LANE3 gather_gradients(const pair_work *w, int first, const int32_t *leaf) {
  msd_real *const *from = w->search->gradients + first;
  return (LANE3){lane_gather(from[0], leaf), lane_gather(from[1], leaf), lane_gather(from[2], leaf)};
}

/* The lower eigenvalue for neighbours from the n-th on; `first` is the column of F at the time wanted. */
LANE_INLINE LANE lower_eigenvalue(const pair_work *w, const surface_patch *patch, int n, int first,
                                  const LANE3 axis[2]) {
  const LANE3 x = gather_gradients(w, first, patch->leaf + n),
              y = gather_gradients(w, first + 3, patch->leaf + n);
  const LANE a = lane_dot(axis[0], x), b = lane_dot(axis[0], y), c = lane_dot(axis[1], x),
             d = lane_dot(axis[1], y);
  const LANE turn[PATCH_TURN] = {lane_load(patch->turn[0] + n), lane_load(patch->turn[1] + n),
                                 lane_load(patch->turn[2] + n), lane_load(patch->turn[3] + n)};
  const LANE xx = a * turn[0] + b * turn[2], xy = a * turn[1] + b * turn[3], yx = c * turn[0] + d * turn[2],
             yy = c * turn[1] + d * turn[3];
  const LANE half = lane_set((msd_real)0.5), apart = half * (xx - yy), shear = half * (xy + yx);
  return half * (xx + yy) - lane_sqrt(apart * apart + shear * shear);
}

/* The L that it takes between the leaf in the middle of a patch and another. */
static msd_real needed_of(const pair_work *w, const surface_patch *patch, int32_t other) {
  const pair_search *search = w->search;
  const int32_t own = patch->leaf[0];
  const msd_real thick = 2 * (msd_real)w->mesh->leaves[own].half / patch->height,
                 share = pair_rest_share(true) * patch->longest;
  const msd_real slack = search->skin[own] + search->skin[other] +
                         PATCH_ROUNDING * (search->travel[own] + search->travel[other]);
  return ((thick < share ? thick : share) + slack / patch->height) * (1 + PATCH_ROUNDING);
}

/* L of all leaves of a patch. */
LANE_INLINE void find_smoothness(const pair_work *w, const surface_patch *patch, const LANE3 axis[2],
                                 msd_real smoothness[PATCH_LEAVES]) {
  for (int n = 0; n < PATCH_LEAVES; n += LANE_COUNT) {
    const int32_t *leaf = patch->leaf + n;
    const LANE size = lane_gather(w->search->gradients[PATCH_SIZE], leaf),
               along = lane_gather(w->search->gradients[PATCH_ALONG], leaf),
               across = lane_gather(w->search->gradients[PATCH_ACROSS], leaf);
    const LANE3 normal = gather_gradients(w, PATCH_FRAME + 6, leaf);
    const LANE x = lane_dot(axis[0], normal), y = lane_dot(axis[1], normal);
    const LANE spread = along + lane_sqrt(x * x + y * y) * across;
    const LANE stretch = lane_load(patch->stretch + n);
    const LANE least =
        lane_least(lower_eigenvalue(w, patch, n, 0, axis), lower_eigenvalue(w, patch, n, 6, axis));
    const LANE off = stretch * spread + lane_load(patch->tilt + n) * size +
                     (PATCH_ROUNDING + PATCH_PASSED) * stretch * (size + along + across);
    lane_store(smoothness + n, least - off);
  }
}

/* Which leaves around one cannot come close to it. What has strayed is rarely smooth within its wide skin: of
   leaves that have some nothing is known until the next list. */
static void pair_certify(const pair_work *w, int32_t leaf) {
  const surface_patch *patch = &w->mesh->patches.around[leaf];
  w->search->apart[leaf] = 0;
  if (patch->count == 0 || w->mends)
    return;
  LANE3 axis[2];
  msd_real *const *from = w->search->gradients + PATCH_FRAME, smoothness[PATCH_LEAVES];
  for (int n = 0; n < 2; n++)
    axis[n] = lane_set3(from[3 * n][leaf], from[3 * n + 1][leaf], from[3 * n + 2][leaf]);
  find_smoothness(w, patch, axis, smoothness);
  for (int n = 0; n < patch->count; n++) {
    const msd_real needed = needed_of(w, patch, patch->leaf[n]);
    bool is_smooth = patch->between[n] != 0;
    for (uint32_t between = patch->between[n]; between; between &= between - 1)
      is_smooth = is_smooth && smoothness[lowest_bit(between)] >= needed;
    w->search->apart[leaf] |= (uint32_t)is_smooth << n;
  }
}

/* Whether no part of one leaf can come close to one of another. */
LANE_INLINE bool stay_apart(const pair_work *w, int32_t leaf, int32_t other) {
  const surface_patch *patch = &w->mesh->patches.around[leaf];
  uint32_t same = 0;
  if (w->search->apart[leaf] != 0)
    for (int n = 0; n < PATCH_LEAVES; n += LANE_COUNT)
      same |= lane_bits(lane_equals(patch->leaf + n, other)) << n;
  return (same & w->search->apart[leaf]) != 0;
}
