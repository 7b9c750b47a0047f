#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Threads that wait for each other spin briefly and then sleep, unless the environment says otherwise: what the OpenMP
library says that it was told (OMP_DISPLAY_ENV), and that a program which began anew is otherwise the same, also where its
threads sit.

usage: test_waiting.py PROGRAM
"""
import glob
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest

from small_fluid import FLUID

PROGRAM = os.path.abspath(sys.argv.pop(1))
CHOICES = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME", "KMP_LIBRARY")
INPUT = FLUID + "dynamics: {step: 0.001, steps: 1}\n"
LONG = FLUID.replace("count: 32", "count: 256") + "dynamics: {step: 0.001, steps: 100000000}\n"
PROCESSORS = os.sched_getaffinity(0)


def run(*words, text="", **variables):
    environment = {name: value for name, value in os.environ.items() if name not in CHOICES}
    return subprocess.run([PROGRAM, *words], input=text, env={**environment, **variables}, capture_output=True, text=True)


def told(*words, **variables):
    """(variable, value) of each time that the program began; gcc's library counts, clang's has milliseconds"""
    shown = run(*words, text=INPUT, OMP_DISPLAY_ENV="verbose", OMP_NUM_THREADS="2", **variables).stderr
    return re.findall(r"\b(GOMP_SPINCOUNT|KMP_BLOCKTIME) *= *'(\d+)", shown)


class Waiting(unittest.TestCase):
    def test_by_default_threads_spin_briefly(self):
        name, value = told("energy", "-")[-1]
        if name == "GOMP_SPINCOUNT":  # its own default is 300000; nought would not spin at all
            self.assertGreaterEqual(int(value), 100)
            self.assertLessEqual(int(value), 20000)
        else:  # its own default is 200
            self.assertEqual(int(value), 0)

    def test_whoever_has_chosen_is_left_alone(self):
        for chosen in ({"OMP_WAIT_POLICY": "active"}, {"GOMP_SPINCOUNT": "12345"}, {"KMP_BLOCKTIME": "7"}):
            with self.subTest(chosen):
                began = told("energy", "-", **chosen)
                self.assertEqual(len(began), 1)
                ((name, value),) = began
                if name in chosen:
                    self.assertEqual(value, chosen[name])
                else:  # as the library has it
                    self.assertGreater(int(value), 20000 if name == "GOMP_SPINCOUNT" else 100)

    def test_what_needs_no_threads_begins_once(self):
        self.assertLessEqual(len(told("list", "flows")), 1)

    def test_valgrind_keeps_the_program(self):
        self.assertEqual(len(told("energy", "-", LD_PRELOAD="/none/vgpreload_core.so")), 1)

    def test_a_program_that_began_anew_is_the_same(self):
        words = ("energy", "-", "--json", "--set", "interactions.cutoff=1.4")
        anew, plain = run(*words, text=INPUT), run(*words, text=INPUT, OMP_WAIT_POLICY="passive")
        self.assertEqual(plain.returncode, 0, plain.stderr)
        self.assertIn('"potential', plain.stdout)
        self.assertEqual((anew.returncode, anew.stdout, anew.stderr), (plain.returncode, plain.stdout, plain.stderr))
        wrong = run("energy", "-", text=INPUT.replace("density", "densite"))
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("densite", wrong.stderr)


def masks(process):
    """Sorted masks of the threads of a process, as the kernel writes them: "0-3", "5"; of those that have not ended"""
    found = []
    for name in glob.glob(f"/proc/{process.pid}/task/*/status"):
        try:
            with open(name) as status:
                found += re.findall(r"Cpus_allowed_list:\s*(\S+)", status.read())
        except OSError:
            pass
    return sorted(found)


def places(threads, **variables):
    """Masks of the threads of a run, as soon as all threads are there and the masks stay as they are"""
    environment = {name: value for name, value in os.environ.items()
                   if name not in CHOICES and not name.startswith(("OMP_", "GOMP_", "KMP_"))}
    with tempfile.TemporaryDirectory() as folder:
        words = [PROGRAM, "run", "-", "-o", os.path.join(folder, "run.h5md"), "--threads", str(threads), "--quiet"]
        with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env={**environment, **variables}) as process:
            try:
                process.stdin.write(LONG)
                process.stdin.close()
                seen, end = [], time.monotonic() + 60.0
                while len(seen) < 4 or len(seen[-1]) < threads or seen[-1] != seen[-2] or seen[-2] != seen[-3]:
                    if process.poll() is not None or time.monotonic() > end:
                        raise AssertionError(f"threads: {seen[-1:]}\n{process.stderr.read() if process.poll() else ''}")
                    time.sleep(0.02)
                    seen.append(masks(process))
                return seen[-1]
            finally:
                process.kill()


class Places(unittest.TestCase):
    """A thread that starts a program hands its processors on. The OpenMP library binds the first thread while it is
    loaded, so a program that begins anew, or starts another one, must return to the processors it was started on."""

    # With this choice the program begins once, and the library alone decides where threads sit.
    ONCE = {"GOMP_SPINCOUNT": "1000", "KMP_BLOCKTIME": "0"}

    def setUp(self):
        if len(PROCESSORS) < 2:
            self.skipTest("one processor: all threads sit there")

    def test_threads_sit_where_the_library_puts_them(self):
        threads = min(len(PROCESSORS), 4)
        free = places(threads, OMP_PROC_BIND="false", OMP_PLACES="cores", **self.ONCE)
        told_apart = 0
        for bind in ("close", "spread", "true", "master", "false"):
            chosen = {"OMP_PROC_BIND": bind, "OMP_PLACES": "cores"}
            alone = free if bind == "false" else places(threads, **chosen, **self.ONCE)
            with self.subTest(bind):
                self.assertEqual(places(threads, **chosen), alone)
            told_apart += len(set(alone)) > 1
        if told_apart == 0:
            self.skipTest("the library binds no two threads to different places here")

    def test_other_programs_are_started_on_all_processors(self):
        with tempfile.TemporaryDirectory() as folder:
            name, script = os.path.join(folder, "run.h5md"), os.path.join(folder, "script.py")
            with open(script, "w") as file:
                file.write("import os; print(sorted(os.sched_getaffinity(0)))")
            bound = {"OMP_PROC_BIND": "close", "OMP_PLACES": "threads", "POLHODE_PYTHON": sys.executable}
            self.assertEqual(run("run", "-", "-o", name, text=INPUT).returncode, 0)
            told_by = {
                "report": run("report", name, **bound, POLHODE_REPORT=script),
                "sweep": run("sweep", "-", "-o", os.path.join(folder, "sweep"), "--vary", "dynamics.steps=1", "--quiet",
                             text=INPUT, **bound, POLHODE_REPORT=script)}
            for command, done in told_by.items():
                with self.subTest(command):
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertIn(str(sorted(PROCESSORS)), done.stdout)


if __name__ == "__main__":
    unittest.main()
