# SPDX-License-Identifier: MIT
"""Spack's recipe. Without an address of releases it builds a source tree: spack dev-build polhode@X.Y.Z"""
from spack.package import *

try:
    from spack_repo.builtin.build_systems.cmake import CMakePackage
except ImportError:  # Spack before 1.0 has it in spack.package
    pass


class Polhode(CMakePackage):
    """Molecular dynamics of rigid molecules: symplectic schemes of high order with the exact rotation of free bodies."""

    license("MIT", checked_by="The Polhode authors")

    version("0.2.0")

    variant("mpi", default=True, description="Several processes compute together")
    variant("cuda", default=False, description="The backend for NVIDIA GPUs")
    variant("native", default=True, description="All instructions of the target; off: kernels for several kinds of x86-64")

    depends_on("c", type="build")
    depends_on("cxx", type="build", when="+cuda")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("hdf5")
    depends_on("libyaml")
    depends_on("random123")
    depends_on("zlib-api")
    depends_on("mpi", when="+mpi")
    depends_on("cuda@12.1:", when="+cuda")

    generator("ninja")

    def cmake_args(self):
        return [
            self.define_from_variant("POLHODE_MPI", "mpi"),
            self.define_from_variant("POLHODE_CUDA", "cuda"),
            self.define_from_variant("POLHODE_NATIVE", "native"),
        ]
