/* Substeps that are too few for contact end soon, with a message that says so, and any substep can be stopped.
   Work is counted in pairs and half-spaces, never in seconds. */
#include "tests/support/colliders.h"
#include "tests/support/share.h"
#include "tests/support/touching.h"

#include "engine/world/world.h"

#include <inttypes.h>

static const double FRAME = 1.0 / 60;

/* What a particle may cost in one substep: half-spaces visited, and pairs in a list besides those that any
   world may have. */
enum { MOST_VISITS = 100000, FREE_PAIRS = SELF_CONTACT_FREE_PAIRS, PAIRS_OF_EACH = SELF_CONTACT_MOST_PAIRS };

static msd_spring_def stiff(double stiffness) {
  msd_spring_def def = msd_default_spring_def();
  def.law = MSD_SPRING_STIFFNESS;
  def.stiffness = (msd_real)stiffness;
  return def;
}

/* A horizontal sheet of 1 m that collides with itself, whose first corner is pinned. */
static touching sheet_of(int32_t columns, int32_t rows, double stiffness) {
  touching t = contact_step_new(vector(0, -9.81, 0), 0.3, 0);
  msd_cloth_def def = msd_default_cloth_def();
  def.columns = columns;
  def.rows = rows;
  def.v = vector(0, 0, 1);
  def.stretch = def.shear = stiff(stiffness);
  msd_body body;
  ok(t.world, msd_add_cloth(t.world, &def, &body));
  ok(t.world, msd_particle_pin(t.world, 0));
  int32_t *triangles = calloc(6 * (size_t)(columns * rows), sizeof *triangles);
  cr_assert_not_null(triangles);
  msd_collision_mesh_def surface = msd_default_collision_mesh_def();
  surface.triangles = triangles;
  surface.triangle_count = grid_triangles(triangles, 0, columns, rows, 1, columns);
  touching_add(&t, surface);
  free(triangles);
  return t;
}

/* Half-spaces visited so far. */
static int64_t visits_of(const msd_world *world) {
  return world->stepper.self.visits;
}

static bool is_finite_world(const msd_world *world) {
  bool finite = true;
  for (int32_t i = 0; i < msd_world_get_particle_count(world); i++) {
    const msd_vec3 x = msd_particle_get_position(world, i), v = msd_particle_get_velocity(world, i);
    finite = finite && isfinite((double)(x.x + x.y + x.z + v.x + v.y + v.z));
  }
  return finite;
}

/* Takes a frame, and expects it to take a bounded amount of work. */
static msd_result take_frame(msd_world *world, double frame, int substeps, int substeps_taken) {
  const int64_t before = visits_of(world), particles = msd_world_get_particle_count(world);
  const msd_result result = msd_world_step(world, (msd_real)frame, substeps);
  cr_expect_leq(visits_of(world) - before, particles * MOST_VISITS * substeps_taken);
  cr_expect_leq(world->stepper.self.search.list.count, FREE_PAIRS + PAIRS_OF_EACH * particles);
  cr_expect(is_finite_world(world));
  cr_expect(result == MSD_OK || result == MSD_DIVERGED, "%s", msd_world_message(world));
  return result;
}

/* ------------------------------------------------------------------------------------- too few substeps */

static void expect_message(const msd_world *world, double frame) {
  int32_t needed = 0;
  char number[32];
  ok(world, msd_world_find_substeps(world, (msd_real)frame, &needed));
  snprintf(number, sizeof number, " %" PRId32 " are stable", needed);
  const char *message = msd_world_message(world);
  cr_expect_not_null(strstr(message, number), "%s, and not%s", message, number);
  cr_expect_not_null(strstr(message, "substep 1 of 1"), "%s", message);
  cr_expect_null(strstr(message, "memory"), "%s", message);
}

