#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Manual pages and completion: made of the tables of the help, complete, and accepted by groff and bash.

usage: test_manual.py PROGRAM
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))


def ask(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, check=True).stdout


def commands():
    return re.findall(r"^  ([a-z]+) ", ask("help"), re.M)


def options(command):
    """As the help shows them: {"--output=FILE", "-o"}, without those of argp itself"""
    found = re.findall(r"^  (?:(-\w), | {4})(--[a-z-]+(?:=\S+)?)", ask("help", command), re.M)
    return {name for pair in found for name in pair if name} - {"--help", "--usage"}


class Manual(unittest.TestCase):
    def page(self, *command):
        done = subprocess.run(["groff", "-man", "-Tascii", "-ww", "-P-c"], input=ask("help", "--man", *command), text=True,
                              capture_output=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return re.sub(".\b", "", done.stdout)  # bold and underlined letters

    def test_every_command_is_in_the_first_page(self):
        page = self.page()
        self.assertGreaterEqual(len(commands()), 16)
        for command in commands():
            self.assertRegex(page, rf"(?m)^ +{command}\b")
            self.assertRegex(page, rf"polhode-{command}\(1\)")
        for word in ("EXIT STATUS", "out of memory", "POLHODE_POTENTIALS", "OMP_NUM_THREADS"):
            self.assertIn(word, page)

    def test_every_option_is_in_the_page_of_its_command(self):
        many = 0
        for command in commands():
            with self.subTest(command=command):
                page = self.page(command)
                self.assertIn(f"POLHODE-{command.upper()}(1)", page)
                shown = re.split(r"\n(?:NOTES|EXIT STATUS)\n", page.split("\nOPTIONS\n")[1])[0]
                described = re.findall(r"^ +(?:(-\w), )?(--[a-z-]+(?:=\S+)?)", shown, re.M)
                described = {name for pair in described for name in pair if name} - {"--help", "-h"}
                self.assertEqual(described, options(command))
                many += len(described)
                words = "".join(page.split())
                for paragraph in ask("help", command).split("\n\n")[0].split("\n")[1:]:  # broken elsewhere
                    self.assertIn("".join(paragraph.split()).replace("-", ""), words.replace("-", ""))
        self.assertGreater(many, 60)

    def test_hyphens_and_dots_are_what_they_were(self):
        """Options that are copied from the page work, and no line begins with a command of roff that is none."""
        text = ask("help", "--man", "flow")
        self.assertIn(r"\-\-inertia", text)
        self.assertNotRegex(text.split("\n", 1)[1], r"[^\\]-")
        for line in text.splitlines():
            if line.startswith("."):
                self.assertRegex(line, r"^\.(TH|SH|TP|BR|nh|ad l)\b")


class Completion(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        for name in ("in.yaml", "run.h5md", "two words.h5md", "notes.txt"):
            with open(os.path.join(cls.folder.name, name), "w", encoding="utf-8"):
                pass
        os.mkdir(os.path.join(cls.folder.name, "inside"))
        cls.script = os.path.join(cls.folder.name, "completion")
        with open(cls.script, "w", encoding="utf-8") as file:
            file.write(ask("help", "--completion", "bash"))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def complete(self, line):
        """What bash would offer after this line, with words broken as bash does"""
        words = re.findall(r"[=:]+|[^\s=:]+", line)
        if line.endswith((" ", "=")):
            words.append("")
        quoted = " ".join("'" + word + "'" for word in words)
        shell = (f"source '{self.script}'; complete -p polhode >/dev/null\nCOMP_WORDS=({quoted})\n"
                 f"COMP_WORDS[0]='{PROGRAM}'\nCOMP_CWORD={len(words) - 1} COMP_LINE='{line}' COMP_POINT={len(line)}\n"
                 "_polhode\nprintf '%s\\n' \"${COMPREPLY[@]}\"")
        done = subprocess.run(["bash", "--norc", "-c", shell], capture_output=True, text=True, cwd=self.folder.name)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [word for word in done.stdout.split("\n") if word]

    def names(self, kind):
        return [entry["name"] for entry in json.loads(ask("list", kind, "--json"))[kind]]

    def test_commands_and_their_options(self):
        self.assertEqual(self.complete("polhode "), [*commands(), "--help", "--version"])
        self.assertEqual(self.complete("polhode re"), ["report", "resume"])
        for command in commands():
            wanted = {name.split("=")[0] for name in options(command) if name.startswith("--")} | {"--help"}
            self.assertEqual(set(self.complete(f"polhode {command} -")), wanted)
        self.assertEqual(self.complete("polhode run in.yaml --ov"), ["--overwrite"])
        self.assertEqual(self.complete("polhode help re"), ["report", "resume"])

    def test_names_of_methods_studies_and_kinds(self):
        self.assertEqual(self.complete("polhode study "), self.names("studies"))
        self.assertEqual(self.complete("polhode analyze "), self.names("analyses"))
        self.assertEqual(self.complete("polhode flow --flow dmv1"), ["dmv10", "dmv12", "dmv14"])
        self.assertEqual(self.complete("polhode flow --flow=dmv1"), ["dmv10", "dmv12", "dmv14"])
        self.assertEqual(self.complete("polhode tune in.yaml --schemes pefrl,verl"), ["pefrl,verlet", "pefrl,verlet-position"])
        self.assertEqual(self.complete("polhode list th"), ["thermostats"])

    def test_formats_are_those_that_are_accepted(self):
        refused = subprocess.run([PROGRAM, "export", "x.h5md", "--format", "?"], capture_output=True, text=True).stderr
        self.assertEqual(self.complete("polhode export run.h5md --format "),
                         re.search(r"Accepted: (.*)\.\n", refused)[1].split(", "))

    def test_keys_and_values_of_the_input(self):
        self.assertEqual(self.complete("polhode run in.yaml --set dynamics.ste"), ["dynamics.step=", "dynamics.steps="])
        self.assertEqual(self.complete("polhode run in.yaml --set dynamics.scheme=verl"), ["verlet", "verlet-position"])
        self.assertEqual(self.complete("polhode run in.yaml --set=dynamics.scheme=verl"), ["verlet", "verlet-position"])
        self.assertEqual(self.complete("polhode check in.yaml --set units="), ["reduced", "md"])
        self.assertEqual(self.complete("polhode run --set system.molecules[0].model=stock"), ["stockmayer"])
        self.assertEqual(self.complete("polhode run --set dynamics.compensated="), ["true", "false"])
        self.assertEqual(self.complete("polhode run --set dynamics.step="), [])

    def test_files_by_their_ending(self):
        self.assertEqual(self.complete("polhode run "), ["in.yaml", "inside"])
        self.assertEqual(self.complete("polhode run --threads 2 -q "), ["in.yaml", "inside"])
        self.assertEqual(sorted(self.complete("polhode info ")), ["inside", "run.h5md", "two words.h5md"])
        self.assertEqual(sorted(self.complete("polhode analyze rdf run.h5md ")), ["inside", "run.h5md", "two words.h5md"])
        self.assertEqual(self.complete("polhode study spheres -o in"), ["inside"])
        self.assertEqual(self.complete("polhode run --threads "), [])


if __name__ == "__main__":
    unittest.main()
