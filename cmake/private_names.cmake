# Gives the functions that libmsd.a keeps to itself names that no program has: network_compile becomes
# msd_private_network_compile. A shared library hides them, but in a static one they would meet the program's own.
# Run by cmake -P with NM, OBJCOPY, LIBRARY and LIST, a file to write.

execute_process(COMMAND ${NM} -g --defined-only ${LIBRARY}
  OUTPUT_VARIABLE symbols ERROR_QUIET COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL " [A-Z] [a-z][a-z0-9_]*" symbols "${symbols}")
list(TRANSFORM symbols REPLACE " [A-Z] " "")
list(FILTER symbols EXCLUDE REGEX "^msd_")
list(REMOVE_DUPLICATES symbols)
list(TRANSFORM symbols REPLACE "(.+)" "\\1 msd_private_\\1")
list(JOIN symbols "\n" symbols)
file(WRITE ${LIST} "${symbols}\n")
execute_process(COMMAND ${OBJCOPY} --redefine-syms=${LIST} ${LIBRARY} COMMAND_ERROR_IS_FATAL ANY)
