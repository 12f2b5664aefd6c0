#include "engine/step/adjacency.h"

#include "engine/base/min_max.h"
#include "engine/step/integrator.h"
#include "engine/step/stepper.h"

/* ----------------------------------------------------------------------------- particles that are coupled */

/* Writes the particles of one lane of a constraint group to slots[CONSTRAINT_CORNERS]. */
static void corners_of_lane(const constraint_forces *f, int32_t group, int32_t lane, int32_t *slots) {
  const int32_t *rows = f->slots + (size_t)group * CONSTRAINT_CORNERS * CONSTRAINT_LANES;
  for (int corner = 0; corner < CONSTRAINT_CORNERS; corner++)
    slots[corner] = rows[corner * CONSTRAINT_LANES + lane];
}

/* The slots of the triangles of a pressure mesh, contiguous. */
static const int32_t *corners_of_mesh(const constraint_forces *f, int32_t mesh, int32_t *count) {
  const constraint_mesh_groups *groups = &f->meshes[mesh];
  *count = (groups->last_group - groups->first_group) * CONSTRAINT_LANES;
  return f->mesh_slots + (size_t)groups->first_group * CONSTRAINT_LANES;
}

static void corners_of_face(const wind_work *w, int32_t face, int32_t *slots) {
  for (int corner = 0; corner < WIND_CORNERS; corner++)
    slots[corner] = w->slots[corner][face];
}

/* All corners of a mesh are coupled, because its volume depends on all of them. */
static void walk_constraints(const void *of, chunk_join *join, void *to) {
  const constraint_forces *f = of;
  int32_t slots[CONSTRAINT_CORNERS], count;
  for (int32_t group = 0; group < f->group_count; group++)
    for (int32_t lane = 0; lane < CONSTRAINT_LANES; lane++) {
      corners_of_lane(f, group, lane, slots);
      join(to, slots, CONSTRAINT_CORNERS);
    }
  for (int32_t mesh = 0; mesh < f->mesh_count; mesh++) {
    const int32_t *corners = corners_of_mesh(f, mesh, &count);
    join(to, corners, count);
  }
}

static void walk_hard_limits(const void *of, chunk_join *join, void *to) {
  const hard_limit_list *c = of;
  for (int32_t k = 0; k < c->group_count; k++)
    for (int32_t row = c->rows[2 * k]; row < c->rows[2 * k + 2]; row++)
      for (int32_t lane = 0; lane < HARD_LIMIT_LANES; lane++) {
        const int32_t ends[] = {c->groups[k] * HARD_LIMIT_LANES + lane,
                                c->partner[row * HARD_LIMIT_LANES + lane]};
        join(to, ends, 2);
      }
}

static void walk_faces(const void *of, chunk_join *join, void *to) {
  const wind_work *w = of;
  int32_t slots[WIND_CORNERS];
  for (int32_t face = 0; face < w->face_count; face++) {
    corners_of_face(w, face, slots);
    join(to, slots, WIND_CORNERS);
  }
}

/* Largest number of soft pins in one chunk. Soft pins are sorted by slot, so those of a chunk are
   adjacent. */
static int32_t most_soft_pins(const stepper *s) {
  const soft_pin_store *soft_pins = &s->model->soft_pins;
  int32_t most = 0;
  for (int32_t n = 0, first = 0; n < soft_pins->work_count; n++) {
    if (soft_pins->works[n].slot / NETWORK_CHUNK != soft_pins->works[first].slot / NETWORK_CHUNK)
      first = n;
    most = int_max(most, n - first + 1);
  }
  return most;
}

partition_input adjacency_demand(const stepper *s, chunk_joint *joints) {
  partition_input demand = {.net = &s->network,
                            .joints = joints,
                            .reach = integrator_evaluations(s->model->integrator),
                            .beside = (size_t)most_soft_pins(s) * COUPLING_SOFT_PIN};
  if (s->model->constraints.count > 0)
    joints[demand.joint_count++] = (chunk_joint){walk_constraints, &s->constraint_forces};
  if (s->hard_limits.count > 0) {
    joints[demand.joint_count++] = (chunk_joint){walk_hard_limits, &s->hard_limits};
    demand.reach++;
  }
  if (stepper_has_wind(s)) {
    joints[demand.joint_count++] = (chunk_joint){walk_faces, &s->wind};
    demand.reach += 2; /* the wind force on a face depends on the adjacent faces */
  }
  return demand;
}

/* -------------------------------------------------------------------------------------- subsets of a rank */

/* Smallest ring number among the chunks of some slots; 0 if one of them is in an own chunk. */
static int32_t nearest(const partition *shared, const int32_t *slots, int32_t count) {
  int32_t ring = MSD_RANKS_DEPTH_MAX + 1;
  for (int32_t n = 0; n < count; n++)
    ring = int_min(ring, partition_ring_at(shared, (size_t)slots[n]));
  return ring;
}

