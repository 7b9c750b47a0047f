#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What people who are new here stumble over: each is answered with the word that they meant, and nothing is written.

usage: test_stumbling.py PROGRAM
"""
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))
GOOD = """units: reduced
system:
  box: {density: 0.8}
  molecules:
    - {model: stockmayer, count: 32}
  start: {kind: fcc, temperature: 1.35}
interactions:
  cutoff: 1.5
  electrostatics: {method: reaction-field}
dynamics: {step: 0.01, steps: 3}
"""
# The command; exit status; words that its output, or its messages where it fails, must have
COMMANDS = [
    # misspelt options and commands
    ("run in.yaml --overwite", 2, ["no option '--overwite'", "Did you mean '--overwrite'?", "polhode run --help"]),
    ("run in.yaml -overwrite", 2, ["no option '-overwrite'", "Did you mean '--overwrite'?"]),
    ("run in.yaml --qiet=3", 2, ["no option '--qiet'", "Did you mean '--quiet'?"]),
    ("certify --alll", 2, ["polhode certify", "Did you mean '--all'?"]),
    ("run in.yaml --frobnicate", 2, ["no option '--frobnicate'", "shows all"]),
    ("rum in.yaml", 2, ["no command named 'rum'", "Did you mean 'run'?", "analyze, bench"]),
    ("help rum", 2, ["Did you mean 'run'?"]),
    ("list modles", 2, ["Did you mean 'models'?"]),
    # shortened options and values that look like options are none of that
    ("flow --momentum -1,2,3 --iner 1,2,3 --time 3", 0, ["asymmetric top"]),
    ("check in.yaml --set -h", 2, ["--set -h", "key.path=value"]),
    # asking for help
    ("run -h", 0, ["Usage: polhode run", "--overwrite"]),
    ("run in.yaml -qh", 0, ["Usage: polhode run"]),
    ("run --help", 0, ["Usage: polhode run"]),
    ("help run", 0, ["Usage: polhode run", "--overwrite"]),
    ("help", 0, ["analyze", "version", "Exit status: 0 done", "5 out of memory", "130 interrupted"]),
    ("-h", 0, ["analyze", "5 out of memory"]),
    ("--help", 0, ["analyze"]),
    ("version", 0, ["polhode 0.", "-O"]),
    ("--version", 0, ["polhode 0."]),
    ("-V", 0, ["polhode 0."]),
]


class Stumbling(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.write("in.yaml", GOOD)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def call(self, words, status=0):
        done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, status, done.stderr + done.stdout)
        return done.stderr if status else done.stdout

    def answers(self, words, status, needed):
        with self.subTest(command=words):
            before = sorted(os.listdir(self.folder))
            said = self.call(words, status)
            for word in needed:
                self.assertIn(word, said)
            if status:
                self.assertEqual(sorted(os.listdir(self.folder)), before)
                self.assertEqual(said.count("\n"), 1, said)

    def test_commands(self):
        for command, status, needed in COMMANDS:
            self.answers(command.split(), status, needed)


if __name__ == "__main__":
    unittest.main()
