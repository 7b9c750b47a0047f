#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Runs every command that a page shows: the blocks `sh` of README.md and docs, page by page, in a folder that looks like the
source. test_tutorial.py runs the tutorial. Commands within sentences and tables must have options that exist.

Rules that keep this short (short_program.py has the numbers):
  - Inputs and scripts of a page, and `inputs/`, have at most STEPS steps, write every step, and have at most MANY molecules.
    The same holds for --steps, for --set and --table of steps, and --vary has ranges of two values.
  - `--backend cuda` becomes `emulated`.
  - Commands of the program in NOT_RUN take minutes. The test checks their input or trajectory instead.
  - Programs in INSTEAD need a network, root, a cluster or much time. Scripts that do nothing replace them, and all of tools/.
  - LAUNCHERS start one process.
Reference pages show parts: a short run replaces files that they do not make, and words as INPUT. Pages in COMPLETE make all
files.

usage: test_shown_commands.py POLHODE LIBRARY SOURCE
"""
import glob
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

import short_program
import shown
from short_program import shorter

INSTEAD = ("apt", "cc", "cmake", "cpack", "ctest", "man", "pip", "pkg-config", "sbatch")
LAUNCHERS = ("mpirun", "srun")
COMPLETE = ("README.md", "docs/install.md", "docs/own-molecule.md", "docs/howto/")
POLHODE, LIBRARY, SOURCE = (os.path.abspath(sys.argv.pop(1)) for _ in range(3))
FOLDER = tempfile.TemporaryDirectory(prefix="polhode-shown-")
PAGES = ["README.md"] + sorted(os.path.relpath(path, SOURCE) for path in glob.glob(f"{SOURCE}/docs/**/*.md", recursive=True))
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("SLURM_")},
    "POLHODE": POLHODE,
    "POLHODE_LIBRARY": LIBRARY,
    "OMP_NUM_THREADS": "1",
    "HOME": FOLDER.name,
    "PATH": os.path.join(FOLDER.name, "bin") + os.pathsep + os.environ["PATH"],
}


def text_of(page):
    with open(os.path.join(SOURCE, page), encoding="utf-8") as file:
        return file.read()


def write_script(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n" + text + "\n")
    os.chmod(path, 0o755)


def prepare(folder):
    """Programs that stand for others, short inputs, and a short run, all in a folder."""
    for name in ("bin", "tools", "inputs", "build/release"):
        os.makedirs(os.path.join(folder, name))
    itself = f'exec /usr/bin/python3 -S -E -B "{short_program.__file__}" "$@"'
    for path in ("bin/polhode", "build/release/polhode"):
        write_script(os.path.join(folder, path), itself)
    for name in INSTEAD:
        write_script(os.path.join(folder, "bin", name), "exit 0")
    for name in LAUNCHERS:  # whatever comes before the program are options of the launcher
        write_script(os.path.join(folder, "bin", name), 'while [ "${1##*/}" != polhode ]; do shift; done\nshift\nexec polhode "$@"')
    os.symlink("/usr/bin/python3", os.path.join(folder, "bin/python3"))
    for name in os.listdir(os.path.join(SOURCE, "tools")):
        if os.path.isfile(os.path.join(SOURCE, "tools", name)):
            write_script(os.path.join(folder, "tools", name), "exit 0")
    os.symlink(os.path.join(SOURCE, "tools/python"), os.path.join(folder, "tools/python"))
    for path in glob.glob(f"{SOURCE}/inputs/*"):
        with open(os.path.join(folder, "inputs", os.path.basename(path)), "w", encoding="utf-8") as file:
            file.write(shorter(path, text_of(path)))
    with open(os.path.join(folder, "stand-in.yaml"), "w", encoding="utf-8") as file:
        file.write(next(shorter(name, body) for _, body, name in shown.blocks(text_of("docs/howto/restart.md")) if name == "fluid.yaml"))
    with open(os.path.join(folder, "stand-in.csv"), "w", encoding="utf-8") as file:
        file.write("dynamics.step\n0.005\n0.01\n")
    subprocess.run([POLHODE, "run", "stand-in.yaml", "-q"], cwd=folder, env=ENVIRONMENT, check=True, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)


def printed(*words):
    return subprocess.run([POLHODE, *words], check=True, capture_output=True, text=True).stdout


class Options(unittest.TestCase):
    """Commands, options, keys and kinds of analysis exist, whether a command is in a block, a sentence or a table."""

    @classmethod
    def setUpClass(cls):
        cls.commands = set(re.findall(r"^  ([a-z]+) {2,}\S", printed("help").split("Exit status")[0], re.M))
        cls.options = {}
        cls.keys = {key["key"] for key in json.loads(printed("list", "keys", "--json"))["keys"]}
        cls.kinds = {kind["name"] for kind in json.loads(printed("list", "analyses", "--json"))["analyses"]}

    def options_of(self, command):
        if command not in self.options:
            self.options[command] = set(re.findall(r"(?<![\w-])(-\w|--[a-z-]+)(?=[ =,\n])", printed("help", command)))
        return self.options[command]

    def mistake(self, command):
        """What is wrong with the words after `polhode`, or an empty text."""
        words = shlex.split(re.sub(r"\[(-.*?)\]", r"\1", command))
        if words[0].startswith(("-", "$")):
            return ""
        if words[0] not in self.commands:
            return f"no command '{words[0]}'"
        for word, after in zip(words[1:], words[2:] + [""]):
            option = word.partition("=")[0]
            if re.fullmatch(r"--?[a-z][a-z-]*", option) and option not in self.options_of(words[0]):
                return f"'{words[0]}' has no option '{option}'"
            key = re.sub(r"\[\d+\]", "[]", after.partition("=")[0])
            if word in ("--set", "--vary") and key not in self.keys | {"key", "KEY"}:
                return f"no key '{key}'"
        if words[0] == "analyze" and words[1:] and re.fullmatch("[a-z-]+", words[1]) and words[1][0] != "-" and words[1] not in self.kinds:
            return f"no analysis '{words[1]}'"
        return ""

    def commands_of(self, text):
        """The words after `polhode` of all commands of a page."""
        outside = re.sub(r"^```.*?^```$", "", text, flags=re.S | re.M)
        for code in re.findall(r"`([^`\n]+)`", outside):
            yield from re.findall(r"^(?:\S*/)?polhode (.+)", code)
        for language, body, name in shown.blocks(text):
            if language in ("sh", "bash", "") and (name is None or body.startswith("#!")):
                body = re.sub(r"\\\n *", " ", body)
                yield from re.findall(r"(?m)^(?!cmake)(?:[^#\n]*[\s/])?\$?polhode ([^#\n;|&)]+)", body)

    def test_of_all_pages(self):
        many, wrong = 0, []
        for page in PAGES:
            for command in self.commands_of(text_of(page)):
                many += 1
                mistake = self.mistake(command)
                if mistake:
                    wrong.append(f"{page}: polhode {command}: {mistake}")
        self.assertEqual(wrong, [])
        self.assertGreater(many, 150)

    def test_mistakes_are_found(self):
        for command, mistake in (
            ("runn water.yaml", "no command 'runn'"),
            ("run water.yaml --thread 2", "'run' has no option '--thread'"),
            ("resume run.h5md -z", "'resume' has no option '-z'"),
            ("run water.yaml --set dynamics.stepp=1", "no key 'dynamics.stepp'"),
            ("sweep water.yaml --vary 'system.molecules[0].counts=1,2'", "no key 'system.molecules[].counts'"),
            ("analyze rdff run.h5md", "no analysis 'rdff'"),
            ("export FILE.h5md --format FORMAT [--frame A:B:C]", "'export' has no option '--frame'"),
        ):
            self.assertEqual(self.mistake(command), mistake)
        text = "`polhode run x.yaml --a`\n```sh\nmpirun -n 2 $polhode run y.yaml \\\n    --b  # polhode run --c\nPATH=x polhode list\n```\n"
        self.assertEqual([shlex.split(command) for command in self.commands_of(text)],
                         [["run", "x.yaml", "--a"], ["run", "y.yaml", "--b"], ["list"]])


class Commands(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        prepare(FOLDER.name)

    def follow(self, page, text):
        """All blocks `sh` of a page in one shell, as of a reader who goes through it."""
        environment = dict(ENVIRONMENT)
        if not page.startswith(COMPLETE):
            environment["STAND_IN"] = os.path.join(FOLDER.name, "stand-in")
        with tempfile.TemporaryDirectory(prefix=page.replace("/", "-"), dir=FOLDER.name) as folder:
            for name in ("tools", "inputs", "build"):
                os.symlink(os.path.join(FOLDER.name, name), os.path.join(folder, name))
            found = shown.blocks(text, folder, shorter)
            commands = "\n".join(body for language, body, name in found if language == "sh" and name is None)
            for script in (os.path.join(folder, name) for _, body, name in found if name and body.startswith("#!")):
                self.assertEqual(shown.call(f'bash -n "{script}"', folder, environment).returncode, 0, script)
            return commands, shown.call(commands, folder, environment)

    def test_of_all_pages(self):
        many = 0
        for page in PAGES:
            if page != "docs/tutorial.md":
                with self.subTest(page):
                    commands, done = self.follow(page, text_of(page))
                    self.assertEqual(done.returncode, 0, f"{page}:\n{commands}\n{done.stdout}")
                    many += commands.count("polhode ")
        self.assertGreater(many, 60)

    def test_wrong_pages_fail(self):
        text = "Write `a.yaml`:\n```yaml\n" + text_of("inputs/quickstart.yaml") + "```\n```sh\npolhode check a.yamlWRONG\n```\n"
        for wrong in (" --no-such-option", " --set dynamics.no_such_key=1", "\npolhode analyze rdf missing.h5md", "\ntools/no-such-tool"):
            self.assertNotEqual(self.follow("README.md", text.replace("WRONG", wrong))[1].returncode, 0, wrong)
        self.assertEqual(self.follow("README.md", text.replace("WRONG", ""))[1].returncode, 0)


class Slurm(unittest.TestCase):
    """The job of docs/howto/cluster.md, with programs that do as Slurm does: `srun` sends the signal when the run is under way."""

    SRUN = """
