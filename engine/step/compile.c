/* Builds the structures of a frame that do not depend on the substep length. stepper_prepare does so at the
   start of each frame, before the number of substeps is chosen. Each structure is rebuilt only when its inputs
   have changed. */

#include "engine/network/reorder.h"
#include "engine/step/integrator.h"
#include "engine/step/settings.h"
#include "engine/step/stepper.h"
#include "engine/store/fracture.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

/* --------------------------------------------------------------------------------------------- network */

/* Marks the broken springs from `first` on in the network. */
static void set_broken(stepper *s, const network_source *source, int32_t first) {
  const spring_store *springs = &s->model->springs;
  for (int32_t e = first; e < springs->count && springs->broken > 0 && !s->network.was_rejected; e++)
    if (spring_is_broken(springs, e))
      network_set_rest(&s->network, source, e, -1);
}

static bool compile_network(stepper *s, double contiguous_min) {
  network_source source = network_source_of(s->model);
  source.contiguous_min = contiguous_min;
  if (!network_compile(&s->network, &s->model->memory, &source))
    return false;
  set_broken(s, &source, 0);
  return true;
}

static bool append_to_network(stepper *s) {
  const network_source source = network_source_of(s->model);
  const int32_t first = s->network.spring_count;
  if (!network_append(&s->network, &s->model->memory, &source))
    return false;
  set_broken(s, &source, first);
  return true;
}

/* If fewer than this fraction of the springs are contiguous, particles are reordered in strips, unless the
   user's order is as good. Networks below REORDERED_PARTICLES_MIN fit into the L1 cache and are not
   reordered. */
static const double CONTIGUOUS_SHARE_KEPT = 0.5;
enum { REORDERED_PARTICLES_MIN = 256 };

static bool reorder_particles(world_model *model) {
  particle_store *p = &model->particles;
  int32_t *slot = memory_allocate(&model->memory, particle_slot_bytes(p));
  if (!slot || !order_in_strips(p, &model->springs, &model->memory, slot) ||
      !particle_reserve_other(p, &model->memory)) {
    memory_release(&model->memory, slot);
    return false;
  }
  particle_move_to_slots(p, slot, &model->memory);
  particle_release_other(p, &model->memory);
  return true;
}

static bool judge_order(world_model *model, bool *serves) {
  const particle_store *p = &model->particles;
  const spring_store *s = &model->springs;
  int32_t *springs = memory_allocate(&model->memory, (size_t)p->count * sizeof *springs);
  if (!springs)
    return false;
  order_worth worth = {0};
  order_count_springs(p, s, false, springs);
  order_add_groups(&worth, springs, p->count);
  order_add_reach(&worth, s, (msd_range){0, s->count});
  memory_release(&model->memory, springs);
  *serves = order_serves(&worth, p->count);
  return true;
}

/* Releases memory that can be allocated again later, because a new network may need it. */
static void release_spare_memory(stepper *s) {
  particle_release_spare(&s->model->particles, &s->model->memory);
  model_forget_springs_at(s->model);
  memory_release(&s->model->memory, s->down);
  s->down = NULL;
  s->down_size = 0;
}

/* Compiles the network. Unless the layout is fixed, it chooses the particle order too. */
static bool lay_out_network(stepper *s) {
  world_model *model = s->model;
  particle_store *p = &model->particles;
  release_spare_memory(s);
  law_table_settle(&model->springs.laws, &model->memory, model->springs.count);
  s->network_made_for = s->tuned_for = (revision){0};
  if (!model->layout_is_fixed && p->slot) {
    if (!particle_reserve_other(p, &model->memory))
      return false;
    particle_move_to_slots(p, NULL, &model->memory);
  }
  const bool preserve_order =
      model->layout_is_fixed || model->preserve_order || p->count < REORDERED_PARTICLES_MIN;
  bool done = compile_network(s, preserve_order ? 0 : CONTIGUOUS_SHARE_KEPT);
  if (!done || !s->network.was_rejected)
    return done;
  bool serves;
  return judge_order(model, &serves) && (serves || reorder_particles(model)) && compile_network(s, 0);
}

