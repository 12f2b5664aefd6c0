# Builds libmsd and its test of equal bits for aarch64 and runs them in an emulator: the golden hashes that were
# recorded on x86-64 must come out of NEON too. Prints "skipped: ..." where a tool is missing.

set(missing)
foreach(tool aarch64-linux-gnu-gcc qemu-aarch64)
  string(MAKE_C_IDENTIFIER ${tool} name)
  find_program(${name} ${tool} NO_CACHE)
  if(NOT ${name})
    list(APPEND missing ${tool})
  endif()
endforeach()
# The compiler without its C library is no use either. The emulator looks for /lib/... where that stands.
if(NOT missing)
  execute_process(COMMAND ${aarch64_linux_gnu_gcc} -print-file-name=libc.so.6
    OUTPUT_VARIABLE c_library OUTPUT_STRIP_TRAILING_WHITESPACE)
  cmake_path(GET c_library PARENT_PATH root)
  cmake_path(GET root PARENT_PATH root)
  if(NOT EXISTS ${root}/lib/ld-linux-aarch64.so.1)
    set(missing "the C library of aarch64")
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

if(COMPILER_ID STREQUAL Clang)
  set(compiler -D CMAKE_C_COMPILER=${C_COMPILER} -D CMAKE_C_COMPILER_TARGET=aarch64-linux-gnu)
else()
  set(compiler -D CMAKE_C_COMPILER=${aarch64_linux_gnu_gcc})
endif()
quietly(${CMAKE_COMMAND} -G ${GENERATOR} -S ${CMAKE_CURRENT_LIST_DIR} -B ${WORK_DIR}/build ${compiler}
  -D CMAKE_SYSTEM_NAME=Linux -D CMAKE_SYSTEM_PROCESSOR=aarch64 -D CMAKE_BUILD_TYPE=Release
  -D MSD_PRECISION=${PRECISION} -D MSD_OPENMP=${OPENMP} -D MSD_WERROR=ON)
quietly(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
execute_process(COMMAND ${qemu_aarch64} -L ${root} ${WORK_DIR}/build/determinism golden
  OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
message("${output}")
if(status)
  message(FATAL_ERROR "other bits on aarch64 (${status})")
endif()
