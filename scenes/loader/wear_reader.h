/* What strain does to springs and constraints of a scene: "tear" and "split", "yield" and "creep", "set_limit",
   "stiffening" and "strain_limit", in a group of a body, in a material or in a spring or constraint of its
   own. */
#ifndef MSD_SCENES_LOADER_WEAR_READER_H
#define MSD_SCENES_LOADER_WEAR_READER_H

#include "scenes/loader/body_task.h"

/* What they say. */
typedef struct wear_settings {
  msd_wear_def wear;

  /* Beyond this strain so many times as stiff; factor 0: nowhere. */
  msd_real strain, factor;

  /* The largest length over the rest length; 0: any. */
  msd_real limit;
} wear_settings;

/* Springs that were added behind all others to back some; each {0, 0} where there are none. */
typedef struct wear_backing {
  msd_range stiffening, limit;
} wear_backing;

/* Reads the SPRING_WEAR_KEYS of an object; what it has not of them stays in *out as it is. */
bool wear_read(const json_place *object, wear_settings *out);

/* Gives the springs and folds of a body what its groups and its material say of them, and adds those that back
   springs behind its springs; without a world they are only checked. */
bool wear_read_groups(const body_task *t);

/* Keeps them as springs of a body. */
void wear_keep_backing(scene_body *body, const wear_backing *made);

/* The same for a list of springs of their own, which are those of the world from `first` on. */
bool wear_read_list(const json_place *list, msd_world *world, int32_t first, wear_backing *made);

/* And for a list of constraints, which only yield. */
bool wear_read_constraints(const json_place *list, msd_world *world, int32_t first);

#endif
