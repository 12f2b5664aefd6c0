# A program that was compiled for the other precision does not link, and the linker names both.
set(flag -UMSD_DOUBLE)
set(other float)
if(PRECISION STREQUAL float)
  set(flag -DMSD_DOUBLE)
  set(other double)
endif()
execute_process(
  COMMAND ${C_COMPILER} ${flag} -I ${SOURCE_DIR}/engine/include ${SOURCE_DIR}/examples/hello.c ${LIBRARY} -lm
    -o ${WORK_DIR}/other_precision
  OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
if(status EQUAL 0)
  message(FATAL_ERROR "A program for ${other} links to a library of ${PRECISION}")
endif()
if(NOT output MATCHES "msd_default_world_def_${other}")
  message(FATAL_ERROR "msd_default_world_def_${other} is not what the linker misses:\n${output}")
endif()
