# gcc writes down, beside the objects, what became of loops marked PH_SIMD; tools/check-vectorised reads it.
#
# Units leave gcc's messages. Where the body of a loop is one inlined function, as in the folders `with_calls`, messages do not
# lead to the loop: there units leave gcc's optimisation record, which names the calls, and takes as long as compiling. A unit
# has marked loops if it has the mark, or includes a file that has them. It leaves something if some file of its folder has the
# mark: folders like accel include such files for other reasons.
set(with_calls dynamics/cells rigid state)
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
list(FILTER with_loops EXCLUDE REGEX "curves/native[.]c$") # has little optimisation; its loops are those of program_rows.c
# Then kernels_any.c has no function, and gcc on x86-64 leaves no record of such a unit.
if(POLHODE_SPECIALISED STREQUAL all)
    list(FILTER with_loops EXCLUDE REGEX "kernels_any[.]c$")
endif()
foreach(file ${with_loops})
    cmake_path(GET file PARENT_PATH folder)
    string(REPLACE "/" "_" name ${file})
    if(NOT file MATCHES "pairs/kernels/[a-z_/]*kernels" AND NOT folder IN_LIST folders)
        continue()
    elseif(folder IN_LIST with_calls)
        set_property(SOURCE src/${file} APPEND PROPERTY COMPILE_OPTIONS -fsave-optimization-record)
    else()
        set_property(SOURCE src/${file} APPEND PROPERTY COMPILE_OPTIONS
            -fopt-info-vec-optimized-missed=${PROJECT_BINARY_DIR}/vectorised/${name}.txt)
    endif()
endforeach()
