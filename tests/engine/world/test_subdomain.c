/* Worlds of which each rank has a part, in threads: hashes, sums and what each has are those of one process. */
#include "engine/stability/bound.h"
#include "tests/support/parts.h"
#include "tests/support/share.h"

enum { STEPS = 3, SUBSTEPS = 13 };
/* Of a step of 100 s. Springs gain orders of magnitude in each, so that a double too becomes infinite. */
enum { TOO_FEW_SUBSTEPS = 130 };

static const msd_real FRAME = (msd_real)0.015625;

/* What all ranks of a trial make and do. */
typedef struct trial {
  const char *name;
  void (*fill)(msd_world *world);
  msd_subdomain whole;
  /* 0 substeps: those that the engine chooses. */
  int depth, threads, substeps;
  msd_stats stats[STEPS];
  uint64_t hash[STEPS];
  /* The state of one process in the end, and the search for its limit. */
  msd_world *alone;
  certificate found;
} trial;

static trial now;

static void disturb(msd_world *world, const msd_subdomain *whole, int step) {
  const int32_t places[] = {whole->particles / 2, whole->particles / 3, whole->particles - 1};
  for (int n = 0; n < 3; n++) {
    const int32_t at = local(world, places[n]);
    if (at >= 0)
      ASSERT_OK(world, msd_particle_apply_force(world, at, (msd_vec3){3, 1, (msd_real)(step - n)}));
  }
}

static void assert_same_stats(const msd_stats *got, const msd_stats *wanted, int ranks) {
#define SAME(field)                                                                                          \
  cr_assert_eq(memcmp(&got->field, &wanted->field, sizeof got->field), 0, "%s on %d ranks: " #field,         \
               now.name, ranks)
  SAME(particles);
  SAME(pinned);
  SAME(springs);
  SAME(total_mass);
  SAME(kinetic_energy);
  SAME(elastic_energy);
  SAME(potential_energy);
  SAME(momentum);
  SAME(angular_momentum);
  SAME(center_of_mass);
  SAME(max_stretch);
  SAME(mean_stretch);
  SAME(max_stretch_spring);
  SAME(max_speed);
#undef SAME
}

/* What a rank has is what one process has there, in its borders too. */
static void assert_same_state(const msd_world *world, int ranks) {
  const msd_subdomain part = msd_world_get_subdomain(world);
  cr_assert_eq(msd_world_get_particle_count(world), part.kept.count);
  for (int32_t i = 0; i < part.kept.count; i++) {
    const msd_vec3 x = msd_particle_get_position(world, i), v = msd_particle_get_velocity(world, i),
                   y = msd_particle_get_position(now.alone, part.kept.first + i),
                   w = msd_particle_get_velocity(now.alone, part.kept.first + i);
    cr_assert(memcmp(&x, &y, sizeof x) == 0 && memcmp(&v, &w, sizeof v) == 0, "%s on %d ranks: particle %d",
              now.name, ranks, (int)(part.kept.first + i));
  }
}

static certificate search(msd_world *world) {
  const analysis_whole whole = part_whole(world);
  analysis a;
  cr_assert(analysis_open_part(&a, &world->model, &world->model.memory, world->part.is_open ? &whole : NULL));
  const certificate found = certify_step(&a, 1, quick_step(&a));
  analysis_close(&a);
  return found;
}

/* Both ends of what the limit can be, and the way there. */
static void assert_same_search(msd_world *world, const room_seat *seat) {
  const certificate found = search(world);
  cr_assert(found.step == now.found.step && found.upper == now.found.upper &&
                found.sweeps == now.found.sweeps,
            "%s: rank %d of %d, depth %d: %.17g to %.17g s by %d sweeps, and %.17g to %.17g by %d", now.name,
            seat->rank, seat->room->count, now.depth, found.step, found.upper, found.sweeps, now.found.step,
            now.found.upper, now.found.sweeps);
}

