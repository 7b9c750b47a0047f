# Writes the version with the revision of the source tree, if that is a repository, for src/run/version.c; leaves the file
# alone if it says so already: cmake -DVERSION=... -DSOURCE=... -DOUT=... -P revision.cmake
execute_process(COMMAND git describe --always --dirty WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE revision
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
set(text "#define POLHODE_VERSION \"${VERSION}\"\n")
if(revision)
    set(text "#define POLHODE_VERSION \"${VERSION} (${revision})\"\n")
endif()
set(known "")
if(EXISTS ${OUT})
    file(READ ${OUT} known)
endif()
if(NOT known STREQUAL text)
    file(WRITE ${OUT} "${text}")
endif()
