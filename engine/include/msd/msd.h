/* msd: particles joined by damped springs. This header includes the others; each may be included alone.

   A world (world.h) holds point masses (particle.h), springs between them (spring.h) and on their angles, areas
   and volumes (constraint.h), springs to points in space (anchor.h), and bodies that turn (rotor.h), and moves
   them in steps of time. builder.h makes ropes, cloths, meshes and blocks, of patterns of springs or of a
   material (material.h); wear.h lets springs tear, yield and stiffen; stability.h tells how long a step a world
   can take, wind.h has air that pushes what has a surface, intersection.h tells what passes through what.
   skin.h has what programs draw, rest.h takes a world to its shape of rest.
   callbacks.h has functions of the program that a step calls. removal.h destroys what a world has.
   tasks.h lets steps run on the threads of the program's own scheduler, and steps several worlds at once.
   damped_spring.h needs no world.

   Lengths are in metres, masses in kilograms, times in seconds, forces in newtons; any consistent set of
   units works as well. Particles and springs are plain indices, which change only when a program asks to have
   gaps among them closed (msd_world_compact); nothing is global, so two threads may use two worlds at once (one
   world belongs to one thread at a time).

   Names say the object first and then what is done with it: msd_particle_pin, msd_spring_get_length,
   msd_world_set_limit. What is made or added begins with that instead: msd_create_world, msd_add_springs,
   msd_default_spring_def. Every object that is added from a definition gives it back by get_def, as it now
   is; set_def takes a whole definition, set_law only the law of a spring and its numbers.

   Functions that can fail return an msd_result; msd_result_string names it and msd_world_message says which
   particle, spring or value was meant. A call that fails leaves the world as it was (a diverged step keeps
   the last finite state). Functions that only read answer zero for an index that does not exist, and the
   default definition where they return one. */
#ifndef MSD_MSD_H
#define MSD_MSD_H

#include "msd/anchor.h"
#include "msd/base.h"
#include "msd/builder.h"
#include "msd/bulk.h"
#include "msd/callbacks.h"
#include "msd/collider.h"
#include "msd/constraint.h"
#include "msd/damped_spring.h"
#include "msd/intersection.h"
#include "msd/material.h"
#include "msd/particle.h"
#include "msd/ranks.h"
#include "msd/removal.h"
#include "msd/rest.h"
#include "msd/rotor.h"
#include "msd/skin.h"
#include "msd/sleep.h"
#include "msd/spring.h"
#include "msd/stability.h"
#include "msd/surface.h"
#include "msd/tasks.h"
#include "msd/wear.h"
#include "msd/wind.h"
#include "msd/world.h"

#endif
