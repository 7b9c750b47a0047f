# SPDX-License-Identifier: MIT
"""What pyproject.toml cannot say. The installed package remembers where it came from, so that it finds the library of
that source tree or installation, unless it carries a library (tools/wheel). Building leaves nothing in this folder."""
import os
import pathlib
import tempfile

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:  # setuptools before 70.1
    from wheel.bdist_wheel import bdist_wheel

HERE = pathlib.Path(__file__).resolve().parent
CARRIES = (HERE / "polhode/carried").is_dir()
SCRATCH = tempfile.TemporaryDirectory(prefix="polhode-pip-")


class BuildPy(build_py):
    def run(self):
        super().run()
        if not CARRIES:
            note = pathlib.Path(self.build_lib) / "polhode/origin.py"
            note.write_text(f'"""Written by setup.py"""\nFOLDER = {str(HERE)!r}\n', encoding="utf-8")


class Package(Distribution):
    def has_ext_modules(self):
        return CARRIES


class BdistWheel(bdist_wheel):
    def get_tag(self):  # the library is called by ctypes, so that any Python 3 will do
        return ("py3", "none", os.environ["POLHODE_PLATFORM"]) if CARRIES else super().get_tag()


setup(
    distclass=Package,
    cmdclass={"build_py": BuildPy, "bdist_wheel": BdistWheel},
    options={"build": {"build_base": SCRATCH.name}, "egg_info": {"egg_base": SCRATCH.name}},
)
