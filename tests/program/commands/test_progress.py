#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The progress line fits the terminal, also when that is resized, and begins with the error of the energy.

usage: test_progress.py PROGRAM
"""
import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import unittest

from small_fluid import FLUID

PROGRAM = os.path.abspath(sys.argv.pop(1))
INPUT = FLUID + """dynamics: {step: 0.001, steps: 1e9}
output: {frames_every: 1e12, series_every: 100}
"""
ERASE = b"\r\033[K"


class Progress(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        with open(os.path.join(self.folder, "in.yaml"), "w", encoding="utf-8") as file:
            file.write(INPUT)

    def start(self, columns, **variables):
        self.master, slave = pty.openpty()
        self.resize(columns)
        self.run = subprocess.Popen([PROGRAM, "run", "in.yaml"], stderr=slave, stdout=subprocess.DEVNULL, cwd=self.folder,
                                    env={**os.environ, **variables})
        self.addCleanup(self.run.kill)
        os.close(slave)
        self.seen = b""

    def stop(self):
        self.run.send_signal(signal.SIGINT)
        while True:  # so that it can write
            try:
                os.read(self.master, 4096)
            except OSError:  # the other side is closed
                break
        os.close(self.master)
        self.assertEqual(self.run.wait(), 130)

    def resize(self, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))

    def next_line(self):
        """The next progress line that is complete, that is, followed by another"""
        while self.seen.count(ERASE) < 2:
            self.seen += os.read(self.master, 4096)
        _, line, rest = self.seen.split(ERASE, 2)
        self.seen = ERASE + rest
        return line.decode()

    def test_lines_are_as_long_as_the_terminal_is_wide(self):
        self.start(80)
        shortest = {40: 20, 80: 55, 200: 100}
        whole = {}
        for columns in (80, 40, 200, 40, 10):
            self.resize(columns)
            for _ in range(3):  # what was under way, and begun before the terminal changed
                line = self.next_line()
            self.assertLess(len(line), columns, line)
            self.assertNotIn("\n", line)
            whole[columns] = line
            if columns >= 40:
                self.assertRegex(line, r"^energy error [+-]\d\.\de[+-]\d\d, 0 %, ")
            if columns >= 80:
                self.assertRegex(line, r" 0 %, \S+ (min|h|days) left, T ")
                self.assertGreater(len(line), shortest[columns], line)
        self.stop()
        self.assertRegex(whole[200], r", T transl\. [\d.]+, rot\. [\d.]+, ")
        for word in ("step ", " of 1000000000", "steps/s", "time "):
            self.assertIn(word, whole[200])

    def test_without_a_size_the_width_is_that_of_the_environment(self):
        self.start(0, COLUMNS="44")
        line = self.next_line()
        self.stop()
        self.assertTrue(25 < len(line) < 44, line)

    def test_without_a_terminal_lines_end(self):
        """Nothing of the terminal's language in a log; every line whole"""
        with open(os.path.join(self.folder, "log"), "wb") as log:
            done = subprocess.run([PROGRAM, "run", "in.yaml", "--set", "dynamics.steps=20"], stderr=log,
                                  stdout=subprocess.DEVNULL, cwd=self.folder)
        self.assertEqual(done.returncode, 0)
        with open(os.path.join(self.folder, "log"), encoding="utf-8") as log:
            text = log.read()
        self.assertFalse(re.search("[\r\033]", text), text)


if __name__ == "__main__":
    unittest.main()
