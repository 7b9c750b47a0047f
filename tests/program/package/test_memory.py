#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Memory runs out at every place where the program asks for some: it says so, with status 5, and does not crash.

The allocations of a command are recorded with the calls that led to them (four deep). Ways are numbered. On even ways the first
allocation fails alone, on odd ways the last fails with all that follow; those between differ in nothing but their number. Of
ways whose innermost calls an earlier command has had, every fortieth fails again, since a command treats all failures of what
it calls alike. With "all" every way of every command fails in both manners, which takes minutes.
fail_memory.c says whose allocations these are. usage: test_memory.py POLHODE FAIL_MEMORY.so EXAMPLE [all]
"""
import collections
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

POLHODE, SHIM, EXAMPLE = (os.path.abspath(sys.argv.pop(1)) for _ in range(3))
ALL = sys.argv[1:2] == ["all"] and bool(sys.argv.pop(1))
INNER = 2  # calls that tell whether a way is known from an earlier command
AGAIN = 1 if ALL else 40  # one of so many known ways fails again
SECONDS = 600 if ALL else 60  # of processor time, a hundred times what any of these takes: it hangs
INPUT = """units: reduced
system:
  box: {kind: periodic, density: 0.5}
  molecules: [{model: stockmayer, count: 20}, {model: dipolar-lj-dumbbell, count: 12}]
  start: {kind: fcc, temperature: 1, seed: 1}
interactions:
  cutoff: 1.9
  electrostatics: {method: reaction-field}
  pairs: [{sites: [stockmayer.A, dipolar-lj-dumbbell.A], lennard-jones: {epsilon: 1, sigma: 1}}]
dynamics: {scheme: mclachlan2, step: 0.002, steps: 4, equilibrate: {steps: 2}}
output: {frames_every: 2, series_every: 1, checkpoint_every: 2}
"""
EWALD = """units: md
system:
  box: {kind: periodic, length: 1.9}
  molecules: [{model: spc-e, count: 27}]
  start: {kind: file, file: water.xyz, temperature: 298, seed: 1}
interactions: {cutoff: 0.9, electrostatics: {method: ewald}}
dynamics: {integrator: vlv, step: 0.001, steps: 2}
"""
STAGES = """units: reduced
system:
  box: {kind: periodic, density: 0.3}
  molecules: [{model: dipolar-lj-dumbbell, count: 32}]
  start: {kind: random, minimum_distance: 0.9, temperature: 1, seed: 1, minimise: {steps: 5}}
interactions: {cutoff: 1.5, electrostatics: {method: mesh, tolerance: 1e-2}}
dynamics: {scheme: verlet, step: 0.002}
stages:
  - {name: press, steps: 2, thermostat: {kind: langevin}, barostat: {kind: ramp, density: 0.31, every: 1}}
  - {name: npt, steps: 2, thermostat: {kind: metropolis}, barostat: {kind: cell-rescaling, pressure: 1, every: 1}}
  - {name: extended, steps: 2, thermostat: {kind: nose-poincare}, barostat: {kind: andersen, pressure: 1}}
  - {name: nve, steps: 2}
output: {frames_every: 2, series_every: 1, checkpoint_every: 2, configurational_temperature: true}
"""
DATA = pathlib.Path(__file__).resolve().parents[2] / "data"
ATOMS = """units: md
system:
  molecules: [{model: spc-e, count: 4}]
  start: {file: four_waters.data, names: {1: O, 2: H}}