/* Those of all integrators, which are known where substeps are chosen. */
static void assert_same_limits(const msd_world *world, const room_seat *seat) {
  cr_assert_eq(msd_world_get_steps(world), msd_world_get_steps(now.alone));
  for (int n = 0; n < MSD_INTEGRATOR_COUNT; n++)
    cr_assert_eq(memcmp(&world->limits.stable_step[n], &now.alone->limits.stable_step[n], sizeof(double)), 0,
                 "%s: rank %d of %d, depth %d: %s in %.17g s, and %.17g s of one process", now.name,
                 seat->rank, seat->room->count, now.depth, msd_integrator_name((msd_integrator)n),
                 world->limits.stable_step[n], now.alone->limits.stable_step[n]);
}

static msd_world *part_of(room_seat *seat) {
  msd_world *world = empty();
  const msd_ranks ranks = room_ranks(seat, now.depth);
  ASSERT_OK(world, msd_world_set_subdomain(world, &ranks, now.whole.particles, now.whole.reach));
  now.fill(world);
  ASSERT_OK(world, msd_world_set_thread_count(world, now.threads));
  return world;
}

static void *take_steps(void *context) {
  room_seat *seat = context;
  msd_world *world = part_of(seat);
  for (int n = 0; n < STEPS; n++) {
    disturb(world, &now.whole, n);
    ASSERT_OK(world, msd_world_step(world, FRAME, now.substeps));
    const uint64_t hash = msd_world_hash(world);
    cr_assert_eq(hash, now.hash[n], "%s: rank %d of %d, depth %d, %d threads, %d substeps, step %d", now.name,
                 seat->rank, seat->room->count, now.depth, now.threads, now.substeps, n);
    const msd_stats stats = msd_world_get_stats(world);
    assert_same_stats(&stats, &now.stats[n], seat->room->count);
  }
  assert_same_state(world, seat->room->count);
  cr_assert_eq(msd_world_get_subdomain(world).springs, msd_world_get_spring_count(now.alone));
  assert_same_limits(world, seat);
  if (now.substeps == 0)
    assert_same_search(world, seat);
  msd_destroy_world(world);
  return NULL;
}

static void take_alone(trial *t) {
  t->alone = empty();
  t->fill(t->alone);
  t->whole = measure(t->fill);
  cr_assert_eq(t->whole.particles, msd_world_get_particle_count(t->alone));
  for (int n = 0; n < STEPS; n++) {
    disturb(t->alone, &t->whole, n);
    ASSERT_OK(t->alone, msd_world_step(t->alone, FRAME, t->substeps));
    t->hash[n] = msd_world_hash(t->alone);
    t->stats[n] = msd_world_get_stats(t->alone);
  }
  t->found = search(t->alone);
}

static void run_trial_of(int ranks, void *(*take)(void *seat)) {
  rank_room room;
  room_begin_with(&room, ranks, 0);
  room_run(&room, take);
}

static void assert_same_at_depths(const char *name, void (*fill)(msd_world *world), int substeps, int least,
                                  int most) {
  static const int counts[] = {1, 2, 3, 4, 7};
  now = (trial){.name = name, .fill = fill, .substeps = substeps};
  take_alone(&now);
  for (int n = in_part ? 2 : 0; n < (in_part ? 3 : 5); n++)
    for (now.depth = least; now.depth <= most; now.depth += 1 + now.depth) {
      now.threads = 1 + (now.depth + n) % 3;
      run_trial_of(counts[n], take_steps);
    }
  msd_destroy_world(now.alone);
}

static void assert_same_with(const char *name, void (*fill)(msd_world *world), int substeps) {
  assert_same_at_depths(name, fill, substeps, 0, 8);
}

static void assert_same_in_parts(const char *name, void (*fill)(msd_world *world)) {
  assert_same_with(name, fill, SUBSTEPS);
}

Test(part, cloths_have_the_bits_of_one_process) {
  assert_same_in_parts("cloth", cloth);
  assert_same_in_parts("cloth of coefficients", cloth_of_coefficients);
  assert_same_in_parts("cloth of a material", of_a_material);
}

Test(part, ropes_and_blocks_have_the_bits_of_one_process) {
  assert_same_in_parts("rope", rope);
  assert_same_in_parts("block", block);
  assert_same_in_parts("small rope", small);
}

Test(part, several_bodies_have_the_bits_of_one_process) {
  assert_same_in_parts("several", several);
}

