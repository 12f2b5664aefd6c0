/* msd: basic definitions for all public headers: version, precision, vectors, results. */
#ifndef MSD_BASE_H
#define MSD_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---------------------------------------------------------------------------------------------- version */

#define MSD_VERSION_MAJOR 0
#define MSD_VERSION_MINOR 1
#define MSD_VERSION_PATCH 0

/* MSD_API marks the functions of the library. Programs that link the shared library on Windows define
   MSD_SHARED; the CMake target and the pkg-config file do so automatically. */
#if defined(_WIN32) && defined(MSD_SHARED)
#ifdef MSD_BUILDING
#define MSD_API __declspec(dllexport)
#else
#define MSD_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define MSD_API __attribute__((visibility("default")))
#else
#define MSD_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the version of the library, such as "0.1.0". */
MSD_API const char *msd_version(void);

/* -------------------------------------------------------------------------------------------- precision */

/* Number type of the particle world: float, or double in a library built with -DMSD_PRECISION=double. For
   such a library the CMake target and the pkg-config file define MSD_DOUBLE.

   The name of msd_default_world_def ends with the precision in the library. A program compiled for the other
   precision would have structs of other sizes. It therefore fails to link, with "undefined reference to
   msd_default_world_def_float" or "..._double". */
#ifdef MSD_DOUBLE
typedef double msd_real;
#define msd_default_world_def msd_default_world_def_double
#else
typedef float msd_real;
#define msd_default_world_def msd_default_world_def_float
#endif

/* Returns the precision that the library was compiled with, as sizeof(msd_real): 4 or 8. A program can
   compare it with its own sizeof(msd_real). */
MSD_API int msd_precision(void);

/* ---------------------------------------------------------------------------------------- common types */

/* Three-dimensional vector. */
typedef struct msd_vec3 {
  msd_real x, y, z;
} msd_vec3;

/* A rotation during one frame, at a constant rate, on the way to a target: msd_particle_move_along,
   msd_soft_pin_move_along, msd_collider_move_along. The fraction s of the frame takes a point x of the body
   from its start x0 to

       x(s) = pivot + R(s) (x0 - pivot) + s d

   R(s) rotates by s times `rotation`. d is constant and such that x(1) is the target. */
typedef struct msd_turn {
  /* rad: the rotation vector of the whole frame, of any number of turns. Its direction is the axis, its length
     the angle, counterclockwise seen from the tip of the axis. */
  msd_vec3 rotation;
  /* m: a point on the axis at the beginning of the frame. */
  msd_vec3 pivot;
} msd_turn;

/* Range of consecutive indices: first, first + 1, ..., first + count - 1. */
typedef struct msd_range {
  int32_t first, count;
} msd_range;

/* A simulation world. It owns particles, springs and everything else that acts on them (world.h). */
typedef struct msd_world msd_world;

/* ---------------------------------------------------------------------------------------------- results */

/* All results, with the text that msd_result_string returns. */
#define MSD_RESULTS(X)                                                                                       \
  X(MSD_OK, "done")                                                                                          \
  X(MSD_OUT_OF_MEMORY, "the allocator returned no memory")                                                   \
  X(MSD_TOO_LARGE, "over the memory_limit of the world definition, or over 2^31-1 items")                    \
  X(MSD_UNINITIALIZED_DEF, "the definition was not made by its msd_default_..._def function")                \
  X(MSD_BAD_INDEX, "no such particle, spring, constraint, soft pin or rotor")                                \
  X(MSD_BAD_VALUE, "a value is not finite, or outside the range that its comment gives")                     \
  X(MSD_BAD_FRAME_TIME, "the frame time must be finite and above 0, and substeps 0 or more")                 \
  X(MSD_NO_STABLE_STEP, "no number of substeps is proven stable; lower the stiffness or clamp it")           \
  X(MSD_DIVERGED, "the state would not be finite, or moves too far for contact; use shorter substeps")       \
  X(MSD_BUFFER_TOO_SMALL, "the buffer is smaller than the snapshot")                                         \
  X(MSD_BAD_SNAPSHOT, "not a snapshot, truncated, or corrupted")                                             \
  X(MSD_SNAPSHOT_VERSION, "the snapshot was made by another version of the format")                          \
  X(MSD_SNAPSHOT_PRECISION, "the snapshot was made with the other precision or byte order")                  \
  X(MSD_CANCELED, "the stop function of msd_callbacks ended the frame early")                                \
  X(MSD_TOO_FAR, "a collision mesh lies too far from the origin for its thickness")                          \
  X(MSD_INITIAL_INTERSECTION, "collision meshes intersect where a frame begins")                             \
  X(MSD_LOCKED, "the world can only be read until msd_world_step returns")

/* Result of a function. MSD_OK is 0. */
typedef enum msd_result {
#define MSD_RESULT_NAME(name, text) name,
  MSD_RESULTS(MSD_RESULT_NAME)
#undef MSD_RESULT_NAME
      MSD_RESULT_COUNT
} msd_result;

/* Returns the text of a result from the table above; "unknown result" for any other number. */
MSD_API const char *msd_result_string(msd_result result);

#ifdef __cplusplus
}
#endif

#endif
