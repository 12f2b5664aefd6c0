/* The operations of broad_phase.h on whole leaves, for one vector width: their boxes, and which of them may
   touch. Included by broad_phase_kernel.h. */
#include "engine/contact/broad_phase_work.h"

/* -------------------------------------------------------------------------------------------------- boxes */

/* Sleeping particles do not move. */
static void find_skins(const pair_work *w, int32_t vertex) {
  const pair_question *q = w->question;
  const int32_t *slot = w->mesh->slot + vertex;
  msd_real *skin = w->search->vertex_skins + vertex;
  for (int32_t n = 0; n < SURFACE_BLOCK; n += LANE_COUNT)
    lane_store(skin + n, lane_gather(q->skins, slot + n));
  for (int32_t n = 0; n < SURFACE_BLOCK && q->awake; n++)
    if (!(q->awake[slot[n]] & PAIR_AWAKE))
      skin[n] = 0;
}

static void pair_place_vertices(const pair_work *w, int32_t leaf) {
  const pair_question *q = w->question;
  const int32_t vertex = leaf * SURFACE_BLOCK;
  LANE most = lane_set(0), least_skin = lane_set((msd_real)INFINITY), most_skin = lane_set(0);
  find_skins(w, vertex);
  for (int32_t v = vertex; v < vertex + SURFACE_BLOCK; v += LANE_COUNT) {
    const int32_t *slot = w->mesh->slot + v;
    const LANE_MOTION at = {
        lane_gather3(q->state, q->stride, slot),
        lane_scale(lane_gather3(q->state + 3 * q->stride, q->stride, slot), lane_set(q->horizon))};
    const LANE skin = lane_load(w->search->vertex_skins + v);
    lane_store_laden(w->search->records + (size_t)v * RECORD_SIZE,
                     (LANE_LADEN){{at.x, skin}, {at.v, lane_set(0)}});
    most = lane_most(most, lane_abs(at.v.x) + lane_abs(at.v.y) + lane_abs(at.v.z));
    least_skin = lane_least(least_skin, skin);
    most_skin = lane_most(most_skin, skin);
  }
  const LANE all[] = {-most, least_skin, -most_skin};
  msd_real least[SURFACE_BLOCK];
  least_of_each(all, 3, least);
  w->search->travel[leaf] = -least[0];
  w->search->skin_range[leaf][0] = least[1];
  w->search->skin_range[leaf][1] = -least[2];
}

/* The smallest and largest skin of the vertices that a leaf uses, or of slightly more. */
static void find_skin_range(const pair_work *w, int32_t leaf, msd_real range[2]) {
  const surface_mesh *mesh = w->mesh;
  memcpy(range, w->search->skin_range[leaf], 2 * sizeof *range);
  for (int32_t k = mesh->first_used[leaf]; k < mesh->first_used[leaf + 1]; k++) {
    const msd_real *other = w->search->skin_range[mesh->used[k]];
    range[0] = other[0] < range[0] ? other[0] : range[0];
    range[1] = other[1] > range[1] ? other[1] : range[1];
  }
}

/* The box around all vertices that a leaf uses, and so around all its primitives. One pad for the whole box
   makes it independent of the vector width. */
static void find_leaf_box(const pair_work *w, int32_t leaf, msd_real reach, msd_real box[PAIR_BOX]) {
  const surface_mesh *mesh = w->mesh;
  const int32_t first = mesh->first_reached[leaf], end = mesh->first_reached[leaf + 1];
  LANE lanes[PAIR_BOX];
  take_corner(lanes, lane_gather_motion(w->search->records, mesh->reached + first), true);
  for (int32_t k = first + LANE_COUNT; k < end; k += LANE_COUNT)
    take_corner(lanes, lane_gather_motion(w->search->records, mesh->reached + k), false);
  whole_box around;
  enclose_lanes(lanes, around);
  msd_real outermost = reach;
  for (int c = 0; c < PAIR_BOX; c++)
    outermost = -around[c] > outermost ? -around[c] : outermost;
  const LANE pad = pad_of(lane_set(reach), lane_set(outermost));
  for (int c = 0; c < PAIR_BOX; c += LANE_COUNT)
    lane_store(around + c, lowered(lane_load(around + c), pad));
  put_box(around, box);
}

static void pair_place(const pair_work *w, int32_t leaf) {
  msd_real box[PAIR_BOX], skins[2];
  find_skin_range(w, leaf, skins);
  w->search->skin[leaf] = skins[1];
  find_leaf_box(w, leaf, w->mesh->leaves[leaf].half + skins[1], box);
  pair_block_put(&w->search->levels[0][leaf / SURFACE_BLOCK], leaf % SURFACE_BLOCK, box);
  if (!w->updates && (!w->smooths || w->smooths[leaf]))
    find_gradients(w, leaf);
}

/* In a repair, boxes of blocks without searched primitives are reused. */
static void pair_lay(const pair_work *w, int32_t leaf, bool all) {
  const surface_mesh *mesh = w->mesh;
  msd_real skins[2];
  find_skin_range(w, leaf, skins);
  const msd_real *skin = skins[0] == skins[1] ? skins : NULL;
  for (int kind = 0; kind < SURFACE_KINDS; kind++)
    for (int32_t block = mesh->of[kind].first_block[leaf]; block < mesh->of[kind].first_block[leaf + 1];
         block++)
      if (all || w->search->sought[kind][block]) {
        place_block(w, (surface_kind)kind, block, mesh->leaves[leaf].half, skin);
        if (kind != SURFACE_VERTICES)
          pair_enclose(&w->search->blocks[kind][block], w->search->around[kind][block]);
      }
}

/* ------------------------------------------------------------------------------------ searched primitives */

