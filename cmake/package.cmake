# What `cpack` makes: an archive that runs wherever it is unpacked, and Debian packages of the command and of what other
# projects link.

set(CPACK_GENERATOR TGZ)
if(CMAKE_SYSTEM_NAME STREQUAL Linux)
  find_program(DPKG dpkg)
  if(DPKG)
    list(APPEND CPACK_GENERATOR DEB)
  endif()
endif()
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PACKAGE_VENDOR "The msd authors")
set(CPACK_PACKAGE_CONTACT "The msd authors <msd@home.arpa>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_FILE_NAME msd-${PROJECT_VERSION}-${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR})

# Programs to measure beside are no part of it.
set(CPACK_COMPONENTS_ALL development)
if(MSD_APP)
  list(APPEND CPACK_COMPONENTS_ALL command)
endif()
if(BUILD_SHARED_LIBS)
  list(APPEND CPACK_COMPONENTS_ALL runtime)
endif()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_LIST_DIR}/package_each.cmake)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libmsd${msd_soversion})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libmsd-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME msd)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION science)
set(CPACK_DEBIAN_COMMAND_PACKAGE_SUGGESTS "ffmpeg, gnuplot-nox")
set(CPACK_DEBIAN_COMMAND_DESCRIPTION "simulate and see cloth, rope and soft bodies
 Particles joined by damped springs, with the largest substep that is proven stable.")
set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "particles joined by damped springs, for C and C++
 The library msd with its headers, its CMake package and its pkg-config file.")
set(CPACK_DEBIAN_RUNTIME_DESCRIPTION "particles joined by damped springs, the library")

install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libmsd-dev RENAME copyright
  COMPONENT development)
if(MSD_APP)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/msd RENAME copyright
    COMPONENT command)
endif()

include(CPack)
if(BUILD_SHARED_LIBS)
  cpack_add_component(development DEPENDS runtime)
  cpack_add_component(command DEPENDS runtime)
endif()
