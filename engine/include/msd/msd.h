/* msd: physics of mass-spring-damper systems: cloth, rope, soft bodies. This header includes all others; each
   can be included alone.

   A world (world.h) owns everything and advances it frame by frame:

       particle.h       point masses
       spring.h         damped springs and hard length limits between two particles
       constraint.h     springs on angles, dihedral angles (hinges), areas, volumes; fibers
       soft_pin.h       soft pins: springs to points in space
       rotor.h          bodies that rotate about an axis, with torsion springs
       builder.h        ropes, cloths, meshes and blocks, from templates of springs or from a material
       material.h       material parameters
       collider.h       static and kinematic planes, spheres, capsules and boxes
       collision_mesh.h collision meshes: contact between bodies, self-collision
       wind.h           air and wind on collision meshes
       damage.h         damage and plasticity: springs that tear, yield and stiffen
       stability.h      longest stable substep, its cause and remedies
       equilibrium.h    static equilibrium
       sleep.h          islands of particles at rest are skipped
       bulk.h           attributes of many particles at once
       render_mesh.h    render meshes, normals and tangents
       intersection.h   exact intersection tests
       query.h          ray casts, nearest points, overlaps
       removal.h        destruction of objects, compaction
       events.h      functions of the program that a frame calls
       tasks.h          the job system of the program, several worlds at once
       reaction.h       forces of pins, colliders, constraints and contacts over a frame
       ranks.h          one simulation on several processes
       damped_spring.h  closed-form damped springs without a world

   Units. Lengths are in meters, masses in kilograms, times in seconds, forces in newtons. Any consistent set
   of units works.

   Indices. Particles, springs and other objects are identified by int32_t indices. They change only when the
   program closes gaps (msd_world_compact).

   Threads. There is no global state. One world must be used by one thread at a time; different worlds can be
   used by different threads.

   Names begin with the object and end with the verb: msd_particle_pin, msd_spring_get_length,
   msd_world_set_clamp_stiffness. Functions that create begin with the verb instead: msd_create_world,
   msd_add_springs, msd_default_spring_def. For objects that are added from a definition, get_def returns the
   current definition. set_def replaces all of it, set_law only the law of a spring and its numbers.

   Errors. Functions that can fail return an msd_result; msd_result_string names it, and msd_world_message
   says which object and value caused it. A failed call leaves the world unchanged; a frame that diverges
   keeps the last finite state. Functions that only read return zero for an index that does not exist, or the
   default definition. */
#ifndef MSD_MSD_H
#define MSD_MSD_H

#include "msd/base.h"
#include "msd/builder.h"
#include "msd/bulk.h"
#include "msd/callbacks.h"
#include "msd/collider.h"
#include "msd/collision_mesh.h"
#include "msd/constraint.h"
#include "msd/damage.h"
#include "msd/damped_spring.h"
#include "msd/equilibrium.h"
#include "msd/intersection.h"
#include "msd/material.h"
#include "msd/particle.h"
#include "msd/query.h"
#include "msd/ranks.h"
#include "msd/reaction.h"
#include "msd/removal.h"
#include "msd/render_mesh.h"
#include "msd/rotor.h"
#include "msd/sleep.h"
#include "msd/soft_pin.h"
#include "msd/spring.h"
#include "msd/stability.h"
#include "msd/tasks.h"
#include "msd/wind.h"
#include "msd/world.h"

#endif
