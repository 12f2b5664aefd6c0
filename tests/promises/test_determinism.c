/* The same bits on any number of threads and at any width of vectors, with any compiler. */
#include "tests/support/furniture.h"
#include "tests/support/schedulers.h"
#include "tests/support/share.h"

#include <inttypes.h>

static const int THREADS[] = {1, 2, 3, 4, 8, 16};
/* Other processors than x86-64 have no more than 128 bits here, and take these for the widest. */
static const msd_simd WIDTHS[] = {MSD_SIMD_WIDEST, MSD_SIMD_SCALAR,
#ifdef __x86_64__
                                  MSD_SIMD_256, MSD_SIMD_512, MSD_SIMD_128
#endif
};
enum { THREAD_COUNTS = sizeof THREADS / sizeof THREADS[0], WIDTH_COUNT = sizeof WIDTHS / sizeof WIDTHS[0] };

/* One of each kind about the middle of the network, and more of them than act at once. */
static void add_colliders(msd_world *world) {
  const msd_vec3 middle = msd_particle_get_position(world, msd_world_get_particle_count(world) / 2);
  for (int n = 0; n < 24; n++) {
    msd_collider_def def = msd_default_collider_def();
    def.kind = (msd_collider_kind)(n % MSD_COLLIDER_KIND_COUNT);
    def.position = middle;
    def.position.x += (msd_real)(n % 5) / 8;
    def.position.y -= def.kind == MSD_COLLIDER_PLANE ? 2 : (msd_real)(n % 3) / 4;
    def.radius = (msd_real)(1 + n % 3) / 4;
    def.to.z = 1;
    def.friction = (msd_real)(n % 7) / 8;
    ASSERT_OK(world, msd_add_colliders(world, &def, 1, NULL));
  }
}

static void play_colliders(msd_world *world, int frame) {
  for (int32_t n = 1; n < msd_world_get_collider_count(world); n += 3) {
    msd_vec3 to = msd_collider_get_def(world, n).position;
    to.y += (msd_real)(frame % 4) / 64;
    const msd_vec3 turn = {0, (msd_real)(3 * frame), (msd_real)(n * frame)};
    ASSERT_OK(world, msd_collider_move_to(world, n, to, msd_quaternion_from_degrees(turn)));
  }
}

/* The triangles between the rows of a cloth, or the segments of a rope, of so many columns, and thicker than
   what they are shaken by. */
static void add_surface(msd_world *world, int32_t columns) {
  const int32_t particles = msd_world_get_particle_count(world);
  int32_t *corners = calloc(6 * (size_t)particles, sizeof *corners), count = 0;
  cr_assert_not_null(corners);
  for (int32_t i = 0; i + columns < particles; i++) {
    const int32_t below = i + columns;
    const int32_t of_rope[2] = {i, below}, of_cloth[6] = {i, i + 1, below, i + 1, below + 1, below};
    if (columns == 1)
      memcpy(corners + 2 * (size_t)count++, of_rope, sizeof of_rope);
    if (columns == 1 || i % columns == columns - 1)
      continue;
    memcpy(corners + 3 * (size_t)count, of_cloth, sizeof of_cloth);
    count += 2;
  }
  msd_collision_mesh_def def = msd_default_collision_mesh_def();
  def.thickness = (msd_real)0.0625;
  *(columns == 1 ? &def.segments : &def.triangles) = corners;
  *(columns == 1 ? &def.segment_count : &def.triangle_count) = count;
  ASSERT_OK(world, msd_add_collision_meshes(world, &def, 1, NULL));
  free(corners);
}

/* What a run goes through: pins that move, forces, springs that break, and, half way, springs that are
   added. */
