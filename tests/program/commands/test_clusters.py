#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A sweep that several processes share, as jobs of an array: each does its runs alone, and together they give the sweep of
one process.

usage: test_clusters.py PROGRAM
"""
import csv
import os
import pathlib
import shutil
import subprocess
import unittest

from calling import FOLDER, POLHODE, call, path

INPUT = """units: reduced
system:
  box: {density: 0.8}
  molecules: [{model: stockmayer, count: 32}]
  start: {kind: fcc, temperature: 1.35}
interactions: {cutoff: 1.5, electrostatics: {method: reaction-field}}
dynamics: {scheme: verlet, step: 0.005, steps: 6}
output: {frames_every: 3, series_every: 1}
"""
VARY = ("--vary", "system.start.seed=1..5", "--threads", "1")


def words_of(folder, *more):
    return ["sweep", path("input.yaml"), *VARY, "-o", path(folder), *more]


def part(folder, k, n, *more, status=0):
    return call(*words_of(folder, "--part", f"{k}/{n}", "--no-page", *more), status=status)


def done_in(folder):
    return sorted(name for name in os.listdir(path(folder)) if os.path.exists(path(f"{folder}/{name}/run.h5md")))


def states(folder):
    with open(path(f"{folder}/sweep.csv"), newline="", encoding="utf-8") as file:
        return [row["state"] for row in csv.DictReader(file)]


class Parts(unittest.TestCase):
    def setUp(self):
        pathlib.Path(path("input.yaml")).write_text(INPUT)
        for name in ("alone", "parts", "stopped"):
            shutil.rmtree(path(name), ignore_errors=True)

    def test_parts_that_begin_together_give_the_sweep_of_one_process(self):
        call(*words_of("alone", "--no-page"))
        jobs = [subprocess.Popen([POLHODE, *words_of("parts", "--part", f"{k}/3", *(["-q"] if k == 2 else []))], stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True) for k in (1, 2, 3)]
        told = [job.communicate() for job in jobs]
        self.assertEqual([job.returncode for job in jobs], [0, 0, 0], told)
        self.assertIn("part 1 of 3: 2 runs in ", told[0][1])
        self.assertIn("part 3 of 3: 1 run in ", told[2][1])
        for name in ("sweep.csv", "plan.txt", *(f"00{k}/run.h5md" for k in range(1, 6))):
            self.assertEqual(pathlib.Path(path(f"parts/{name}")).read_bytes(), pathlib.Path(path(f"alone/{name}")).read_bytes(), name)
        self.assertTrue(os.path.exists(path("parts/sweep.html")), told)

    def test_a_part_does_its_runs_alone(self):
        out, _ = call(*words_of("parts", "--part", "2/3"))
        self.assertEqual(done_in("parts"), ["002", "005"])
        self.assertIn("3 runs are left to other parts", out)
        self.assertFalse(os.path.exists(path("parts/sweep.html")), "the last part makes the page")
        self.assertEqual(states("parts"), ["waiting", "finished", "waiting", "waiting", "finished"])
        part("parts", 1, 3)
        self.assertEqual(done_in("parts"), ["001", "002", "004", "005"])
        out, _ = part("parts", 3, 3)
        self.assertNotIn("left to other parts", out)
        self.assertEqual(states("parts"), 5 * ["finished"])

    def test_more_parts_than_runs(self):
        out, _ = part("parts", 8, 9)
        self.assertEqual(done_in("parts"), [])
        self.assertIn("5 runs are left", out)

    def test_a_part_whose_time_is_over_continues_and_leaves_others_alone(self):
        part("stopped", 1, 4)
        others = {name: os.stat(path(f"stopped/{name}/run.h5md")).st_mtime_ns for name in done_in("stopped")}
        out, _ = part("stopped", 3, 4, "--max-hours", "1e-9", status=130)
        self.assertIn("The time of --max-hours is over; to continue, give the same command again.", out)
        self.assertNotIn("finished", states("stopped")[2])
        part("stopped", 3, 4)
        self.assertEqual(states("stopped")[2], "finished")
        self.assertEqual({name: os.stat(path(f"stopped/{name}/run.h5md")).st_mtime_ns for name in others}, others)

    def test_another_plan_is_refused(self):
        part("parts", 1, 2)
        pathlib.Path(path("input.yaml")).write_text(INPUT.replace("steps: 6", "steps: 7"))
        self.assertIn("holds another sweep", part("parts", 2, 2, status=2)[1])

    def test_wrong_parts(self):
        for text in ("0/3", "4/3", "2", "2/", "/2", "a/b", "1/0", "-1/3", "1/3x", "1.5/3"):
            _, err = call(*words_of("parts", "--part", text), status=2)
            self.assertIn("K/N is accepted", err)
        self.assertFalse(os.path.exists(path("parts")))

    def test_the_log_of_a_sweep(self):
        part("parts", 1, 5, "--log", path("sweep.log"))
        log = pathlib.Path(path("sweep.log")).read_text()
        self.assertIn("part 1 of 5: 1 run in ", log)
        self.assertTrue(log.endswith("UTC, exit status 0\n"))


if __name__ == "__main__":
    unittest.main()