Test(part, meshes_have_the_bits_of_one_process) {
  assert_same_in_parts("sheet", sheet);
  assert_same_in_parts("sheet of coefficients", sheet_of_coefficients);
  assert_same_in_parts("sheets", sheets);
}

/* Those whose vertices are in order keep it, by the rule of parts. Deep borders would be all of them. */
static void assert_kept_and_same(const char *name, void (*fill)(msd_world *world), int substeps) {
  msd_world *alone = empty();
  fill(alone);
  ASSERT_OK(alone, msd_world_step(alone, FRAME, SUBSTEPS));
  cr_assert(network_contiguous_share(&alone->stepper.network) < 0.5, "%s: half of it is in rows", name);
  cr_assert(alone->model.particles.slot == NULL, "%s: one process does not keep the order", name);
  msd_destroy_world(alone);
  assert_same_at_depths(name, fill, substeps, 1, in_part ? 1 : 3);
}

Test(part, irregular_meshes_have_the_bits_of_one_process) {
  assert_kept_and_same("irregular sheet", irregular_sheet, SUBSTEPS);
  assert_kept_and_same("irregular sheet of coefficients", irregular_sheet_of_coefficients, SUBSTEPS);
}

Test(part, tetrahedra_have_the_bits_of_one_process) {
  assert_kept_and_same("irregular block", irregular_block, SUBSTEPS);
  assert_kept_and_same("irregular behind others", irregular_behind_others, SUBSTEPS);
}

Test(part, substeps_of_irregular_meshes_are_chosen_as_in_one_process) {
  assert_kept_and_same("irregular sheet", irregular_sheet, 0);
  assert_kept_and_same("irregular sheet of coefficients", irregular_sheet_of_coefficients, 0);
  assert_kept_and_same("irregular block", irregular_block, 0);
}

Test(part, substeps_are_chosen_as_in_one_process) {
  assert_same_with("cloth", cloth, 0);
  assert_same_with("cloth of coefficients", cloth_of_coefficients, 0);
  assert_same_with("cloth of a material", of_a_material, 0);
  assert_same_with("rope", rope, 0);
  assert_same_with("small rope", small, 0);
  assert_same_with("sheet", sheet, 0);
}

/* Blocks of sums go over the borders of ranks. */
Test(part, substeps_of_several_bodies_are_chosen_as_in_one_process) {
  assert_same_with("block", block, 0);
  assert_same_with("several", several, 0);
  assert_same_with("sheets", sheets, 0);
}

/* No rank holds more than its own and the border. */
static void *assert_small(void *context) {
  room_seat *seat = context;
  msd_world *world = part_of(seat);
  const msd_subdomain part = msd_world_get_subdomain(world);
  const int32_t own = now.whole.particles / seat->room->count + NETWORK_CHUNK,
                border = (now.depth + 1) * now.whole.reach + NETWORK_GROUP + 2 * NETWORK_CHUNK;
  cr_assert_leq(part.own.count, own);
  cr_assert_leq(part.kept.count, own + 2 * border);
  cr_assert_leq(msd_world_get_particle_count(world), part.kept.count);
  msd_destroy_world(world);
  return NULL;
}

Test(part, a_rank_holds_its_own_and_a_border) {
  now = (trial){.name = "rope", .fill = rope, .depth = 4, .threads = 1, .whole = measure(rope)};
  run_trial_of(7, assert_small);
}

/* -------------------------------------------------------------------------------------------- stopped steps */

enum { STOPPED_AFTER = 5 };

static bool stop_when_asked_often(void *context) {
  int *asked = context;
  return ++*asked > STOPPED_AFTER;
}

static void ignore(const msd_world *world, const msd_substep_info *moment, void *context) {
  (void)world, (void)moment, (void)context;
}

/* Where somebody is told of substeps a world asks before each of them. */
static void stop_step(msd_world *world) {
  int asked = 0;
  msd_world_set_callbacks(
      world, &(msd_callbacks){.stop = stop_when_asked_often, .after_substep = ignore, .context = &asked});
  cr_assert_eq(msd_world_step(world, FRAME, SUBSTEPS), MSD_CANCELED);
  cr_assert_eq(msd_world_get_steps(world), STOPPED_AFTER);
  msd_world_set_callbacks(world, NULL);
}

