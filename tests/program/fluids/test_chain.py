#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A run that starts from the last frame of another, in one line: box, places, orientations and momenta are those of the other,
bit by bit; keys of the start that it replaces are ignored with a remark."""
import os
import subprocess
import sys
import tempfile
import unittest

import h5py

PROGRAM = os.path.abspath(sys.argv.pop(1))
INPUT = """units: md
system:
  molecules: [{model: tip4p, count: 27}]
  box: {density: 33.4}
  start: {kind: simple-cubic, jitter: 0.01, temperature: 300, seed: 3}
interactions: {cutoff: 0.45, electrostatics: {method: reaction-field}}
dynamics: {step: 0.001, steps: 20}
output: {frames_every: 7}
"""
SETS = {
    "short": ["system.start=first.h5md"],
    "file": ["system.start={file: first.h5md}"],
    "kept": ["system.start.kind=file", "system.start.file=first.h5md", "system.start.temperature="],
    "drawn": ["system.start.kind=file", "system.start.file=first.h5md"],
}


def run(folder, name, *sets):
    words = [word for text in sets for word in ("--set", text)]
    return subprocess.run([PROGRAM, "run", "input.yaml", "-o", name + ".h5md", *words], cwd=folder, check=True,
                          capture_output=True, text=True)


def state(folder, name, row):
    """Box and state of all molecules of a frame"""
    with h5py.File(os.path.join(folder, name + ".h5md")) as file:
        body = file["rigid_bodies/tip4p"]
        found = {key: body[key]["value"][row] for key in ("center", "orientation", "velocity", "angular_momentum", "image")}
        edges = file["particles/trajectory/box/edges"]
        found["edges"] = edges["value"][row] if "value" in edges else edges[()]
    return found


class Chain(unittest.TestCase):
    def test_a_run_continues_from_the_last_frame_of_another(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "input.yaml"), "w", encoding="utf-8") as file:
                file.write(INPUT)
            run(folder, "first", "dynamics.barostat={kind: ramp, density: 32}",
                "dynamics.thermostat={kind: velocity-rescaling}")
            last, first = state(folder, "first", -1), state(folder, "first", 0)
            self.assertFalse((last["edges"] == first["edges"]).all())  # the box has changed
            for name, sets in SETS.items():
                with self.subTest(name):
                    said = run(folder, name, *sets, "system.box=").stderr
                    begin = state(folder, name, 0)
                    momenta = ("velocity", "angular_momentum")
                    for key, value in last.items():
                        same = (value == begin[key]).all()
                        self.assertEqual(bool(same), name != "drawn" or key not in momenta, key)
                    self.assertIn("Start: frame", said)
                    self.assertEqual("Ignored: system.start.jitter; " in said, name in ("kept", "drawn"))
                    self.assertEqual("Ignored: system.start.seed" in said, name == "kept")
                    self.assertEqual("Momenta are those of the file" in said, name != "drawn")
                    self.assertEqual("Momenta are drawn at system.start.temperature" in said, name == "drawn")

    def test_a_motion_of_the_whole_is_taken_away(self):
        """Langevin's noise leaves one; where the total momentum is conserved afterwards it would be counted as heat."""
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "input.yaml"), "w", encoding="utf-8") as file:
                file.write(INPUT)
            langevin = "dynamics.thermostat={kind: langevin, friction: 5, temperature: 300}"
            run(folder, "first", langevin)
            drift = state(folder, "first", -1)["velocity"].mean(axis=0)  # masses are equal
            self.assertGreater(abs(drift).max(), 1e-3)
            for name, sets, stopped in (("free", [], True), ("noisy", [langevin], False)):
                said = run(folder, name, "system.start=first.h5md", "system.box=", *sets).stderr
                self.assertEqual("The motion of the whole that the velocities of the file have is taken away" in said, stopped)
                found = state(folder, name, 0)["velocity"].mean(axis=0)
                self.assertLess(abs(found - (0.0 if stopped else drift)).max(), 1e-12)

    def test_a_box_of_the_input_must_be_that_of_the_file(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "input.yaml"), "w", encoding="utf-8") as file:
                file.write(INPUT)
            run(folder, "first")
            run(folder, "second", "system.start=first.h5md")  # it is
            with self.assertRaises(subprocess.CalledProcessError) as failed:
                run(folder, "third", "system.start=first.h5md", "system.box.density=33")
            self.assertIn("leave the key out", failed.exception.stderr)


if __name__ == "__main__":
    unittest.main()