msd_result stepper_prepare_network(stepper *s) {
  const revision now = revision_of_network(&s->model->revision);
  if (revision_holds(&s->network_made_for, now))
    return MSD_OK;
  if (!(stepper_has_network(s) ? append_to_network(s) : lay_out_network(s)))
    return report_fail(&s->model->report, MSD_OUT_OF_MEMORY, "no memory to lay out %d springs",
                       (int)s->model->springs.count);
  s->network_made_for = now;
  return MSD_OK;
}

/* ------------------------------------------------------------------------------ memory of the integrators */

enum { FORCE_COMPONENTS = 3 };

static msd_result prepare_scratch(stepper *s) {
  const particle_store *p = &s->model->particles;
  const int components =
      stepper_is_watched(s) ? FORCE_COMPONENTS : integrator_scratch_components(s->model->integrator);
  const size_t needed = p->stride * (size_t)components;
  if (needed <= s->scratch_size)
    return MSD_OK;
  memory_release(&s->model->memory, s->scratch_block);
  s->scratch_size = 0;
  s->scratch = particle_allocate_slab(p, &s->model->memory, components, &s->scratch_block);
  if (!s->scratch)
    return report_fail(&s->model->report, MSD_OUT_OF_MEMORY, "no memory for the scratch space of %s",
                       msd_integrator_name(s->model->integrator));
  s->scratch_size = needed;
  return MSD_OK;
}

static bool lay_out_constraints(stepper *s) {
  constraint_forces *f = &s->constraint_forces;
  const revision now = revision_of_constraint_layout(&s->model->revision);
  if (revision_holds(&f->made_for, now))
    return true;
  if (!constraint_forces_make(f, &s->model->memory, &s->model->constraints, &s->model->particles))
    return false;
  f->made_for = now;
  return true;
}

static msd_result prepare_forces(stepper *s) {
  const particle_store *p = &s->model->particles;
  if (!stepper_has_forces(s) ||
      (lay_out_constraints(s) &&
       constraint_forces_apply(&s->constraint_forces, &s->model->memory, p, stepper_acting_applied(s),
                               stepper_has_soft_pin_forces(s))))
    return MSD_OK;
  return report_fail(&s->model->report, MSD_OUT_OF_MEMORY, "no memory for the forces of %d constraints",
                     (int)s->model->constraints.count);
}

static bool plan_impulses(stepper *s) {
  spring_impulses *plan = &s->spring_impulses;
  const revision now = revision_of_network(&s->model->revision);
  const network_source source = network_source_of(s->model);
  if (revision_holds(&plan->made_for, now))
    return true;
  if (!spring_impulses_make(plan, &s->model->memory, &s->network, &source))
    return false;
  plan->made_for = now;
  return true;
}

static bool plan_constraint_impulses(stepper *s) {
  constraint_impulses *plan = &s->constraint_impulses;
  const revision now = revision_of_constraint_layout(&s->model->revision);
  if (revision_holds(&plan->made_for, now))
    return true;
  if (!constraint_impulses_make(plan, &s->model->memory, &s->model->constraints, &s->model->particles))
    return false;
  plan->made_for = now;
  return true;
}

/* Colors the springs for the Gauss-Seidel sweeps. With any other solver, releases the memory. */
static msd_result prepare_projections(stepper *s) {
  world_model *model = s->model;
  spring_projections *plan = &s->projections;
  const revision now = revision_of_network(&model->revision);
  const network_source source = network_source_of(model);
  if (!stepper_projects(s)) {
    spring_projections_free(plan, &model->memory);
    return MSD_OK;
  }
  if (revision_holds(&plan->made_for, now))
    return MSD_OK;
  if (!spring_projections_make(plan, &model->memory, &s->network, &source))
    return report_fail(&model->report, MSD_OUT_OF_MEMORY, "no memory for the coloring of %d springs",
                       (int)model->springs.count);
  plan->made_for = now;
  return MSD_OK;
}