while [ "$1" != polhode ]; do shift; done
shift
echo "$1" >> starts
[ -z "${FAIL:-}" ] || exit "$FAIL"
if [ -n "${FINISH:-}" ]; then exec "$POLHODE" resume run.h5md --until "$FINISH"; fi
rm -f log  # of the start before
"$POLHODE" "$@" 2> log & run=$!
until grep -q 'Production begins\\|Continues' log 2>/dev/null || ! kill -0 $run 2>/dev/null; do sleep 0.02; done
sleep 0.2
kill -TERM $run
grep -c Continues log >> continued
wait $run
"""

    def job(self, folder, **settings):
        """Status of the job, and whether it was requeued."""
        environment = {**ENVIRONMENT, "PATH": folder + os.pathsep + ENVIRONMENT["PATH"], "SLURM_JOB_ID": "17", **settings}
        done = shown.call("rm -f requeued; sh job.sh", folder, environment)
        return done.returncode, os.path.exists(os.path.join(folder, "requeued")), done.stdout

    def test_requeues_until_done(self):
        with tempfile.TemporaryDirectory(prefix="polhode-slurm-") as folder:
            def change(name, text):  # never done before the signal
                return re.sub(r"equilibrate: {steps: \d+}", "equilibrate: {steps: 5}", re.sub(r"count: \d+", "count: 108", text))

            shown.blocks(text_of("docs/howto/cluster.md"), folder, change)
            write_script(os.path.join(folder, "srun"), self.SRUN)
            write_script(os.path.join(folder, "scontrol"), '[ "$1 $2" = "requeue 17" ] && touch requeued')
            for settings, status, requeued in (
                ({}, 130, True),
                ({"SLURM_RESTART_COUNT": "1"}, 130, True),
                ({"SLURM_RESTART_COUNT": "20"}, 130, False),
                ({"SLURM_RESTART_COUNT": "2", "FAIL": "3"}, 3, False),
                ({"SLURM_RESTART_COUNT": "2", "FINISH": "0"}, 0, False),
            ):
                if "FINISH" in settings:
                    where = json.loads(printed("info", os.path.join(folder, "run.h5md"), "--json"))["checkpoint"]["step"]
                    settings["FINISH"] = str(where + 2)
                got = self.job(folder, **settings)
                self.assertEqual(got[:2], (status, requeued), f"{settings}\n{got[2]}")
            with open(os.path.join(folder, "starts"), encoding="utf-8") as file:
                self.assertEqual(file.read().split(), ["run"] * 5)
            with open(os.path.join(folder, "continued"), encoding="utf-8") as file:
                self.assertEqual(file.read().split(), ["0", "1", "1"])


if __name__ == "__main__":
    unittest.main()
