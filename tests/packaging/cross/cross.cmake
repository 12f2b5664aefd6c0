# Builds libmsd and its test of equal bits for another processor and runs them in an emulator: the golden hashes that
# were recorded on x86-64 must come out of every other instruction set too, whatever its byte order and its word.
# Prints "skipped: ..." where a tool is missing.
#
#   cmake -D PROCESSOR=riscv64 -D PRECISION=float -D WORK_DIR=... -D GENERATOR=... -P cross.cmake
#
# With MSD_TEST_SHARE above 1 in the environment a part of the scenes, threads and widths (tests/support/share.h).

# Of each the compiler, the emulator, and what the compiler is told.
set(tools_aarch64 aarch64-linux-gnu-gcc qemu-aarch64)
set(tools_riscv64 riscv64-linux-gnu-gcc qemu-riscv64)
set(tools_ppc64el powerpc64le-linux-gnu-gcc qemu-ppc64le)
# The other byte order. Since z14 there are vectors of floats, which a compiler takes minutes to do without.
set(tools_s390x s390x-linux-gnu-gcc qemu-s390x -march=z14)
set(tools_i386 i686-linux-gnu-gcc qemu-i386 -msse2 -mfpmath=sse) # the other word
set(tools_wasm32 clang node --target=wasm32-wasi --sysroot=/usr -msimd128)
set(tools_windows x86_64-w64-mingw32-gcc-posix wine) # the other system

set(system Linux)
set(suffix "")
set(processor ${PROCESSOR})
if(PROCESSOR STREQUAL windows)
  set(system Windows)
  set(suffix .exe)
  set(processor x86_64)
endif()

list(POP_FRONT tools_${PROCESSOR} compiler emulator)
set(options ${tools_${PROCESSOR}})
find_program(compiler_path ${compiler} NO_CACHE)
find_program(emulator_path ${emulator} NO_CACHE)
set(missing)
foreach(tool compiler emulator)
  if(NOT ${tool}_path)
    list(APPEND missing ${${tool}})
  endif()
endforeach()

# The compiler without its C library is no use either.
if(NOT missing AND PROCESSOR STREQUAL wasm32)
  if(NOT EXISTS /usr/lib/wasm32-wasi/libc.a)
    set(missing "the C library of wasm32")
  endif()
  set(openmp OFF) # threads are a proposal there
  set(run ${emulator_path} --no-warnings ${CMAKE_CURRENT_LIST_DIR}/wasi.mjs)
elseif(NOT missing AND PROCESSOR STREQUAL windows)
  # The script that Debian calls wine looks for one of 32 bits first, and tells of it where there is none.
  find_program(wine_itself wine64 PATHS /usr/lib/wine NO_CACHE)
  set(openmp ON)
  set(run ${wine_itself})
  # The libraries that are part of the compiler, where wine finds them; and a folder of settings of its own.
  set(folders)
  foreach(library libgomp-1.dll libwinpthread-1.dll)
    execute_process(COMMAND ${compiler_path} -print-file-name=${library}
      OUTPUT_VARIABLE path OUTPUT_STRIP_TRAILING_WHITESPACE)
    file(REAL_PATH ${path} path)
    cmake_path(GET path PARENT_PATH folder)
    list(APPEND folders "Z:${folder}")
  endforeach()
  list(APPEND folders "Z:${WORK_DIR}/msd/engine")
  set(ENV{WINEPATH} "${folders}")
  set(ENV{WINEPREFIX} ${WORK_DIR}/wine)
  set(ENV{WINEDEBUG} -all)
  set(ENV{WINEDLLOVERRIDES} "mscoree,mshtml=")
elseif(NOT missing)
  execute_process(COMMAND ${compiler_path} -print-file-name=libc.so.6
    OUTPUT_VARIABLE c_library OUTPUT_STRIP_TRAILING_WHITESPACE)
  cmake_path(GET c_library PARENT_PATH root)
  cmake_path(GET root PARENT_PATH root)
  file(GLOB loader ${root}/lib/ld*.so.[12])
  if(NOT loader)
    set(missing "the C library of ${PROCESSOR}")
  endif()
  if(PRECISION STREQUAL float)
    set(openmp ON) # one precision has threads
  else()
    set(openmp OFF)
  endif()
  # The loader is told where the libraries are: by itself it asks the cache of the machine it runs on, which may name
  # others of the same processor (libc6-i386), and a loader with another build's C library fails in strange ways.
  set(run ${loader} --library-path ${root}/lib)
  # A kernel of x86-64 that runs i386 as well needs no emulator.
  set(status 1)
  if(PROCESSOR STREQUAL i386)
    execute_process(COMMAND ${loader} --version RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  endif()
  if(NOT status EQUAL 0)
    list(PREPEND run ${emulator_path})
  endif()
endif()
if(missing)
  list(JOIN missing " and " missing)
  message("skipped: ${missing} not found; ./dev cross installs what is needed")
  return()
endif()

function(quietly)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
  if(status)
    string(JOIN " " line ${ARGN})
    message(FATAL_ERROR "${line}\n${output}")
  endif()
endfunction()

if("$ENV{MSD_TEST_SHARE}" GREATER 1)
  list(APPEND options -DMSD_TEST_SHARE=$ENV{MSD_TEST_SHARE})
endif()
list(JOIN options " " options)
quietly(${CMAKE_COMMAND} -G ${GENERATOR} -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK_DIR}
  -D CMAKE_C_COMPILER=${compiler_path} -D CMAKE_C_FLAGS=${options}
  -D CMAKE_SYSTEM_NAME=${system} -D CMAKE_SYSTEM_PROCESSOR=${processor} -D CMAKE_BUILD_TYPE=Release
  -D MSD_PRECISION=${PRECISION} -D MSD_OPENMP=${openmp} -D MSD_WERROR=ON)
quietly(${CMAKE_COMMAND} --build ${WORK_DIR} --target determinism hello)
# Emulation is slow: threads are for the one whose memory is ordered weakly and that everybody has.
set(tests golden_hashes_are_met_at_any_width)
if(PROCESSOR MATCHES "^(aarch64|windows)$")
  set(tests golden)
endif()
# Threads that wait would take the time of emulators that run beside.
set(ENV{OMP_WAIT_POLICY} passive)
execute_process(COMMAND ${run} ${WORK_DIR}/determinism${suffix} ${tests}
  OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
message("${output}")
if(status)
  message(FATAL_ERROR "other bits on ${PROCESSOR} (${status})")
endif()

# The program of the README, which is linked as others would link it.
execute_process(COMMAND ${run} ${WORK_DIR}/hello${suffix} OUTPUT_VARIABLE output RESULT_VARIABLE status)
if(status OR NOT output MATCHES "^1 m of rope hangs 1.047 m deep\r?\n$")
  message(FATAL_ERROR "hello on ${PROCESSOR} (${status}) prints\n${output}")
endif()
