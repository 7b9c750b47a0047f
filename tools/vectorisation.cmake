# gcc writes down, beside the objects, what became of loops marked PH_SIMD; tools/check-vectorised reads it.
#
# Most units leave gcc's optimisation record, which names the calls through which a loop was inlined. That of kernels would
# be gigabytes: they leave gcc's messages. A unit has marked loops if it has the mark, or includes a file that has them. It
# leaves a record if some file of its folder has the mark: folders like accel include such files for other reasons.
file(GLOB_RECURSE files RELATIVE ${PROJECT_SOURCE_DIR}/src CONFIGURE_DEPENDS src/*.[ch])
set(folders "")
foreach(file ${files})
    file(STRINGS src/${file} text_${file} REGEX "^[ \t]*PH_SIMD|^#include \"")
    if("${text_${file}}" MATCHES "PH_SIMD")
        cmake_path(GET file PARENT_PATH folder)
        list(APPEND folders ${folder})
    endif()
endforeach()

set(with_loops "")
set(pattern PH_SIMD)
while(pattern)
    set(names "")
    foreach(file ${files})
        if("${text_${file}}" MATCHES "${pattern}")
            list(APPEND with_loops ${file})
            list(REMOVE_ITEM files ${file})
            list(APPEND names "\"${file}\"")
        endif()
    endforeach()
    list(JOIN names "|" pattern) # next: files that include one of these
endwhile()

file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/vectorised)
list(FILTER with_loops INCLUDE REGEX "[.]c$")
# Then kernels_any.c has no function, and gcc on x86-64 leaves no record of such a unit.
if(POLHODE_SPECIALISED STREQUAL all)
    list(FILTER with_loops EXCLUDE REGEX "kernels_any[.]c$")
endif()
foreach(file ${with_loops})
    cmake_path(GET file PARENT_PATH folder)
    cmake_path(GET file STEM stem)
    if(file MATCHES "pairs/kernels/[a-z_/]*kernels")
        set_property(SOURCE src/${file} APPEND PROPERTY COMPILE_OPTIONS
            -fopt-info-vec-optimized-missed=${PROJECT_BINARY_DIR}/vectorised/${stem}.txt)
    elseif(folder IN_LIST folders)
        set_property(SOURCE src/${file} APPEND PROPERTY COMPILE_OPTIONS -fsave-optimization-record)
    endif()
endforeach()
