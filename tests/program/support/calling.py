# SPDX-License-Identifier: MIT
"""The program, the first word of the command line, called in a folder that goes at the end."""
import os
import subprocess
import sys
import tempfile

POLHODE = os.path.abspath(sys.argv.pop(1))
FOLDER = tempfile.TemporaryDirectory(prefix="polhode-")


def path(name):
    return os.path.join(FOLDER.name, name)


def call(*words, status=0, **more):
    """What a command wrote, (stdout, stderr), after it ended with this status."""
    done = subprocess.run([POLHODE, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)
    if done.returncode != status:
        raise AssertionError(f"{words}: status {done.returncode}, not {status}\n{done.stdout}{done.stderr}")
    return done.stdout, done.stderr


def run(name, *words, **more):
    """Runs input.yaml of the folder; the trajectory has this name."""
    call("run", path("input.yaml"), "-o", path(name), "--quiet", "--overwrite", "--threads", "1", *words, **more)
    return path(name)
