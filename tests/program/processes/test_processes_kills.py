#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Random processes are killed at random times: runs resume on another number of processes and end as if nothing had been.
A few here; tools/kill-processes does a hundred. And that tool does what it says: it counts kills that hit, and no others.
The same for tools/stress-processes, whose processes are late at random.

usage: test_processes_kills.py TOOLS PROGRAM MPIEXEC DELAY_RANKS.so
exit status 77, skipped: MPIEXEC is none, or not installed
"""
import importlib.machinery
import importlib.util
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import types
import unittest

import processes

TOOLS, PROGRAM, MPIEXEC = os.path.abspath(sys.argv.pop(1)), os.path.abspath(sys.argv.pop(1)), sys.argv.pop(1)
DELAY_RANKS = os.path.abspath(sys.argv.pop(1))
TOOL = os.path.join(TOOLS, "kill-processes")


def load(name):
    """A tool as a module"""
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), os.path.join(TOOLS, name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


tool, stress_tool = load("kill-processes"), load("stress-processes")


class Killing(tool.Killing):
    """One that does not try without end"""
    most = 30

    def attempt(self, n, words, file):
        if self.attempts >= self.most:
            raise AssertionError(f"{self.attempts} tries, {self.killed}")
        return super().attempt(n, words, file)


class StalledClock:
    """The machine stands still for eleven days between the first two readings, which are of the first run that is measured."""
    STALL = 1e6

    def __init__(self):
        self.readings = 0

    def monotonic(self):
        self.readings += 1
        return time.monotonic() + (self.STALL if self.readings > 1 else 0.0)


class Kills(unittest.TestCase):
    def setUp(self):
        self.addCleanup(setattr, tool, "time", tool.time)

    def kill(self, kills, writing, most=30):
        said = []
        with tempfile.TemporaryDirectory() as folder:
            killing = Killing(PROGRAM, MPIEXEC, None, writing)  # other times and processes whenever this runs
            killing.most = most
            self.assertEqual(killing.kill(kills, folder, said.append), 0, said)
        self.assertEqual(sum(killing.by_rank.values()), kills)

    def test_killed_runs_end_as_undisturbed_ones(self):
        """Kills hit, though the first run was held up."""
        tool.time = types.SimpleNamespace(monotonic=StalledClock().monotonic, sleep=time.sleep)
        self.kill(2, "gathered", 20)

    def test_killed_runs_whose_processes_write_together(self):
        self.kill(2, "collective")

    def test_kills_that_never_hit_are_an_error(self):
        said = []
        with tempfile.TemporaryDirectory() as folder:
            killing = Killing(PROGRAM, MPIEXEC, 1)
            killing.TRIES_PER_KILL, killing.most = 2, 4
            killing.chance.uniform = lambda least, most: StalledClock.STALL
            self.assertEqual(killing.kill(1, folder, said.append), 2, said)
        self.assertIn("only 0 of 1 kills hit in 2 tries", said[-1])
        self.assertEqual((killing.attempts, killing.by_rank), (2, {}))

    def test_runs_that_fail_by_themselves_are_no_kills(self):
        said = []
        with tempfile.TemporaryDirectory() as folder:
            launcher = os.path.join(folder, "launcher")  # whose second run fails
            with open(launcher, "w", encoding="utf-8") as script:
                script.write(f'#!/bin/sh\necho >> {folder}/calls\n[ $(wc -l < {folder}/calls) = 2 ] && exit 3\nexec {MPIEXEC} "$@"\n')
            os.chmod(launcher, 0o700)
            killing = Killing(PROGRAM, launcher, 1)
            self.assertEqual(killing.kill(1, folder, said.append), 1, said)
        self.assertIn("ended with 3 though nobody was killed", said[-1])
        self.assertEqual(killing.by_rank, {})

    def kill_with_launcher(self, at_failure, prepare):
        """In the middle of a run, by a launcher that does something else instead of ending when a process was killed"""
        said = []
        with tempfile.TemporaryDirectory() as folder:
            launcher = os.path.join(folder, "launcher")
            with open(launcher, "w", encoding="utf-8") as script:
                script.write(f"#!/bin/bash\n{MPIEXEC} \"$@\" &\ntrap 'kill -9 $!; exit 1' TERM\nwait $! || {at_failure}\n")
            os.chmod(launcher, 0o700)
            killing = Killing(PROGRAM, launcher, None)
            killing.chance.uniform = lambda least, most: 0.5 * (least + most)
            prepare(killing)
            status = killing.kill(1, folder, said.append)
            self.assertEqual(self.left_over(folder), [], "runs go on")
        return status, killing, said

    def test_launchers_that_stay_when_all_processes_have_ended_are_no_hangs(self):
        def prepare(killing):
            killing.GONE = 50
        status, killing, said = self.kill_with_launcher("exec sleep 3600", prepare)
        self.assertEqual((status, killing.done, killing.launchers_left), (0, 1, 1), said)

    def test_processes_that_stay_are_hangs(self):
        def prepare(killing):
            wait_for_processes = killing.wait_for_processes

            def wait_for_few_polls(running, file):
                """From when the one that stays is there"""
                for _ in range(killing.POLLS):
                    if processes.ranks(file) == {0: running.pid}:
                        break
                    time.sleep(killing.POLL)
                killing.POLLS = 20
                wait_for_processes(running, file)

            killing.wait_for_processes = wait_for_few_polls
        stays = f'OMPI_COMM_WORLD_RANK=0 exec -a polhode {sys.executable} -c "import time; time.sleep(3600)" "$@"'
        status, killing, said = self.kill_with_launcher(stays, prepare)
        self.assertEqual((status, killing.done, killing.launchers_left), (1, 0, 0), said)
        self.assertRegex(said[-1], "hangs: .*\nranks and processes that are left: {0: [0-9]+}")

    def test_counts_are_told_when_interrupted(self):
        """By one of two signals, which is drawn"""
        for number in random.sample((signal.SIGINT, signal.SIGTERM), 1):
            with self.subTest(number), tempfile.TemporaryDirectory() as folder:
                running = subprocess.Popen([TOOL, PROGRAM, "--kills", "1000", "--mpirun", MPIEXEC], text=True,
                                           stdout=subprocess.PIPE, env={**os.environ, "TMPDIR": folder})
                first = running.stdout.readline()  # after a kill or two
                running.send_signal(number)
                rest = running.communicate()[0]
                self.assertRegex(first, "kills in", "counts are told as it goes on")
                self.assertRegex(rest.splitlines()[-1], "^interrupted, so far: [0-9]+ kills in [0-9]+ tries ")
                self.assertEqual(running.returncode, 128 + number)
                self.assertEqual(self.left_over(folder), [], "runs go on")

    @staticmethod
    def left_over(folder):
        """Processes with files in this folder among their words"""
        found = []
        for number in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{number}/cmdline", "rb") as words:
                    if folder.encode() in words.read() and processes.is_alive(number):
                        found.append(int(number))
            except OSError:
                continue
        return found


class Stress(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.addCleanup(setattr, stress_tool, "SYSTEMS", stress_tool.SYSTEMS)
        stress_tool.SYSTEMS = {"lists that are made often": stress_tool.SYSTEMS["lists that are made often"]}

    def stress(self, repetitions, launcher=MPIEXEC, polls=None, crash=None):
        """The exit status, all that was said, and names of folders that were kept. crash: a command whose rank 1 does"""
        said, folder = [], tempfile.mkdtemp(dir=self.folder)
        stress = stress_tool.Stress(PROGRAM, launcher, DELAY_RANKS, None, folder, said.append)
        stress.POLLS = polls or stress.POLLS
        launch, variables = stress.launch, stress.variables

        def plant(n, words, chance, file):
            stress.variables = lambda chance: variables(chance) + ["CRASH_RANK=1"] * (words[0] == crash)
            launch(n, words, chance, file)

        stress.launch = plant
        return stress.stress(repetitions, 1), said, [name for name in os.listdir(folder) if name.startswith("repetition")]

    def test_processes_that_are_late_compute_the_same_and_end(self):
        status, said, kept = self.stress(1)
        self.assertEqual((status, kept), (0, []), said)
        self.assertRegex(said[-1], "^1 repetitions, 0 crashes")

    def test_threads_of_mpi_that_get_no_core_until_it_ends(self):
        """Code that such a thread calls then has been unloaded: the crash has no backtrace."""
        text = os.path.join(self.folder, "in.yaml")
        with open(text, "w", encoding="utf-8") as file:
            file.write(stress_tool.FLUID)
        ran = subprocess.run([MPIEXEC, "-n", "2", "env", "LD_PRELOAD=" + DELAY_RANKS, "LATE_THREADS=3000000", PROGRAM, "energy", text],
                             env=processes.ENVIRONMENT, capture_output=True, text=True)
        self.assertEqual(ran.returncode, 0, ran.stderr)

    def test_a_crash_is_noticed_and_keeps_its_cause(self):
        """What the handler is told that was there before the program's own"""
        status, said, kept = self.stress(1, crash="resume")
        self.assertEqual((status, kept), (1, ["repetition0"]), said)
        self.assertRegex(said[-1], "^1 repetitions, 1 crashes")
        self.assertIn("signal 11, code 1, address 0x8\n", said[0])

    def test_other_ways_to_fail_are_noticed(self):
        launcher = os.path.join(self.folder, "launcher")
        for script, polls, want in ("exit 3", None, "status 3: "), ("exec sleep 3600", 5, "hangs; "), ("exit 0", None, "No such file"):
            with open(launcher, "w", encoding="utf-8") as file:
                file.write(f"#!/bin/sh\n{script}\n")
            os.chmod(launcher, 0o700)
            with self.subTest(script):
                status, said, kept = self.stress(1, launcher, polls)
                self.assertEqual((status, kept), (1, ["repetition0"]), said)
                self.assertIn(want, said[0])


if __name__ == "__main__":
    processes.need(MPIEXEC)
    unittest.main()