static msd_result prepare_impulses(stepper *s) {
  world_model *model = s->model;
  if (model->integrator != MSD_SEQUENTIAL_IMPULSE)
    return MSD_OK;
  const bool keeps_given =
      model->impulse_iterations > 1 || model->impulse_warm_start || s->record.wanted != 0;
  if (plan_impulses(s) && plan_constraint_impulses(s) &&
      (!keeps_given ||
       (given_impulses_reserve(&s->spring_given, &model->memory, model->springs.count) &&
        given_impulses_reserve(&s->constraint_given, &model->memory, model->constraints.count))))
    return MSD_OK;
  return report_fail(&model->report, MSD_OUT_OF_MEMORY, "no memory for the impulses of %d springs",
                     (int)model->springs.count);
}

/* Compiles the hard limits. After the last hard limit has been removed, rebuilds the list once, empty. */
static msd_result prepare_hard_limits(stepper *s) {
  world_model *model = s->model;
  const revision now = revision_of_hard_limits(&model->revision);
  if (revision_holds(&s->hard_limits.made_for, now) ||
      (model->springs.hard_limits == 0 && s->hard_limits.count == 0))
    return MSD_OK;
  if (!hard_limit_list_make(&s->hard_limits, &model->memory, &model->springs, &model->particles))
    return report_fail(&model->report, MSD_OUT_OF_MEMORY, "no memory for %d hard limits",
                       (int)model->springs.hard_limits);
  s->hard_limits.made_for = now;
  return MSD_OK;
}

/* Lists the hard limits between a particle and a pin, which the Gauss-Seidel solver projects exactly. */
static msd_result prepare_tethers(stepper *s) {
  world_model *model = s->model;
  const revision now = revision_of_hard_limits(&model->revision);
  if (!stepper_projects(s) || s->hard_limits.count == 0) {
    tether_projections_free(&s->tethers, &model->memory);
    return MSD_OK;
  }
  if (revision_holds(&s->tethers.made_for, now))
    return MSD_OK;
  if (!tether_projections_make(&s->tethers, &model->memory, &s->hard_limits, &model->springs,
                               &model->particles))
    return report_fail(&model->report, MSD_OUT_OF_MEMORY, "no memory for the tethers among %d hard limits",
                       (int)model->springs.hard_limits);
  s->tethers.made_for = now;
  return MSD_OK;
}

static bool measure_chord_offset(stepper *s) {
  world_model *model = s->model;
  surface_store left;
  const bool done = tears_leave(&left, &model->memory, &model->surfaces, &model->springs) &&
                    contact_work_measure(&s->contacts, &model->memory, &model->particles, &left);
  tears_free(&left, &model->memory, &model->surfaces);
  return done;
}

static msd_result prepare_loose(stepper *s) {
  if (loose_particles_make(&s->loose, s->model))
    return MSD_OK;
  return report_fail(&s->model->report, MSD_OUT_OF_MEMORY, "no memory to list loose particles among %d",
                     (int)s->model->particles.count);
}

static msd_result prepare_chord_offset(stepper *s) {
  world_model *model = s->model;
  const revision now = revision_of_chord_offset(&model->revision);
  if (revision_holds(&s->contacts.chord_offset_for, now))
    return MSD_OK;
  if (!measure_chord_offset(s))
    return report_fail(&model->report, MSD_OUT_OF_MEMORY, "no memory for the edges of %d collision meshes",
                       (int)model->surfaces.count);
  s->contacts.chord_offset_for = now;
  return MSD_OK;
}

static msd_result prepare_contacts(stepper *s) {
  world_model *model = s->model;
  const revision now = revision_of_contacts(&model->revision);
  const int threads = stepper_threads(s);
  if (model_live_count(model, MSD_OBJECT_COLLIDER) == 0)
    return MSD_OK;
  if (!revision_holds(&s->contacts.made_for, now) || s->contacts.threads < threads ||
      s->contacts.colliders != model->colliders.count) {
    if (!contact_work_make(&s->contacts, &model->memory, threads, model->colliders.count, &model->particles))
      return report_fail(&model->report, MSD_OUT_OF_MEMORY, "no memory for the contacts of %d particles",
                         (int)model->particles.count);
    s->contacts.made_for = now;
  }
  return prepare_chord_offset(s);
}