static void play(msd_world *world, int frames, int substeps) {
  const int32_t particles = msd_world_get_particle_count(world), springs = msd_world_get_spring_count(world);
  for (int frame = 0; frame < frames; frame++) {
    if (msd_particle_is_pinned(world, 0))
      ASSERT_OK(world, msd_particle_move_to(world, 0, (msd_vec3){0, (msd_real)frame / 64, 0}));
    for (int32_t i = frame; i < particles; i += 97)
      ASSERT_OK(world, msd_particle_apply_force(world, i, (msd_vec3){1, (msd_real)(i % 3), -1}));
    ASSERT_OK(world, msd_spring_break(world, (springs / 3 + 41 * frame) % springs));
    if (frame == frames / 2) {
      msd_spring_def def = making_spring(&(making){.laws = LAWS_PHYSICAL}, frame);
      def.a = 1;
      def.b = particles - 1;
      def.stiffness = 1;
      ASSERT_OK(world, msd_add_springs(world, &def, 1, NULL));
    }
    if (msd_world_get_constraint_count(world) > 0)
      play_furniture(world, frame, frame == frames / 2);
    play_colliders(world, frame);
    /* Otherwise it may have found that fewer are faster. */
    ASSERT_OK(world, msd_world_set_thread_count(world, msd_world_get_thread_count(world)));
    ASSERT_OK(world, msd_world_step(world, (msd_real)substeps / 128, substeps));
  }
}

typedef struct scene {
  const char *name;
  graph (*make)(void);
  making making;
  msd_integrator integrator;
  bool limit;
  msd_energy_mode energy;
  msd_real linear_damping;
  bool is_furnished;
  /* Things of all kinds are in the way, and some of them move. */
  bool has_colliders;
  /* Air goes in turbulence of the size of the network. */
  bool has_wind;
  /* Of the cloth, which touches itself; 1: a rope, 0: nothing does. */
  int32_t columns;
  /* A function is asked whether to stop, and steps are taken in pieces. */
  bool is_asked;
} scene;

/* Of the host that runs are made in; NULL: none. */
static const msd_tasks *host_tasks;

static bool never(void *context) {
  ++*(int *)context;
  return false;
}

static void add_wind(msd_world *world) {
  msd_wind_def wind = msd_default_wind_def();
  wind.velocity = (msd_vec3){1, (msd_real)0.5, 2};
  wind.turbulence = 1;
  wind.turbulence_length = (msd_real)0.5;
  wind.seed = 1;
  ASSERT_OK(world, msd_world_set_wind(world, &wind));
}

static uint64_t run(const scene *s, int threads, msd_simd simd, int frames, int substeps) {
  graph g = s->make();
  msd_world *world = world_of(&g, &s->making);
  if (s->columns > 0)
    add_surface(world, s->columns);
  if (s->is_furnished)
    furnish(world);
  if (s->has_colliders)
    add_colliders(world);
  if (s->has_wind)
    add_wind(world);
  ASSERT_OK(world, msd_world_set_integrator(world, s->integrator));
  ASSERT_OK(world, msd_world_set_clamp_stiffness(world, s->limit));
  ASSERT_OK(world, msd_world_set_energy_mode(world, s->energy));
  ASSERT_OK(world, msd_world_set_linear_damping(world, s->linear_damping));
  ASSERT_OK(world, msd_world_set_thread_count(world, threads));
  ASSERT_OK(world, msd_world_set_tasks(world, host_tasks));
  ASSERT_OK(world, msd_world_set_simd(world, simd));
  int questions = 0;
  if (s->is_asked)
    ASSERT_OK(world, msd_world_set_callbacks(world, &(msd_callbacks){.stop = never, .context = &questions}));
  play(world, frames, substeps);
  cr_assert(!s->is_asked || questions > frames, "%s: %d questions", s->name, questions);
  cr_assert(s->energy != MSD_ENERGY_BOUNDED || msd_world_get_energy_account(world).bounded_substeps > 0, "%s",
            s->name);
  cr_assert(!s->has_colliders || msd_world_get_stats(world).contacts > 0, "%s touches nothing", s->name);
  cr_assert(s->columns == 0 || msd_world_get_mesh_contacts(world, NULL, 0) > 0, "%s touches not itself",
            s->name);
  const uint64_t hash = msd_world_hash(world);
  msd_destroy_world(world);
  graph_free(&g);
  return hash;
}