/* Takes frames of one substep until one diverges; the number of frames before. */
static int explode(touching *t, double frame) {
  enum { MOST_FRAMES = 60 };
  int frames = 0;
  uint64_t hash = msd_world_hash(t->world);
  double time = 0;
  while (frames < MOST_FRAMES && take_frame(t->world, frame, 1, 1) == MSD_OK) {
    frames++;
    hash = msd_world_hash(t->world);
    time = msd_world_get_time(t->world);
  }
  cr_assert_lt(frames, MOST_FRAMES, "it never diverges");
  cr_expect_eq(msd_world_get_time(t->world), time);
  cr_expect_eq(msd_world_hash(t->world), hash, "the state before it is kept");
  return frames;
}

Test(contact_bounds, a_sheet_at_far_too_few_substeps_diverges_and_says_how_many_are_stable) {
  const int32_t sides[] = {12, 20, 40};
  for (int n = 0; n < 3; n++) {
    touching t = sheet_of(sides[n], sides[n], 3e4);
    explode(&t, FRAME);
    expect_message(t.world, FRAME);
    contact_step_free(&t);
  }
}

Test(contact_bounds, where_it_diverges_does_not_depend_on_threads) {
  uint64_t hash[3];
  int frames[3];
  for (int threads = 1; threads <= 3; threads++) {
    touching t = sheet_of(20, 20, 3e4);
    ok(t.world, msd_world_set_thread_count(t.world, threads));
    frames[threads - 1] = explode(&t, FRAME);
    hash[threads - 1] = msd_world_hash(t.world);
    contact_step_free(&t);
  }
  for (int n = 1; n < 3; n++) {
    cr_expect_eq(frames[n], frames[0]);
    cr_expect_eq(hash[n], hash[0]);
  }
}

Test(contact_bounds, random_sheets_at_too_few_substeps_take_bounded_work) {
  generator random = {.state = 5};
  for (int n = 0; n < share_of(8); n++) {
    const int32_t columns = 4 + (int32_t)(12 * random_share(&random)),
                  rows = 4 + (int32_t)(12 * random_share(&random));
    touching t = sheet_of(columns, rows, pow(10, 2 + 4 * random_share(&random)));
    for (int32_t i = 1; i < columns * rows; i++)
      ok(t.world, msd_particle_set_velocity(t.world, i, random_vector(&random, 10)));
    for (int frame = 0; frame < 8; frame++)
      if (take_frame(t.world, FRAME, 1, 1) != MSD_OK)
        break;
    contact_step_free(&t);
  }
}

/* Substeps of 50 ms, in a sheet of 253 particles that begins at rest. */
Test(contact_bounds, long_substeps_take_bounded_work) {
  touching t = sheet_of(23, 11, 300);
  for (int frame = 0; frame < 20; frame++)
    if (take_frame(t.world, 0.05, 1, 1) != MSD_OK)
      break;
  contact_step_free(&t);
}

/* 304 particles crumple at a frame that takes as many substeps as are stable. */
Test(contact_bounds, fast_crumpling_at_stable_substeps_takes_bounded_work) {
  generator random = {.state = 9};
  touching t = sheet_of(19, 16, 300);
  for (int32_t i = 1; i < 19 * 16; i++)
    ok(t.world, msd_particle_set_velocity(t.world, i, random_vector(&random, 20)));
  int32_t needed = 0;
  ok(t.world, msd_world_find_substeps(t.world, (msd_real)FRAME, &needed));
  for (int frame = 0; frame < 4; frame++)
    cr_assert_eq(take_frame(t.world, FRAME, 0, needed + 1), MSD_OK, "%s", msd_world_message(t.world));
  contact_step_free(&t);
}

/* ---------------------------------------------------------------------------------------- teleported pins */

