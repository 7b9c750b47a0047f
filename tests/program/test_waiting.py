#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Threads that wait for each other spin briefly and then sleep, unless the environment says otherwise: what the OpenMP
library says that it was told (OMP_DISPLAY_ENV), and that a program which began anew is otherwise the same.

usage: test_waiting.py PROGRAM
"""
import os
import re
import subprocess
import sys
import unittest

from small_fluid import FLUID

PROGRAM = os.path.abspath(sys.argv.pop(1))
CHOICES = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME", "KMP_LIBRARY")
INPUT = FLUID + "dynamics: {step: 0.001, steps: 1}\n"


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


if __name__ == "__main__":
    unittest.main()
