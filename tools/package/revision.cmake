# Writes the version with the revision of the source tree, if that is a repository, for src/run/version.c; leaves the file
# alone if it says so already: cmake -DVERSION=... -DSOURCE=... -DOUT=... -P revision.cmake
# A source archive may lie inside another repository, whose revision says nothing: only the top folder counts.
set(revision "")
execute_process(COMMAND git rev-parse --show-cdup WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE up RESULT_VARIABLE failed
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(failed EQUAL 0 AND up STREQUAL "")
    execute_process(COMMAND git describe --always --dirty WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE revision
        OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
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
