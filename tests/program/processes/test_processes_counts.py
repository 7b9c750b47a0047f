#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Bytes and messages that travel for an evaluation are those that the copies of molecules ask for, and the copies are
those that the cutoff asks for.

usage: test_processes_counts.py TOOL BUILD MPIEXEC     exit status 77, skipped: MPIEXEC is none, or not installed
"""
import filecmp
import importlib.machinery
import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import processes

TOOL, BUILD, MPIEXEC = os.path.abspath(sys.argv.pop(1)), os.path.abspath(sys.argv.pop(1)), sys.argv.pop(1)
loader = importlib.machinery.SourceFileLoader("count_messages", TOOL)
tool = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
loader.exec_module(tool)


def copies_by_distance(tiles):
    """Pairs of (tile, molecule) with a molecule of the tile and one of another nearer than the radius, by all distances"""
    needed = set()
    for d, home in enumerate(tiles.home):
        others = np.flatnonzero(tiles.tile != d)
        for i in home:
            apart = tiles.position[others] - tiles.position[i]
            apart -= tiles.box * np.round(apart / tiles.box)
            needed.update((d, j) for j in others[(apart ** 2).sum(axis=1) < tiles.radius ** 2])
    return needed


class Counts(unittest.TestCase):
    def counted(self, molecules, processes, *more):
        """The cut, and what each process sends in a step, which must be what its copies ask for"""
        tiles, counted, model = tool.count(tool.parse([BUILD, "--molecules", str(molecules), "--processes", str(processes),
                                                       "--mpirun", MPIEXEC, *more]))
        for p, (found, want) in enumerate(zip(counted, model)):
            with self.subTest(molecules=molecules, process=p):
                self.assertEqual(found["messages"], want["messages"])
                for key in ("ghosts_out", "ghosts_in", "sums_out", "sums_in"):
                    self.assertGreater(want[key], 0)
                    self.assertLess(abs(found[key] - want[key]), 0.05 * want[key], key)
                self.assertLess(found["agreements"], 6)
        return tiles, counted, model

    def test_what_travels_is_what_copies_ask_for(self):
        for molecules, processes in ((2048, 4), (1372, 3)):
            tiles, counted, _ = self.counted(molecules, processes)
            for found in counted:
                self.assertEqual((found["to_all"], found["added_up"], found["rows_out"]), (0, 0, 0))
        self.copies_are_needed(tiles)

    def test_sites_go_where_their_windows_are(self):
        """Those of a process go to the processes whose planes of the mesh they reach, and fields come back: nothing goes to all."""
        _, counted, model = self.counted(2048, 3, "--mesh")
        for found, want in zip(counted, model):
            for key in ("sites_out", "sites_in"):
                self.assertGreater(want[key], 0)
                self.assertLess(abs(found[key] - want[key]), 0.05 * want[key], key)
            self.assertEqual((found["to_all"], found["added_up"]), (0, 0))
            self.assertGreater(found["rows_out"], 0)

    def test_thermostats_add_their_sums_alone(self):
        """To a step without one: nothing for noise, whose heat stays until somebody looks, and four kinetic energies, of ten
        integers each, for each time that momenta are scaled. Where steps may be rejected these are added up before and after each,
        and energies of tiles go to all."""
        for kind, times in ("langevin", 0), ("velocity-rescaling", 1), ("nose-hoover", 2):
            for found in self.counted(1372, 3, "--thermostat", kind)[1]:
                with self.subTest(kind):
                    self.assertEqual((found["to_all"], found["added_up"]), (0, times * 4 * 10 * 8))
        tiles, counted, _ = self.counted(1372, 3, "--thermostat", "metropolis")
        self.assertEqual(sum(found["to_all"] for found in counted), tool.OF_ENERGY * len(tiles.home))
        for found in counted:
            self.assertEqual(found["added_up"], 2 * 4 * 10 * 8)

    def test_cells_change_without_telling_all(self):
        """What goes to all are energies and virials of tiles, for each evaluation, and nothing of molecules."""
        tiles, counted, _ = self.counted(1372, 3, "--barostat")
        self.assertEqual(sum(found["to_all"] for found in counted), tool.OF_ENERGY * len(tiles.home))
        for found in counted:
            self.assertEqual(found["added_up"], 0)

    def test_implicit_steps_reduce_rarely(self):
        """Sums that can be found together are: about half as many calls as sums (15 for an evaluation, one by one, and as many
        broadcasts as processes for the largest change)"""
        for found in tool.count_iterations(tool.parse([BUILD, "--molecules", "500", "--processes", "3", "--mpirun", MPIEXEC,
                                                       "--integrator", "trap"])):
            self.assertEqual((found["broadcasts"], found["to_all"]), (0, 0))
            self.assertGreater(found["bytes"], 80 * found["sums"])
            self.assertLess(found["sums"], 13)  # 9.9, 11.1, 12.3 with 8, 9, 10 evaluations a step: last digits decide

    def test_lists_are_made_without_telling_all(self):
        """Molecules go to new owners and are shown to neighbours; but for counts at each level of the grid, and numbers of tiles,
        nothing goes to all."""
        molecules = 2048
        rows = tool.count_lists(tool.parse([BUILD, "--molecules", str(molecules), "--processes", "4", "--mpirun", MPIEXEC]))
        self.assertEqual(len(rows), 4)
        for row in rows:
            self.assertGreater(row["lists"], 3)
            self.assertEqual(row["of_molecules"], 0)
            # Cells are no smaller than the list's radius: 4 to an edge of 13.7, which are two levels
            self.assertAlmostEqual(row["counts"], 2 * 4 * tool.OCTANTS * 3)
            self.assertGreater(row["shown"], 0)
        self.assertGreater(sum(row["leaves"] for row in rows), 0)

    def test_more_units_than_mpi_counts_travel_as_one(self):
        """With a limit of 64 in place of that of an int, on processes that share no memory; files are those of one process."""
        polhode, counter = os.path.join(BUILD, "polhode"), os.path.join(BUILD, "tests/libcount_messages.so")
        with tempfile.TemporaryDirectory() as folder:
            name = lambda end: os.path.join(folder, end)
            with open(name("in.yaml"), "w", encoding="utf-8") as file:
                file.write(tool.FLUID % 500)
            words = [polhode, "run", name("in.yaml"), "--quiet", "--threads", "1", "--set", "dynamics.steps=5", "-o"]
            subprocess.run([*words, name("one.h5md")], check=True, stdout=subprocess.DEVNULL)
            limits = {"POLHODE_MPI_COUNT": "64", "COUNT_LIMIT": "64", "POLHODE_PER_MACHINE": "1", "COUNT_MESSAGES": name("counts")}
            ran = subprocess.run([MPIEXEC, "-n", "3", "env", f"LD_PRELOAD={processes.preloaded(counter)}", *words, name("three.h5md")],
                                 env={**processes.ENVIRONMENT, **limits}, capture_output=True, text=True)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            self.assertTrue(filecmp.cmp(name("one.h5md"), name("three.h5md"), shallow=False))
            with open(name("counts.0"), encoding="utf-8") as file:
                rows = [line.split(",") for line in file]
            large = [row for row in rows if row[0] == "Isend" and int(row[1]) > 64 * 8 and int(row[2]) == int(row[3])]
            self.assertTrue(large, rows)  # some units went as one

    def copies_are_needed(self, tiles):
        """Every pair of two tiles is in one of them or in the other, and no copy is there for nothing."""
        needed = copies_by_distance(tiles)
        held = {(d, j) for d, copies in enumerate(tiles.copies) for j in copies if tiles.tile[j] != d}
        self.assertLessEqual(held, needed)
        for d, home in enumerate(tiles.home):
            for i in home[::7]:
                apart = tiles.position - tiles.position[i]
                apart -= tiles.box * np.round(apart / tiles.box)
                for j in np.flatnonzero((tiles.tile != d) & ((apart ** 2).sum(axis=1) < tiles.radius ** 2)):
                    self.assertTrue((d, j) in held or (tiles.tile[j], i) in held)


if __name__ == "__main__":
    processes.need(MPIEXEC)
    unittest.main()
