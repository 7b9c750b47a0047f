#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""All tests of pages in one process: they share one Chromium, and the runs that reports are made of. Each file is a test of its
own, too, with its own words.

usage: test_pages.py POLHODE COMPARE
"""
import importlib
import sys
import unittest

POLHODE, COMPARE = sys.argv.pop(1), sys.argv.pop(1)
# Words that each takes when it is loaded; report_runs, which two of them share, takes the first for both
FILES = {"test_report": [POLHODE], "test_report_command": [], "test_compare": [POLHODE, COMPARE], "test_study_page": [POLHODE]}


def load_tests(loader, _, __):
    found = unittest.TestSuite()
    for name, words in FILES.items():
        sys.argv[1:] = words
        module = importlib.import_module(name)
        for case in loader.loadTestsFromModule(module):
            found.addTests(one for one in case if type(one).__name__ != "Live")  # a test of its own
    return found


if __name__ == "__main__":
    unittest.main()
