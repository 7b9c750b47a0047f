#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What surrounds the source: one version everywhere, a citation that parses, recipes of packages that fit the build, links
that lead somewhere, and the licences of what is linked.

usage: test_project.py PROGRAM SHARED_LIBRARY
"""
import ast
import datetime
import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import types
import unittest

import yaml

PROGRAM, LIBRARY = pathlib.Path(sys.argv.pop(1)), pathlib.Path(sys.argv.pop(1))
ROOT = pathlib.Path(__file__).resolve().parents[3]
CMAKE = (ROOT / "CMakeLists.txt").read_text()
VERSION = re.search(r"^project\(polhode VERSION ([\d.]+)", CMAKE, re.M)[1]
# What CMakeLists.txt looks for: packages of Debian for building, names of Spack and of conda-forge
NEEDED = {
    "HDF5": ("libhdf5-dev", "hdf5", "hdf5"),
    "RANDOM123": ("librandom123-dev", "random123", "random123"),
    "YAML": ("libyaml-dev", "libyaml", "yaml"),
    "ZLIB": ("zlib1g-dev", "zlib-api", "zlib"),
}
OPTIONS = set(re.findall(r"^option\((\w+)", CMAKE, re.M)) | set(re.findall(r"^set\((\w+) .*\bCACHE\b", CMAKE, re.M))


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


def said(*words, status=0, **more):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **more)
    if done.returncode != status:
        raise AssertionError(f"{words}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def tracked():
    """Files of the source, without builds"""
    if (ROOT / ".git").exists():
        names = said("git", "ls-files", "--cached", "--others", "--exclude-standard", cwd=ROOT).splitlines()
        return [name for name in names if (ROOT / name).is_file()]
    return [str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if path.is_file() and "build" not in path.relative_to(ROOT).parts]


def packages_of_setup():
    return set(re.findall(r"[a-z][\w.+-]+", " ".join(re.findall(r"packages\+?=\((.*?)\)", text_of("tools/setup"), re.S))))


class Versions(unittest.TestCase):
    def test_one_version_everywhere(self):
        self.assertIn(VERSION, said(ROOT / "tools/set-version", "--check"))
        self.assertTrue(said(PROGRAM, "version").startswith(f"polhode {VERSION}"))
        self.assertEqual(LIBRARY.resolve().name, f"libpolhode.so.{VERSION}")

    def copy(self, folder):
        tool = (ROOT / "tools/set-version").read_text()
        names = re.findall(r'^    \("([\w/.]+)", r', tool, re.M)
        self.assertGreater(len(names), 5)
        for name in ["CHANGELOG.md", "tools/set-version", *names]:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
        return folder / "tools/set-version", names

    def test_a_new_version_reaches_every_file(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            tool, names = self.copy(folder)
            said(tool, "9.87.6", "2031-02-03")
            self.assertEqual(said(tool, "--check"), "9.87.6 of 2031-02-03\n")
            for name in names:
                self.assertIn("9.87.6", (folder / name).read_text())
                self.assertNotIn(VERSION, (folder / name).read_text(), name)
            self.assertRegex((folder / "CHANGELOG.md").read_text(), rf"(?s)## 9.87.6, 2031-02-03\n\n## {VERSION}, ")
            self.assertIn("is not a date", said(tool, "9.87.6", "soon", status=1))

    def test_a_file_that_was_forgotten_is_named(self):
        for name in ("CITATION.cff", "packaging/spack/package.py", "CHANGELOG.md"):
            with tempfile.TemporaryDirectory() as folder:
                tool, _ = self.copy(pathlib.Path(folder))
                file = pathlib.Path(folder) / name
                file.write_text(file.read_text().replace(VERSION, "0.0.1"))
                self.assertIn(name, said(tool, "--check", status=1))

    def test_the_version_is_not_written_where_the_tool_does_not_change_it(self):
        places = {"CHANGELOG.md", *re.findall(r'^    \("([\w/.]+)", r', text_of("tools/set-version"), re.M)}
        for name in tracked():
            if name.startswith(("packaging/", ".github/", "tools/")) or "/" not in name:
                if name not in places:
                    self.assertNotIn(VERSION, text_of(name), name)


class Citation(unittest.TestCase):
    def setUp(self):
        self.file = yaml.safe_load(text_of("CITATION.cff"))

    def test_the_file_has_what_the_format_asks(self):
        self.assertEqual(self.file["cff-version"], "1.2.0")
        self.assertEqual(self.file["type"], "software")
        self.assertEqual(self.file["version"], VERSION)
        self.assertEqual(self.file["license"], "MIT")
        self.assertIsInstance(self.file["date-released"], datetime.date)
        self.assertTrue(self.file["message"] and self.file["title"] and self.file["authors"])
        known = {"cff-version", "message", "title", "type", "authors", "version", "date-released", "license", "abstract", "keywords"}
        self.assertLessEqual(set(self.file), known)
        for author in self.file["authors"]:
            self.assertTrue(set(author) == {"name"} or {"family-names", "given-names"} <= set(author), author)

    def test_the_program_says_the_same(self):
        out = said(PROGRAM, "version", "--cite")
        [entry] = re.findall(r"^@software\{polhode,\n(.*?)^\}$", out, re.S | re.M)
        fields = dict(re.findall(r"^  (\w+) *= \{(.*)\},?$", entry, re.M))
        self.assertEqual(entry.count("{"), entry.count("}"))
        self.assertEqual(fields["title"], self.file["title"])
        self.assertEqual(fields["author"], "{" + self.file["authors"][0]["name"] + "}")
        self.assertEqual(fields["version"], VERSION)
        self.assertEqual(fields["date"], str(self.file["date-released"]))
        self.assertEqual(fields["year"], str(self.file["date-released"].year))
        self.assertEqual(out.count("@"), 1, "BibTeX takes what follows @ for an entry")
        found = re.search(r"\((.*)\)", said(PROGRAM, "version").splitlines()[0])
        sentence = f"Polhode {VERSION} (revision {found[1]}) \\cite{{polhode}}." if found else f"Polhode {VERSION} \\cite{{polhode}}."
        self.assertIn(sentence, out)
        self.assertEqual(fields.get("note"), f"Revision {found[1]}" if found else None)


class Recipes(unittest.TestCase):
    def assert_options(self, text, name):
        for option in re.findall(r"(?:-D|\")(POLHODE_\w+)", text):
            self.assertIn(option, OPTIONS, name)

    def test_the_table_of_this_test_has_all_libraries(self):
        found = set(re.findall(r"^find_(?:library|path)\((\w+)_(?:LIBRARY|INCLUDE)\b", CMAKE, re.M))
        self.assertEqual(found, set(NEEDED))

    def test_conda(self):
        recipe = yaml.safe_load(text_of("packaging/conda/recipe.yaml"))
        self.assertEqual(recipe["schema_version"], 1)
        self.assertEqual(recipe["context"]["version"], VERSION)
        self.assertEqual(recipe["package"], {"name": "polhode", "version": "${{ version }}"})
        self.assertTrue((ROOT / "packaging/conda" / recipe["source"]["path"] / "CMakeLists.txt").is_file())
        self.assertEqual(set(recipe["requirements"]["host"]), {conda for _, _, conda in NEEDED.values()})
        self.assertIn("cmake >=" + re.search(r"cmake_minimum_required\(VERSION ([\d.]+)", CMAKE)[1], recipe["requirements"]["build"])
        script = " ".join(recipe["build"]["script"])
        self.assert_options(script, "recipe.yaml")
        for words in recipe["build"]["script"] + recipe["tests"][0]["script"]:
            self.assertNotIn(": ", words)
            said("bash", "-n", "-c", words)
        for name in recipe["about"]["license_file"]:
            self.assertTrue((ROOT / name).is_file(), name)
        self.assertEqual(recipe["about"]["license"], "MIT")
        for command in re.findall(r"polhode (\w+)", " ".join(recipe["tests"][0]["script"])):
            said(PROGRAM, "help", command)

    def test_spack(self):
        """The recipe runs with directives that only remember their words."""
        told = []
        module = types.ModuleType("spack.package")
        for name in ("version", "variant", "depends_on", "license", "generator"):
            setattr(module, name, lambda *words, _name=name, **more: told.append((_name, words[0], more)))

        class CMakePackage:
            def define_from_variant(self, option, variant):
                assert any(kind == "variant" and word == variant for kind, word, _ in told), variant
                return f"-D{option}=ON"

        module.CMakePackage = CMakePackage
        sys.modules.update({"spack": types.ModuleType("spack"), "spack.package": module})
        space = {}
        exec(compile(ast.parse(text_of("packaging/spack/package.py")), "package.py", "exec"), space)  # pylint: disable=exec-used
        words = space["Polhode"]().cmake_args()
        self.assertGreater(len(words), 2)
        self.assert_options(" ".join(words), "package.py")
        self.assertEqual([word for kind, word, _ in told if kind == "version"], [VERSION])
        needed = {word for kind, word, more in told if kind == "depends_on" and "type" not in more and "when" not in more}
        self.assertEqual(needed, {spack for _, spack, _ in NEEDED.values()})
        for _, _, more in told:
            if "when" in more:
                self.assertIn(("variant", more["when"][1:]), [(kind, word) for kind, word, _ in told])

    def test_container(self):
        text = re.sub(r"\\\n", " ", text_of("packaging/container/Containerfile"))
        lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
        kinds = [line.split()[0] for line in lines]
        self.assertLessEqual(set(kinds), {"FROM", "RUN", "COPY", "LABEL", "ENV", "WORKDIR", "ENTRYPOINT", "CMD"})
        self.assertEqual((kinds[0], kinds.count("FROM"), kinds.count("CMD")), ("FROM", 2, 1))
        self.assertIn(f'LABEL org.opencontainers.image.version="{VERSION}"', lines)
        for line in lines:
            if line.startswith("RUN "):
                said("bash", "-n", "-c", line[4:])
            if line.startswith(("ENTRYPOINT ", "CMD ")):
                json.loads(line.split(" ", 1)[1])
        self.assert_options(text, "Containerfile")
        presets = {preset["name"] for preset in json.loads(text_of("CMakePresets.json"))["configurePresets"]}
        self.assertLessEqual(set(re.findall(r"--preset (\S+)", text)), presets)
        targets = set(re.findall(r"^add_(?:library|executable)\((\w+)", CMAKE, re.M))
        self.assertLessEqual(set(re.search(r"--target ([\w ]+)", text)[1].split()), targets)
        installed = set(re.findall(r"apt-get install -y --no-install-recommends ([^&]*)", text)[1].split())
        self.assertLessEqual({name for name in installed if name.startswith("python3")}, packages_of_setup())
        for library, package in linked().items():  # as it is built here, on the same Debian
            if package not in ("libc6", "libgcc-s1", "libstdc++6"):
                self.assertIn(package, installed, library)

    def test_debian(self):
        control = text_of("packaging/debian/control")
        needed = re.search(r"Build-Depends: (.*?)\n\S", control, re.S)[1]
        needed = {re.sub(r"\s*\(.*", "", word.strip()) for word in needed.split(",")}
        self.assertLessEqual(needed - {"debhelper-compat"}, packages_of_setup())
        self.assertLessEqual({debian for debian, _, _ in NEEDED.values()}, needed)
        self.assert_options(text_of("packaging/debian/rules"), "rules")
        self.assertIn("MIT", text_of("packaging/debian/copyright"))
        self.assertIn(re.search(r"Permission is hereby granted.*", text_of("LICENSE"))[0], text_of("packaging/debian/copyright"))

    def test_debian_makes_a_source_package(self):
        tool = ROOT / "packaging/debian/make-source"
        nobody = {key: value for key, value in os.environ.items() if not key.startswith("DEB")}
        with tempfile.TemporaryDirectory(prefix="source-package-") as folder:
            self.assertIn("DEBFULLNAME", said(tool, folder, status=1, env=nobody))
            self.assertEqual(os.listdir(folder), [])
            said(tool, folder, env={**nobody, "DEBFULLNAME": "A. Packager", "DEBEMAIL": "a@example.org"})
            self.assertIn("has a package", said(tool, folder, status=1, env={**nobody, "DEBFULLNAME": "A", "DEBEMAIL": "a@b.org"}))
            stem = f"{folder}/polhode_{VERSION}"
            self.assertIn("\nMaintainer: A. Packager <a@example.org>\n", pathlib.Path(f"{stem}-1.dsc").read_text())
            said("dpkg-source", "-x", f"{stem}-1.dsc", f"{folder}/tree", cwd=folder)
            tree = pathlib.Path(folder) / "tree"
            self.assertTrue(os.access(tree / "debian/rules", os.X_OK) and os.access(tree / "tests/limited", os.X_OK))
            self.assertIn("dh build --buildsystem=cmake+ninja", said("make", "-n", "-f", "debian/rules", "build", cwd=tree))
            packages = re.findall(r"^Package: (\S+)$", (tree / "debian/control").read_text(), re.M)
            self.assertEqual(packages, ["polhode", f"libpolhode{VERSION.rpartition('.')[0]}", "libpolhode-dev"])
            self.assertTrue(all((tree / f"debian/{name}.install").is_file() for name in packages))
            self.assertNotIn("@SONAME@", (tree / "debian/control").read_text())
            log = said("dpkg-parsechangelog", cwd=tree)
            self.assertIn(f"\nVersion: {VERSION}-1\n", log)
            self.assertIn("\nMaintainer: A. Packager <a@example.org>\n", log)
            self.assertNotIn("warning", log)
            there = {str(path.relative_to(tree)) for path in tree.rglob("*") if path.is_file() and path.relative_to(tree).parts[0] not in ("debian", ".pc")}
            self.assertEqual(there, set(tracked()))
            for script in ("make-source", "tests/quickstart", "polhode.prerm"):
                said("bash", "-n", ROOT / "packaging/debian" / script)


@functools.lru_cache(maxsize=None)
def linked():
    """Libraries that the program and the shared library need, with the packages of Debian that have them"""
    places = {}
    for file in (PROGRAM, LIBRARY):
        needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", said("readelf", "-d", file)))
        for name, path in re.findall(r"^\s*(\S+) => (/\S+)", said("ldd", file), re.M):
            if name in needed:
                places["/".join(path.split("/")[-2:])] = name  # Debian has /lib also as /usr/lib
    out = said("dpkg", "-S", *(f"*/{place}" for place in places))
    return {places["/".join(path.split("/")[-2:])]: package for package, path in re.findall(r"^([\w.+-]+):.* (/\S+)$", out, re.M)}


class Licences(unittest.TestCase):
    WORDS = {"libhdf5": "HDF5", "libyaml-0": "libyaml", "libz": "zlib", "libgomp": "libgomp", "libmpi": "Open MPI"}

    def test_every_linked_library_is_listed(self):
        text = text_of("THIRD-PARTY.md")
        libraries = {name.split(".so")[0].split("_serial")[0] for name in linked()}
        for name in libraries - {"libc", "libm", "libgcc_s", "libstdc++", "ld-linux-x86-64", "ld-linux-aarch64"}:
            self.assertIn(f"| {self.WORDS[name]}", text, name)
        self.assertIn("Random123", text)

    def test_no_linked_library_demands_the_gpl(self):
        """FFTW and GSL do. libgomp has an exception for programs that GCC compiled."""
        self.assertFalse([name for name in linked() if re.match("lib(fftw|gsl|readline)", name)])
        for file in ("packaging/conda/recipe.yaml", "packaging/spack/package.py", "packaging/container/Containerfile"):
            self.assertNotIn("GPL", text_of(file))
        self.assertTrue(text_of("LICENSE").startswith("MIT License\n"))
        self.assertIn("`LICENSE`", text_of("README.md"))
        self.assertIn('license = {text = "MIT"}', text_of("tools/python/pyproject.toml"))


class Pages(unittest.TestCase):
    def test_links_lead_somewhere(self):
        pages = [name for name in tracked() if name.endswith(".md") and ("/" not in name or name.startswith((".github/", "packaging/")))]
        self.assertGreater(len(pages), 5)
        for name in pages:
            for link in re.findall(r"\]\(([^()#\s]+)", text_of(name)):
                if not link.startswith("https://"):
                    self.assertTrue((ROOT / name).parent.joinpath(link).exists(), f"{name}: {link}")
            for tool in re.findall(r"`((?:tools|packaging|docs|inputs)/[\w/.-]+)", text_of(name)):
                self.assertTrue((ROOT / tool).exists(), f"{name}: {tool}")

    def test_the_changelog_begins_with_this_version(self):
        headings = re.findall(r"^## (\d+)\.(\d+)\.(\d+), (\d{4}-\d\d-\d\d)$", text_of("CHANGELOG.md"), re.M)
        self.assertEqual(".".join(headings[0][:3]), VERSION)
        numbers = [tuple(int(part) for part in heading[:3]) for heading in headings]
        self.assertEqual(numbers, sorted(set(numbers), reverse=True))

    def test_the_reference_of_the_library_has_every_function(self):
        said(ROOT / "tools/describe-library", "--check")
        shown = set(re.findall(r"^### (ph_\w+)$", text_of("docs/api.md"), re.M))
        exported = set(re.findall(r" T (ph_\w+)$", said("nm", "-D", "--defined-only", LIBRARY), re.M))
        self.assertGreater(len(exported), 20)
        self.assertEqual(exported - shown, set())

    def test_no_address_that_does_not_exist(self):
        for name in tracked():
            if not name.endswith((".png", ".gz")) and not name.startswith("tests/"):
                try:
                    self.assertNotIn("@localhost", text_of(name), name)
                except UnicodeDecodeError:
                    pass


class Hosted(unittest.TestCase):
    def test_the_workflow_runs_the_tests_on_debian_12(self):
        workflow = yaml.safe_load(text_of(".github/workflows/test.yml"))
        [job] = workflow["jobs"].values()
        self.assertEqual(job["container"], "debian:12")
        self.assertIn("tools/test", [step.get("run") for step in job["steps"]])
        self.assertEqual(workflow["permissions"], {"contents": "read"})
        self.assertIn("pull_request", workflow[True])  # YAML 1.1 reads `on` as a truth value

    def test_forms_of_issues(self):
        for path in (ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml"):
            form = yaml.safe_load(path.read_text())
            if path.name == "config.yml":
                self.assertIs(form["blank_issues_enabled"], True)
                continue
            self.assertLessEqual({"name", "description", "body"}, set(form), path)
            ids = [part["id"] for part in form["body"]]
            self.assertEqual(len(ids), len(set(ids)))
            for part in form["body"]:
                self.assertEqual(part["type"], "textarea")
                self.assertIn("label", part["attributes"])


class Defaults(unittest.TestCase):
    """A packager gets neither tests nor errors of warnings; a developer gets both by every preset."""

    def test_options(self):
        for option in ("POLHODE_TESTS", "POLHODE_WERROR"):
            self.assertRegex(CMAKE, rf'(?m)^option\({option} ".*" OFF\)$')
        presets = {preset["name"]: preset for preset in json.loads(text_of("CMakePresets.json"))["configurePresets"]}
        for preset in presets.values():
            values, at = {}, preset
            while at:
                values = {**at.get("cacheVariables", {}), **values}
                at = presets.get(at.get("inherits"))
            self.assertEqual((values["POLHODE_TESTS"], values["POLHODE_WERROR"]), ("ON", "ON"), preset["name"])


if __name__ == "__main__":
    unittest.main()