/* A cape of 19 x 31 that hangs from its first row. */
static touching cape(int threads) {
  touching t = contact_step_new(vector(0, -9.81, 0), 0.3, 0);
  ok(t.world, msd_world_set_thread_count(t.world, threads));
  msd_cloth_def def = msd_default_cloth_def();
  def.columns = 19;
  def.rows = 31;
  def.u = vector(0.6, 0, 0);
  def.v = vector(0, -1, 0);
  def.mass = (msd_real)0.3;
  def.stretch = stiff(600);
  def.stretch.damping = (msd_real)0.05;
  def.shear = stiff(100);
  def.shear.damping = (msd_real)0.01;
  msd_body body;
  ok(t.world, msd_add_cloth(t.world, &def, &body));
  int32_t triangles[6 * 18 * 30];
  msd_collision_mesh_def surface = msd_default_collision_mesh_def();
  surface.triangles = triangles;
  surface.triangle_count = grid_triangles(triangles, 0, 19, 31, 1, 19);
  touching_add(&t, surface);
  for (int32_t i = 0; i < 19; i++)
    ok(t.world, msd_particle_pin(t.world, i));
  for (int frame = 0; frame < 2; frame++)
    ok(t.world, msd_world_step(t.world, (msd_real)FRAME, 0));
  return t;
}

static void teleport(msd_world *world, double distance) {
  for (int32_t i = 0; i < 19; i++) {
    const msd_vec3 x = msd_particle_get_position(world, i);
    ok(world, msd_particle_move_to(world, i, vector((double)x.x + distance, (double)x.y, (double)x.z)));
  }
}

Test(contact_bounds, teleported_pins_take_bounded_work_with_any_number_of_threads) {
  const double distances[] = {1, 3, 10, 100};
  for (int n = 0; n < 4; n += in_part ? 3 : 1) {
    const int most_threads = distances[n] == 3 ? 1 : 3;
    uint64_t hash[3];
    msd_result first[3];
    for (int threads = 1; threads <= most_threads; threads++) {
      touching t = cape(threads);
      int32_t needed = 0;
      ok(t.world, msd_world_find_substeps(t.world, (msd_real)FRAME, &needed));
      teleport(t.world, distances[n]);
      first[threads - 1] = take_frame(t.world, FRAME, 0, needed + 1);
      hash[threads - 1] = msd_world_hash(t.world);
      contact_step_free(&t);
    }
    for (int k = 1; k < most_threads; k++) {
      cr_expect_eq(first[k], first[0], "%g m", distances[n]);
      cr_expect_eq(hash[k], hash[0], "%g m", distances[n]);
    }
  }
}

Test(contact_bounds, pins_that_move_too_far_are_named_as_the_cause_where_substeps_are_stable) {
  touching t = cape(1);
  teleport(t.world, 100);
  cr_assert_eq(msd_world_step(t.world, (msd_real)FRAME, 0), MSD_DIVERGED);
  const char *message = msd_world_message(t.world);
  cr_expect_not_null(strstr(message, "move pins"), "%s", message);
  cr_expect_null(strstr(message, "memory"), "%s", message);
  contact_step_free(&t);
}

static void exhaust(const msd_world *world, const msd_substep_info *substep, void *context) {
  (void)context;
  if (substep->done == 2)
    ((msd_world *)world)->stepper.self.carry_visits = SELF_CONTACT_MOST_CARRY_VISITS + 1;
}

/* The next frame counts from zero, so a program that goes on moves its pins by parts. */
Test(contact_bounds, a_frame_whose_pins_carry_for_too_long_ends_before_the_next_substep) {
  touching t = cape(1);
  teleport(t.world, 0.01);
  const double time = msd_world_get_time(t.world);
  const int64_t steps = msd_world_get_steps(t.world);
  ok(t.world, msd_world_set_callbacks(t.world, &(msd_callbacks){.after_substep = exhaust}));
  cr_assert_eq(msd_world_step(t.world, (msd_real)FRAME, 90), MSD_DIVERGED);
  const char *message = msd_world_message(t.world);
  cr_expect_not_null(strstr(message, "move pins"), "%s", message);
  const int64_t done = msd_world_get_steps(t.world) - steps;
  cr_expect(done > 0 && done < 90, "%d", (int)done);
  cr_expect_float_eq(msd_world_get_time(t.world), time + FRAME * (double)done / 90, 1e-9);
  ok(t.world, msd_world_set_callbacks(t.world, NULL));
  ok(t.world, msd_world_step(t.world, (msd_real)FRAME, 90));
  cr_expect_eq(touching_intersections(&t), 0);
  contact_step_free(&t);
}