static graph large_cloth(void) {
  return graph_cloth(70, 60, CLOTH_BEND);
}

static graph narrow_cloth(void) {
  return graph_cloth(9, 500, CLOTH_SHEAR);
}

static graph small_cloth(void) {
  return graph_cloth(25, 30, CLOTH_BEND);
}

static graph long_rope(void) {
  return graph_rope(6000, true);
}

static graph patch(void) {
  return graph_cloth(9, 10, CLOTH_BEND);
}

static graph skein(void) {
  return graph_random(60, 120, 3);
}

static graph pleats(void) {
  return graph_pleats(6, 12, 3);
}

static graph large_block(void) {
  return graph_block(14, true);
}

static graph penetration(void) {
  return graph_random(2000, 6000, 1);
}

static graph small_penetration(void) {
  return graph_random(600, 1800, 2);
}

static graph star(void) {
  return graph_star(1500, 700);
}

static graph shuffled_cloth(void) {
  return graph_shuffled(graph_cloth(40, 40, CLOTH_BEND), 6);
}

static graph tiny_rope(void) {
  return graph_rope(5, true);
}

static void assert_hash(const scene *s, int threads, msd_simd simd, uint64_t expected) {
  const uint64_t found = run(s, threads, simd, 4, 3);
  cr_assert_eq(found, expected, "%s, %d threads, width %d: %016" PRIx64 ", not %016" PRIx64, s->name, threads,
               (int)simd, found, expected);
}

/* All widths on one thread or on three, all thread counts, in part two of them, with the widest. */
static void assert_same_bits_in_few_runs(const scene *s) {
  const uint64_t expected = run(s, 1, MSD_SIMD_SCALAR, 4, 3);
  for (int t = 1; t < THREAD_COUNTS; t += in_part ? 3 : 1)
    assert_hash(s, THREADS[t], MSD_SIMD_WIDEST, expected);
  for (int w = 0; w < WIDTH_COUNT; w++)
    assert_hash(s, w % 2 ? 3 : 1, WIDTHS[w], expected);
}

/* All thread counts with all widths. */
static void assert_same_bits(const scene *s) {
  if (in_part) {
    assert_same_bits_in_few_runs(s);
    return;
  }
  const uint64_t expected = run(s, 1, MSD_SIMD_SCALAR, 4, 3);
  for (int t = 0; t < THREAD_COUNTS; t++)
    for (int w = 0; w < WIDTH_COUNT; w++)
      assert_hash(s, THREADS[t], WIDTHS[w], expected);
}

Test(determinism, cloths_have_the_same_bits_on_any_threads_and_width) {
  assert_same_bits(
      &(scene){"cloth", large_cloth, {LAWS_COEFFICIENT, .seed = 1, .pins = true}, .linear_damping = 1});
  assert_same_bits(
      &(scene){"narrow cloth", narrow_cloth, {LAWS_MIXED, .seed = 2, .breaks = 9}, .linear_damping = 0});
}

Test(determinism, ropes_and_blocks_have_the_same_bits_on_any_threads_and_width) {
  assert_same_bits_in_few_runs(
      &(scene){"rope", long_rope, {LAWS_PHYSICAL, .seed = 3, .pins = true}, .linear_damping = 0});
  assert_same_bits(&(scene){"block", large_block, {LAWS_MIXED, .seed = 4, .soften = 4}, .limit = true});
  assert_same_bits_in_few_runs(
      &(scene){"tiny rope", tiny_rope, {LAWS_MIXED, .seed = 5}, .linear_damping = 0});
}

