#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""One of several processes gets no memory, at any place where it asks for some: all end, with one message; or it can do
without, and the result is that of a process that had it. And no process holds all molecules, not even while it starts or
writes.

usage: test_processes_memory.py PROGRAM MPIEXEC FAIL_MEMORY.so     exit status 77, skipped: MPIEXEC is none, or not installed
"""
import bisect
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import unittest

import processes

PROGRAM, MPIEXEC, SHIM = os.path.abspath(sys.argv.pop(1)), sys.argv.pop(1), os.path.abspath(sys.argv.pop(1))
RANK = 1  # that gets none
HANGS = 3600  # seconds on the clock, which no run takes on the busiest machine
INPUT = """units: reduced
system:
  box: {density: 0.8}
  molecules: [{model: stockmayer, count: 500}]
  start: {kind: fcc, temperature: 1.35, jitter: 0.05}
interactions: {cutoff: 2.5, electrostatics: {method: mesh, tolerance: 1e-3}}
dynamics: {scheme: verlet, step: 0.01, steps: 12}
output: {frames_every: 4, series_every: 4, checkpoint_every: 4, writing: collective}
"""
# Few steps; and cells that are tried, and what is looked at with rates of forces, besides
PLAIN = ("--set", "dynamics.thermostat={kind: langevin, temperature: 1.35}", "--set", "dynamics.steps=2", "--set",
         "interactions.switch={width: 0.5, smoothness: 6}", "--set", "interactions.truncation=switched")
LOOKS = ("--set", "dynamics.barostat={kind: cell-rescaling, pressure: 1, every: 1}", "--set", "output.shadow_energy=true", "--set",
         "output.configurational_temperature=true")

# A stage, and those that may follow: with a state to go back to, near pairs, gradients, an extended Hamiltonian, unknowns of a step
STAGE = "{name: one, scheme: verlet, steps: 1, thermostat: {kind: langevin, temperature: 1.35}}"
FOLLOW = (STAGE, "{name: two, scheme: verlet, steps: 1, thermostat: {kind: metropolis, temperature: 1.35}}",
          "{name: three, scheme: chin4a, steps: 1}", "{name: four, scheme: mclachlan4-ss5, steps: 1, barostat: {kind: andersen, "
          "pressure: 1, compressibility: 0.05}}", "{name: five, integrator: trap, steps: 1}")
ONE, FIVE = (("--set", "dynamics={step: 0.001}", "--set", f"stages=[{', '.join(stages)}]") for stages in ((STAGE,), FOLLOW))


class Memory(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        with open(self.path("in.yaml"), "w", encoding="utf-8") as file:
            file.write(INPUT)
        with open(self.path("one"), "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nrank=${{OMPI_COMM_WORLD_RANK:-${{PMI_RANK:-$PMIX_RANK}}}}\n'
                       f'[ "$rank" = {RANK} ] && export LD_PRELOAD="{SHIM} $LD_PRELOAD"\nexec {PROGRAM} "$@"\n')
        os.chmod(self.path("one"), 0o755)

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_with(self, *words, team=2, **variables):
        """Two processes: one that gets no memory, and one that may wait for it"""
        return processes.run([MPIEXEC, "-n", str(team), self.path("one"), "run", self.path("in.yaml"), "--quiet", "--overwrite",
                              "--threads", "1", "-o", self.path("run.h5md"), *words], timeout=HANGS,
                             env={**processes.ENVIRONMENT, "MEMORY_RECORD": self.path("record"), **variables})

    def state(self):
        told = subprocess.run([PROGRAM, "info", self.path("run.h5md"), "--json"], capture_output=True, text=True, check=True)
        return json.loads(told.stdout)["state_hash"]

    def calls(self):
        with open(self.path("record"), encoding="utf-8") as file:
            return file.read().splitlines()

    def test_one_without_memory_ends_all_with_one_message(self):
        ran = self.run_with(team=3)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        want, n = self.state(), len(self.calls())
        self.assertGreater(n, 50)
        gone = {"MEMORY_IS_GONE": "1"}  # from there on, so that it cannot do without
        for number, more in (n // 2, gone), (random.randrange(2, n), {}), (random.randrange(2, n), {}):
            with self.subTest(number=number, of=n, **more):
                ran = self.run_with(team=3, MEMORY_FAILS_AT=str(number), **more)
                self.assertEqual([line.split()[0] for line in self.calls() if line != "aborted"], ["failed"])
                if ran.returncode == 0 and not more:
                    self.assertEqual(self.state(), want)
                    continue
                self.assertNotEqual(ran.returncode, 0)
                said = [line for line in ran.stderr.splitlines() if line.startswith("polhode")]
                self.assertEqual(len(said), 1, ran.stderr)
                self.assertIn("memory", said[0].lower())

    def test_one_without_memory_for_what_is_looked_at_or_tried(self):
        """A state to go back to, rates of forces and what is found from them"""
        self.all_are_told(PLAIN, (*PLAIN, *LOOKS), 5)

    def test_one_without_memory_for_another_stage(self):
        self.all_are_told(ONE, FIVE, 5)

    def all_are_told(self, plain, more, least):
        """All get to know that one has no memory before they wait for it, wherever it asks for some with more words than plain ones.
        (One that fails alone says why too, if nothing hangs, but ends the others.) Once for those who ask from the same place: of
        the calls that led there the outer ones that were recorded."""
        less = {tuple(line.split()[1:]) for line in self.record(*plain)}
        lines = [line.split() for line in self.record(*more)]
        first = {}
        for number, *calls in lines:
            if tuple(calls) not in less:
                first.setdefault(tuple(calls[-2:]), number)
        self.assertGreater(len(first), least)
        for number in first.values():
            with self.subTest(number=number, of=len(lines)):
                self.is_told(number, *more)

    def is_told(self, number, *words):
        ran = self.run_with(*words, MEMORY_FAILS_AT=number)
        self.assertEqual([line.split()[:2] for line in self.calls()], [["failed", number]], ran.stderr)  # not "aborted"
        said = [line for line in ran.stderr.splitlines() if line.startswith("polhode")]
        self.assertEqual((ran.returncode, len(said)), (5, 1), ran.stderr)
        self.assertIn("memory", said[0].lower())

    def test_one_without_memory_for_the_first_lists(self):
        """Once for each call of a function that asks for some. (The table of copies was not agreed about: the others waited.)"""
        places = self.places_in("ph_pairs_make_list")
        self.assertGreater(len(places), 5)
        for number in places:
            with self.subTest(number=number):
                self.is_told(number)

    def test_one_that_cannot_tell_whether_a_start_is_made_in_parts(self):
        """Then no process makes it in parts. (The others did, and waited.)"""
        self.record()
        want, places = self.state(), self.places_in("ph_overlap_listed")
        self.assertGreater(len(places), 0)
        for number in places:
            with self.subTest(number=number):
                ran = self.run_with(MEMORY_FAILS_AT=number)
                self.assertEqual((self.calls()[0].split()[:2], ran.returncode, self.state()), (["failed", number], 0, want), ran.stderr)

    def places_in(self, function):
        """Numbers of the first calls below this function, one for all that the same calls led to but for the innermost"""
        listed = subprocess.run(["nm", "-n", PROGRAM], capture_output=True, text=True, check=True).stdout
        symbols = [(int(words[0], 16), words[2]) for words in map(str.split, listed.splitlines()) if len(words) == 3]
        begins = [address for address, _ in symbols]
        first = {}
        for number, *calls in map(str.split, self.record()):
            if function in (symbols[bisect.bisect(begins, int(call, 16)) - 1][1] for call in calls):
                first.setdefault(tuple(calls[1:]), number)
        return list(first.values())

    def record(self, *words):
        ran = self.run_with(*words)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return self.calls()


# Rows, a frame and a checkpoint where it begins and where it ends
LARGE = """units: reduced
system:
  box: {density: 0.8}
  molecules: [{model: stockmayer, count: %d}]
  start: {kind: fcc, temperature: 1.35, jitter: 0.05}
