#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The Python package as pip installs it: where it finds the library, and that both are of one version.

usage: test_python_package.py BUILD_DIR SOURCE_DIR
"""
import ctypes
import inspect
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD, SOURCE = pathlib.Path(sys.argv.pop(1)), pathlib.Path(sys.argv.pop(1))
sys.path.insert(0, str(SOURCE / "tools/python"))
from polhode import library

TEXT = """units: reduced
system:
  box: {kind: periodic, density: 0.5}
  molecules: [{model: stockmayer, count: 32}]
  start: {kind: fcc, temperature: 1, seed: 1}
interactions: {cutoff: 1.9, switch: {width: 0.4}, electrostatics: {method: reaction-field}}
dynamics: {step: 0.002, steps: 1}
"""
ADVANCE = f"""import polhode
from polhode import library
sim = polhode.Simulation.from_text({TEXT!r})
sim.advance(2)
print(polhode.__file__)
print(library.library()._name, sim.n_molecules, sim.step)
"""


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="polhode-package-")
        cls.folder = pathlib.Path(cls.temporary.name)
        cls.tree = cls.folder / "tree"  # a source tree whose release build is this build
        shutil.copytree(
            SOURCE / "tools/python", cls.tree / "tools/python", ignore=shutil.ignore_patterns("__pycache__", "build")
        )
        (cls.tree / "build").mkdir()
        (cls.tree / "build/release").symlink_to(BUILD)
        before = cls.files()
        venv = cls.folder / "venv"
        subprocess.run(["/usr/bin/python3", "-m", "venv", "--system-site-packages", "--without-pip", venv], check=True)
        cls.python = venv / "bin/python"
        options = ["--quiet", "--no-index", "--no-build-isolation", "--no-deps", "--disable-pip-version-check"]
        done = subprocess.run(
            [cls.python, "-m", "pip", "install", *options, cls.tree / "tools/python"], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
        cls.left = cls.files() - before

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def files(cls):
        return {str(path) for path in (cls.tree / "tools").rglob("*") if "__pycache__" not in str(path)}

    def run_python(self, text, status=0, **variables):
        kept = {name: os.environ[name] for name in ("HOME", "LANG", "OMP_WAIT_POLICY") if name in os.environ}
        done = subprocess.run(
            [self.python, "-B", "-c", text],
            capture_output=True,
            text=True,
            cwd=self.folder,
            env={**kept, "PATH": "/usr/bin:/bin", **variables},
        )
        self.assertEqual(done.returncode, status, done.stderr + done.stdout)
        return done.stdout + done.stderr

    def test_it_is_installed_and_finds_the_library_of_its_source_tree(self):
        out = self.run_python(ADVANCE)
        self.assertIn(str(self.folder / "venv"), out.splitlines()[0])
        self.assertEqual(out.splitlines()[1], f"{self.tree}/build/release/{library.SONAME} 32 2")
        self.assertEqual(self.left, set(), "pip left something in the source tree")
        here, there = pathlib.Path(out.splitlines()[0]).parent, self.tree / "tools/python/polhode"
        files = [
            {str(path.relative_to(folder)) for path in folder.rglob("*.*") if "__pycache__" not in path.parts}
            for folder in (here, there)
        ]
        self.assertIn("report/page.css", files[1])
        self.assertEqual(files[0], files[1] | {"origin.py"})

    def test_the_library_can_be_named(self):
        place = self.folder / "elsewhere.so"
        place.unlink(missing_ok=True)
        place.symlink_to(BUILD / "libpolhode.so")
        self.assertIn(f"{place} 32 2", self.run_python(ADVANCE, POLHODE_LIBRARY=str(place)))
        said = self.run_python(ADVANCE, 1, POLHODE_LIBRARY="/nowhere/libpolhode.so")
        self.assertRegex(said, r"LibraryError(.|\n)*/nowhere/libpolhode.so: is not there")

    def test_without_a_library_it_says_where_it_looked_and_still_reads(self):
        release = self.tree / "build/release"
        release.rename(self.tree / "build/hidden")
        try:
            said = self.run_python(ADVANCE, 1)
            self.assertIn("LibraryError", said)
            self.assertIn("POLHODE_LIBRARY", said)
            self.assertIn(f"{release}/{library.SONAME}: is not there", said)
            self.assertIn("polhode.open", self.run_python("import polhode; print('polhode.open', polhode.open)"))
        finally:
            (self.tree / "build/hidden").rename(release)

    def test_a_program_on_the_path_leads_to_its_library(self):
        prefix = self.folder / "prefix"
        for name, target in (("bin/polhode", "polhode"), (f"lib/any/{library.SONAME}", "libpolhode.so")):
            (prefix / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(BUILD / target, prefix / name)
        release = self.tree / "build/release"
        release.rename(self.tree / "build/hidden")
        try:
            out = self.run_python(ADVANCE, PATH=f"{prefix}/bin:/usr/bin:/bin", POLHODE_POTENTIALS=str(SOURCE / "potentials"))
            self.assertIn(f"{prefix}/lib/any/{library.SONAME} 32 2", out)
        finally:
            (self.tree / "build/hidden").rename(release)

    def test_package_and_library_are_of_one_version(self):
        version = re.search(r"project\(polhode VERSION ([\d.]+)", (SOURCE / "CMakeLists.txt").read_text())[1]
        self.assertEqual(library.VERSION, version)
        out = self.run_python("import importlib.metadata as m; print(m.version('polhode'))")
        self.assertEqual(out.strip(), version)
        said = self.run_python("import polhode.library as c; c.VERSION = '7.3.1'; c.library()", 1)
        self.assertRegex(said, rf"LibraryError: .* is version {re.escape(version)}.*, this package is for 7\.3\.1")
        said = self.run_python("import polhode.library as c; c.FUNCTIONS['ph_new'] = (None,); c.library()", 1)
        self.assertRegex(said, r"LibraryError: .* has no function ph_new: it is older than this package")


# Runs a command where the source tree, and the build tree in it, are empty
HIDDEN = ["unshare", "--map-root-user", "--mount", "sh", "-c", 'mount -t tmpfs none "$0" && exec "$@"', str(SOURCE)]


class Wheel(unittest.TestCase):
    """The wheel of tools/wheel in a bare environment: it has numpy and h5py, and no packages of the system"""

    def test_it_simulates_without_source_tree_and_without_libraries_of_the_system(self):
        with tempfile.TemporaryDirectory(prefix="polhode-wheel-") as name:
            folder = pathlib.Path(name)
            words = [SOURCE / "tools/wheel", "--build", BUILD, "--folder", folder]
            if "POLHODE_NATIVE:BOOL=ON" in (BUILD / "CMakeCache.txt").read_text():
                refused = subprocess.run(words, capture_output=True, text=True)
                self.assertEqual((refused.returncode, list(folder.iterdir())), (1, []))
                self.assertIn("processor of this machine only", refused.stderr)
            made = subprocess.run([*words, "--this-machine"], capture_output=True, text=True)
            self.assertEqual(made.returncode, 0, made.stdout + made.stderr)
            self.assertRegex(made.stdout, rf"polhode-{library.VERSION}-py3-none-manylinux_2_\d+_\w+\.whl")
            subprocess.run(["/usr/bin/python3", "-m", "venv", "--without-pip", folder / "venv"], check=True)
            options = ["--quiet", "--no-index", "--no-deps", "--disable-pip-version-check"]
            subprocess.run(["/usr/bin/python3", "-m", "pip", "--python", folder / "venv/bin/python", "install", *options,
                            made.stdout.strip()], check=True)
            [packages] = folder.glob("venv/lib/*/site-packages")
            for needed in ("numpy", "h5py"):
                (packages / needed).symlink_to(f"/usr/lib/python3/dist-packages/{needed}")
            hidden = HIDDEN if subprocess.run([*HIDDEN, "true"], capture_output=True).returncode == 0 else []
            loaded = "print(*{line.split()[-1] for line in open('/proc/self/maps') if '.so' in line}, sep='\\n')"
            done = subprocess.run([*hidden, folder / "venv/bin/python", "-I", "-B", "-c", ADVANCE + loaded],
                                  capture_output=True, text=True, cwd=folder, env={"PATH": "/usr/bin:/bin"})
            self.assertEqual(done.returncode, 0, done.stderr)
            carried = packages.resolve() / "polhode/carried"
            self.assertEqual(done.stdout.splitlines()[1], f"{carried / library.SONAME} 32 2")
            there = {path.name for path in carried.glob("*.so*")}
            self.assertLessEqual(there, {pathlib.Path(line).name for line in done.stdout.splitlines()})
            self.assertGreaterEqual(len(there), 4, there)  # ours, HDF5, YAML and OpenMP at least
            self.assertNotIn("/libyaml-0.so", done.stdout)  # that of the system
            self.assertTrue((packages / "polhode/py.typed").exists())
            self.assertIn("libhdf5-103-1", [path.name for path in (carried / "licences").iterdir()])


class Described(unittest.TestCase):
    """Everything public has a docstring, and every function its types, as py.typed promises"""

    def test_docstrings_and_annotations(self):
        import polhode
        import polhode.ipi
        import polhode.sites

        checked = 0
        for module in (polhode, polhode.results, polhode.ipi, polhode.sites):
            for name, thing in vars(module).items():
                if name.startswith("_") or not getattr(thing, "__module__", "").startswith("polhode"):
                    continue
                if not inspect.isclass(thing) and not inspect.isfunction(thing):
                    continue
                members = vars(thing).items() if inspect.isclass(thing) else ()
                for label, part in [(name, thing), *((f"{name}.{word}", part) for word, part in members if word[0] != "_")]:
                    function = getattr(part, "fget", None) or getattr(part, "func", None) or getattr(part, "__func__", part)
                    if not inspect.isclass(part) and not inspect.isfunction(function):
                        continue
                    self.assertTrue(inspect.getdoc(part), f"{module.__name__}.{label}")
                    if inspect.isfunction(function):
                        words = inspect.signature(function)
                        self.assertIsNot(words.return_annotation, words.empty, label)
                        for word in list(words.parameters.values())[1 if "." in label else 0:]:
                            self.assertIsNot(word.annotation, word.empty, f"{label}: {word}")
                    checked += 1
        self.assertGreater(checked, 80)
        for name in ("positions", "orientations", "momenta", "angular_momenta", "forces", "torques"):
            self.assertIn(name, polhode.Simulation.__annotations__)  # type checkers do not look into a property


class Declarations(unittest.TestCase):
    """polhode.h, as library.py has it once more"""

    header = re.sub(r"/\*.*?\*/", "", (SOURCE / "src/polhode.h").read_text(), flags=re.S)

    def test_all_functions_are_declared(self):
        declared = dict(re.findall(r"^PH_PUBLIC [^;]*?\b(ph_\w+)\(((?:[^;]|\n)*?)\);", self.header, re.M))
        self.assertEqual(sorted(library.FUNCTIONS), sorted(declared))
        for name, (_, *takes) in library.FUNCTIONS.items():
            words = re.sub(r"\(\*\w+\)\([^)]*\)", "", declared[name])  # a function among the arguments
            self.assertEqual(len(takes), 0 if words == "void" else len(words.split(",")), name)

    def test_structs_have_the_same_members(self):
        pairs = {
            "ph_error": library.Error,
            "ph_arrays": library.Arrays,
            "ph_species_facts": library.SpeciesFacts,
            "ph_site_facts": library.SiteFacts,
            "ph_view": library.View,
            "ph_energies": library.EnergyFields,
            "ph_force_call": library.ForceCall,
        }
        for name, struct in pairs.items():
            body = re.search(rf"struct {name} {{(.*?)}};", self.header, re.S)[1]
            members = []
            for line in body.split(";"):
                kinds = [kind for kind in ("double", "size_t", "enum", "char") if kind in line]
                kind = "pointer" if "*" in line else "".join(kinds[:1])
                words = re.sub(r"\b(const|enum|double|size_t|char|ph_status)\b|\*", "", line)
                found = re.findall(r"(\w+)(?:\[(\w+)\])?", words)
                members += [(member, kind, int(n) if n.isdigit() else n and 1024) for member, n in found]
            sizes = {"pointer": 8, "double": 8, "size_t": 8, "enum": 4, "char": 1}
            ours = [(member, ctypes.sizeof(kind)) for member, kind in struct._fields_]
            self.assertEqual(ours, [(member, sizes[kind] * (n or 1)) for member, kind, n in members], name)

    def test_numbers_have_their_names(self):
        arrays = re.findall(r"PH_ARRAY_(\w+)", re.search(r"enum ph_array {(.*?)}", self.header, re.S)[1])
        words = {"position": "positions", "momentum": "momenta", "quaternion": "orientations", "force": "forces"}
        words.update(angular_momentum="angular_momenta", torque="torques", unwrapped="unwrapped")
        self.assertEqual([words[name.lower()] for name in arrays], list(library.ARRAYS))
        statuses = re.search(r"enum ph_status {(.*?)}", self.header, re.S)[1]
        names = re.findall(r"PH_(?:ERR_)?(\w+) = (\d)", statuses)
        wanted = [(name, number) for number, name in enumerate(library.STATUS)]
        self.assertEqual([(name.lower(), int(number)) for name, number in names], wanted)


if __name__ == "__main__":
    unittest.main()
