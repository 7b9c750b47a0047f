#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What is installed works on its own, under another prefix than it was configured for: program, scripts, libraries. Nothing in it
knows of the source tree, which is also hidden from it where the system lets us (unshare).

usage: test_installed.py BUILD_DIR CMAKE
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import h5md_made as made

BUILD, CMAKE = sys.argv.pop(1), sys.argv.pop(1)
SOURCE = pathlib.Path(__file__).resolve().parents[3]
VERSION = re.search(r"project\(polhode VERSION (\d+\.\d+)", (SOURCE / "CMakeLists.txt").read_text())[1]
EXAMPLE = "example.c"
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
project(guest LANGUAGES C CXX)
find_package(polhode VERSION_HERE REQUIRED)
add_executable(shared example.c)
target_link_libraries(shared PRIVATE polhode::polhode)
add_executable(static example.c)
target_link_libraries(static PRIVATE polhode::static)
add_executable(cpp example.cpp)
target_link_libraries(cpp PRIVATE polhode::polhode)
file(WRITE ${CMAKE_BINARY_DIR}/potentials "${POLHODE_POTENTIALS}")
"""
# From Python, with nothing but the shared library: a model that only its installation has
PYTHON = """import ctypes, sys
lib = ctypes.CDLL(sys.argv[1])
lib.ph_simulation_molecules.restype = ctypes.c_size_t
simulation, err = ctypes.c_void_p(), ctypes.create_string_buffer(4 + 1024)
if lib.ph_simulation_from_text(open(sys.argv[2], "rb").read(), 0, None, ctypes.byref(simulation), err):
    sys.exit(err.raw[4:].split(b"\\0")[0].decode())
