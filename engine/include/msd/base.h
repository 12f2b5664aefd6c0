/* msd: what every public header needs: version, precision, vectors, results. */
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
   MSD_SHARED; the CMake target and the pkg-config file do it for them. */
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

/* The version as "0.1.0". */
MSD_API const char *msd_version(void);

/* -------------------------------------------------------------------------------------------- precision */

/* The number type of the particle world: float, or double in a library built with
   -DMSD_PRECISION=double. The CMake target and the pkg-config file define MSD_DOUBLE for the programs
   that use such a library.

   The definition that every world begins with is linked under a name that ends with the precision. A program
   compiled for the other one, whose structs would not be those of the library, does not link: "undefined
   reference to msd_default_world_def_float". */
#ifdef MSD_DOUBLE
typedef double msd_real;
#define msd_default_world_def msd_default_world_def_double
#else
typedef float msd_real;
#define msd_default_world_def msd_default_world_def_float
#endif

/* The precision of the library, sizeof(msd_real) as it was compiled: 4 or 8. A program may compare it with
   its own sizeof(msd_real). */
MSD_API int msd_precision(void);

/* ---------------------------------------------------------------------------------------- common types */

typedef struct msd_vec3 {
  msd_real x, y, z;
} msd_vec3;

/* A run of consecutive indices. */
typedef struct msd_range {
  int32_t first, count;
} msd_range;

/* Particles, springs and all that acts on them: world.h. */
typedef struct msd_world msd_world;

/* ---------------------------------------------------------------------------------------------- results */

/* Every result with the text that msd_result_string gives. */
#define MSD_RESULTS(X)                                                                                       \
  X(MSD_OK, "done")                                                                                          \
  X(MSD_OUT_OF_MEMORY, "the allocator returned no memory")                                                   \
  X(MSD_TOO_LARGE, "over the memory_limit of the world definition, or over 2^31-1 items")                    \
  X(MSD_BAD_DEF, "the definition was not made by its msd_default_..._def function")                          \
  X(MSD_BAD_INDEX, "no such particle, spring, constraint, anchor or rotor")                                  \
  X(MSD_BAD_VALUE, "a value is not finite, or outside the range that its comment gives")                     \
  X(MSD_BAD_TIME_STEP, "the time step must be finite and above 0, and substeps 0 or more")                   \
  X(MSD_NO_STABLE_STEP, "no number of substeps can be certified; lower the coefficients or set a limit")     \
  X(MSD_DIVERGED, "the step would leave a non-finite state; take a smaller step or softer springs")          \
  X(MSD_BUFFER_TOO_SMALL, "the buffer is smaller than the snapshot")                                         \
  X(MSD_BAD_SNAPSHOT, "not a snapshot, or cut, or corrupted")                                                \
  X(MSD_SNAPSHOT_VERSION, "the snapshot was made by another version of the format")                          \
  X(MSD_SNAPSHOT_PRECISION, "the snapshot was made with the other precision or byte order")                  \
  X(MSD_STOPPED, "the stop function of msd_callbacks ended the step before its time")                        \
  X(MSD_INTERSECTING, "surfaces intersect where a step begins, and the contact of the world is strict")      \
  X(MSD_BUSY, "a step of the world is under way; until it ends the world can only be read")

typedef enum msd_result {
#define MSD_RESULT_NAME(name, text) name,
  MSD_RESULTS(MSD_RESULT_NAME)
#undef MSD_RESULT_NAME
      MSD_RESULT_COUNT
} msd_result;

/* The text of a result in the table above; "unknown result" for any other number. */
MSD_API const char *msd_result_string(msd_result result);

#ifdef __cplusplus
}
#endif

#endif
