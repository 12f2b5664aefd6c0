# Builds hello.c against libmsd in one WAY, runs it, and checks the length of the rope that it prints.

set(here ${SOURCE_DIR}/tests/packaging/install)
# How it is put together is what is looked at, and not how fast it runs: without optimization it is compiled sooner.
set(configure ${CMAKE_COMMAND} -G ${GENERATOR} -D CMAKE_C_COMPILER=${C_COMPILER} -D CMAKE_BUILD_TYPE=Release
  -D CMAKE_C_FLAGS_RELEASE=-O0 -D MSD_PRECISION=${PRECISION})
# The kernels of wide vectors are a third of that; one of the ways has them.
if(NOT WAY STREQUAL installed_static)
  list(APPEND configure -D MSD_WIDE_VECTORS=OFF)
endif()

# N = 19 masses of m = 1/20 kg below the pin stretch their springs by m g N (N + 1)/(2 k) = 0.0466 m in all.
set(expected "1 m of rope hangs 1.047 m deep\n")

function(quietly)
  execute_process(COMMAND ${ARGN} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
  if(status)
    string(JOIN " " line ${ARGN})
    message(FATAL_ERROR "${line}\n${output}")
  endif()
endfunction()

function(expect_depth program)
  execute_process(COMMAND ${program} OUTPUT_VARIABLE printed COMMAND_ERROR_IS_FATAL ANY)
  if(NOT printed STREQUAL expected)
    message(FATAL_ERROR "${program} prints\n${printed}and should print\n${expected}")
  endif()
endfunction()

function(build_consumer name)
  quietly(${configure} -S ${here}/${name} -B ${WORK_DIR}/${name} ${ARGN})
  quietly(${CMAKE_COMMAND} --build ${WORK_DIR}/${name})
  expect_depth(${WORK_DIR}/${name}/hello)
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
file(MAKE_DIRECTORY ${WORK_DIR})

if(WAY STREQUAL this_build)
  expect_depth(${PROGRAM})
  file(READ ${SOURCE_DIR}/README.md readme)
  file(READ ${SOURCE_DIR}/examples/hello.c program)
  string(FIND "${readme}" "${program}" place)
  if(place LESS 0)
    message(FATAL_ERROR "README.md does not show examples/hello.c as it is")
  endif()
  return()
elseif(WAY STREQUAL subdirectory)
  build_consumer(subdirectory)
  return()
endif()

# The library alone, installed, and moved: no absolute path may remain in what was installed.
set(shared OFF)
set(openmp ON)
if(WAY STREQUAL installed_shared)
  set(shared ON)
elseif(WAY STREQUAL installed_without_openmp)
  set(openmp OFF)
endif()
set(prefix ${WORK_DIR}/moved)
quietly(${configure} -S ${SOURCE_DIR} -B ${WORK_DIR}/msd -D BUILD_SHARED_LIBS=${shared} -D MSD_OPENMP=${openmp}
  -D CMAKE_INSTALL_PREFIX=${WORK_DIR}/installed -D CMAKE_INSTALL_LIBDIR=lib
  -D MSD_APP=OFF -D MSD_TESTS=OFF -D MSD_BENCH=OFF -D MSD_EXAMPLES=OFF)
quietly(${CMAKE_COMMAND} --build ${WORK_DIR}/msd)
quietly(${CMAKE_COMMAND} --install ${WORK_DIR}/msd)
file(RENAME ${WORK_DIR}/installed ${prefix})

build_consumer(find_package -D CMAKE_PREFIX_PATH=${prefix})

set(ENV{PKG_CONFIG_PATH} ${prefix}/lib/pkgconfig)
set(ENV{LD_LIBRARY_PATH} ${prefix}/lib)
quietly(${here}/pkg_config/build.sh ${C_COMPILER} ${WORK_DIR}/hello_pkg_config)
expect_depth(${WORK_DIR}/hello_pkg_config)
if(NOT shared)
  quietly(${here}/pkg_config/build.sh ${C_COMPILER} ${WORK_DIR}/hello_pkg_config_static --static)
  expect_depth(${WORK_DIR}/hello_pkg_config_static)
endif()

# No name that a program could have is in the library: a shared one offers the public functions alone, a static one
# also has msd_private_... for itself.
if(shared)
  execute_process(COMMAND nm -D --defined-only --format=just-symbols ${prefix}/lib/libmsd.so
    OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
else()
  execute_process(COMMAND nm -g --defined-only --format=just-symbols ${prefix}/lib/libmsd.a
    OUTPUT_VARIABLE symbols ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)
endif()
string(REGEX MATCHALL "[^\n]+" symbols "${symbols}")
list(FILTER symbols EXCLUDE REGEX "^msd_|\\.o:$")
if(symbols)
  message(FATAL_ERROR "libmsd has names beside its own: ${symbols}")
endif()

# A host without OpenMP gets nothing of it: no runtime, and no thread that it did not start itself.
if(NOT openmp)
  execute_process(COMMAND nm -u --format=just-symbols ${prefix}/lib/libmsd.a
    OUTPUT_VARIABLE symbols ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]+" symbols "${symbols}")
  list(FILTER symbols INCLUDE REGEX "^_*(GOMP|omp|kmpc|pthread|thrd)_")
  execute_process(COMMAND ldd ${WORK_DIR}/find_package/hello OUTPUT_VARIABLE libraries COMMAND_ERROR_IS_FATAL ANY)
  if(symbols OR libraries MATCHES "lib(g|i)?omp")
    message(FATAL_ERROR "built without OpenMP, libmsd needs ${symbols}, and a program with it\n${libraries}")
  endif()
  set(precision)
  if(PRECISION STREQUAL double)
    set(precision -D MSD_DOUBLE)
  endif()
  quietly(${C_COMPILER} ${SOURCE_DIR}/examples/host.c ${precision} -I ${SOURCE_DIR} -I ${prefix}/include
    -L ${prefix}/lib -lmsd -lm -pthread -o ${WORK_DIR}/host)
  quietly(${WORK_DIR}/host)
endif()