Test(determinism, irregular_networks_have_the_same_bits_on_any_threads_and_width) {
  assert_same_bits(
      &(scene){"penetration", penetration, {LAWS_COEFFICIENT, .seed = 6, .pins = true}, .linear_damping = 0});
  assert_same_bits_in_few_runs(&(scene){"star", star, {LAWS_COEFFICIENT, .seed = 7}, .linear_damping = 0});
  assert_same_bits(
      &(scene){"shuffled cloth", shuffled_cloth, {LAWS_MIXED, .seed = 8, .breaks = 4}, .linear_damping = 1});
}

Test(determinism, tethers_and_struts_have_the_same_bits_on_any_threads_and_width) {
  assert_same_bits(&(scene){
      "cloth", large_cloth, {LAWS_COEFFICIENT, .seed = 16, .pins = true, .sides = 3}, .linear_damping = 1});
  assert_same_bits_in_few_runs(&(scene){
      "penetration", penetration, {LAWS_MIXED, .seed = 17, .pins = true, .sides = 2}, .linear_damping = 0});
  assert_same_bits_in_few_runs(&(scene){
      "star", star, {LAWS_COEFFICIENT, .seed = 18, .sides = 1}, .integrator = MSD_SEQUENTIAL_IMPULSE});
}

Test(determinism, hard_limits_have_the_same_bits_on_any_threads_and_width) {
  assert_same_bits(
      &(scene){"cloth",
               large_cloth,
               {LAWS_COEFFICIENT, .seed = 16, .pins = true, .sides = 3, .breaks = 30, .hard_limits = true},
               .linear_damping = 1});
  assert_same_bits_in_few_runs(
      &(scene){"penetration",
               penetration,
               {LAWS_MIXED, .seed = 17, .pins = true, .sides = 2, .hard_limits = true},
               .linear_damping = 0});
  assert_same_bits_in_few_runs(&(scene){"star",
                                        star,
                                        {LAWS_COEFFICIENT, .seed = 18, .sides = 5, .hard_limits = true},
                                        .integrator = MSD_SEQUENTIAL_IMPULSE});
}

Test(determinism, what_touches_colliders_has_the_same_bits_on_any_threads_and_width) {
  assert_same_bits(&(scene){"cloth",
                            large_cloth,
                            {LAWS_COEFFICIENT, .seed = 34, .pins = true, .sides = 5, .hard_limits = true},
                            .has_colliders = true});
  assert_same_bits_in_few_runs(&(scene){"penetration",
                                        penetration,
                                        {LAWS_MIXED, .seed = 35, .pins = true, .soften = 4},
                                        .has_colliders = true});
  assert_same_bits_in_few_runs(&(scene){"furnished cloth",
                                        small_cloth,
                                        {LAWS_COEFFICIENT, .seed = 36, .pins = true},
                                        .integrator = MSD_SEQUENTIAL_IMPULSE,
                                        .is_furnished = true,
                                        .has_colliders = true});
}

Test(determinism, surfaces_that_touch_have_the_same_bits_on_any_threads_and_width) {
  const scene cloth = {"patch",
                       patch,
                       {LAWS_COEFFICIENT, .seed = 38, .pins = true, .sides = 5, .hard_limits = true},
                       .columns = 9};
  const scene rope = {"skein", skein, {LAWS_COEFFICIENT, .seed = 39, .pins = true}, .columns = 1};
  const scene furnished = {"furnished patch",
                           patch,
                           {LAWS_COEFFICIENT, .seed = 40, .pins = true},
                           .integrator = MSD_SEQUENTIAL_IMPULSE,
                           .is_furnished = true,
                           .has_colliders = true,
                           .columns = 9};
  assert_same_bits_in_few_runs(&cloth);
  assert_same_bits_in_few_runs(&rope);
  assert_same_bits_in_few_runs(&furnished);
}

