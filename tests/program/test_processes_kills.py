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
    def test_killed_runs_end_as_undisturbed_ones(self):
        said = []
        with tempfile.TemporaryDirectory() as folder:
            killing = tool.Killing(PROGRAM, MPIEXEC, None)  # other times and processes whenever this runs
            self.assertEqual(killing.kill(3, folder, said.append), 0, said)
        self.assertEqual(sum(killing.by_rank.values()), 3)


if __name__ == "__main__":
    processes.need(MPIEXEC)
    unittest.main()
