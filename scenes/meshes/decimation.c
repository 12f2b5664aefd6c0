#include "scenes/meshes/decimation.h"

#include <stdlib.h>

/* A mesh that becomes simpler, in a world of its own while it does. */
typedef struct simplifying {
  mesh_cage *cage;
  const msd_mesh_def *def;
  double frame_time;
  scene_error *error;
  msd_world *world;
  /* kg, and over the mass of the vertex. */
  double *demands;
} simplifying;

/* A world with the cage as it now is. */
static bool make_world(simplifying *s) {
  msd_world_def settings = msd_default_world_def();
  settings.thread_count = 1;
  msd_mesh_def def = *s->def;
  def.vertices = s->cage->vertices;
  def.vertex_count = s->cage->vertex_count;
  def.triangles = s->cage->triangles;
  def.triangle_count = s->cage->triangle_count;
  msd_destroy_world(s->world);
  s->world = NULL;
  if (msd_create_world(&settings, &s->world) != MSD_OK)
    return scene_fail_out_of_memory(s->error);
  const msd_result result = msd_add_mesh(s->world, &def, NULL);
  return result == MSD_OK || scene_fail(s->error, "%s", msd_world_message(s->world));
}

/* Those of the cage, in its world. */
static bool give_masses(const simplifying *s) {
  for (int32_t v = 0; v < s->cage->vertex_count; v++)
    if (msd_particle_set_mass(s->world, v, (msd_real)s->cage->masses[v]) != MSD_OK)
      return scene_fail(s->error, "%s", msd_world_message(s->world));
  return true;
}

static bool find_demands(const simplifying *s, int32_t substeps, int32_t *demanding) {
  const msd_real substep = (msd_real)(s->frame_time / substeps);
  *demanding = 0;
  if (msd_world_find_required_masses(s->world, substep, s->demands) != MSD_OK)
    return scene_fail_out_of_memory(s->error);
  for (int32_t v = 0; v < s->cage->vertex_count; v++) {
    s->demands[v] /= s->cage->masses[v];
    *demanding += s->demands[v] > 1;
  }
  return true;
}

/* The fewest substeps that half of the vertices do not ask more than. */
static bool find_median(const simplifying *s, int32_t *substeps) {
  int32_t too_few = 0;
  *substeps = DECIMATE_SUBSTEPS_MOST;
  while (*substeps - too_few > 1) {
    const int32_t middle = too_few + (*substeps - too_few) / 2;
    int32_t demanding;
    if (!find_demands(s, middle, &demanding))
      return false;
    if (2 * (int64_t)demanding <= s->cage->vertex_count)
      *substeps = middle;
    else
      too_few = middle;
  }
  return true;
}

/* Until no vertex needs more substeps, or no edge can be merged. */
static bool merge_all(simplifying *s, int32_t substeps) {
  int32_t demanding, merged;
  for (;;) {
    if (!find_demands(s, substeps, &demanding))
      return false;
    if (demanding == 0)
      return true;
    if (!mesh_cage_merge(s->cage, s->demands, &merged))
      return scene_fail_out_of_memory(s->error);
    if (merged == 0)
      return true;
    if (!make_world(s) || !give_masses(s))
      return false;
  }
}

static bool begin(simplifying *s) {
  s->demands = malloc(((size_t)s->cage->vertex_count + 1) * sizeof *s->demands);
  if (!s->demands)
    return scene_fail_out_of_memory(s->error);
  if (!make_world(s))
    return false;
  for (int32_t v = 0; v < s->cage->vertex_count; v++)
    s->cage->masses[v] = (double)msd_particle_get_mass(s->world, v);
  return true;
}

bool decimate_cage(mesh_cage *cage, const msd_mesh_def *def, double frame_time, int32_t *substeps,
                   scene_error *error) {
  simplifying s = {.cage = cage, .def = def, .frame_time = frame_time, .error = error};
  const bool done = begin(&s) && (*substeps > 0 || find_median(&s, substeps)) && merge_all(&s, *substeps);
  msd_destroy_world(s.world);
  free(s.demands);
  return done;
}