/* --------------------------------------------------------------------------------------- stopped substeps */

/* Stops at the question with this number, from 0. */
typedef struct patience {
  int questions, stop_at;
} patience;

static bool ask(void *context) {
  patience *p = context;
  return p->questions++ == p->stop_at;
}

/* Two sheets of which one falls onto the other, at `frames` frames; every question comes at once. */
static touching falling(int threads, int frames, patience *p) {
  touching t = contact_step_new(vector(0, -9.81, 0), 0.3, 0);
  ok(t.world, msd_world_set_thread_count(t.world, threads));
  add_collider(t.world, plane_of(vector(0, 1, 0)));
  touching_sheet(&t, 12, 12, vector(0, 0.003, 0), vector(0.3, 0, 0), vector(0, 0, 0.3), true);
  const int32_t upper =
      touching_sheet(&t, 12, 12, vector(0.003, 0.012, 0.004), vector(0.3, 0, 0), vector(0, 0, 0.3), true);
  throw_all(t.world, upper, 144, vector(0.05, -0.3, 0.02));
  for (int frame = 0; frame < frames; frame++)
    ok(t.world, msd_world_step(t.world, (msd_real)FRAME, 16));
  t.world->stepper.stop.period = t.world->stepper.stop.grace = 0;
  ok(t.world, msd_world_set_callbacks(t.world, &(msd_callbacks){.stop = ask, .context = p}));
  return t;
}

static bool same_state(const msd_world *a, const msd_world *b) {
  bool same = true;
  for (int32_t i = 0; i < msd_world_get_particle_count(a); i++) {
    const msd_vec3 x = msd_particle_get_position(a, i), y = msd_particle_get_position(b, i),
                   v = msd_particle_get_velocity(a, i), w = msd_particle_get_velocity(b, i);
    same = same && x.x == y.x && x.y == y.y && x.z == y.z && v.x == w.x && v.y == w.y && v.z == w.z;
  }
  return same;
}

static void ignore(const msd_world *world, const msd_substep_info *moment, void *context) {
  (void)world, (void)moment, (void)context;
}

/* A world that was stopped between substeps, after so many of a frame of 16. */
static touching stopped_between(int frames, int substeps) {
  patience p = {.stop_at = substeps};
  touching t = falling(1, frames, &p);
  t.world->stepper.stop.period = INFINITY;
  const msd_callbacks callbacks = {.stop = ask, .after_substep = ignore, .context = &p};
  ok(t.world, msd_world_set_callbacks(t.world, &callbacks));
  cr_assert_eq(msd_world_step(t.world, (msd_real)FRAME, 16), MSD_CANCELED);
  ok(t.world, msd_world_set_callbacks(t.world, NULL));
  return t;
}

