/* What both public headers share: the version, the visibility of functions, and the precision. */
#ifndef MSD_API_H
#define MSD_API_H

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

/* The number type of the particle world: float, or double in a library built with
   -DMSD_PRECISION=double. The CMake target and the pkg-config file define MSD_DOUBLE for the programs
   that use such a library.

   The definition that every world begins with is linked under a name that ends with the precision. A program that was
   compiled for the other one does not link, "undefined reference to msd_default_world_def_float", where its structs
   would not be those of the library. */
#ifdef MSD_DOUBLE
typedef double msd_real;
#define msd_default_world_def msd_default_world_def_double
#else
typedef float msd_real;
#define msd_default_world_def msd_default_world_def_float
#endif

#endif
