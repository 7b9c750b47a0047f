"""One binary gives the same bits on every machine of an architecture: it is run as it is, and on emulated processors
without AVX and with AVX2, whose versions of the kernels and of the C library's functions are others.

    test_portable.py POLHODE"""
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import h5py

POLHODE = os.path.abspath(sys.argv[1])
OTHERS = [["qemu-x86_64", "-cpu", processor, POLHODE] for processor in ("Nehalem", "Haswell")]

# Switched dipoles moved by a scheme and a thermostat; water with Ewald sums, moved by a one-step method
DIPOLES = """
units: reduced
system:
  box: {kind: periodic, density: 0.8}
  molecules: [{model: stockmayer, count: 27}]
  start: {kind: simple-cubic, jitter: 0.01, temperature: 1.35, seed: 42}
interactions:
  cutoff: 1.6
  switch: {width: 0.5, smoothness: all}
  electrostatics: {method: cutoff}
dynamics:
  scheme: verlet
  step: 0.002
  steps: 1000
  equilibrate: {steps: 20, temperature: 1.35}
output: {frames_every: 250, series_every: 50}
"""
WATER = """
units: md
system:
  box: {kind: periodic, length: 1.0}
  molecules: [{model: spc-e, count: 27}]
  start: {kind: simple-cubic, temperature: 300, seed: 7}
interactions:
  cutoff: 0.45
  switch: {width: 0.1, smoothness: 6}
  electrostatics: {method: ewald, tolerance: 1e-4}
dynamics: {integrator: vlv, step: 0.0005, steps: 20}
output: {frames_every: 10, series_every: 2}
"""


def fingerprint(path):
    """Of all that is measured in a trajectory, by name"""
    found = {}

    def visit(name, item):
        if isinstance(item, h5py.Dataset) and item.dtype.kind == "f":
            found[name] = hashlib.sha256(item[()].tobytes()).hexdigest()

    with h5py.File(path) as file:
        file.visititems(visit)
    return found


class OneBinary(unittest.TestCase):
    def run_with(self, program, text):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "in.yaml"), "w") as file:
                file.write(text)
            # With a choice of how threads wait, the program does not begin anew, which would leave the emulator.
            done = subprocess.run([*program, "run", "in.yaml", "-o", "out.h5md", "--quiet"], cwd=folder,
                                  env=os.environ | {"OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive"},
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            return fingerprint(os.path.join(folder, "out.h5md"))

    def same_on_all(self, text):
        here = self.run_with([POLHODE], text)
        self.assertGreater(len(here), 5)
        self.assertTrue(any(name.endswith("position/value") for name in here))
        for program in OTHERS:
            self.assertEqual(here, self.run_with(program, text), " ".join(program))

    def test_dipoles(self):
        self.same_on_all(DIPOLES)

    def test_water(self):
        self.same_on_all(WATER)
        self.same_on_all(WATER.replace("switch: {width: 0.1, smoothness: 6}", "truncation: cut")
                         .replace("{method: ewald, tolerance: 1e-4}", "{method: reaction-field}"))

    @unittest.skipIf(sys.argv[2:], "built for another architecture")
    def test_kernels_use_what_their_level_has(self):
        for version, used, unused in (("v1", r"%xmm", r"%ymm|%zmm"), ("v3", r"%ymm", r"%zmm|%k[1-7]"),
                                      ("v4", r"%ymm.*%k[1-7]|%zmm", r"no such thing")):
            text = subprocess.run(["objdump", "-d", f"--disassemble=ph_switch_row_{version}", POLHODE], check=True,
                                  capture_output=True, text=True).stdout
            self.assertRegex(text, used, version)
            self.assertNotRegex(text, unused, version)
            self.assertNotRegex(text, "vfn?m(add|sub)", f"{version}: fused operations round otherwise than v1")


if __name__ == "__main__":
    if not shutil.which(OTHERS[0][0]):
        sys.exit(f"test_portable.py: needs {OTHERS[0][0]} of the package qemu-user; tools/setup test installs it")
    unittest.main(argv=sys.argv[:1])
