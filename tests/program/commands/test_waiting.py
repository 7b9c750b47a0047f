#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Threads that wait for each other make way for other work, unless the environment says otherwise: what the OpenMP library
says that it was told (OMP_DISPLAY_ENV), and which threads a run has. A program that begins anew is otherwise the same, also
where its threads sit.

usage: test_waiting.py PROGRAM
"""
import contextlib
import glob
import os
import re
import resource
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
WATCH = "watch"  # the name of the thread that watches the processors, and of those that it begins


def small_stack():
    """With small stacks the program begins anew, whatever the OpenMP library is."""
    resource.setrlimit(resource.RLIMIT_STACK, (100 << 10, resource.getrlimit(resource.RLIMIT_STACK)[1]))


def run(*words, text="", small=False, **variables):
    environment = {name: value for name, value in os.environ.items() if name not in CHOICES}
    return subprocess.run([PROGRAM, *words], input=text, env={**environment, **variables}, capture_output=True, text=True,
                          preexec_fn=small_stack if small else None)


def told(*words, **variables):
    """(variable, value) of each time that the program began; gcc's library counts, clang's has milliseconds"""
    shown = run(*words, text=INPUT, OMP_DISPLAY_ENV="verbose", OMP_NUM_THREADS="2", **variables).stderr
    return re.findall(r"\b(GOMP_SPINCOUNT|KMP_BLOCKTIME) *= *'(\d+)", shown)


class Waiting(unittest.TestCase):
    def test_the_program_begins_anew_only_for_a_library_that_cannot_be_watched(self):
        began = told("energy", "-")
        if began[-1][0] == "KMP_BLOCKTIME":  # clang's own default is 200
            self.assertEqual(began[-1][1], "0")
        else:  # gcc's own default; it is what a free machine needs
            self.assertEqual(began, [("GOMP_SPINCOUNT", "300000")])

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
        anew, plain = run(*words, text=INPUT, small=True), run(*words, text=INPUT, OMP_WAIT_POLICY="passive")
        self.assertEqual(plain.returncode, 0, plain.stderr)
        self.assertIn('"potential', plain.stdout)
        self.assertEqual((anew.returncode, anew.stdout, anew.stderr), (plain.returncode, plain.stdout, plain.stderr))
        wrong = run("energy", "-", text=INPUT.replace("density", "densite"))
        self.assertEqual(wrong.returncode, 2)
        self.assertIn("densite", wrong.stderr)


def threads_of(process):
    """[(name, mask)] of the threads of a process, as the kernel writes masks: "0-3", "5"; of those that have not ended"""
    found = []
    for name in glob.glob(f"/proc/{process.pid}/task/*/status"):
        try:
            with open(name) as status:
                found += re.findall(r"Name:\s*(.*)\n(?s:.*)Cpus_allowed_list:\s*(\S+)", status.read())
        except OSError:
            pass
    return sorted(found)


def wait_until(true, process, what):
    end = time.monotonic() + 120.0  # only a fault takes long, or a very busy machine
    while not true():
        if process.poll() is not None or time.monotonic() > end:
            process.kill()
            raise AssertionError(f"{what}: {threads_of(process)}\n{process.stderr.read()}")
        time.sleep(0.01)


@contextlib.contextmanager
def long_run(threads, prepare=None, **variables):
    """A run that would take hours"""
    environment = {name: value for name, value in os.environ.items()
                   if name not in CHOICES and not name.startswith(("OMP_", "GOMP_", "KMP_"))}
    with tempfile.TemporaryDirectory() as folder:
        words = [PROGRAM, "run", "-", "-o", os.path.join(folder, "run.h5md"), "--threads", str(threads), "--quiet"]
        with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env={**environment, **variables}, preexec_fn=prepare) as process:
            try:
                process.stdin.write(LONG)
                process.stdin.close()
                wait_until(lambda: os.listdir(folder), process, "no file")  # by then the watch has its name
                yield process
            finally:
                process.kill()


def places(threads, prepare=None, **variables):
    """Masks of the threads of a run that compute, as soon as all are there and the masks stay as they are"""
    with long_run(threads, prepare, **variables) as process:
        seen = []

        def settled():
            seen.append([mask for name, mask in threads_of(process) if name != WATCH])
            return len(seen) > 4 and len(seen[-1]) >= threads and all(seen[-1] == before for before in seen[-4:])

        wait_until(settled, process, "threads")
        return seen[-1]


class Watch(unittest.TestCase):
    """gcc's library spins less while there are more OpenMP threads than processors: a team that sleeps is made."""

    def setUp(self):
        if told("energy", "-")[-1][0] != "GOMP_SPINCOUNT":
            self.skipTest("threads always sleep with this library")
        if len(PROCESSORS) < 2:
            self.skipTest("one processor: threads sleep, because there are more of them")

    def test_threads_sleep_on_a_busy_machine_and_spin_again_as_a_trial(self):
        def two_processors():
            os.sched_setaffinity(0, sorted(PROCESSORS)[:2])

        def sleeping():  # besides the watch itself: a team of two at least
            return len([name for name, _ in threads_of(process) if name == WATCH]) >= 3

        others = [subprocess.Popen([sys.executable, "-c", "while True: pass"], preexec_fn=two_processors) for _ in range(2)]
        try:
            with long_run(2, two_processors) as process:
                wait_until(sleeping, process, "nothing sleeps")
                wait_until(lambda: not sleeping(), process, "the team that sleeps did not end")
        finally:
            for other in others:
                other.kill()
                other.wait()

    def test_whoever_has_chosen_is_not_watched(self):
        for chosen, watched in (({}, True), ({"OMP_WAIT_POLICY": "active"}, False), ({"GOMP_SPINCOUNT": "12345"}, False)):
            with self.subTest(chosen), long_run(2, **chosen) as process:
                wait_until(lambda: len([name for name, _ in threads_of(process) if name != WATCH]) >= 2, process, "threads")
                self.assertEqual(WATCH in dict(threads_of(process)), watched)


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
                self.assertEqual(places(threads, small_stack, **chosen), alone)
                if bind == "close":
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
