#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Random processes are killed at random times: runs resume on another number of processes and end as if nothing had been.
A few here; tools/kill-processes does a hundred.

usage: test_processes_kills.py TOOL PROGRAM MPIEXEC     exit status 77, skipped: MPIEXEC is none, or not installed
"""
import importlib.machinery
import importlib.util
import os
import sys
import tempfile
import unittest

import processes

TOOL, PROGRAM, MPIEXEC = os.path.abspath(sys.argv.pop(1)), os.path.abspath(sys.argv.pop(1)), sys.argv.pop(1)
loader = importlib.machinery.SourceFileLoader("kill_processes", TOOL)
tool = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
loader.exec_module(tool)


class Kills(unittest.TestCase):
    def kill(self, kills, writing):
        said = []
        with tempfile.TemporaryDirectory() as folder:
            killing = tool.Killing(PROGRAM, MPIEXEC, None, writing)  # other times and processes whenever this runs
            self.assertEqual(killing.kill(kills, folder, said.append), 0, said)
        self.assertEqual(sum(killing.by_rank.values()), kills)

    def test_killed_runs_end_as_undisturbed_ones(self):
        self.kill(3, "gathered")

    def test_killed_runs_whose_processes_write_together(self):
        self.kill(3, "collective")


if __name__ == "__main__":
    processes.need(MPIEXEC)
    unittest.main()