interactions: {cutoff: 2, electrostatics: {method: reaction-field}}
dynamics: {scheme: verlet, step: 0.005, steps: 1}
output: {frames_every: 1, series_every: 1, checkpoint_every: 1}
"""
# One process writes. A stage that ends: momenta are stopped, and scaled to the energy whose mean temperature is that of the
# thermostat. Steps that may be rejected, with a second state; an extended Hamiltonian; bodies that are half way while forces
# are evaluated. What a stage took is given back before the next.
STAGED = ("--set", "dynamics={step: 0.005}", "--set", "stages=[{name: one, scheme: verlet, steps: 2, land: true, thermostat: "
          "{kind: langevin, temperature: 1.35}}, {name: two, scheme: verlet, steps: 1, thermostat: {kind: metropolis, temperature: 1.35}}, "
          "{name: three, scheme: verlet, steps: 1, barostat: {kind: andersen, pressure: 1, compressibility: 0.05}}, "
          "{name: four, integrator: vlv, steps: 1}, {name: five, scheme: verlet, steps: 1}]")
# All write. Near pairs, in a list of their own; a cell is proposed after the step, with a state to go back to; rates of forces,
# which take much while they are found
LOOKED = ("--set", "output.writing=collective", "--set", "dynamics.nested={substeps: 2}", "--set",
          "dynamics.thermostat={kind: langevin, temperature: 1.35}", "--set",
          "dynamics.barostat={kind: cell-rescaling, pressure: 1, shape: full, every: 1}", "--set",
          "output.configurational_temperature=true", "--set", "interactions.switch={width: 0.5, smoothness: 6}", "--set",
          "interactions.truncation=switched")
# Starts the program, and says how much memory it had at most: kilobytes
WATCH = """import os, sys
_, status, used = os.wait4(os.spawnv(os.P_NOWAIT, sys.argv[2], sys.argv[2:]), 0)
with open(sys.argv[1] + "." + next(os.environ[name] for name in %r if name in os.environ), "w") as file:
    file.write(str(used.ru_maxrss))