static void *assert_stops_as_alone(void *context) {
  room_seat *seat = context;
  msd_world *world = part_of(seat);
  stop_step(world);
  assert_same_state(world, seat->room->count);
  msd_destroy_world(world);
  return NULL;
}

Test(part, a_step_that_is_stopped_leaves_right_borders) {
  now = (trial){.name = "cloth", .fill = cloth, .threads = 1, .whole = measure(cloth)};
  now.alone = empty();
  cloth(now.alone);
  stop_step(now.alone);
  for (now.depth = 1; now.depth <= 8; now.depth++)
    run_trial_of(1 + now.depth % 4, assert_stops_as_alone);
  msd_destroy_world(now.alone);
}

/* ---------------------------------------------------------------------------------------- what is refused */

static void *assert_diverges_as_alone(void *context) {
  room_seat *seat = context;
  msd_world *world = part_of(seat);
  cr_assert_eq(msd_world_step(world, 100, TOO_FEW_SUBSTEPS), MSD_DIVERGED);
  cr_assert_str_eq(msd_world_message(world), msd_world_message(now.alone));
  cr_assert_eq(msd_world_step(world, FRAME, SUBSTEPS), MSD_BAD_VALUE, "it goes on");
  msd_destroy_world(world);
  return NULL;
}

Test(part, all_ranks_name_the_particle_that_diverges) {
  now = (trial){.name = "cloth", .fill = cloth, .threads = 1, .whole = measure(cloth)};
  now.alone = empty();
  cloth(now.alone);
  cr_assert_eq(msd_world_step(now.alone, 100, TOO_FEW_SUBSTEPS), MSD_DIVERGED);
  for (now.depth = 1; now.depth <= 8; now.depth *= 2)
    run_trial_of(1 + now.depth % 7, assert_diverges_as_alone);
  msd_destroy_world(now.alone);
}

static void narrow(msd_world *world) {
  add_narrow(world, 400);
}

/* Of 17 blocks of 240 particles so many at the end are mixed: no spring reaches far then, but the busiest of 16
   particles there has two springs more than they have in the mean. A rank of three begins at every seventeenth
   block, but for some. */
enum { MIXED_BLOCK = 240, MIXED_EACH = 17 };

static int32_t mixed_blocks;

static void mixed(msd_world *world) {
  cell_mesh all = in_order(make_irregular_sheet(60, 200));
  int32_t *place = malloc((size_t)all.vertex_count * sizeof *place);
  for (int32_t v = 0; v < all.vertex_count; v++) {
    const int32_t block = v / MIXED_BLOCK;
    const bool is_mixed = block % MIXED_EACH >= MIXED_EACH - mixed_blocks;
    place[v] = is_mixed ? block * MIXED_BLOCK + v % MIXED_BLOCK * 77 % MIXED_BLOCK : v;
  }
  all = renumbered(all, place);
  free(place);
  add_cells(world, &all, stiff(20), no_springs());
  free_cells(&all);
}

/* Its groups are even, but a spring goes from the first quarter into the third. */
static void far_joined(msd_world *world) {
  cell_mesh all = in_order(make_irregular_sheet(60, 200));
  add_cell(&all, (const int32_t[]){2900, 2910, 6000});
  add_cells(world, &all, stiff(20), no_springs());
  free_cells(&all);
}

static void *assert_order_is_refused(void *context) {
  msd_world *world = part_of(context);
  cr_assert_eq(msd_world_step(world, FRAME, SUBSTEPS), MSD_BAD_VALUE);
  cr_assert(strstr(msd_world_message(world), "in rows") && strstr(msd_world_message(world), "'msd mesh'"),
            "%s", msd_world_message(world));
  msd_destroy_world(world);
  return NULL;
}

static void assert_not_kept(const char *name, void (*fill)(msd_world *world)) {
  now = (trial){.name = name, .fill = fill, .threads = 1, .whole = measure(fill)};
  msd_world *alone = empty();
  fill(alone);
  ASSERT_OK(alone, msd_world_step(alone, FRAME, SUBSTEPS));
  cr_assert(alone->model.particles.slot != NULL, "%s: one process would keep it", name);
  msd_destroy_world(alone);
  run_trial_of(3, assert_order_is_refused);
}