static int32_t ring_of_group(const stepper *s, const partition *shared, int32_t group) {
  return nearest(shared, s->constraint_forces.slots + (size_t)group * CONSTRAINT_CORNERS * CONSTRAINT_LANES,
                 CONSTRAINT_CORNERS * CONSTRAINT_LANES);
}

static int32_t ring_of_mesh(const stepper *s, const partition *shared, int32_t mesh) {
  int32_t count;
  const int32_t *corners = corners_of_mesh(&s->constraint_forces, mesh, &count);
  return nearest(shared, corners, count);
}

static int32_t ring_of_mesh_chunk(const stepper *s, const partition *shared, int32_t chunk) {
  return ring_of_mesh(s, shared, s->constraint_forces.chunks[chunk].mesh);
}

static int32_t ring_of_face(const stepper *s, const partition *shared, int32_t face) {
  int32_t slots[WIND_CORNERS];
  corners_of_face(&s->wind, face, slots);
  return nearest(shared, slots, WIND_CORNERS);
}

/* Lists the items 0..count-1 that a rank evaluates, for each substep between two exchanges. */
static bool list_items(span_list *lists, const stepper *s, const partition *shared, int32_t count,
                       int32_t (*ring_of)(const stepper *s, const partition *shared, int32_t item)) {
  const int levels = shared->depth / shared->reach;
  bool done = true;
  for (int level = 0; level < levels; level++)
    done = (lists[level].spans = memory_allocate_items(&s->model->memory, (int64_t)count / 2 + 1,
                                                       sizeof *lists[level].spans)) &&
           done;
  for (int32_t item = 0; item < count && done; item++) {
    const int32_t ring = ring_of(s, shared, item);
    for (int level = ring / shared->reach; level < levels; level++)
      span_add(&lists[level], item, item + 1);
  }
  return done;
}

static bool list_pins(coupling_lists *l, const stepper *s) {
  const int32_t slots = s->network.group_count * NETWORK_GROUP;
  int32_t count = 0;
  for (int32_t slot = 0; slot < slots; slot++)
    count += s->network.inverse_mass[slot] == 0;
  l->pins = memory_allocate_items(&s->model->memory, (int64_t)count + 1, sizeof *l->pins);
  for (int32_t slot = 0; slot < slots && l->pins; slot++)
    if (s->network.inverse_mass[slot] == 0)
      l->pins[l->pin_count++] = slot;
  return l->pins != NULL;
}

bool adjacency_list(coupling_lists *l, const stepper *s, const partition *shared) {
  const constraint_forces *f = &s->constraint_forces;
  const bool constrained = s->model->constraints.count > 0;
  memory *m = &s->model->memory;
  adjacency_free(l, m);
  l->kept = memory_allocate_items(m, (int64_t)s->model->soft_pins.work_count + 1, sizeof *l->kept);
  const bool done =
      l->kept && list_pins(l, s) &&
      list_items(l->groups, s, shared, constrained ? f->group_count : 0, ring_of_group) &&
      list_items(l->mesh_chunks, s, shared, constrained ? f->mesh_chunk_count : 0, ring_of_mesh_chunk) &&
      list_items(l->faces, s, shared, stepper_has_wind(s) ? s->wind.face_count : 0, ring_of_face);
  if (!done)
    adjacency_free(l, m);
  else
    l->listed_for = revision_of_connections(&s->model->revision);
  return done;
}

void adjacency_free(coupling_lists *l, memory *m) {
  for (int level = 0; level < MSD_RANKS_DEPTH_MAX; level++) {
    memory_release(m, l->groups[level].spans);
    memory_release(m, l->mesh_chunks[level].spans);
    memory_release(m, l->faces[level].spans);
  }
  memory_release(m, l->pins);
  memory_release(m, l->kept);
  *l = (coupling_lists){.kept = NULL};
}

void adjacency_forget_excess(const stepper *s, const partition *shared) {
  const constraint_forces *f = &s->constraint_forces;
  int32_t slots[CONSTRAINT_CORNERS];
  for (int32_t group = 0; group < f->group_count; group++)
    for (int32_t lane = 0; lane < CONSTRAINT_LANES; lane++) {
      corners_of_lane(f, group, lane, slots);
      if (nearest(shared, slots, CONSTRAINT_CORNERS) > 0)
        f->excess[group * CONSTRAINT_LANES + lane] = 0;
    }
  for (int32_t mesh = 0; mesh < f->mesh_count; mesh++)
    if (ring_of_mesh(s, shared, mesh) > 0)
      f->meshes[mesh].excess = 0;
}