sys.exit(status != 0)
"""


class Share(unittest.TestCase):
    """Of the memory that molecules take, a process has its share at any time, from its start on: differences of two
    systems, so that what the program and MPI take does not count. Lists and what travels take several times as much as
    the state of the molecules of a process; a whole state would take more."""

    def peaks(self, n, molecules, words, is_resumed):
        """Megabytes that each of n processes had at most, in a run and, if asked for, when it is resumed"""
        with tempfile.TemporaryDirectory() as folder:
            file, watch, said, run = (os.path.join(folder, name) for name in ("in.yaml", "watch.py", "said", "run.h5md"))
            for name, text in (file, LARGE % molecules), (watch, WATCH % (processes.RANK,)):
                with open(name, "w", encoding="utf-8") as to:
                    to.write(text)
            found = {}
            for command in (["run", file, "-o", run, *words], ["resume", run, "--steps", "1"])[:2 if is_resumed else 1]:
                ran = subprocess.run([MPIEXEC, "-n", str(n), sys.executable, "-IS", watch, said, PROGRAM, *command, "--quiet", "--threads",
                                      "1"], capture_output=True, text=True, env=processes.ENVIRONMENT, timeout=HANGS)
                self.assertEqual(ran.returncode, 0, ran.stderr)
                for rank in range(n):
                    with open(f"{said}.{rank}", encoding="utf-8") as number:
                        found[command[0], rank] = int(number.read()) / 1024
            return found

    def test_a_process_holds_its_share(self):
        few, n, state = 20000, 16, 172  # bytes of the state of a molecule
        # 0.6 to 0.85 were seen of stages, and 1.0 to 1.6 of what is looked at
        for words, many, is_resumed, most in (STAGED, 160000, False, 1.15), (LOOKED, 160000, True, 1.85):
            whole = state * (many - few) / 1024**2
            large, small = (self.peaks(n, molecules, words, is_resumed) for molecules in (many, few))
            part = {which: (size - small[which]) / whole for which, size in large.items()}
            for which in part:
                with self.subTest(words=words, which=which, megabytes=large[which], part=part[which]):
                    self.assertGreater(part[which], 1 / n)
                    self.assertLess(part[which], most)  # a start made whole adds 1.0, and a cell that moves all 2.0
            # Of the first, which makes the files: names of all molecules, and room for a frame, would take 0.2 each
            with self.subTest(words=words, part=part):
                self.assertLess(part["run", 0], 0.1 + max(part["run", rank] for rank in range(1, n)))


LONG = """units: reduced
system:
  box: {density: 0.8}
  molecules: [{model: stockmayer, count: %d}]
  start: {kind: fcc, temperature: 1.35, jitter: 0.05}
interactions: {cutoff: 2.5, %s}
dynamics: {scheme: verlet, step: 0.005, steps: 100000}
output: {frames_every: 100000, series_every: 100000, checkpoint_every: 2}
"""
# A mesh, and fields, of which each process has what belongs to its molecules
TERMS = "electrostatics: {method: mesh, tolerance: 1e-3}, external: {electric_field: [0, 0, 1], tether: 1}"


class ShareOfTerms(unittest.TestCase):
    def held(self, n, molecules):
        """Megabytes of its own that each process but the first holds after three checkpoints, at most"""
        with tempfile.TemporaryDirectory() as folder:
            file, run = os.path.join(folder, "in.yaml"), os.path.join(folder, "run.h5md")
            with open(file, "w", encoding="utf-8") as text:
                text.write(LONG % (molecules, TERMS))
            with subprocess.Popen([MPIEXEC, "-n", str(n), PROGRAM, "run", file, "--quiet", "--threads", "1", "-o", run],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=processes.ENVIRONMENT) as ran:
                seen, held, until = set(), {}, time.monotonic() + HANGS
                while len(seen) < 4 and ran.poll() is None and time.monotonic() < until:
                    time.sleep(0.02)
                    if os.path.exists(run + ".checkpoint"):
                        seen.add(os.stat(run + ".checkpoint").st_mtime_ns)
                    if len(seen) < 2:  # a start is made whole in each
                        continue
                    for rank, process in processes.ranks(file).items():
                        with open(f"/proc/{process}/status", encoding="utf-8") as about:
                            size = next(int(line.split()[1]) / 1024 for line in about if line.startswith("RssAnon"))
                        held[rank] = max(size, held.get(rank, 0))
                ran.terminate()
            self.assertEqual((len(seen), set(held)), (4, set(range(n))))
            return [held[rank] for rank in range(1 if n > 1 else 0, n)]

    @unittest.skipUnless(os.path.exists("/proc/self/status"), "needs /proc")
    def test_a_process_holds_its_share(self):
        many, few, n = 40000, 1000, 6
        alone = self.held(1, many)[0] - self.held(1, few)[0]
        together, little = self.held(n, many), self.held(n, few)
        for rank, size in enumerate(together):
            share = (size - little[rank]) / alone
            with self.subTest(rank=rank + 1, megabytes=size, of=alone, share=share):
                self.assertGreater(share, 0.8 / n)
                self.assertLess(share, 3.0 / n)


if __name__ == "__main__":
    processes.need(MPIEXEC)
    unittest.main()
