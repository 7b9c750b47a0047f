#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The Debian package that CPack makes of a build: what it says of itself, and what is in it. tools/test-package installs it.

usage: test_package.py BUILD_DIR CPACK
"""
import gzip
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BUILD, CPACK = pathlib.Path(sys.argv.pop(1)), sys.argv.pop(1)
SOURCE = pathlib.Path(__file__).resolve().parents[3]


def said(*words):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="package-")
        said(CPACK, "-G", "DEB", "--config", BUILD / "CPackConfig.cmake", "-B", cls.folder.name, "-D",
             "CPACK_DEBIAN_COMPRESSION_TYPE=gzip")
        [cls.package] = pathlib.Path(cls.folder.name).glob("*.deb")
        cls.fields = dict(line.split(": ", 1) for line in said("dpkg-deb", "-f", cls.package).splitlines() if ": " in line and line[0] != " ")
        # name: (mode, owner, where it points to)
        cls.files = {}
        for line in said("dpkg-deb", "-c", cls.package).splitlines():
            mode, owner, _, _, _, name = line.split(None, 5)
            name, _, target = name.partition(" -> ")
            cls.files[name.removeprefix(".")] = (mode, owner, target)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_it_says_what_it_is_and_what_it_needs(self):
        version = re.search(r"project\(polhode VERSION (\S+)", (SOURCE / "CMakeLists.txt").read_text())[1]
        self.assertEqual(self.fields["Package"], "polhode")
        self.assertEqual(self.fields["Version"], f"{version}-1")
        self.assertEqual(self.fields["Architecture"], said("dpkg", "--print-architecture").strip())
        self.assertEqual(self.package.name, "polhode_{Version}_{Architecture}.deb".format(**self.fields))
        self.assertEqual(self.fields["Maintainer"], "The Polhode authors")  # no address that does not exist
        with tempfile.TemporaryDirectory() as folder:
            said("dpkg-deb", "-x", self.package, folder)
            log = pathlib.Path(folder) / "usr/share/doc/polhode/changelog.Debian.gz"
            with gzip.open(log, "rt") as file:
                text = file.read()
        told = subprocess.run(["dpkg-parsechangelog", "-l", "-"], input=text, check=True, capture_output=True, text=True)
        self.assertEqual(told.stderr, "")
        self.assertIn(f"Version: {version}-1\n", told.stdout)
        for library in ("libc6", "libhdf5", "libyaml", "zlib1g"):  # as dpkg-shlibdeps found them
            self.assertRegex(self.fields["Depends"], rf"\b{library}")
        for package in ("python3-numpy", "python3-h5py", "python3-plotly", "python3-matplotlib"):
            self.assertIn(package, self.fields["Recommends"])

    def test_everything_is_in_its_place(self):
        for name in ("bin/polhode", "include/polhode.h", "lib/libpolhode.a", "lib/libpolhode.so",
                     "share/polhode/potentials/spc-e.yaml", "share/polhode/inputs/quickstart.yaml",
                     "share/polhode/tools/report", "share/polhode/python/polhode/__init__.py",
                     "share/man/man1/polhode.1.gz", "share/man/man1/polhode-run.1.gz",
                     "share/bash-completion/completions/polhode", "share/doc/polhode/copyright",
                     "share/doc/polhode/changelog.Debian.gz"):
            self.assertIn("/usr/" + name, self.files)
        self.assertEqual({name.split("/")[1] for name in self.files if name != "/"}, {"usr"})
        for folder in ("potentials", "inputs"):
            there = {name.rsplit("/", 1)[1] for name in self.files if name.startswith(f"/usr/share/polhode/{folder}/")}
            self.assertEqual(there - {""}, {path.name for path in (SOURCE / folder).iterdir()})
        self.assertEqual(self.files["/usr/lib/python3/dist-packages/polhode"][2], "../../../share/polhode/python/polhode")
        self.assertNotIn("__pycache__", " ".join(self.files))

    def test_files_belong_to_root_and_no_one_else_may_change_them(self):
        for name, (mode, owner, _) in self.files.items():
            self.assertEqual(owner, "root/root", name)
            runs = name.endswith("/") or name.startswith(("/usr/bin/", "/usr/share/polhode/tools/"))
            self.assertEqual(mode[1:], "rwxrwxrwx" if mode[0] == "l" else "rwxr-xr-x" if runs else "rw-r--r--", name)


if __name__ == "__main__":
    unittest.main()
