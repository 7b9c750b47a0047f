#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Stands for the program in test_shown_commands.py, whose head has the rules: a command of a page with fewer steps.

usage: short_program.py WORD...    as of `polhode`; environment: POLHODE is the program, STAND_IN a run for missing files
"""
import os
import re
import sys

STEPS, MANY = 5, 500
NOT_RUN = ("bench", "certify", "report", "study", "tune")
STANDS_FOR = {"INPUT": "shown.yaml", "...": "dots.yaml", "FILE": "file.h5md", "NAME": "emulated"}


def shorter(name, text):
    """A file of a page with fewer steps and molecules."""
    text = re.sub(r"\bsteps: *([\d.e+]+)", lambda found: f"steps: {min(int(float(found[1])), STEPS)}", text)
    text = re.sub(r"\bcount: *(\d+)", lambda found: f"count: {min(int(found[1]), MANY)}", text)
    text = re.sub(r"(?<!checkpoint)_every: *[1-9]\d*", "_every: 1", text)
    return re.sub(r"\.advance\(\d+\)", f".advance({STEPS})", text) if name.endswith(".py") else text


def shorter_table(name):
    """A copy of a table for a sweep, with fewer steps."""
    with open(name, encoding="utf-8") as file:
        keys, *rows = (line.rstrip("\n").split(",") for line in file)
    short = "short-" + name
    with open(short, "w", encoding="utf-8") as file:
        for row in rows:
            row[:] = [str(min(int(value), STEPS)) if key.endswith("steps") else value for key, value in zip(keys, row)]
        file.writelines(",".join(row) + "\n" for row in [keys, *rows])
    return short


def shorter_words(words):
    """The words of a command with fewer steps, molecules and values."""
    after = ""
    for word in words:
        if after == "--steps":
            word = str(min(int(word), STEPS))
        elif after == "--backend" and word == "cuda":
            word = "emulated"
        elif after == "--set":
            word = re.sub(r"steps=(\d+)$", lambda found: f"steps={min(int(found[1]), STEPS)}", word)
            word = re.sub(r"count=(\d+)$", lambda found: f"count={min(int(found[1]), MANY)}", word)
        elif after == "--vary":
            word = re.sub(r"=(\d+)\.\.\d+$", lambda found: f"={found[1]}..{int(found[1]) + 1}", word)
        elif after == "--table" and os.path.exists(word):
            word = shorter_table(word)
        yield word
        after = word


def copy(name, target):
    with open(name, "rb") as source, open(target, "wb") as file:
        file.write(source.read())


def stand_in(words):
    """Words of a reference page, of which files may be missing."""
    after = ""
    for word in words:
        word = STANDS_FOR.get(word, word)
        ending = os.path.splitext(word)[1]
        if after not in ("-o", "--output") and ending in (".yaml", ".h5md", ".csv") and not os.path.exists(word):
            for more in ("", ".checkpoint") if ending == ".h5md" else ("",):
                copy(os.environ["STAND_IN"] + ending + more, word + more)
        yield word
        after = word


def main(words):
    if "STAND_IN" in os.environ:
        words = list(stand_in(words))
    if words[0] in NOT_RUN:
        files = [word for word in words if word.endswith((".yaml", ".h5md"))]
        commands = [["check" if file.endswith(".yaml") else "info", file] for file in files]
    else:
        words = list(shorter_words(words))
        commands = [words + ["--no-page"] if words[0] == "sweep" else words]
    for command in commands:
        status = os.spawnv(os.P_WAIT, os.environ["POLHODE"], [os.environ["POLHODE"], *command])
        if status:
            sys.exit(abs(status))


if __name__ == "__main__":
    main(sys.argv[1:])