static surface_body piece_of(const world_model *model, const surface_store *left, int32_t surface) {
  const msd_collision_mesh_def def = surface_def_of(left, surface);
  return (surface_body){.triangles = def.triangles,
                        .segments = def.segments,
                        .triangle_count = def.triangle_count,
                        .segment_count = def.segment_count,
                        .thickness = def.thickness < 0 ? model->contact.thickness : def.thickness,
                        .friction = def.friction};
}

/* Lists the excluded pairs of meshes, then the meshes without self-collision as pairs (n, n). Returns their
   number. */
static int32_t list_ignored(const surface_store *all, int32_t (*ignored)[2]) {
  int32_t count = 0;
  for (; count < all->ignored_count; count++) {
    ignored[count][0] = all->ignored[count].low;
    ignored[count][1] = all->ignored[count].high;
  }
  for (int32_t n = 0; n < all->count; n++)
    if (!all->entries[n].self_collision) {
      ignored[count][0] = n;
      ignored[count++][1] = n;
    }
  return count;
}

/* Compiles the collision meshes as bodies of one surface mesh. Torn elements are already removed from
   `all`. */
static bool compile_left(stepper *s, const surface_store *all) {
  const world_model *model = s->model;
  memory *m = &s->model->memory;
  surface_body *pieces = memory_allocate_items(m, all->count, sizeof *pieces);
  int32_t(*ignored)[2] = memory_allocate_items(m, (int64_t)all->count + all->ignored_count, sizeof *ignored);
  bool done = pieces && ignored;
  if (done) {
    for (int32_t n = 0; n < all->count; n++)
      pieces[n] = piece_of(model, all, n);
    const int32_t ignored_count = list_ignored(all, ignored);
    done = surface_mesh_make(&s->self.mesh, m,
                             &(surface_definition){pieces, all->count, (const int32_t(*)[2])ignored,
                                                   ignored_count, all->rest, model->particles.count,
                                                   stepper_threads(s), &model->tasks, model->particles.slot});
  }
  memory_release(m, pieces);
  memory_release(m, ignored);
  return done;
}

static bool compile_surfaces(stepper *s) {
  world_model *model = s->model;
  surface_store left;
  const bool done =
      tears_leave(&left, &model->memory, &model->surfaces, &model->springs) && compile_left(s, &left);
  tears_free(&left, &model->memory, &model->surfaces);
  return done;
}

static msd_result prepare_surfaces(stepper *s) {
  world_model *model = s->model;
  const revision now = revision_of_surfaces(&model->revision);
  const int threads = stepper_threads(s);
  if (model_live_count(model, MSD_OBJECT_COLLISION_MESH) == 0)
    return MSD_OK;
  if (revision_holds(&s->self.made_for, now) && s->self.threads >= threads)
    return MSD_OK;
  s->self.made_for = (revision){0};
  if (!compile_surfaces(s) || !self_contact_reserve(&s->self, &model->memory, &model->particles, threads))
    return report_fail(&model->report, MSD_OUT_OF_MEMORY, "no memory for the contacts of %d collision meshes",
                       (int)model->surfaces.count);
  s->self.made_for = now;
  return MSD_OK;
}

static void describe_piece(const penetrating_piece *piece, char *text, size_t size) {
  const int32_t *p = piece->particle;
  if (piece->count == 3)
    snprintf(text, size, "%d, %d and %d", (int)p[0], (int)p[1], (int)p[2]);
  else
    snprintf(text, size, "%d and %d", (int)p[0], (int)p[1]);
}

