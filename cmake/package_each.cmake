# Read by cpack once for each generator: an archive holds all components, of Debian packages each is one.
if(CPACK_GENERATOR STREQUAL TGZ)
  set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
  set(CPACK_COMPONENT_INCLUDE_TOPLEVEL_DIRECTORY ON)
else()
  set(CPACK_COMPONENTS_GROUPING IGNORE)
endif()
