#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs that a limit on time or a batch system stops, and that the same command continues: same content in the end, and no
file is replaced silently.

usage: test_stop.py PROGRAM
"""
import os
import pathlib
import signal
import subprocess
import time
import unittest

from calling import FOLDER, POLHODE, call, path

import h5py
import numpy

INPUT = """units: reduced
system:
  box: {density: 0.8}
  molecules: [{model: own.yaml, count: 32}]
  start: {kind: fcc, temperature: 1.35}
interactions: {cutoff: 1.5, electrostatics: {method: reaction-field}}
dynamics: {scheme: verlet, step: 0.005, steps: 8}
output: {frames_every: 4, series_every: 1}
"""
MODEL = (pathlib.Path(__file__).resolve().parents[3] / "potentials/stockmayer.yaml").read_text()
AT_ONCE = ("--max-hours", "1e-9")  # the time is over after the first step


def write(name, text):
    pathlib.Path(path(name)).write_text(text)
    return path(name)


def content(name):
    """All data sets and attributes of a trajectory"""
    found = {}
    with h5py.File(path(name)) as file:
        file.visititems(lambda key, item: found.update({key: item[()]} if isinstance(item, h5py.Dataset) else {key: dict(item.attrs)}))
    return found


def run(*words, status=0):
    return call("run", path("input.yaml"), "--threads", "1", *words, status=status, cwd=FOLDER.name)


class Stop(unittest.TestCase):
    def setUp(self):
        for name in os.listdir(FOLDER.name):
            os.remove(path(name))
        write("input.yaml", INPUT)
        write("own.yaml", MODEL)

    def assert_same(self, one, other):
        one, other = content(one), content(other)
        self.assertEqual(set(one), set(other))
        for key, value in one.items():
            if not isinstance(value, dict):
                numpy.testing.assert_array_equal(value, other[key], key)

    def test_the_time_is_over_after_a_step_and_resume_continues(self):
        out, _ = run("-o", "a.h5md", *AT_ONCE, status=130)
        self.assertIn("interrupted at step 1 of 8", out)
        self.assertIn("The time of --max-hours is over; to continue:\n  polhode resume a.h5md", out)
        out, _ = call("resume", "a.h5md", "--threads", "1", *AT_ONCE, status=130, cwd=FOLDER.name)
        self.assertIn("interrupted at step 2 of 8", out)
        call("resume", "a.h5md", "--threads", "1", "--max-hours", "100", cwd=FOLDER.name)
        run("-o", "whole.h5md", "--max-hours", "0.5")
        self.assert_same("a.h5md", "whole.h5md")

    def test_one_command_begins_and_continues(self):
        run("-o", "whole.h5md")
        steps = 0
        while run_status("-o", "b.h5md", "--or-resume", *AT_ONCE) == 130:
            steps += 1
            self.assertLess(steps, 8)
        self.assertEqual(steps, 7, "each call does one step, the last one ends the run")
        self.assert_same("b.h5md", "whole.h5md")
        before = pathlib.Path(path("b.h5md")).read_bytes()
        _, err = run("-o", "b.h5md", "--or-resume")
        self.assertIn("All 8 steps are done", err)
        self.assertEqual(pathlib.Path(path("b.h5md")).read_bytes(), before)

    def test_another_input_is_not_continued(self):
        run("-o", "c.h5md", *AT_ONCE, status=130)
        before = [pathlib.Path(path(name)).read_bytes() for name in ("c.h5md", "c.h5md.checkpoint")]
        write("input.yaml", INPUT.replace("steps: 8", "steps: 9"))
        self.assertIn("another text of", run("-o", "c.h5md", "--or-resume", "--overwrite", status=2)[1])
        write("input.yaml", INPUT)
        self.assertIn("another value of --set", run("-o", "c.h5md", "--or-resume", "--set", "dynamics.steps=9", status=2)[1])
        write("own.yaml", MODEL + "# changed\n")
        self.assertIn("own.yaml", run("-o", "c.h5md", "--or-resume", status=2)[1])
        self.assertEqual([pathlib.Path(path(name)).read_bytes() for name in ("c.h5md", "c.h5md.checkpoint")], before)
        write("own.yaml", MODEL)
        run("-o", "c.h5md", "--or-resume")

    def test_a_trajectory_without_a_checkpoint_is_kept(self):
        run("-o", "d.h5md")
        for name in os.listdir(FOLDER.name):
            if "checkpoint" in name:
                os.remove(path(name))
        before = pathlib.Path(path("d.h5md")).read_bytes()
        self.assertIn("--overwrite", run("-o", "d.h5md", "--or-resume", status=4)[1])
        self.assertEqual(pathlib.Path(path("d.h5md")).read_bytes(), before)
        run("-o", "d.h5md", "--or-resume", "--overwrite")
        self.assertTrue(os.path.exists(path("d.h5md.checkpoint")))

    def test_the_name_is_found_as_for_run(self):
        run(*AT_ONCE, status=130)
        self.assertIn("step 2 of 8", run("--or-resume", *AT_ONCE, status=130)[0])

    def test_wrong_hours(self):
        for hours in ("0", "-1", "x", "nan", ""):
            self.assertIn("above 0", run("-o", "e.h5md", "--max-hours", hours, status=2)[1])
        self.assertFalse(os.path.exists(path("e.h5md")))

    def test_signals_of_batch_systems(self):
        write("input.yaml", INPUT.replace("steps: 8", "steps: 100000000"))
        for number in (signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2):
            name = f"signal-{number}.h5md"
            job = subprocess.Popen([POLHODE, "run", "input.yaml", "-o", name, "--threads", "1"], cwd=FOLDER.name,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            while not os.path.exists(path(f"{name}.checkpoint")) and job.poll() is None:
                time.sleep(0.01)  # the first checkpoint comes after signals are caught
            job.send_signal(number)
            out, err = job.communicate(timeout=100)
            self.assertEqual(job.returncode, 130, err)
            self.assertIn("Interrupted; to continue:", out)


def run_status(*words):
    words = [POLHODE, "run", path("input.yaml"), "--threads", "1", "-q", *words]
    return subprocess.run(words, cwd=FOLDER.name, stdout=subprocess.DEVNULL, check=False).returncode


class Log(unittest.TestCase):
    """A copy of what is printed, which is added to and never replaces a file"""

    setUp = Stop.setUp

    def log(self):
        return pathlib.Path(path("run.log")).read_text()

    def test_messages_and_summary_are_in_it(self):
        out, err = run("-o", "g.h5md", "--log", "run.log", *AT_ONCE, status=130)
        log = self.log()
        self.assertRegex(log, r"^==== polhode \S+.*, \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, on .*, process \d+")
        self.assertIn("\n$ polhode run ", log)
        self.assertIn("--max-hours 1e-9", log)
        for text in (out, err):
            self.assertIn(text, log)
        self.assertRegex(log, r"\n==== .* UTC, exit status 130\n$")
        call("resume", "g.h5md", "--log", "run.log", "--json", cwd=FOLDER.name)
        self.assertTrue(self.log().startswith(log))
        self.assertIn('"state": "finished"', self.log()[len(log) :])
        self.assertRegex(self.log(), r"\n==== .* UTC, exit status 0\n$")

    def test_failures_are_in_it_and_on_the_terminal(self):
        _, err = run("-o", "h.h5md", "--log", "run.log", "--set", "dynamics.step=-1", status=2)
        self.assertIn("dynamics.step is", err)
        self.assertIn(err, self.log())
        self.assertIn("exit status 2\n", self.log())

    def test_no_other_file_becomes_a_log(self):
        for name in ("input.yaml", "own.yaml"):
            before = pathlib.Path(path(name)).read_text()
            self.assertIn("is not a log", run("-o", "i.h5md", "--log", name, status=2)[1])
            self.assertEqual(pathlib.Path(path(name)).read_text(), before)
        for name in ("i.h5md", "i.h5md.checkpoint", "i.h5md.checkpoint.1"):
            self.assertIn("name of a trajectory", run("-o", "i.h5md", "--log", name, status=2)[1])
            self.assertFalse(os.path.exists(path(name)))
        os.mkfifo(path("pipe"))
        self.assertIn("--log pipe", run("-o", "i.h5md", "--log", "pipe", status=2)[1])
        self.assertIn("--log no/run.log", run("-o", "i.h5md", "--log", "no/run.log", status=4)[1])
        self.assertFalse(os.path.exists(path("i.h5md")))

    def test_a_full_disk_ends_the_log_and_not_the_run(self):
        write("run.log", "==== polhode before\n")
        os.truncate(path("run.log"), 2 << 20)  # at the limit of this process: nothing can be added
        done = subprocess.run(["bash", "-c", 'ulimit -f 2048; exec "$@"', "bash", POLHODE, "run", "input.yaml", "-o", "k.h5md",
                               "--log", "run.log"], cwd=FOLDER.name, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("the log ends here"), 1, done.stderr)

    def test_a_terminal_shows_its_line_and_the_log_has_no_control_characters(self):
        write("input.yaml", INPUT.replace("steps: 8", "steps: 3000"))
        ours, theirs = os.openpty()
        job = subprocess.Popen([POLHODE, "run", "input.yaml", "-o", "l.h5md", "--log", "run.log", "--threads", "1"], cwd=FOLDER.name,
                               stdout=subprocess.DEVNULL, stderr=theirs)
        os.close(theirs)
        shown = b""
        try:
            while piece := os.read(ours, 1 << 16):
                shown += piece
        except OSError:
            pass  # the other end is closed
        os.close(ours)
        self.assertEqual(job.wait(), 0)
        self.assertIn(b"\r\x1b[K", shown)
        self.assertNotIn("\x1b", self.log())
        self.assertNotIn("\r", self.log())


if __name__ == "__main__":
    unittest.main()
