/* The price of fewer substeps than are stable: how many springs and constraints stiffness clamping changes for
   them, and the particles that need more substeps, which are few where a mesh has some tiny triangles. */
#ifndef MSD_APP_REPORT_SOFTENING_TABLE_H
#define MSD_APP_REPORT_SOFTENING_TABLE_H

#include "scenes/loader/scene.h"

#include <jansson.h>
#include <stdio.h>

enum { SOFTENING_ROWS_MAX = 4, LIGHT_PARTICLES_SHOWN = 5 };

typedef struct softening_row {
  /* Of a frame. */
  int32_t substeps;
  msd_softening softened;
} softening_row;

/* A particle that weighs less than a substep needs. */
typedef struct light_particle {
  int32_t particle;
  /* kg. */
  double mass, needed;
} light_particle;

typedef struct softening_table {
  /* Of a frame; 0: none up to a million. */
  int32_t certified;
  /* Whether the world has the limit already. */
  bool is_limited;
  /* That can be softened: broken ones are not counted, angular ones are. */
  int32_t springs, constraints;
  /* 10, 30 and 100 substeps, as far as they are below `certified`. With the limit the substeps that a run takes
     and, if they soften much, those of 10, 30 and 100 that are more. */
  softening_row rows[SOFTENING_ROWS_MAX];
  int row_count;
  /* The row that says most: the first that softens at most one spring or constraint in a hundred, else the
     last. */
  int advised;
  /* Whether that row softens so little. */
  bool is_little;
  /* Particles that weigh less than the substeps of that row ask for: how many there are, and those that lack
     most, the worst first. */
  int32_t light_count;
  light_particle light[LIGHT_PARTICLES_SHOWN];
} softening_table;

/* Of a frame of which `certified` substeps are certified, and of which a run takes `taken`. Without rows where
   there is nothing to choose: few are certified, or the limit certifies none of the integrator. Also when
   memory is short. The light particles are not looked for. */
void softening_table_make(const msd_world *world, double frame, int32_t certified, int32_t taken,
                          softening_table *out);

/* Looks for the light particles, for a table of the same frame that is to be printed. Without rows behind it
   when memory is short. */
void softening_table_find_light(const msd_world *world, double frame, softening_table *table);

/* "411 of 17,031 springs (2.4 %) and 3 of 20 constraints (15 %)". */
void softening_table_count(const softening_table *table, const msd_softening *softened, char *text,
                           size_t size);

/* "--substeps 30 --clamp-stiffness (clamps 411 of 17,031 springs (2.4 %))", without the option where it is on;
   "" when there is no such row except that of the run. */
void softening_table_way_out(const softening_table *table, char *text, size_t size);

/* The rows, the particles and the way out; nothing without rows. */
void softening_table_print(const scene *s, const softening_table *table, FILE *stream);

/* Adds "softening", "light_particles" and "light_particle_count". Nonzero when memory was short. */
int softening_table_json(const scene *s, const softening_table *table, json_t *object);

#endif