static msd_result refuse_penetrations(stepper *s) {
  const penetrations *t = &s->penetrations;
  char one[48], other[48];
  describe_piece(&t->first[0], one, sizeof one);
  describe_piece(&t->first[1], other, sizeof other);
  return report_refuse(
      &s->model->report, MSD_INITIAL_INTERSECTION, (subject){"collision mesh", t->first[0].surface, NULL},
      "particles %s intersect %s of collision mesh %d, the first of %lld such pair%s; "
      "error_on_intersection allows none at the start",
      one, other, (int)t->first[1].surface, (long long)t->crossings, t->crossings == 1 ? "" : "s");
}

static bool place_penetrations(stepper *s) {
  world_model *model = s->model;
  const revision now = revision_of_surfaces(&model->revision);
  if (revision_holds(&s->penetrations.placed_for, now))
    return true;
  s->penetrations.placed_for = (revision){0};
  if (!penetrations_place(&s->penetrations, &model->memory,
                          &(penetrating_bodies){&model->surfaces, &model->particles, &model->springs,
                                                model->contact.thickness}))
    return false;
  s->penetrations.placed_for = now;
  return true;
}

/* Contact needs positions that are this much finer than the thickness. With coarser ones nearly all pairs in
   reach stay below the smallest gap that the positions resolve, and a frame takes a hundred times as long. */
static const double FINENESS_LEAST = 32;

/* The distance between neighboring numbers, relative to them. */
static const double REAL_SPACING = sizeof(msd_real) == sizeof(double) ? DBL_EPSILON : FLT_EPSILON;

/* Counts the corners of a mesh, and those that lie beyond `most` along an axis. */
static void count_far(const particle_store *p, const int32_t *corners, int64_t count, double most,
                      int64_t *far, int64_t *all) {
  const msd_real *state = particle_state(p);
  for (int64_t k = 0; k < count; k++) {
    const msd_real *x = state + particle_slot(p, corners[k]);
    *far += fabs((double)x[0]) > most || fabs((double)x[p->stride]) > most ||
            fabs((double)x[2 * p->stride]) > most;
  }
  *all += count;
}

/* Refuses a collision mesh of which most corners lie so far from the origin that its thickness is less than
   FINENESS_LEAST times the distance of neighboring numbers there. */
static msd_result check_fineness(stepper *s) {
  const world_model *model = s->model;
  const surface_store *surfaces = &model->surfaces;
  if (surface_store_touching(surfaces) == 0)
    return MSD_OK;
  for (int32_t n = 0; n < surfaces->count; n++) {
    const surface_entry *mesh = &surfaces->entries[n];
    const double thickness = (double)(mesh->thickness < 0 ? model->contact.thickness : mesh->thickness);
    const double most = thickness / (FINENESS_LEAST * REAL_SPACING);
    int64_t far = 0, all = 0;
    if (mesh->triangle_count > 0)
      count_far(&model->particles, surfaces->triangles[mesh->first_triangle],
                3 * (int64_t)mesh->triangle_count, most, &far, &all);
    if (mesh->segment_count > 0)
      count_far(&model->particles, surfaces->segments[mesh->first_segment], 2 * (int64_t)mesh->segment_count,
                most, &far, &all);
    if (thickness > 0 && 2 * far > all)
      return report_refuse(
          &s->model->report, MSD_TOO_FAR, (subject){"collision mesh", n, NULL},
          "lies more than %.3g m from the origin, where positions are rounded to %.2g m, too coarse for a "
          "thickness of %.3g m",
          most, most * REAL_SPACING, thickness);
  }
  return MSD_OK;
}

/* Searches for intersecting collision meshes. Contact keeps meshes apart during substeps, so the search runs
   only after positions or meshes have been changed by anything else. */
