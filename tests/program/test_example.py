#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The example of the library runs and conserves energy: test_example.py EXAMPLE INPUT"""
import subprocess
import sys

out = subprocess.run(sys.argv[1:3], check=True, capture_output=True, text=True).stdout
energies = [float(line.split()[3]) for line in out.splitlines()]
assert len(energies) == 6, out
assert len(set(energies)) > 1, "nothing moves: " + out
assert max(abs(e - energies[0]) for e in energies) < 1e-5 * abs(energies[0]), out
wrong = subprocess.run(sys.argv[1:2], capture_output=True, text=True)
assert wrong.returncode == 2 and "usage" in wrong.stderr, wrong