Test(part, an_order_that_one_process_would_not_keep_is_refused) {
  assert_not_kept("narrow", narrow);
  assert_not_kept("far joined", far_joined);
  mixed_blocks = MIXED_EACH;
  assert_not_kept("mixed", mixed);
}

static bool is_kept_alone(void (*fill)(msd_world *world)) {
  bool is_kept = false;
  msd_world *alone = empty();
  fill(alone);
  ASSERT_OK(alone, msd_world_find_layout_order(alone, NULL, &is_kept));
  msd_destroy_world(alone);
  return is_kept;
}

/* What one process just keeps is mixed where two ranks have the same particles, and would count twice. */
Test(part, ranks_keep_an_order_that_is_just_good_enough_and_none_that_is_not) {
  mixed_blocks = 1;
  while (is_kept_alone(mixed) && mixed_blocks < MIXED_EACH)
    mixed_blocks++;
  cr_assert(mixed_blocks > 2 && mixed_blocks < MIXED_EACH, "%d", (int)mixed_blocks);
  assert_not_kept("mixed too much", mixed);
  mixed_blocks--;
  assert_kept_and_same("mixed", mixed, SUBSTEPS);
}

static void *assert_refused(void *context) {
  room_seat *seat = context;
  msd_world *world = part_of(seat);
  size_t size;
  msd_world *copy;
  msd_rope_def more = msd_default_rope_def();
  msd_particle_def particle = msd_default_particle_def();
  const msd_ranks ranks = room_ranks(seat, 0);
  cr_assert_eq(msd_world_save(world, NULL, 0, &size), MSD_BAD_VALUE);
  cr_assert_eq(msd_copy_world(world, &copy), MSD_BAD_VALUE);
  cr_assert_eq(msd_world_set_subdomain(world, &ranks, 10, 1), MSD_BAD_VALUE, "it is a part already");
  ASSERT_OK(world, msd_world_set_integrator(world, MSD_RK4));
  cr_assert_eq(msd_world_step(world, FRAME, SUBSTEPS), MSD_BAD_VALUE);
  ASSERT_OK(world, msd_world_set_integrator(world, MSD_SYMPLECTIC_EULER));
  ASSERT_OK(world, msd_world_step(world, FRAME, SUBSTEPS));
  more.bend = stiff(1);
  more.bend_kind = MSD_BEND_ANGLE;
  more.particles = 3;
  cr_assert_eq(msd_add_rope(world, &more, NULL), MSD_BAD_VALUE, "it has constraints");
  ASSERT_OK(world, msd_add_particles(world, &particle, 1, NULL));
  cr_assert_eq(msd_world_step(world, FRAME, SUBSTEPS), MSD_BAD_VALUE, "it has a particle of no body");
  msd_destroy_world(world);
  return NULL;
}

Test(part, what_a_part_cannot_have_is_refused) {
  now = (trial){.name = "cloth", .fill = cloth, .threads = 1, .whole = measure(cloth)};
  run_trial_of(3, assert_refused);
}

/* Where no substeps are certified all ranks say so, as one process does. */
static void heavy_coefficients(msd_world *world) {
  msd_spring_def springs = coefficients();
  springs.ck = springs.cd = 1;
  add_cloth(world, 40, 40, springs, 0);
  ASSERT_OK(world, msd_world_set_integrator(world, MSD_SYMPLECTIC_EULER));
}

static void *assert_no_step(void *context) {
  msd_world *world = part_of(context);
  cr_assert_eq(msd_world_step(world, FRAME, 0), MSD_NO_STABLE_STEP);
  cr_assert_str_eq(msd_world_message(world), msd_world_message(now.alone));
  ASSERT_OK(world, msd_world_step(world, FRAME, SUBSTEPS));
  msd_destroy_world(world);
  return NULL;
}

