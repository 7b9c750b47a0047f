# SPDX-License-Identifier: MIT
"""What pyproject.toml cannot say: the installed package remembers where it came from, so that it finds the library of
that source tree or installation; and building leaves nothing in this folder."""
import pathlib
import tempfile

from setuptools import setup
from setuptools.command.build_py import build_py

HERE = pathlib.Path(__file__).resolve().parent
SCRATCH = tempfile.TemporaryDirectory(prefix="polhode-pip-")


class BuildPy(build_py):
    def run(self):
        super().run()
        note = pathlib.Path(self.build_lib) / "polhode/origin.py"
        note.write_text(f'"""Written by setup.py"""\nFOLDER = {str(HERE)!r}\n', encoding="utf-8")


setup(
    cmdclass={"build_py": BuildPy},
    options={"build": {"build_base": SCRATCH.name}, "egg_info": {"egg_base": SCRATCH.name}},
)
