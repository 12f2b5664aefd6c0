/* What strain does to springs and constraints of a scene: "tear_strain", "tear_energy" and "split",
   "yield_strain" and "plastic_rate", "max_plastic_strain", "stiffening" and "max_stretch", in a group of a
   body, in a material or in a spring or constraint of its own. */
#ifndef MSD_SCENES_LOADER_DAMAGE_READER_H
#define MSD_SCENES_LOADER_DAMAGE_READER_H

#include "scenes/loader/body_task.h"

/* What they say. */
typedef struct damage_settings {
  msd_damage_def damage;

  /* Beyond this strain so many times as stiff; factor 0: nowhere. */
  msd_real strain, factor;

  /* The largest length over the rest length; 0: any. */
  msd_real limit;
  bool has_limit;
} damage_settings;

/* Springs that were added behind all others to back some; each {0, 0} where there are none. */
typedef struct damage_backing {
  msd_range stiffening, limit;
} damage_backing;

/* Reads the SPRING_DAMAGE_KEYS of an object; what it has not of them stays in *out as it is. */
bool damage_read(const json_place *object, damage_settings *out);

/* Gives the springs and folds of a body what its groups and its material say of them, and adds those that back
   springs behind its springs; without a world they are only checked. */
bool damage_read_groups(const body_task *t);

/* Keeps them as springs of a body. */
void damage_keep_backing(scene_body *body, const damage_backing *made);

/* The same for a list of springs of their own, which are those of the world from `first` on. */
bool damage_read_list(const json_place *list, msd_world *world, int32_t first, damage_backing *made);

/* And for a list of constraints, which only yield. */
bool damage_read_constraints(const json_place *list, msd_world *world, int32_t first);

#endif