Test(contact_bounds, a_substep_that_is_stopped_is_undone) {
  enum { FRAMES = 6 };
  for (int threads = 1; threads <= (in_part ? 2 : 3); threads++) {
    int inside = 0, most_done = 0;
    for (int stop_at = 1; stop_at < 2000; stop_at += 1 + stop_at / 2) {
      patience p = {.stop_at = stop_at};
      touching t = falling(threads, FRAMES, &p);
      const double time = msd_world_get_time(t.world);
      const int64_t steps = msd_world_get_steps(t.world);
      const msd_result result = msd_world_step(t.world, (msd_real)FRAME, 16);
      if (result == MSD_OK) {
        contact_step_free(&t);
        break;
      }
      cr_assert_eq(result, MSD_CANCELED, "%s", msd_world_message(t.world));
      inside += t.world->stepper.is_abandoned;
      const int done = (int)(msd_world_get_steps(t.world) - steps);
      most_done = done > most_done ? done : most_done;
      touching other = stopped_between(FRAMES, done);
      cr_expect_float_eq(msd_world_get_time(t.world), time + FRAME * done / 16, 1e-9);
      cr_expect(same_state(t.world, other.world), "after %d substeps, question %d", done, stop_at);
      ok(t.world, msd_world_set_callbacks(t.world, NULL));
      ok(t.world, msd_world_step(t.world, (msd_real)FRAME, 16));
      cr_expect_eq(touching_intersections(&t), 0);
      contact_step_free(&other);
      contact_step_free(&t);
    }
    cr_expect(threads > 1 || inside > 3, "%d", inside);
    cr_expect(threads > 1 || most_done > 1, "%d", most_done);
  }
}

/* Takes short frames, of which a list lasts several. */
static msd_result take_short_frame(msd_world *world) {
  return msd_world_step(world, (msd_real)(FRAME / 16), 2);
}

/* The list, the active set and the friction anchors with which the frame began are found again, unless they
   have been replaced. */
Test(contact_bounds, a_first_substep_that_is_stopped_leaves_no_trace) {
  int inside = 0;
  for (int frames = 0; frames < 8; frames++) {
    patience p = {.stop_at = -1}, never = {.stop_at = -1};
    touching t = falling(1, 6, &p), other = falling(1, 6, &never);
    for (int frame = 0; frame < frames; frame++) {
      ok(t.world, take_short_frame(t.world));
      ok(other.world, take_short_frame(other.world));
    }
    p = (patience){.stop_at = 1};
    const bool stops = take_short_frame(t.world) == MSD_CANCELED;
    if (stops && t.world->stepper.is_abandoned && t.world->stepper.self.cache.batches_then >= 0) {
      cr_expect_eq(msd_world_get_steps(t.world), msd_world_get_steps(other.world));
      inside++;
      for (int frame = 0; frame < 4; frame++) {
        ok(t.world, take_short_frame(t.world));
        ok(other.world, take_short_frame(other.world));
        cr_expect_eq(msd_world_hash(t.world), msd_world_hash(other.world), "behind %d frames", frames);
      }
    }
    contact_step_free(&other);
    contact_step_free(&t);
  }
  cr_expect_gt(inside, 2, "%d", inside);
}

/* What a callback reads: contacts between substeps, none inside one. */
typedef struct reader {
  const msd_world *world;
  /* Those in which there were contacts, and the others. */
  int with, without;
} reader;

static bool read_all(void *context) {
  reader *r = context;
  const msd_stats stats = msd_world_get_stats(r->world);
  const bool has = msd_world_get_mesh_contacts(r->world, NULL, 0) + stats.contacts > 0;
  *(has ? &r->with : &r->without) += 1;
  return false;
}

Test(contact_bounds, a_callback_may_read_the_world_inside_a_substep_and_changes_nothing) {
  uint64_t hash[2];
  for (int reads = 0; reads < 2; reads++) {
    patience never = {.stop_at = -1};
    touching t = falling(2, 6, &never);
    reader r = {.world = t.world};
    const msd_callbacks callbacks = {.stop = read_all, .context = &r};
    ok(t.world, msd_world_set_callbacks(t.world, reads ? &callbacks : NULL));
    ok(t.world, msd_world_step(t.world, (msd_real)FRAME, 16));
    hash[reads] = msd_world_hash(t.world);
    cr_expect(!reads || (r.with > 0 && r.without >= 16), "%d, %d", r.with, r.without);
    contact_step_free(&t);
  }
  cr_expect_eq(hash[0], hash[1]);
}