Test(determinism, constraints_soft_pins_and_rotors_have_the_same_bits_on_any_threads_and_width) {
  assert_same_bits(&(scene){"cloth",
                            small_cloth,
                            {LAWS_COEFFICIENT, .seed = 32, .pins = true},
                            .linear_damping = 1,
                            .is_furnished = true});
  for (int integrator = MSD_EXPLICIT_EULER; integrator < MSD_INTEGRATOR_COUNT; integrator++)
    assert_same_bits_in_few_runs(&(scene){msd_integrator_name((msd_integrator)integrator),
                                          small_penetration,
                                          {LAWS_MIXED, .seed = 33, .pins = true, .soften = 4},
                                          .integrator = (msd_integrator)integrator,
                                          .is_furnished = true});
}

Test(determinism, the_other_integrators_have_the_same_bits_on_any_threads_and_width) {
  for (int integrator = MSD_EXPLICIT_EULER; integrator < MSD_INTEGRATOR_COUNT; integrator++)
    assert_same_bits_in_few_runs(&(scene){msd_integrator_name((msd_integrator)integrator),
                                          shuffled_cloth,
                                          {LAWS_MIXED, .seed = 9, .pins = true},
                                          .integrator = (msd_integrator)integrator,
                                          .linear_damping = 1});
}

static void expect_same_bits_in_pieces(scene s, int threads) {
  const uint64_t expected = run(&s, threads, MSD_SIMD_WIDEST, 3, 75);
  s.is_asked = true;
  cr_expect_eq(run(&s, threads, MSD_SIMD_WIDEST, 3, 75), expected, "%s", s.name);
}

Test(determinism, a_step_that_could_be_stopped_has_the_same_bits) {
  expect_same_bits_in_pieces(
      (scene){"cloth", large_cloth, {LAWS_COEFFICIENT, .seed = 1, .pins = true}, .linear_damping = 1}, 2);
  expect_same_bits_in_pieces(
      (scene){"penetration", penetration, {LAWS_COEFFICIENT, .seed = 6, .pins = true}, .linear_damping = 0},
      1);
  for (int integrator = 0; integrator < MSD_INTEGRATOR_COUNT; integrator++)
    if (integrator != MSD_EXPLICIT_EULER) /* which would not stay finite */
      expect_same_bits_in_pieces((scene){msd_integrator_name((msd_integrator)integrator),
                                         small_penetration,
                                         {LAWS_MIXED, .seed = 33, .pins = true, .soften = 4},
                                         .integrator = (msd_integrator)integrator,
                                         .linear_damping = 4,
                                         .is_furnished = true},
                                 1);
}

Test(determinism, changing_threads_and_width_on_the_way_changes_no_bit) {
  graph g = large_cloth();
  const making m = {LAWS_MIXED, .seed = 10, .pins = true};
  msd_world *steady = world_of(&g, &m), *changing = world_of(&g, &m);
  ASSERT_OK(steady, msd_world_set_thread_count(steady, 1));
  for (int n = 0; n < 20; n++) {
    ASSERT_OK(changing, msd_world_set_thread_count(changing, n % 5));
    ASSERT_OK(changing, msd_world_set_simd(changing, (msd_simd)(n % MSD_SIMD_COUNT)));
    ASSERT_OK(steady, msd_world_step(steady, (msd_real)0.0078125, 2));
    ASSERT_OK(changing, msd_world_step(changing, (msd_real)0.0078125, 2));
  }
  cr_assert_eq(msd_world_hash(steady), msd_world_hash(changing));
  msd_destroy_world(steady);
  msd_destroy_world(changing);
  graph_free(&g);
}

Test(determinism, a_step_of_many_substeps_is_as_many_steps_of_one) {
  graph g = graph_cloth(30, 30, CLOTH_BEND);
  const making m = {LAWS_PHYSICAL, .seed = 11};
  msd_world *one = world_of(&g, &m), *many = world_of(&g, &m);
  ASSERT_OK(one, msd_world_step(one, (msd_real)0.125, 32));
  for (int n = 0; n < 32; n++)
    ASSERT_OK(many, msd_world_step(many, (msd_real)0.00390625, 1));
  cr_assert_eq(msd_world_hash(one), msd_world_hash(many));
  msd_destroy_world(one);
  msd_destroy_world(many);
  graph_free(&g);
}