interactions: {cutoff: 0.5, electrostatics: {method: reaction-field}}
"""
TOPOLOGY = """[ defaults ]
1 2
[ atomtypes ]
OW 8 15.9994 0 A 0.3166 0.65
HW 1 1.008 0 A 0 0
[ moleculetype ]
SOL 2
[ atoms ]
1 OW 1 SOL OW 1 -0.8476
2 HW 1 SOL HW1 1 0.4238
3 HW 1 SOL HW2 1 0.4238
[ settles ]
1 1 0.1 0.1633
"""
CHARGE = "SiteType = Charge\nNSites = 1\nx = 0\ny = 0\nz = 0\ncharge = 1\nmass = 23\nshielding = 0\nNRotAxes = auto\n"
COMPONENT = """<mardyn><refunits><length unit="nm">1</length><mass unit="u">1</mass><energy unit="K">1</energy></refunits>
<components><moleculetype><site type="Charge"><coords><x>0</x><y>0</y><z>0</z></coords><mass>23</mass><charge>1</charge></site>
</moleculetype></components></mardyn>
"""
COMMANDS = {
    "a program that uses the library": "example",
    "list": "list",
    "flow": "flow --inertia 1,2,3 --momentum 1,1,1 --time 1 --flow dmv6 --steps 10 --json",
    "check": "check input.yaml --set dynamics.step=0.001",
    "check an Ewald sum": "check water.yaml",
    "energy": "energy input.yaml --forces --json",
    "run": "run input.yaml -o new.h5md",
    "run in stages": "run stages.yaml -o new.h5md",
    "run with an integrator": "run water.yaml -o new.h5md",
    "resume": "resume run.h5md --steps 4",
    "sweep": "sweep input.yaml --vary dynamics.step=0.001,0.002 -o new --no-page",
    "sweep of runs side by side": "sweep input.yaml --backend emulated --vary dynamics.step=0.001,0.002 -o new --no-page",
    "info": "info run.h5md --json",
    "start from a trajectory": "energy water.yaml --set system.start.file=water.h5md",
    "start from atoms": "energy atoms.yaml",
    "start from a file of fixed columns": "energy atoms.yaml --set system.start=four_waters.gro",
    "import a model": "model import water.itp -o new.yaml",
    "import a model of ms2": "model import charge.pm -o new.yaml",
    "import a model of ls1 mardyn": "model import charge.xml -o new.yaml",
    "analyze rdf": "analyze rdf run.h5md -o new.csv",
    "analyze msd": "analyze msd run.h5md -o new.h5",
    "analyze energy": "analyze energy run.h5md",
    "analyze dielectric": "analyze dielectric run.h5md",
    "analyze pressure": "analyze pressure run.h5md",
    "analyze fluctuations": "analyze fluctuations run.h5md",
    "export csv": "export run.h5md --format csv -o new.csv",
    "export extxyz": "export run.h5md --format extxyz -o new.xyz",
    "export pdb": "export run.h5md --format pdb --frames : -o new.pdb",
    "export gro": "export water.h5md --format gro -o new.gro",
    "export xtc": "export water.h5md --format xtc --unwrapped -o new.xtc",
    "export dcd": "export run.h5md --format dcd -o new.dcd",
}
CLOCK = re.compile(r"speed .*|\b[0-9.]+ m?s\b")  # what differs from run to run


class Memory(unittest.TestCase):
    server = None  # the command of this test, loaded
    known = set()  # innermost calls of ways in earlier commands, of the program and of the example

    @classmethod
    def setUpClass(cls):
        for kind, most in (resource.RLIMIT_CPU, SECONDS), (resource.RLIMIT_CORE, 0):  # of each that is started, too
            resource.setrlimit(kind, (most, most))
        in_memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
        cls.folder = tempfile.TemporaryDirectory(prefix="polhode-memory-", dir=in_memory)
        cls.addClassCleanup(cls.folder.cleanup)
        cls.work = pathlib.Path(cls.folder.name) / "work"
        kept = pathlib.Path(cls.folder.name) / "kept"
        kept.mkdir()
        (kept / "input.yaml").write_text(INPUT)
        (kept / "water.yaml").write_text(EWALD)
        (kept / "stages.yaml").write_text(STAGES)
        (kept / "atoms.yaml").write_text(ATOMS)
        (kept / "water.itp").write_text(TOPOLOGY)
        (kept / "charge.pm").write_text(CHARGE)
        (kept / "charge.xml").write_text(COMPONENT)
        for name in ("four_waters.data", "four_waters.gro"):
            shutil.copy2(DATA / name, kept / name)
        lattice = "--set system.start.kind=simple-cubic --set system.start.file="
        cls.run_plain(kept, f"run water.yaml -o water.h5md {lattice}")
        cls.run_plain(kept, "export water.h5md --format extxyz --frames -1 -o water.xyz")
        cls.run_plain(kept, "run input.yaml -o run.h5md --set output.frames_every=1 --set dynamics.steps=12")
        cls.kept = kept
        cls.work.mkdir()
        cls.found = {name: (kept / name).stat().st_mtime_ns for name in os.listdir(kept)}

    @staticmethod
    def run_plain(folder, line):
        done = subprocess.run([POLHODE, *line.split()], cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    def attempt(self, line, fails_at=0, is_gone=False):
        """A command in a folder that is as at the beginning; what it did, and what was recorded."""
        for name, stamp in self.found.items():  # what the last one changed
            if not (self.work / name).exists() or (self.work / name).stat().st_mtime_ns != stamp:
                shutil.copy2(self.kept / name, self.work / name)
        for name in set(os.listdir(self.work)) - set(self.found):
            shutil.rmtree(self.work / name) if (self.work / name).is_dir() else (self.work / name).unlink()
        if self.server is None:
            self.server = subprocess.Popen(
                [EXAMPLE] if line == "example" else [POLHODE, *line.split()],
                cwd=self.work,
                env={**os.environ, "OMP_NUM_THREADS": "1", "LD_PRELOAD": SHIM, "MEMORY_RECORD": self.beside("record"),
                     "MEMORY_SERVES": self.beside("said")},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            self.addCleanup(self.server.communicate)
        self.server.stdin.write(f"{fails_at} {int(is_gone)}\n")
        self.server.stdin.flush()
        status = os.waitstatus_to_exitcode(int(self.server.stdout.readline()))
        out, err, record = (pathlib.Path(self.beside(name)).read_text() for name in ("said.out", "said.err", "record"))
        return subprocess.CompletedProcess(line, status, out, err), record.splitlines()

    def beside(self, name):
        return os.path.join(self.folder.name, name)

    def results(self, done):
        """What was printed, and the texts that were written."""
        texts = [file for file in sorted(self.work.glob("new.*")) if file.suffix in (".csv", ".xyz", ".pdb", ".gro")]
        return [CLOCK.sub("", text) for text in [done.stdout] + [file.read_text() for file in texts]]

    def complaint(self, done, wanted):
        """What is wrong with the end of a command that was refused some memory; empty if nothing is."""
        if done.returncode < 0:
            return f"ended by {signal.Signals(-done.returncode).name}"
        if done.returncode == 0:  # it could do without
            return "" if self.results(done) == wanted else "succeeds with another result"
        if done.returncode != 5:
            return f"status {done.returncode}"
        if "memory" not in done.stderr.lower():
            return "does not speak of memory"
        left = [name for name in os.listdir(self.work) if name.endswith(".new")]
        return f"leaves {left}" if left else ""

    def fail_everywhere(self, line):
        plain, calls = self.attempt(line)
        self.assertEqual(plain.returncode, 0, plain.stderr)
        wanted = self.results(plain)
        ways = collections.defaultdict(list)
        for number, call in enumerate(calls, 1):
            ways[call.split(" ", 1)[-1]].append(number)
        inner = {way: (line == "example", *way.split()[:INNER]) for way in ways}
        again = [way for way in ways if inner[way] in self.known]
        tried = [way for way in ways if inner[way] not in self.known] + again[::AGAIN]
        self.known.update(inner.values())
        wrong = []
        for k, way in enumerate(tried):
            manners = (ways[way][0], False), (ways[way][-1], True)
            for number, rest in manners if ALL else [manners[k % 2]]:
                done, failed = self.attempt(line, number, rest)
                if len(failed) != 1 or not failed[0].startswith("failed"):
                    wrong.append(f"{number} did not fail: {failed}")
                    continue
                complaint = self.complaint(done, wanted)
                if complaint:
                    name = f"{'from ' if rest else ''}allocation {number} ({way})"
                    wrong.append(f"{name}: {complaint}: {done.stderr[-300:]!r}")
        if wrong:
            self.fail(f"polhode {line}: {len(wrong)} of {len(tried)} ways\n" + "\n".join(wrong))

    def test_a_run_without_memory_beside_others_waits_for_them(self):
        line = COMMANDS["sweep of runs side by side"]
        plain, calls = self.attempt(line)
        wanted, waited = self.results(plain), 0
        for number in range(len(calls) // 2, len(calls), len(calls) // 20):
            done, _ = self.attempt(line, number)
            if "run 002 waits until one beside it has ended" in done.stderr:
                self.assertEqual((done.returncode, self.results(done)), (0, wanted), done.stderr)
                waited += 1
        self.assertGreater(waited, 2)


def test_of(line):
    return lambda self: self.fail_everywhere(line)


for name, line in COMMANDS.items():
    setattr(Memory, "test_" + name.replace(" ", "_"), test_of(line))

if __name__ == "__main__":
    unittest.main()
