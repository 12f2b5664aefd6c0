# What other projects link: the library, its headers, a CMake package and a pkg-config file. All of them stay
# right when the installed tree is moved.

include(CMakePackageConfigHelpers)

install(TARGETS msd EXPORT msd-targets
  RUNTIME COMPONENT runtime
  LIBRARY COMPONENT runtime NAMELINK_COMPONENT development
  ARCHIVE COMPONENT development
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/engine/include/msd DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT development FILES_MATCHING REGEX "[.](h|hpp)$")

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/msd)
install(EXPORT msd-targets NAMESPACE msd:: DESTINATION ${package_dir} COMPONENT development)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/msd-config.cmake.in msd-config.cmake
  INSTALL_DESTINATION ${package_dir})
# Until 1.0 a new minor version may break programs.
write_basic_package_version_file(msd-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/msd-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/msd-config-version.cmake
  DESTINATION ${package_dir} COMPONENT development)

# A static library leaves its needs to the program that links it. Where it is the only one installed they
# stand in Libs, so that `pkg-config --libs msd` is enough with and without --static.
list(TRANSFORM definitions PREPEND " -D" OUTPUT_VARIABLE pc_cflags)
list(TRANSFORM needs REPLACE "^([^/]+)$" "-l\\1" OUTPUT_VARIABLE pc_needs)
list(TRANSFORM pc_needs PREPEND " ")
string(CONCAT pc_cflags ${pc_cflags})
string(CONCAT pc_needs ${pc_needs})
if(BUILD_SHARED_LIBS)
  set(pc_libs "")
  set(pc_libs_private "${pc_needs}")
else()
  set(pc_libs "${pc_needs}")
  set(pc_libs_private "")
endif()
set(pc_dir ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${pc_dir} OUTPUT_VARIABLE pc_to_prefix)
cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_INCLUDEDIR BASE_DIRECTORY ${pc_dir} OUTPUT_VARIABLE pc_to_headers)
configure_file(${CMAKE_CURRENT_LIST_DIR}/msd.pc.in msd.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/msd.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
  COMPONENT development)