/* Golden hashes: recorded once from the scalar step, on purpose not derived from theory. They hold for every
   compiler, processor, build type, thread count and width. A change of the order of operations in a step, or of
   the numbers that it starts from, changes them; then record the new ones here and say so in the changelog,
   because saved runs no longer repeat. */
typedef struct golden {
  scene scene;
  uint64_t float_hash, double_hash;
} golden;

static const golden GOLDEN[] = {
    {{"curtain",
      large_cloth,
      {LAWS_COEFFICIENT, .seed = 21, .pins = true, .breaks = 50},
      .linear_damping = 1},
     0xf74c78c7ae9dfb0f,
     0xc819316d9fbeb6b8},
    {{"ropes", long_rope, {LAWS_PHYSICAL, .seed = 22, .pins = true}, .integrator = MSD_VELOCITY_VERLET},
     0x1749259c9065212b,
     0xc909f0c45bc674b3},
    {{"penetration", penetration, {LAWS_MIXED, .seed = 23, .pins = true, .breaks = 20}, .limit = true},
     0xf14175742d1db48c,
     0x8af54920eafed8dd},
    {{"block",
      large_block,
      {LAWS_FREQUENCY, .seed = 24, .pins = true},
      .integrator = MSD_SEQUENTIAL_IMPULSE,
      .linear_damping = 1},
     0xf10e04a11984e839,
     0x097a1d097c956a37},
    {{"shuffled cloth", shuffled_cloth, {LAWS_MIXED, .seed = 25, .breaks = 9}, .integrator = MSD_RK4},
     0xf49b5a6084b61221,
     0xfcf1ae054b0d27bf},
    {{"furnished cloth",
      small_cloth,
      {LAWS_COEFFICIENT, .seed = 26, .pins = true, .breaks = 50},
      .linear_damping = 1,
      .is_furnished = true},
     0x540047656bc1a169,
     0x8a6fc585de96afd0},
    {{"furnished penetration",
      small_penetration,
      {LAWS_MIXED, .seed = 27, .pins = true, .soften = 4},
      .integrator = MSD_RK4,
      .is_furnished = true},
     0x828798902573a673,
     0x54fddd16743abecd},
    {{"furnished impulses",
      small_penetration,
      {LAWS_COEFFICIENT, .seed = 28, .pins = true, .sides = 7},
      .integrator = MSD_SEQUENTIAL_IMPULSE,
      .limit = true,
      .is_furnished = true},
     0xc213499ade1be318,
     0x36ddf36a05edf7b3},
    {{"guarded penetration",
      small_penetration,
      {LAWS_PHYSICAL, .seed = 29, .pins = true, .soften = (msd_real)0.03125, .sides = 7, .undamped = true},
      .energy = MSD_ENERGY_BOUNDED,
      .is_furnished = true},
     0x27706cfe5ce8b3c9,
     0x7344d8f78078e145},
    {{"caught cloth",
      large_cloth,
      {LAWS_COEFFICIENT, .seed = 30, .pins = true, .breaks = 50, .sides = 3, .hard_limits = true},
      .linear_damping = 1},
     0xd952b1e1aca7d79e,
     0xa03710d13ae7d6c5},
    {{"caught and guarded penetration",
      small_penetration,
      {LAWS_PHYSICAL, .seed = 29, .pins = true, .soften = (msd_real)0.03125, .sides = 7, .undamped = true,
       .hard_limits = true},
      .energy = MSD_ENERGY_BOUNDED,
      .is_furnished = true},
     0xb1a9f6a85207626e,
     0x4fa1338a427cc287},
    {{"touched cloth",
      large_cloth,
      {LAWS_COEFFICIENT, .seed = 37, .pins = true, .breaks = 50},
      .linear_damping = 1,
      .has_colliders = true},
     0xf7609e8d99fa78f2,
     0x5f886de4f2377ef1},
    {{"touched and guarded penetration",
      small_penetration,
      {LAWS_PHYSICAL, .seed = 29, .pins = true, .soften = (msd_real)0.03125, .sides = 7, .undamped = true,
       .hard_limits = true},
      .energy = MSD_ENERGY_BOUNDED,
      .is_furnished = true,
      .has_colliders = true},
     0x48000f9bfb977666,
     0xb13fd9fbc8ab4b22},
    {{"pleats that touch",
      pleats,
      {LAWS_COEFFICIENT, .seed = 41, .pins = true, .sides = 5, .hard_limits = true},
      .linear_damping = 1,
      .has_colliders = true,
      .columns = 6},
     0xeeffddefc2aad7d7,
     0x2bf0ef130220768b},
    {{"pleats in turbulence",
      pleats,
      {LAWS_COEFFICIENT, .seed = 41, .pins = true, .sides = 5, .hard_limits = true},
      .has_colliders = true,
      .has_wind = true,
      .columns = 6},
     0x2e5906c1ae7b9d7f,
     0x70454b2ddbb5581d},
    {{"knot that touches",
      graph_knot,
      {LAWS_COEFFICIENT, .seed = 42, .pins = true},
      .integrator = MSD_SEQUENTIAL_IMPULSE,
      .columns = 1},
     0xf016917912a8547e,
     0x1253bd1154d8d9f6},
};

