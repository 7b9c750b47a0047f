# Toolchain of tools/test-other-architecture: OTHER is the architecture, SYSROOT has its libraries.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${OTHER})
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES OTHER SYSROOT)
set(triplet ${OTHER}-linux-gnu)
set(CMAKE_C_COMPILER ${triplet}-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE ${triplet})
# The compiler brings its own C library; only ours are taken from the sysroot, at link time and when tests run.
set(CMAKE_EXE_LINKER_FLAGS_INIT
    "-Wl,-rpath-link,${SYSROOT}/lib/${triplet}:${SYSROOT}/usr/lib/${triplet}:${SYSROOT}/usr/lib/${triplet}/hdf5/serial")
set(CMAKE_SKIP_BUILD_RPATH ON) # qemu finds libraries in the sysroot
set(CMAKE_FIND_ROOT_PATH ${SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${OTHER} -L ${SYSROOT})