static msd_result find_penetrations(stepper *s) {
  world_model *model = s->model;
  const revision now = revision_of_penetrations(&model->revision);
  const particle_store *p = &model->particles;
  const penetrating_places places = {particle_state(p), p->stride, &model->tasks, stepper_threads(s)};
  if (model_live_count(model, MSD_OBJECT_COLLISION_MESH) == 0)
    return MSD_OK;
  const msd_result result = check_fineness(s);
  if (result != MSD_OK)
    return result;
  const bool found = revision_holds(&s->penetrations.found_for, now);
  if (!found)
    s->penetrations.found_for = (revision){0};
  if (!place_penetrations(s) || (!found && !penetrations_find(&s->penetrations, &model->memory, &places)))
    return report_fail(&model->report, MSD_OUT_OF_MEMORY,
                       "no memory to find which of %d collision meshes intersect",
                       (int)model->surfaces.count);
  if (!found && model->contact.error_on_intersection && s->penetrations.crossings > 0)
    return refuse_penetrations(s);
  s->penetrations.found_for = now;
  return MSD_OK;
}

static msd_result prepare_contact(stepper *s) {
  const size_t before = s->model->memory.used;
  msd_result result = prepare_contacts(s);
  if (result == MSD_OK)
    result = prepare_surfaces(s);
  s->contact_bytes += s->model->memory.used - before;
  return result;
}

static bool lay_out_wind(stepper *s) {
  world_model *model = s->model;
  surface_store left;
  const bool done =
      tears_leave(&left, &model->memory, &model->surfaces, &model->springs) &&
      wind_work_make(&s->wind, &model->memory, &left, &model->particles, model->contact.thickness);
  tears_free(&left, &model->memory, &model->surfaces);
  return done;
}

static msd_result prepare_wind(stepper *s) {
  world_model *model = s->model;
  const revision now = revision_of_surfaces(&model->revision);
  if (!stepper_has_wind(s) || revision_holds(&s->wind.made_for, now))
    return MSD_OK;
  if (!lay_out_wind(s))
    return report_fail(&model->report, MSD_OUT_OF_MEMORY, "no memory for the wind on %d collision meshes",
                       (int)model->surfaces.count);
  s->wind.made_for = now;
  return MSD_OK;
}

static msd_result prepare_limiter(stepper *s) {
  /* Also while particles sleep: they may wake within the frame. */
  if (s->model->constraints.count > 0 && s->model->integrator == MSD_SYMPLECTIC_EULER &&
      !constraint_account_reserve(&s->account, &s->model->memory, s->network.group_count))
    return report_fail(&s->model->report, MSD_OUT_OF_MEMORY, "no memory for the energies of %d constraints",
                       (int)s->model->constraints.count);
  if (s->model->energy == MSD_ENERGY_OFF || stepper_reserve_tallies(s, 2 * (size_t)s->network.chunk_count))
    return MSD_OK;
  return report_fail(&s->model->report, MSD_OUT_OF_MEMORY, "no memory for the energies of %d springs",
                     (int)s->model->springs.count);
}

static msd_result prepare_states(stepper *s) {
  if (stepper_make_states(s))
    return MSD_OK;
  return report_fail(&s->model->report, MSD_OUT_OF_MEMORY, "no memory for the states of %d particles",
                     (int)s->model->particles.count);
}

msd_result stepper_find_penetrations(stepper *s) {
  const size_t before = s->model->memory.used;
  const msd_result result = find_penetrations(s);
  s->contact_bytes += s->model->memory.used - before;
  return result;
}

msd_result stepper_prepare(stepper *s) {
  msd_result result = stepper_check_settings(s);
  if (result == MSD_OK)
    result = stepper_prepare_network(s);
  if (result == MSD_OK)
    result = prepare_scratch(s);
  if (result == MSD_OK)
    result = prepare_forces(s);
  if (result == MSD_OK)
    result = prepare_impulses(s);
  if (result == MSD_OK)
    result = prepare_projections(s);
  if (result == MSD_OK)
    result = prepare_hard_limits(s);
  if (result == MSD_OK)
    result = prepare_tethers(s);
  if (result == MSD_OK)
    result = prepare_loose(s);
  if (result == MSD_OK)
    result = prepare_contact(s);
  if (result == MSD_OK)
    result = prepare_wind(s);
  if (result == MSD_OK)
    result = prepare_limiter(s);
  if (result == MSD_OK)
    result = prepare_states(s);
  if (result == MSD_OK)
    result = sleep_prepare(s);
  return result;
}
