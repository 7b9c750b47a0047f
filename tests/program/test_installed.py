#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What is installed works on its own, under another prefix than it was configured for.

usage: test_installed.py BUILD_DIR CMAKE
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import h5md_made as made

BUILD, CMAKE = sys.argv.pop(1), sys.argv.pop(1)
EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "tools/example.c"
MODEL = """name: only-here
source: this test
units: reduced
sites: [{name: A, mass: 1, lennard-jones: {epsilon: 1, sigma: 1}}]
"""
INPUT = """units: reduced
system:
  box: {kind: periodic, density: 0.5}
  molecules: [{model: only-here, count: 32}]
  start: {kind: fcc, temperature: 2, seed: 1}
interactions: {cutoff: 1.9, switch: {width: 0.4}}
dynamics: {step: 0.01, steps: 1}
"""
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(guest LANGUAGES C)
find_package(polhode 0.1 REQUIRED)
add_executable(example example.c)
target_link_libraries(example PRIVATE polhode::polhode)
file(WRITE ${CMAKE_BINARY_DIR}/potentials "${POLHODE_POTENTIALS}")
"""


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(dir=BUILD, prefix="installed-")
        cls.prefix = pathlib.Path(cls.folder.name) / "moved"
        subprocess.run([CMAKE, "--install", BUILD, "--prefix", cls.prefix], check=True, stdout=subprocess.DEVNULL)
        cls.run_file = str(pathlib.Path(cls.folder.name) / "gas.h5md")
        rng = np.random.default_rng(1)
        made.write(cls.run_file, rng.uniform(0, 6, size=(20, 50, 3)), [6.0, 6.0, 6.0])
        # what only this copy of the scripts says
        with open(cls.prefix / "share/polhode/python/polhode/report/page.css", "a", encoding="utf-8") as style:
            style.write("/* the installed one */")
        (cls.prefix / "share/polhode/potentials/only-here.yaml").write_text(MODEL)
        (pathlib.Path(cls.folder.name) / "input.yaml").write_text(INPUT)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def call(self, *words, **variables):
        kept = {name: os.environ[name] for name in ("HOME", "LANG", "ASAN_OPTIONS") if name in os.environ}
        done = subprocess.run(
            [str(word) for word in words],
            capture_output=True,
            text=True,
            cwd=self.folder.name,
            env={**kept, "PATH": "/usr/bin:/bin", **variables},
        )
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        return done.stdout

    def test_models_are_those_beside_the_program(self):
        program = self.prefix / "bin/polhode"
        self.call(program, "check", "input.yaml")  # no other place has this model
        models = json.loads(self.call(program, "list", "models", "--json"))["models"]
        self.assertIn("stockmayer", [model["name"] for model in models])
        self.assertEqual(len({model["name"] for model in models}), len(models), "one is there twice")
        for model in models:
            self.assertEqual(pathlib.Path(model["file"]).parent, self.prefix / "share/polhode/potentials")
        # the user's own come first
        mine = pathlib.Path(self.folder.name) / "mine"
        mine.mkdir()
        (mine / "stockmayer.yaml").write_text(MODEL.replace("only-here", "stockmayer"))
        models = json.loads(self.call(program, "list", "models", "--json", POLHODE_POTENTIALS=str(mine)))["models"]
        self.assertEqual([m["source"] for m in models if m["name"] == "stockmayer"], ["this test"])

    def conserves_energy(self, example, potentials):
        out = self.call(example, "input.yaml", POLHODE_POTENTIALS=potentials)
        energies = [float(line.split()[3]) for line in out.splitlines()]
        self.assertEqual(len(energies), 6, out)
        self.assertGreater(len(set(energies)), 1, "nothing moves")
        self.assertLess(max(abs(e - energies[0]) for e in energies), 1e-5 * abs(energies[0]), out)

    def test_a_program_uses_the_library_by_pkg_config(self):
        where = {"PKG_CONFIG_PATH": str(next(self.prefix.glob("lib*/**/pkgconfig")))}
        ask = lambda *words: self.call("pkg-config", *words, "polhode", **where).split()
        self.call("cc", EXAMPLE, *ask("--cflags"), "-o", "by-pkg-config", *ask("--libs"))
        self.conserves_energy("./by-pkg-config", *ask("--variable=potentials"))

    def test_a_program_uses_the_library_by_cmake(self):
        project = pathlib.Path(self.folder.name) / "guest"
        project.mkdir()
        (project / "CMakeLists.txt").write_text(PROJECT)
        shutil.copy(EXAMPLE, project / "example.c")
        self.call(CMAKE, "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        self.call(CMAKE, "--build", project / "build")
        self.conserves_energy(project / "build/example", (project / "build/potentials").read_text())

    def test_reports_are_made_by_the_scripts_beside_the_program(self):
        self.call(self.prefix / "bin/polhode", "report", self.run_file, "-o", "page.html")
        page = (pathlib.Path(self.folder.name) / "page.html").read_text(encoding="utf-8")
        self.assertIn("the installed one", page)
        self.assertIn('"rdf"', page)

    def test_runs_are_compared_with_the_program_beside_the_script(self):
        self.call("/usr/bin/python3", self.prefix / "share/polhode/tools/compare", self.run_file, "-o", "runs.html")
        page = (pathlib.Path(self.folder.name) / "runs.html").read_text(encoding="utf-8")
        self.assertIn("the installed one", page)

    def test_python_imports_what_the_documentation_says(self):
        text = (
            f"import sys; sys.path.insert(0, {str(self.prefix / 'share/polhode/python')!r})\n"
            f"import polhode\nwith polhode.open({self.run_file!r}) as run:\n"
            "    print(polhode.__file__, len(run.frames), run.frames[-1].centres.shape)\n"
        )
        out = self.call("/usr/bin/python3", "-B", "-c", text)
        self.assertIn(str(self.prefix), out)
        self.assertIn("20 (50, 3)", out)


if __name__ == "__main__":
    unittest.main()
