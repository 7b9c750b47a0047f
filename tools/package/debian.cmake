# What Debian wants of a package, done to its files just before CPack packs them (CPACK_PRE_BUILD_SCRIPTS): manual pages and
# changelog compressed, the Python package where python3 finds it.
cmake_policy(VERSION 3.25)
set(usr ${CPACK_TEMPORARY_DIRECTORY}/usr)
set(doc ${usr}/share/doc/${CPACK_PACKAGE_NAME})
file(MAKE_DIRECTORY ${doc} ${usr}/lib/python3/dist-packages)
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/../../CITATION.cff released REGEX "^date-released: ")
string(REPLACE "date-released: " "" released "${released}")
execute_process(COMMAND date --utc -R --date=${released} OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE
    COMMAND_ERROR_IS_FATAL ANY)
set(packager "${CPACK_PACKAGE_CONTACT}")
if(NOT packager MATCHES "<")
    string(APPEND packager " <>") # the format wants an address
endif()
file(WRITE ${doc}/changelog.Debian "polhode (${CPACK_PACKAGE_VERSION}-1) unstable; urgency=low

  * Made by CPack from the source tree. CHANGELOG.md lists the changes.

 -- ${packager}  ${date}
")
file(GLOB compressed ${usr}/share/man/man1/*.1 ${doc}/changelog.Debian)
execute_process(COMMAND gzip -9nf ${compressed} COMMAND_ERROR_IS_FATAL ANY)
file(CREATE_LINK ../../../share/polhode/python/polhode ${usr}/lib/python3/dist-packages/polhode SYMBOLIC)
file(GLOB_RECURSE all LIST_DIRECTORIES true ${usr}/*) # whatever the umask was
foreach(path ${all})
    if(IS_SYMLINK ${path})
        continue()
    elseif(IS_DIRECTORY ${path} OR path MATCHES "/bin/[^/]+$|/polhode/tools/[^/]+$")
        set(mode OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
    else()
        set(mode OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
    endif()
    file(CHMOD ${path} PERMISSIONS ${mode})
endforeach()
