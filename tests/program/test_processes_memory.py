#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""One of several processes gets no memory, at any place where it asks for some: all end, with one message; or it can do
without, and the result is that of a process that had it.

usage: test_processes_memory.py PROGRAM MPIEXEC FAIL_MEMORY.so     exit status 77, skipped: MPIEXEC is none, or not installed
"""
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest

import processes

PROGRAM, MPIEXEC, SHIM = os.path.abspath(sys.argv.pop(1)), sys.argv.pop(1), os.path.abspath(sys.argv.pop(1))
RANK = 1  # that gets none
INPUT = """units: reduced
system:
  box: {density: 0.8}
  molecules: [{model: stockmayer, count: 1372}]
  start: {kind: fcc, temperature: 1.35, jitter: 0.05}
interactions: {cutoff: 2.5, electrostatics: {method: reaction-field}}
dynamics: {scheme: verlet, step: 0.01, steps: 12}
output: {frames_every: 4, series_every: 4, checkpoint_every: 4, writing: collective}
"""


class Memory(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        with open(self.path("in.yaml"), "w", encoding="utf-8") as file:
            file.write(INPUT)
        with open(self.path("one"), "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nrank=${{OMPI_COMM_WORLD_RANK:-${{PMI_RANK:-$PMIX_RANK}}}}\n'
                       f'[ "$rank" = {RANK} ] && export LD_PRELOAD={SHIM}\nexec {PROGRAM} "$@"\n')
        os.chmod(self.path("one"), 0o755)

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_with(self, **variables):
        return subprocess.run([MPIEXEC, "-n", "3", self.path("one"), "run", self.path("in.yaml"), "--quiet", "--overwrite",
                               "--threads", "1", "-o", self.path("run.h5md")], capture_output=True, text=True, timeout=120,
                              env={**processes.ENVIRONMENT, "MEMORY_RECORD": self.path("record"), **variables})

    def state(self):
        told = subprocess.run([PROGRAM, "info", self.path("run.h5md"), "--json"], capture_output=True, text=True, check=True)
        return json.loads(told.stdout)["state_hash"]

    def calls(self):
        with open(self.path("record"), encoding="utf-8") as file:
            return file.read().splitlines()

    def test_one_without_memory_ends_all_with_one_message(self):
        ran = self.run_with()
        self.assertEqual(ran.returncode, 0, ran.stderr)
        want, n = self.state(), len(self.calls())
        self.assertGreater(n, 50)
        gone = {"MEMORY_IS_GONE": "1"}  # from there on, so that it cannot do without
        for number, more in (n // 2, gone), (random.randrange(2, n), {}), (random.randrange(2, n), {}):
            with self.subTest(number=number, of=n, **more):
                ran = self.run_with(MEMORY_FAILS_AT=str(number), **more)
                failed = self.calls()
                self.assertEqual((len(failed), failed[0].split()[0]), (1, "failed"))
                if ran.returncode == 0 and not more:
                    self.assertEqual(self.state(), want)
                    continue
                self.assertNotEqual(ran.returncode, 0)
                said = [line for line in ran.stderr.splitlines() if line.startswith("polhode")]
                self.assertEqual(len(said), 1, ran.stderr)
                self.assertIn("memory", said[0].lower())


if __name__ == "__main__":
    processes.need(MPIEXEC)
    unittest.main()