print(lib.ph_simulation_molecules(simulation))
lib.ph_simulation_destroy(simulation)
"""
# Runs a command where the source tree, and the build tree in it, are empty
HIDDEN = ["unshare", "--map-root-user", "--mount", "sh", "-c", 'mount -t tmpfs none "$0" && exec "$@"', SOURCE]


def can_hide():
    try:
        listed = subprocess.run([*HIDDEN, "ls", SOURCE], capture_output=True, text=True)
    except FileNotFoundError:
        return False
    return listed.returncode == 0 and listed.stdout == ""


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="installed-")
        cls.before = HIDDEN if can_hide() and SOURCE not in pathlib.Path(cls.folder.name).resolve().parents else []
        shutil.copy(SOURCE / "tools/example.c", cls.folder.name)
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
            [str(word) for word in (*self.before, *words)],
            capture_output=True,
            text=True,
            cwd=self.folder.name,
            env={**kept, "PATH": "/usr/bin:/bin", **variables},
        )
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        return done.stdout

    def test_nothing_knows_of_the_source_tree(self):
        """Its folders of models, inputs and scripts, nor where a build has them; debug builds name sources and where they
        were compiled."""
        place = re.compile(re.escape(os.fsencode(SOURCE)) + rb"/(potentials|inputs|tools|docs|build/[^/\0]+/share)")
        files = [path for path in self.prefix.rglob("*") if path.is_file()]
        self.assertGreater(len(files), 60)
        for path in files:
            self.assertIsNone(place.search(path.read_bytes()), path)

    def test_the_installed_inputs_run(self):
        program, inputs = self.prefix / "bin/polhode", self.prefix / "share/polhode/inputs"
        for name in ("quickstart", "fast-top"):  # with a model by name, and with one of its own, beside it
            few = ["--set", "dynamics.steps=2", "--set", "dynamics.equilibrate.steps=0", "-q"]
            out = self.call(program, "run", inputs / f"{name}.yaml", "-o", f"{name}.h5md", *few)
            self.assertIn(f"polhode report {name}.h5md", out)
        self.call(program, "check", inputs / "spc-e-npt.yaml")

    def test_studies_are_drawn_by_the_script_beside_the_program(self):
        out = self.call(self.prefix / "bin/polhode", "study", "satellite", "--quick", "-o", "study")
        made_files = {path.suffix for path in (pathlib.Path(self.folder.name) / "study").iterdir()}
        self.assertLessEqual({".csv", ".h5", ".svg", ".png", ".md"}, made_files, out)

    def test_manual_pages_and_completion_are_there(self):
        pages = {path.name for path in (self.prefix / "share/man/man1").iterdir()}
        words = re.findall(r"^  ([a-z]+) ", self.call(self.prefix / "bin/polhode", "help"), re.M)
        self.assertEqual(pages, {"polhode.1", *(f"polhode-{word}.1" for word in words)})
        script = self.prefix / "share/bash-completion/completions/polhode"
        self.assertIn("complete -F _polhode polhode", self.call("bash", "-c", f"source '{script}'; complete -p polhode"))

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

    def test_one_header_and_its_functions_are_all_there_is(self):
        headers = list((self.prefix / "include").rglob("*.*"))
        self.assertEqual(headers, [self.prefix / "include/polhode.h"])
        declared = re.findall(r"^PH_PUBLIC [^;]*?\b(ph_\w+)\(", headers[0].read_text(), re.M)
        self.assertIn("ph_simulation_from_arrays", declared)
        listed = self.call("nm", "-D", "--defined-only", self.library("so"))
        self.assertEqual(sorted(line.split()[2] for line in listed.splitlines()), sorted(declared))
        soname = re.search(r"SONAME\s+(\S+)", self.call("objdump", "-p", self.library("so")))[1]
        self.assertTrue((self.library("so").parent / soname).exists(), soname)
        self.assertRegex(soname, r"^libpolhode\.so\.\d+\.\d+$")

    def test_the_library_leaves_the_environment_of_its_host_alone(self):
        used = self.call("nm", "--undefined-only", self.library("a"))  # in the shared one is the runtime of CUDA, too
        self.assertIn(" getenv", used)
        self.assertEqual(re.findall(r"\b(setenv|putenv|unsetenv|clearenv|setlocale|signal|sigaction|chdir)\b", used), [])

    def library(self, ending):
        return next(self.prefix.glob(f"lib*/**/libpolhode.{ending}"))

    def conserves_energy(self, *example, **variables):
        out = self.call(*example, **variables)
        rows = [line.split() for line in out.splitlines() if line.startswith("time")]
        energies = [float(row[3]) for row in rows]
        self.assertEqual(len(energies), 6, out)
        self.assertGreater(len(set(energies)), 1, "nothing moves")
        self.assertLess(max(abs(e - energies[0]) for e in energies), 1e-5 * abs(energies[0]), out)
        for row in rows:  # from the array of momenta, and as the library has it
            self.assertAlmostEqual(float(row[5]), float(row[6]), delta=1e-10, msg=out)
        self.assertGreater(float(rows[-1][5]), 0.1, out)

    def pkg_config(self, *words):
        where = {"PKG_CONFIG_PATH": str(next(self.prefix.glob("lib*/**/pkgconfig")))}
        return self.call("pkg-config", *words, "polhode", **where).split()

    def test_programs_in_c_and_cpp_use_the_library_by_pkg_config(self):
        strict = ["-Wall", "-Wextra", "-Wpedantic", "-Werror"]
        cpp = pathlib.Path(self.folder.name) / "example.cpp"
        shutil.copy(SOURCE / "tools/example.c", cpp)
        flags, libraries = self.pkg_config("--cflags"), self.pkg_config("--libs")
        static = [w.replace("-lpolhode", "-l:libpolhode.a") for w in self.pkg_config("--static", "--libs")]
        self.call("cc", "-std=c99", *strict, EXAMPLE, *flags, "-o", "by-pkg-config", *libraries)
        self.call("g++", "-std=c++11", *strict, cpp, *flags, "-o", "by-pkg-config-cpp", *libraries)
        self.call("cc", EXAMPLE, *flags, "-o", "by-pkg-config-static", *static)
        found = {"LD_LIBRARY_PATH": str(self.library("so").parent)}
        self.conserves_energy("./by-pkg-config", **found)
        self.conserves_energy("./by-pkg-config-cpp", **found)
        self.conserves_energy("./by-pkg-config-static", POLHODE_POTENTIALS=self.pkg_config("--variable=potentials")[0])

    def test_programs_in_c_and_cpp_use_the_library_by_cmake(self):
        project = pathlib.Path(self.folder.name) / "guest"
        project.mkdir()
        (project / "CMakeLists.txt").write_text(PROJECT.replace("VERSION_HERE", VERSION))
        shutil.copy(SOURCE / "tools/example.c", project / "example.c")
        shutil.copy(SOURCE / "tools/example.c", project / "example.cpp")
        self.call(CMAKE, "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        self.call(CMAKE, "--build", project / "build")
        potentials = pathlib.Path((project / "build/potentials").read_text())
        self.assertTrue((potentials / "only-here.yaml").exists(), potentials)
        self.conserves_energy(project / "build/shared")
        self.conserves_energy(project / "build/cpp")
        self.conserves_energy(project / "build/static", POLHODE_POTENTIALS=str(potentials))

    def test_python_uses_the_shared_library_and_the_models_beside_it(self):
        if "-fsanitize" in " ".join(self.pkg_config("--libs")):
            self.skipTest("sanitizers want to be loaded first")
        out = self.call("/usr/bin/python3", "-c", PYTHON, self.library("so"), "input.yaml")
        self.assertEqual(out.split(), ["32"])

    def test_the_python_package_simulates_with_the_library_and_the_models_beside_it(self):
        if "-fsanitize" in " ".join(self.pkg_config("--libs")):
            self.skipTest("sanitizers want to be loaded first")
        text = (
            f"import site; site.addsitedir({str(self.prefix / 'lib/python3/dist-packages')!r})\n"
            "import polhode, polhode.library\n"
            "sim = polhode.Simulation('input.yaml')\n"
            "sim.advance(3)\n"
            "print(sim.n_molecules, sim.step, polhode.__file__, polhode.library.library()._name)\n"
        )
        out = self.call("/usr/bin/python3", "-B", "-c", text).split()
        self.assertEqual(out[:2], ["32", "3"])
        self.assertTrue(all(name.startswith(str(self.prefix)) for name in out[2:]), out)

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


class Revision(unittest.TestCase):
    """Of the sources as they are built, not as they were when the build was configured"""

    def test_a_build_has_the_revision_of_its_sources(self):
        with tempfile.TemporaryDirectory(prefix="revision-") as folder:
            header = os.path.join(folder, "revision.h")

            alone = {**os.environ, "GIT_CEILING_DIRECTORIES": os.path.dirname(folder)}

            def git(*words):
                own = ["-c", "user.name=nobody", "-c", "user.email=nobody@localhost"]
                done = subprocess.run(["git", *own, *words], cwd=folder, env=alone, check=True, capture_output=True, text=True)
                return done.stdout.strip()

            def built():
                words = ["-DVERSION=1.2.3", f"-DSOURCE={folder}", f"-DOUT={header}", "-P", SOURCE / "tools/package/revision.cmake"]
                subprocess.run([CMAKE, *words], env=alone, check=True)
                with open(header) as file:
                    return file.read()

            self.assertEqual(built(), '#define POLHODE_VERSION "1.2.3"\n')  # of a source archive
            git("init", "-q")
            for text in ("one", "two"):
                with open(os.path.join(folder, "source.c"), "w") as file:
                    file.write(text)
                git("add", "source.c")
                git("commit", "-q", "-m", text)
                self.assertEqual(built(), f'#define POLHODE_VERSION "1.2.3 ({git("describe", "--always")})"\n')
            before = os.stat(header).st_mtime_ns
            built()
            self.assertEqual(os.stat(header).st_mtime_ns, before, "nothing is compiled again")
            git("tag", "-a", "v1.2.2", "-m", "tag")
            git("commit", "-q", "--allow-empty", "-m", "three")
            self.assertRegex(built(), r'^#define POLHODE_VERSION "1.2.3 \(v1.2.2-1-g[0-9a-f]+\)"\n$')
            with open(os.path.join(folder, "source.c"), "w") as file:
                file.write("changed")
            self.assertIn("-dirty", built())
            os.mkdir(os.path.join(folder, "archive"))  # inside another repository, as packagers unpack it
            words = ["-DVERSION=1.2.3", f"-DSOURCE={folder}/archive", f"-DOUT={header}", "-P", SOURCE / "tools/package/revision.cmake"]
            subprocess.run([CMAKE, *words], env=alone, check=True)
            with open(header) as file:
                self.assertEqual(file.read(), '#define POLHODE_VERSION "1.2.3"\n')
        with open(os.path.join(BUILD, "build.ninja")) as file:  # each build asks
            self.assertRegex(file.read(), r"build (\S+ \| )?\S*CMakeFiles/revision\b")


if __name__ == "__main__":
    unittest.main()
