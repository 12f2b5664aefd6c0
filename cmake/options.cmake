# Compile options that every target of this project shares.

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()

# So that an installed command finds the shared libmsd beside it, wherever both are moved.
if(BUILD_SHARED_LIBS AND UNIX AND NOT APPLE)
  set(CMAKE_INSTALL_RPATH "\$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
endif()

# Of all objects and of the link, so that a program and the library in it agree.
if(MSD_SANITIZE)
  add_compile_options(-fsanitize=${MSD_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${MSD_SANITIZE})
  # Programs with a sanitizer are large; lld takes half the time for each.
  find_program(MSD_LLD NAMES ld.lld)
  mark_as_advanced(MSD_LLD)
  if(MSD_LLD AND NOT APPLE)
    add_link_options(-fuse-ld=lld)
  endif()
endif()

# The same bits on every compiler, thread count and vector width need correct rounding of each operation:
# a*b + c must never become one fused operation where the processor happens to have it.
# Nothing here reads errno after sqrt or traps on floating point exceptions; saying so lets loops vectorize
# and changes no result.
add_library(msd_options INTERFACE)
if(CMAKE_C_COMPILER_ID MATCHES "GNU|Clang")
  target_compile_options(msd_options INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow
    -ffp-contract=off -fno-math-errno -fno-trapping-math)
  # By its C standard s390x computes floats in double unless told otherwise.
  if(CMAKE_C_COMPILER_ID STREQUAL GNU AND CMAKE_SYSTEM_PROCESSOR STREQUAL s390x)
    target_compile_options(msd_options INTERFACE -fexcess-precision=fast)
  endif()
  # Where clang 14 joins scalar code to vectors for WebAssembly, gathers read out of bounds. The kernels are vectors anyway.
  if(CMAKE_C_COMPILER_ID STREQUAL Clang AND CMAKE_SYSTEM_PROCESSOR MATCHES "^wasm")
    target_compile_options(msd_options INTERFACE -fno-slp-vectorize)
  endif()
  # gcc warns of what cannot happen when it compiles for a sanitizer, and advises against -Werror there; under
  # MinGW the C library's own isfinite warns.
  if(MSD_WERROR AND NOT MSD_SANITIZE AND NOT MINGW)
    target_compile_options(msd_options INTERFACE -Werror)
  endif()
endif()