Test(part, all_ranks_say_that_no_substeps_are_certified) {
  now = (trial){
      .name = "heavy", .fill = heavy_coefficients, .threads = 1, .whole = measure(heavy_coefficients)};
  now.alone = empty();
  heavy_coefficients(now.alone);
  cr_assert_eq(msd_world_step(now.alone, FRAME, 0), MSD_NO_STABLE_STEP);
  run_trial_of(3, assert_no_step);
  msd_destroy_world(now.alone);
}

/* After a change on one rank alone all of them search again. */
static void *assert_change_is_seen(void *context) {
  room_seat *seat = context;
  msd_world *world = part_of(seat);
  ASSERT_OK(world, msd_world_step(world, FRAME, 0));
  const int32_t at = local(world, now.whole.particles / 2);
  if (at >= 0)
    ASSERT_OK(world, msd_particle_set_mass(world, at, msd_particle_get_mass(world, at) / 100));
  ASSERT_OK(world, msd_world_step(world, FRAME, 0));
  cr_assert_eq(msd_world_hash(world), now.hash[1], "rank %d", seat->rank);
  msd_destroy_world(world);
  return NULL;
}

Test(part, a_change_on_one_rank_makes_all_choose_anew) {
  now = (trial){.name = "cloth", .fill = cloth, .threads = 1, .whole = measure(cloth)};
  msd_world *alone = empty();
  cloth(alone);
  const int32_t at = now.whole.particles / 2;
  ASSERT_OK(alone, msd_world_step(alone, FRAME, 0));
  ASSERT_OK(alone, msd_particle_set_mass(alone, at, msd_particle_get_mass(alone, at) / 100));
  int32_t substeps;
  msd_world *fresh;
  ASSERT_OK(alone, msd_copy_world(alone, &fresh));
  fresh->limits.stable_step_made_for = (revision){0};
  ASSERT_OK(fresh, msd_world_find_substeps(fresh, FRAME, &substeps));
  ASSERT_OK(alone, msd_world_step(alone, FRAME, substeps));
  now.hash[1] = msd_world_hash(alone);
  msd_destroy_world(fresh);
  msd_destroy_world(alone);
  run_trial_of(3, assert_change_is_seen);
}

/* ------------------------------------------------------------------------------------------- parts of
   meshes */

/* What is given is too little, spans too much, or has a vertex of no triangle; on one rank alone. */
typedef enum mesh_flaw { FLAW_CUT, FLAW_SPAN, FLAW_ALONE, FLAW_FOLDS, FLAWS } mesh_flaw;

static mesh_flaw flaw;

static void *assert_flaw_is_told(void *context) {
  room_seat *seat = context;
  msd_world *world = empty();
  const msd_ranks ranks = room_ranks(seat, 1);
  ASSERT_OK(world, msd_world_set_subdomain(world, &ranks, 2000, 41));
  cell_mesh all = make_sheet(40, 50);
  const bool is_mine = seat->rank == 1;
  msd_mesh_def def = msd_default_mesh_def();
  def.vertices = all.vertices;
  def.vertex_count = 2000 - (flaw == FLAW_CUT && is_mine ? 1000 : 0);
  def.triangles = all.cells;
  def.triangle_count = flaw == FLAW_ALONE && is_mine ? 9 : flaw == FLAW_CUT && is_mine ? 50 : all.cell_count;
  if (flaw == FLAW_FOLDS) {
    def.bend = stiff(1);
    def.bend_kind = MSD_BEND_DIHEDRAL;
  }
  const msd_mesh_subdomain part = {2000, 0, flaw == FLAW_SPAN && is_mine ? 40 : 41};
  cr_assert_eq(msd_add_mesh_subdomain(world, &def, &part, NULL), MSD_BAD_VALUE, "flaw %d, rank %d", (int)flaw,
               seat->rank);
  static const char *const words[FLAWS] = {"are given", "spans", "no triangle", "constraints"};
  cr_assert(strstr(msd_world_message(world), words[flaw]) != NULL, "%s", msd_world_message(world));
  free_cells(&all);
  msd_destroy_world(world);
  return NULL;
}

/* The same of tetrahedra, in a block of 10 x 10 x 20 vertices: half of it, a cell that spans too much, a vertex
   of none, volumes. */
