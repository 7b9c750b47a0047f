#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Damaged files and unusual surroundings: no crash, no endless wait, and no number that is not in the file.

usage: test_damage.py POLHODE PYTHON_DIR
"""
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy as np

from small_fluid import FLUID

POLHODE, PYTHON_DIR = os.path.abspath(sys.argv.pop(1)), sys.argv.pop(1)
sys.path.insert(0, PYTHON_DIR)
import polhode

FOLDER = tempfile.TemporaryDirectory(prefix="polhode-damage-")
POSITION = "particles/trajectory/position/value"


def path(name):
    return os.path.join(FOLDER.name, name)


def call(*words, status=0, **more):
    """What a command wrote, (stdout, stderr), after it ended with this status."""
    done = subprocess.run([POLHODE, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)
    if done.returncode != status:
        raise AssertionError(f"{words}: status {done.returncode}, not {status}\n{done.stdout}{done.stderr}")
    return done.stdout, done.stderr


def run(name, *words, **more):
    call("run", path("input.yaml"), "-o", path(name), "--quiet", "--overwrite", "--threads", "1", *words, **more)
    return path(name)


def copy(name, checkpoint=False):
    """A copy of the good run under this name, with its checkpoint if wanted"""
    shutil.copy(GOOD, path(name))
    if checkpoint:
        shutil.copy(GOOD[:-5] + ".checkpoint", path(name)[:-5] + ".checkpoint")
    return path(name)


def patch(name, at, new):
    with open(name, "r+b") as file:
        file.seek(at)
        file.write(new)


with open(path("input.yaml"), "w") as out:
    out.write(FLUID + "dynamics: {scheme: verlet, step: 0.002, steps: 20}\n"
              "output: {frames_every: 5, series_every: 5, checkpoint_every: 10}\n")
GOOD = run("good.h5md")


class Surroundings(unittest.TestCase):
    def test_closed_standard_descriptors_leave_the_trajectory_alone(self):
        for closed in ("2>&-", "<&-", "<&- 2>&-", "<&- >&- 2>&-"):
            name = path("closed.h5md")
            words = f"'{POLHODE}' run '{path('input.yaml')}' -o '{name}' --overwrite --threads 1 --set dynamics.equilibrate.steps=10"
            done = subprocess.run(["sh", "-c", f"{words} {closed}"], stdout=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 4 if ">&- 2" in closed else 0, closed)
            with h5py.File(name) as file:
                self.assertEqual(len(file[POSITION]), 7, closed)


class Indices(unittest.TestCase):
    def move(self, name, data, distance):
        """Moves the address of the last chunk of a data set."""
        with h5py.File(name) as file:
            chunks = file[data].id
            address = chunks.get_chunk_info(chunks.get_num_chunks() - 1).byte_offset
        with open(name, "rb") as file:
            whole = file.read()
        known = address.to_bytes(8, "little")
        self.assertEqual(whole.count(known), 1)
        patch(name, whole.index(known), (address + distance).to_bytes(8, "little"))

    def test_addresses_beyond_the_end_are_damage_not_zeros(self):
        for data, words in ((POSITION, ("export", "FILE", "--format", "extxyz", "-o", "-")),
                            ("series/total_energy/value", ("export", "FILE", "--format", "csv", "-o", "-")),
                            ("series/total_energy/value", ("analyze", "energy", "FILE"))):
            name = copy("far.h5md")
            self.move(name, data, 2**40)
            call(*(name if word == "FILE" else word for word in words), status=4)
            with polhode.open(name) as run, self.assertRaises((OSError, polhode.TrajectoryError)):
                run.file[data][:]


unittest.main()
