#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What is installed works on its own, under another prefix than it was configured for.

usage: test_installed.py BUILD_DIR CMAKE
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import h5md_made as made

BUILD, CMAKE = sys.argv.pop(1), sys.argv.pop(1)


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

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def call(self, *words):
        kept = {name: os.environ[name] for name in ("HOME", "LANG", "ASAN_OPTIONS") if name in os.environ}
        done = subprocess.run(
            [str(word) for word in words],
            capture_output=True,
            text=True,
            cwd=self.folder.name,
            env={**kept, "PATH": "/usr/bin:/bin"},
        )
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        return done.stdout

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