static void *assert_flaw_of_tetrahedra_is_told(void *context) {
  room_seat *seat = context;
  msd_world *world = empty();
  const msd_ranks ranks = room_ranks(seat, 1);
  cell_mesh all = in_order(make_irregular_block(10, 20));
  ASSERT_OK(world, msd_world_set_subdomain(world, &ranks, 2000, all.span));
  const bool is_mine = seat->rank == 1;
  cell_mesh given = cut_cells(&all, 0, flaw == FLAW_CUT && is_mine ? 1000 : 2000);
  msd_tetmesh_def def = msd_default_tetmesh_def();
  def.vertices = given.vertices;
  def.vertex_count = given.vertex_count;
  def.tetrahedra = given.cells;
  def.tetrahedron_count = flaw == FLAW_ALONE && is_mine ? 9 : given.cell_count;
  if (flaw != FLAW_FOLDS)
    def.volume = no_springs();
  const msd_mesh_subdomain part = {2000, 0, all.span - (flaw == FLAW_SPAN && is_mine)};
  cr_assert_eq(msd_add_tetmesh_subdomain(world, &def, &part, NULL), MSD_BAD_VALUE, "flaw %d, rank %d",
               (int)flaw, seat->rank);
  static const char *const words[FLAWS] = {"are given", "spans", "no tetrahedron", "constraints"};
  cr_assert(strstr(msd_world_message(world), words[flaw]) != NULL, "%s", msd_world_message(world));
  free_cells(&given);
  free_cells(&all);
  msd_destroy_world(world);
  return NULL;
}

Test(part, a_flaw_of_a_mesh_on_one_rank_is_told_on_all) {
  for (flaw = FLAW_CUT; flaw < FLAWS; flaw++)
    run_trial_of(3, assert_flaw_is_told);
}

Test(part, a_flaw_of_tetrahedra_on_one_rank_is_told_on_all) {
  for (flaw = FLAW_CUT; flaw < FLAWS; flaw++)
    run_trial_of(3, assert_flaw_of_tetrahedra_is_told);
}

Test(part, a_world_that_is_whole_takes_no_part_of_a_mesh) {
  msd_world *world = empty();
  cell_mesh all = make_sheet(9, 9);
  msd_mesh_def def = msd_default_mesh_def();
  def.vertices = all.vertices;
  def.vertex_count = 81;
  def.triangles = all.cells;
  def.triangle_count = all.cell_count;
  cr_assert_eq(msd_add_mesh_subdomain(world, &def, &(msd_mesh_subdomain){81, 0, 10}, NULL), MSD_BAD_VALUE);
  cr_assert_eq(msd_world_get_particle_count(world), 0);
  free_cells(&all);
  msd_destroy_world(world);
}

/* One that has less than the whole reaches is not stepped with borders that are too narrow. */
static void *assert_reach_is_refused(void *context) {
  msd_world *world = part_of(context);
  cr_assert_eq(msd_world_step(world, FRAME, SUBSTEPS), MSD_BAD_VALUE);
  cr_assert(strstr(msd_world_message(world), "span") != NULL, "%s", msd_world_message(world));
  msd_destroy_world(world);
  return NULL;
}

Test(part, a_reach_that_was_not_said_is_refused) {
  now = (trial){.name = "cloth", .fill = cloth, .threads = 1, .depth = 4, .whole = measure(cloth)};
  cr_assert_eq(now.whole.reach, 80);
  now.whole.reach = 1;
  run_trial_of(2, assert_reach_is_refused);
}

Test(part, a_world_that_has_something_cannot_become_a_part) {
  rank_room room;
  room_begin_with(&room, 2, 0);
  const msd_ranks ranks = room_ranks(&room.seats[0], 0);
  msd_world *world = empty();
  cr_assert_eq(msd_world_set_subdomain(world, NULL, 5, 1), MSD_BAD_VALUE);
  cr_assert_eq(msd_world_set_subdomain(world, &ranks, -1, 1), MSD_BAD_VALUE);
  cloth(world);
  cr_assert_eq(msd_world_set_subdomain(world, &ranks, 5, 1), MSD_BAD_VALUE);
  msd_destroy_world(world);
}