static bool pair_seek(const pair_work *w, int32_t leaf, int32_t vertex) {
  uint32_t any = 0;
  for (int kind = 0; kind < SURFACE_KINDS; kind++) {
    const surface_primitives *of = &w->mesh->of[kind];
    for (int32_t block = of->first_block[leaf]; block < of->first_block[leaf + 1]; block++) {
      uint32_t bits = 0;
      for (int32_t lane = 0; lane < SURFACE_BLOCK; lane += LANE_COUNT) {
        LANE_MASK has = lane_set(0) > lane_set(0);
        for (int corner = 0; corner <= kind; corner++)
          has |= lane_equals(of->corner[corner] + block * SURFACE_BLOCK + lane, vertex);
        bits |= lane_bits(has) << lane;
      }
      w->search->sought[kind][block] |= (uint16_t)bits;
      any |= bits;
    }
  }
  return any != 0;
}

/* The box around the searched primitives of a leaf. */
static void pair_enclose_sought(const pair_work *w, int32_t leaf) {
  msd_real *box = w->search->sought_box[leaf];
  for (int c = 0; c < PAIR_BOX; c++)
    box[c] = c / 3 % 2 == LOW_BEGIN ? (msd_real)INFINITY : -(msd_real)INFINITY;
  for (int kind = 0; kind < SURFACE_KINDS; kind++)
    for (int32_t block = w->mesh->of[kind].first_block[leaf]; block < w->mesh->of[kind].first_block[leaf + 1];
         block++)
      for (uint32_t left = w->search->sought[kind][block]; left; left &= left - 1)
        for (int c = 0; c < PAIR_BOX; c++)
          take_side(box, c, w->search->blocks[kind][block].at[c][lowest_bit(left)]);
}

/* True if searched primitives of a leaf may touch another leaf. */
static bool reaches(const pair_search *s, int32_t leaf, int32_t other) {
  return touching(s->sought_box[leaf], &s->levels[0][other / SURFACE_BLOCK],
                  (uint32_t)1 << other % SURFACE_BLOCK) != 0;
}

/* In a repair, two leaves are tested only for the searched primitives of one of them. */
static bool matters(const pair_work *w, int32_t leaf, int32_t other) {
  const pair_search *s = w->search;
  return !w->updates || reaches(s, leaf, other) || (s->seeks[other] && reaches(s, other, leaf));
}

/* ---------------------------------------------------------------------------------- leaves that may touch */

/* Leaves that a leaf may touch, a few at a time. */
typedef struct leaf_meeting {
  const pair_work *work;
  int32_t leaf;
  msd_real box[PAIR_BOX];
  int32_t count, other[PATCH_LEAVES];
  /* Called for those that may come close. */
  void (*take)(void *context, int32_t other);
  void *context;
} leaf_meeting;

/* Passes on leaves with overlapping boxes, except those that are proven to stay apart or ignored. */
static void take_met(leaf_meeting *m) {
  const surface_mesh *mesh = m->work->mesh;
  const int32_t count = leave_out_smooth(m->work, m->leaf, m->other, m->count),
                piece = mesh->leaves[m->leaf].piece;
  for (int32_t k = 0; k < count; k++)
    if (mesh->ignored_count == 0 || !surface_mesh_ignores(mesh, piece, mesh->leaves[m->other[k]].piece))
      m->take(m->context, m->other[k]);
  m->count = 0;
}

/* Descends to the leaves below a block of a level. A box that is not finite overlaps unused places too. */
static void descend(leaf_meeting *m, int level, int32_t block) {
  const pair_work *w = m->work;
  const int32_t leaf = m->leaf, last = (w->mesh->leaf_count - 1) >> 4 * level;
  uint32_t left = touching(m->box, &w->search->levels[level][block], EVERY_LANE);
  for (; left; left &= left - 1) {
    const int32_t node = block * SURFACE_BLOCK + lowest_bit(left);
    if (node > last)
      return;
    if (w->is_whole && node < leaf >> 4 * level)
      continue;
    if (level > 0) {
      descend(m, level - 1, node);
    } else if ((node >= leaf || !w->search->seeks[node]) && matters(w, leaf, node)) {
      m->other[m->count++] = node;
      if (m->count == PATCH_LEAVES)
        take_met(m);
    }
  }
}

/* Visits the later leaves, and the earlier ones that do not search, in order. */
static void meet_others(const pair_work *w, int32_t leaf, void (*take)(void *context, int32_t other),
                        void *context) {
  leaf_meeting m = {.work = w, .leaf = leaf, .take = take, .context = context};
  pair_block_get(&w->search->levels[0][leaf / SURFACE_BLOCK], leaf % SURFACE_BLOCK, m.box);
  descend(&m, w->search->level_count - 1, 0);
  take_met(&m);
}

/* Where a leaf stores the leaves it may touch. */
typedef struct meeting_notes {
  const pair_work *work;
  int32_t leaf;
} meeting_notes;

static void note_meeting(void *context, int32_t other) {
  const meeting_notes *n = context;
  pair_search *s = n->work->search;
  int32_t *count = &s->meeting_count[n->leaf];
  if (*count < PAIR_MEETINGS)
    s->meetings[n->leaf][*count] = other;
  ++*count;
  if (n->work->updates) {
    if (!atomic_exchange_explicit(&s->is_laid[other], 1, memory_order_relaxed))
      pair_lay(n->work, other, true);
    return;
  }
  atomic_store_explicit(&s->is_met[n->leaf], 1, memory_order_relaxed);
  atomic_store_explicit(&s->is_met[other], 1, memory_order_relaxed);
}

static void pair_meet(const pair_work *w, int32_t leaf) {
  meeting_notes notes = {w, leaf};
  w->search->meeting_count[leaf] = 0;
  meet_others(w, leaf, note_meeting, &notes);
}