static void expect_golden(const golden *g, int threads, msd_simd simd) {
  const uint64_t expected = sizeof(msd_real) == sizeof(double) ? g->double_hash : g->float_hash;
  const uint64_t found = run(&g->scene, threads, simd, 8, 4);
  cr_expect_eq(found, expected, "%s, %d threads, width %d: %016" PRIx64 ", golden %016" PRIx64, g->scene.name,
               threads, (int)simd, found, expected);
}

enum { GOLDEN_COUNT = sizeof GOLDEN / sizeof GOLDEN[0] };

/* In part every other width of each scene. */
Test(determinism, golden_hashes_are_met_at_any_width) {
  for (int i = 0; i < GOLDEN_COUNT; i++)
    for (int w = in_part ? i % 2 : 0; w < WIDTH_COUNT; w += in_part ? 2 : 1)
      expect_golden(&GOLDEN[i], w == 0 ? 2 : 1, WIDTHS[w]);
}

/* Each scene with some of them. */
Test(determinism, golden_hashes_are_met_by_1_to_16_threads) {
  for (int threads = 1; threads <= 16; threads += in_part ? 5 : 1)
    expect_golden(&GOLDEN[threads % GOLDEN_COUNT], threads, MSD_SIMD_WIDEST);
}

static void expect_golden_on(const msd_tasks *tasks, int threads) {
  host_tasks = tasks;
  for (int i = 0; i < GOLDEN_COUNT; i += in_part ? 5 : 1)
    expect_golden(&GOLDEN[i], threads, MSD_SIMD_WIDEST);
  host_tasks = NULL;
}

Test(determinism, golden_hashes_are_met_where_a_host_calls_tasks_one_after_the_other) {
  static task_keeper keeper;
  const msd_tasks in_finish = {keep_task, call_kept_task, &keeper, 3};
  expect_golden_on(&in_finish, 3);
}

#ifndef __wasm__

Test(determinism, golden_hashes_are_met_by_the_threads_of_a_host) {
  host_pool pool;
  host_pool_open(&pool, 3);
  const msd_tasks tasks = host_pool_tasks(&pool);
  expect_golden_on(&tasks, 4);
  host_pool_close(&pool);
}

#endif
