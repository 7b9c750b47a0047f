#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""What people who are new here stumble over: each is answered with the word that they meant, and nothing is written.

usage: test_stumbling.py PROGRAM
"""
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(sys.argv.pop(1))
GOOD = """units: reduced
system:
  box: {density: 0.8}
  molecules:
    - {model: stockmayer, count: 32}
  start: {kind: fcc, temperature: 1.35}
interactions:
  cutoff: 1.5
  electrostatics: {method: reaction-field}
dynamics: {step: 0.01, steps: 3}
"""
# The command; exit status; words that its output, or its messages where it fails, must have
COMMANDS = [
    # misspelt options and commands
    ("run in.yaml --overwite", 2, ["no option '--overwite'", "Did you mean '--overwrite'?", "polhode run --help"]),
    ("run in.yaml -overwrite", 2, ["no option '-overwrite'", "Did you mean '--overwrite'?"]),
    ("run in.yaml --qiet=3", 2, ["no option '--qiet'", "Did you mean '--quiet'?"]),
    ("certify --alll", 2, ["polhode certify", "Did you mean '--all'?"]),
    ("run in.yaml --frobnicate", 2, ["no option '--frobnicate'", "shows all"]),
    ("rum in.yaml", 2, ["no command named 'rum'", "Did you mean 'run'?", "analyze, bench"]),
    ("help rum", 2, ["Did you mean 'run'?"]),
    ("list modles", 2, ["Did you mean 'models'?"]),
    # shortened options and values that look like options are none of that
    ("flow --momentum -1,2,3 --iner 1,2,3 --time 3", 0, ["asymmetric top"]),
    ("check in.yaml --set -h", 2, ["--set -h", "key.path=value"]),
    # names that do not say what is in the file
    ("run in.yaml -o x.txt", 2, ["'x.txt'", "must end in .h5md, .h5 or .hdf5"]),
    ("run in.yaml -o h5md", 2, ["'h5md'", "must end in .h5md"]),
    ("run in.yaml --set output.file=x.csv", 2, ["--set output.file=x.csv: output.file: 'x.csv'", "must end in .h5md"]),
    ("export in.h5md --format csv -o x.h5md", 2, ["-o x.h5md", "--format csv", "ending is .csv"]),
    ("export in.h5md --format csv -o x.pdb", 2, ["-o x.pdb", "ending is .csv"]),
    ("report in.h5md -o x.txt", 2, ["-o x.txt", "must end in .html"]),
    ("analyze energy in.h5md -o x.txt", 2, ["x.txt", ".h5", ".csv"]),
    # --set is to blame, also where the rest of the file no longer fits
    ("run in.yaml --set dynamics.step", 2, ["--set dynamics.step: expected key.path=value"]),
    ("run in.yaml --set dynamics.step=-3", 2, ["--set dynamics.step=-3: dynamics.step is '-3'", "above 0"]),
    ("run in.yaml --set dynamics=", 2, ["'dynamics' is missing", "with --set dynamics=.)"]),
    ("energy in.yaml --set system.molecules[0].count=4", 2, ["in.yaml:8: interactions.cutoff", "count=4.)"]),
    ("tune in.yaml --tolerance 1 --set dynamics.steps=-1", 2, ["--set dynamics.steps=-1: dynamics.steps is"]),
    ("run in.yaml --set system.start.temperature=0 --set dynamics.barostat.kind=andersen --set dynamics.barostat.pressure=1", 2,
     ["dynamics.barostat.compressibility is missing", "nothing moves"]),
    # asking for help
    ("run -h", 0, ["Usage: polhode run", "--overwrite"]),
    ("run in.yaml -qh", 0, ["Usage: polhode run"]),
    ("run --help", 0, ["Usage: polhode run"]),
    ("help run", 0, ["Usage: polhode run", "--overwrite"]),
    ("help", 0, ["analyze", "version", "Exit status", "5          out of memory", "130        interrupted"]),
    ("-h", 0, ["analyze", "out of memory"]),
    ("--help", 0, ["analyze"]),
    ("version", 0, ["polhode 0.", "-O"]),
    ("--version", 0, ["polhode 0."]),
    ("-V", 0, ["polhode 0."]),
]

# An assignment of --set; words of the message, which blames it
SETS = [
    ("title=run #1", ["a comment", "Put the value into quotes"]),
    # names of other kinds of methods
    ("dynamics.scheme=rattle", ["no scheme 'rattle'", "'rattle' is an integrator: take dynamics.integrator"]),
    ("dynamics.scheme=exact", ["'exact' is a flow: take dynamics.flow"]),
    ("dynamics.flow=verlet", ["'verlet' is a scheme: take dynamics.scheme"]),
    ("dynamics.flow=vlv", ["'vlv' is an integrator"]),
    ("dynamics.integrator=verlet", ["'verlet' is a scheme", "Accepted: rattle, vlv"]),
    ("dynamics.integrator=mr2", ["'mr2' is a flow"]),
    # words of other programs, as values
    ("dynamics.scheme=velocity-verlet", ["dynamics.scheme: verlet"]),
    ("dynamics.scheme=leap-frog", ["dynamics.scheme: verlet"]),
    ("dynamics.scheme=shake", ["rigid bodies"]),
    ("dynamics.integrator=md", ["dynamics.scheme: verlet"]),
    ("dynamics.integrator=sd", ["dynamics.thermostat.kind: langevin"]),
    ("dynamics.integrator=npt", ["dynamics.barostat.kind: cell-rescaling"]),
    ("dynamics.thermostat.kind=Berendsen", ["velocity-rescaling: it relaxes", "canonical", "one of langevin"]),
    ("dynamics.thermostat.kind=v-rescale", ["This is velocity-rescaling here"]),
    ("dynamics.thermostat=berendsen", ["velocity-rescaling", "a map of keys, as {kind: langevin}"]),
    ("dynamics.barostat.kind=berendsen", ["cell-rescaling: it relaxes"]),
    ("dynamics.barostat.kind=Parrinello-Rahman", ["cell-rescaling"]),
    ("interactions.electrostatics.method=PME", ["This is mesh here"]),
    ("interactions.electrostatics.method=pppm", ["This is mesh here"]),
    ("interactions.electrostatics=pme", ["This is mesh here", "{method: "]),
    ("interactions.electrostatics=ewald", ["as {method: ewald}"]),
    ("system.box=open", ["as {kind: open}"]),
    ("units=lj", ["reduced here"]),
    ("units=real", ["md here"]),
    # as keys
    ("dynamics.timestep=0.01", ["unknown key 'dynamics.timestep'", "dynamics.step here"]),
    ("dt=0.01", ["dynamics.step here"]),
    ("nsteps=100", ["dynamics.steps here"]),
    ("run=100", ["dynamics.steps here"]),
    ("ensemble=nvt", ["dynamics.thermostat and dynamics.barostat"]),
    ("fix nvt=1", ["dynamics.thermostat and dynamics.barostat"]),
    ("tcoupl=v-rescale", ["dynamics.thermostat"]),
    ("ref_t=300", ["dynamics.thermostat.temperature"]),
    ("ref-p=1", ["pressure_bar"]),
    ("rcoulomb=1", ["interactions.cutoff"]),
    ("rvdw=1", ["interactions.cutoff"]),
    ("cutoff_radius=1", ["interactions.cutoff"]),
    ("pair_style=lj/cut", ["interactions.cutoff", "models"]),
    ("coulombtype=PME", ["interactions.electrostatics.method", "mesh"]),
    ("kspace_style=pppm", ["interactions.electrostatics.method"]),
    ("gen_vel=yes", ["system.start.temperature"]),
    ("constraints=h-bonds", ["rigid bodies", "Leave this out"]),
    ("output.nstxout=100", ["output.frames_every"]),
    ("dump=100", ["output.frames_every"]),
    ("thermo=100", ["output.series_every"]),
    # our own keys in another place
    ("thermostat=1", ["It belongs elsewhere: dynamics.thermostat."]),
    ("seed=3", ["system.start.seed", "dynamics.thermostat.seed"]),
    ("cutoff=3", ["interactions.cutoff"]),
    ("dynamics.temperature=1", ["system.start.temperature, dynamics.equilibrate.temperature"]),
    ("dynamics.stepp=3", ["Did you mean 'step'?"]),
]
# A file instead, and the line that is blamed
FILES = [
    ("units: reduced\nsystem:\n\tbox: {density: 0.8}\n", 3, ["a tab in column 1", "YAML indents with spaces"]),
    ("title: fluide très fin\n\tunits: reduced\n", 2, ["a tab in column 1"]),
    ("system:\n  molecules:\n    -\t{model: stockmayer}\n", 3, ["a tab in column 6"]),
    ("title: a: b\n", 1, ["not valid YAML: mapping values"]),
    (GOOD.replace("{step: 0.01, steps: 3}", "\n  step: 0.01\n  steps:3\n\noutput:\n  frames_every: 1"), 12, ["a blank is missing after the colon"]),
    (GOOD.replace("{step: 0.01, steps: 3}", "\n  step:0.01\n  steps: 3"), 11, ["a blank is missing after the colon"]),
    (GOOD.replace("step: 0.01", "timestep: 0.01"), 10, ["unknown key 'dynamics.timestep'", "dynamics.step here"]),
    (GOOD.replace("dynamics: {", "dynamics: {scheme: rattle, "), 10, ["is an integrator"]),
]


class Stumbling(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.write("in.yaml", GOOD)

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def call(self, words, status=0):
        done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, status, done.stderr + done.stdout)
        return done.stderr if status else done.stdout

    def notes(self, *words):
        """What `check` says beside its table"""
        done = subprocess.run([PROGRAM, "check", "in.yaml", *words], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def answers(self, words, status, needed):
        with self.subTest(command=words):
            before = sorted(os.listdir(self.folder))
            said = self.call(words, status)
            for word in needed:
                self.assertIn(word, said)
            if status:
                self.assertEqual(sorted(os.listdir(self.folder)), before)
                self.assertEqual(said.count("\n"), 1, said)

    def test_commands(self):
        for command, status, needed in COMMANDS:
            self.answers(command.split(), status, needed)

    def test_what_is_next_can_be_copied(self):
        """File names with characters that mean something to shells, and one that looks like an option"""
        for name in ("it's a $HOME `run`.h5md", "a b.h5md", "plain-1.2.h5md", "-q.h5md", "*?.h5md"):
            with self.subTest(name=name):
                said = self.call(["run", "in.yaml", "-q", f"-o{name}"])
                lines = said[said.index("Next:"):].splitlines()[1:]
                self.assertEqual([line.split()[1] for line in lines], ["report", "info", "export", "resume"])
                self.assertEqual("'" in lines[0], "plain" not in name and name[0] != "-", lines[0])
                shell = f'polhode() {{ "{PROGRAM}" "$@"; }}\n{lines[1]}\n{lines[2]}\n{lines[3][:-1]}1 -q\n'
                done = subprocess.run(["sh", "-ec", shell], capture_output=True, text=True, cwd=self.folder)
                self.assertEqual(done.returncode, 0, lines[1] + done.stderr)
                self.assertIn(os.path.splitext(name)[0] + ".csv", os.listdir(self.folder))
        self.write("a b.html", "")
        said = self.call(["resume", "a b.h5md", "--steps", "1", "-q"])  # the table is there already, and a page
        lines = said[said.index("Next:"):].splitlines()[1:]
        self.assertEqual(lines[0], "  polhode report 'a b.h5md' --overwrite")
        shell = f'polhode() {{ "{PROGRAM}" "$@"; }}\n{lines[1]}\n{lines[2]}\n'
        done = subprocess.run(["sh", "-ec", shell], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, 0, shell + done.stderr)

    def test_values_in_other_units_are_noticed(self):
        """Each hint is there with the value, and not without it."""
        water = GOOD.replace("reduced", "md").replace("stockmayer", "spc-e").replace("0.8", "33.4").replace("1.35", "300")
        water = water.replace("0.01", "0.002").replace("cutoff: 1.5", "cutoff: 0.4")
        hints = (
            (GOOD, "", "", ["system.start.temperature=300"], ["temperature is 300 in reduced units", "units: md"]),
            (GOOD, "", "", ["dynamics.step=2"], ["A step is 2 units of time long"]),
            (GOOD, "", "", ["system.box.density=33.4", "interactions.cutoff=0.4"], ["33.4 in a cube of edge sigma"]),
            (water, "", "", ["dynamics.step=2"], ["A step is 2 ps long", "2 fs are 0.002"]),
            (water, "", "", ["system.box.density=997", "interactions.cutoff=0.15"], ["997 molecules per nm^3", "system.box.mass_density"]),
            (water, "count: 32", "count: 4000", ["interactions.cutoff=9", "system.box.density=0.03"], ["cutoff is 9 nm", "9 Angstrom are 0.9"]),
            (water, "", "", ["system.start.temperature=1.35"], ["temperature is 1.35 K"]),
        )
        for text, old, new, sets, told in hints:
            self.write("in.yaml", text.replace(old, new) if old else text)
            for words in ([], sets):
                words = [word for one in words for word in ("--set", one)]
                done = subprocess.run([PROGRAM, "check", "in.yaml", *words], capture_output=True, text=True, cwd=self.folder)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stderr.count("Is this meant?"), 1 if words else 0, done.stderr)
                for each in told if words else ():
                    self.assertIn(each, done.stderr)

    def test_models_in_other_units_are_noticed(self):
        """Each number in the unit of its paper is asked about, and not in e nm, e nm^2, kJ/mol and u nm^2."""
        model = ("name: own\nsource: a test\nunits: md\nmass: 18\ninertia: [{}]\n"
                 "sites:\n  - {{name: A, dipole: [0, 0, {}], lennard-jones: {{epsilon: {}, sigma: 0.3}}}}\n"
                 "  - {{name: B, position: [0, 0, 0.05], quadrupole: {{Q: {}}}}}\n")
        self.write("in.yaml", GOOD.replace("reduced", "md").replace("stockmayer", "own.yaml").replace("0.8", "33.4").replace("1.35", "300")
                   .replace("0.01", "0.002").replace("cutoff: 1.5", "cutoff: 0.4"))
        good = ("0.017, 0.006, 0.012", 0.05, 0.636, 0.0084)
        for k, bad, told in ((None, 0, ()),
                             (0, "1.7, 0.6, 1.2", ("own has moments of inertia up to 1.7 u nm^2", "1 u Angstrom^2 is 0.01")),
                             (1, 2.35, ("Site own.A has a dipole of 2.35 e nm, which is 113 D.", "2.35 D are 0.0489257")),
                             (1, 0.49, ("which is 23.5 D",)),  # in e Angstrom
                             (2, 76.5, ("Site own.A has a Lennard-Jones interaction with an energy of 76.5 kJ/mol", "76.5 K are 0.636056")),
                             (3, 4.07, ("Site own.B has a quadrupole of 4.07 e nm^2, which is 1.95e+03 D Angstrom", "are 0.00847351"))):
            self.write("own.yaml", model.format(*(bad if j == k else good[j] for j in range(4))))
            said = self.notes()
            self.assertEqual(said.count("Is this meant?"), bool(told), said)
            for each in told:
                self.assertIn(each, said)

    def test_a_value_instead_of_a_map_is_answered_with_the_keys(self):
        model = "name: own\nsource: a test\nunits: reduced\nsites:\n  - {{name: A, mass: 1, {}}}\n"
        self.write("in.yaml", GOOD.replace("stockmayer", "own.yaml"))
        for written, told in (("quadrupole: 0.3", "sites[0].quadrupole is '0.3'. Accepted: a map of keys: Q, moments."),
                              ("table: t.txt", "sites[0].table is 't.txt'. Accepted: a map of keys: file."),
                              ("formula: 1/r", "sites[0].formula is '1/r'. Accepted: a map of keys: u, constants."),
                              ("lennard-jones: 1", "Accepted: a map of keys: epsilon, sigma.")):
            self.write("own.yaml", model.format(written))
            self.answers(["check", "in.yaml"], 2, ["own.yaml:5: ", told])

    def test_a_dipole_beside_the_axis_of_stickiness_is_told_of(self):
        model = ("name: own\nsource: a test\nunits: md\nmass: 18\ninertia: [0.0176, 0.006, 0.0116]\n"
                 "sites:\n  - {{name: W, dipole: {}, lennard-jones: {{epsilon: 0.636, sigma: 0.3}},\n"
                 "     sticky: {{v0: 16.3, w0: 0.077, rl: 0.24, ru: 0.38, rl_prime: 0.275, ru_prime: 0.335}}}}\n")
        self.write("in.yaml", GOOD.replace("reduced", "md").replace("stockmayer", "own.yaml").replace("0.8", "33.4").replace("1.35", "300")
                   .replace("0.01", "0.002").replace("cutoff: 1.5", "cutoff: 0.4"))
        for dipole, told in (("[0, 0, 0.05]", False), ("[0, 0, -0.05]", True), ("[0.05, 0, 0]", True), ("[0.05, 0, 0], axis: [1, 0, 0], side: [0, 1, 0]", False)):
            self.write("own.yaml", model.format(dipole))
            self.assertEqual("The dipole of site own.W does not point along the z axis" in self.notes(), told, dipole)

    def test_moments_of_no_body_are_explained(self):
        model = "name: own\nsource: a test\nunits: reduced\n{}sites:\n  - {{name: A, mass: 1, dipole: [0, 0, 1]}}\n"
        self.write("in.yaml", GOOD.replace("stockmayer", "own.yaml"))
        for line, told in (("inertia: [0.1, 0.2, 0.35]\n", "inertia is [0.1, 0.2, 0.35]. Accepted: moments of a body"),
                           ("inertia: [0.1, 0.2, 0.35]\n", "The sum of the other two of 0.35 is 0.3."),
                           ("", "nothing can turn site 1 ('A') with its position, dipole or axes. Give the model the key inertia: [I1, I2, I3].")):
            self.write("own.yaml", model.format(line))
            self.answers(["check", "in.yaml"], 2, ["own.yaml: Model 'own'", told])

    def test_a_switch_within_ellipsoids_is_told_of(self):
        rods = GOOD.replace("stockmayer", "gay-berne-3-5-2-1").replace("0.8", "0.1").replace("cutoff: 1.5", "cutoff: 3.4\n  switch: {width: WIDTH}")
        for width, told in (("0.39", False), ("0.8", True)):
            self.write("in.yaml", rods.replace("WIDTH", width))
            said = self.notes()
            self.assertEqual("the switch begins at 2.6 (interactions.cutoff 3.4 less switch.width 0.8), but two sites gay-berne-3-5-2-1.A touch "
                             "end to end at 3 already" in said, told, said)
            self.assertEqual("Warning: the switch" in said, told, said)

    def test_a_box_can_have_a_mass_density(self):
        water = GOOD.replace("reduced", "md").replace("stockmayer", "spc-e").replace("density: 0.8", "mass_density: 997")
        self.write("in.yaml", water.replace("cutoff: 1.5", "cutoff: 0.4"))
        said = self.call(["check", "in.yaml"])
        volume = float(said.partition("volume ")[2].partition(",")[0])
        self.assertAlmostEqual(volume, 32 * 18.0154 * 1.66053906660 / 997, places=6)
        self.write("in.yaml", GOOD.replace("density: 0.8", "mass_density: 997"))
        self.answers(["check", "in.yaml"], 2, ["in.yaml:3: ", "mass_density", "units"])
        self.write("in.yaml", GOOD.replace("density: 0.8", "density: 0.8, mass_density: 997").replace("reduced", "md"))
        self.answers(["check", "in.yaml"], 2, ["in.yaml:3: ", "give one of density, mass_density, length, edges"])

    def test_a_disk_that_is_too_small_is_told_of(self):
        self.write("in.yaml", GOOD)
        many = ["--set", "dynamics.steps=1000000000000000", "--set", "output.frames_every=1"]
        for words in ([], many):
            done = subprocess.run([PROGRAM, "check", "in.yaml", *words], capture_output=True, text=True, cwd=self.folder)
            self.assertRegex(done.stdout, r"\noutput: a trajectory of about [\d.e+]+ (kB|TB); [\d.e+]+ [kMGT]B are free\n")
            self.assertEqual("the disk will be full before the run ends" in done.stderr, bool(words), done.stderr)
        run = subprocess.Popen([PROGRAM, "run", "in.yaml", "-q", *many], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, cwd=self.folder)
        self.addCleanup(run.stderr.close)
        self.addCleanup(run.wait)
        self.addCleanup(run.kill)
        self.assertIn("the disk will be full", run.stderr.readline())

    def test_frames_may_never_be_written(self):
        self.write("in.yaml", GOOD)
        self.call(["run", "in.yaml", "-q", "--set", "output.frames_every=0", "--set", "output.series_every=1"])
        self.answers(["export", "in.h5md", "--format", "pdb"], 2, ["has no frames"])
        self.call(["resume", "in.h5md", "-q", "--steps", "2"])
        self.answers(["check", "in.h5md"], 2, ["is a trajectory (HDF5)", "'polhode resume in.h5md'", "'system.start: in.h5md'"])
        self.call(["export", "in.h5md", "--format", "csv"])
        with open(os.path.join(self.folder, "in.csv")) as file:
            self.assertEqual([line.split(",")[0] for line in file], ["step", "0", "1", "2", "3", "4", "5"])

    def test_info_names_external_fields(self):
        self.write("in.yaml", GOOD)
        self.call(["run", "in.yaml", "-q", "--set", "interactions.external.electric_field=[0, 0, 0.5]"])
        self.assertRegex(self.call(["info", "in.h5md"]), r"\nexternal +.*0\.5")

    def test_long_ranges_that_are_chosen_again_are_told(self):
        text = GOOD.replace("{method: reaction-field}", "{method: mesh, tolerance: 1e-3}").replace("0.8", "0.5").replace("0.01", "0.002")
        self.write("in.yaml", text.replace(", steps: 3}", "}\nstages:\n  - {name: grow, steps: 12, barostat: {kind: ramp, density: 0.1, every: 2}}"))
        done = subprocess.run([PROGRAM, "run", "in.yaml"], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"Long ranges were chosen again for a volume of \d+\.?\d*: mesh of \d+ x \d+ x \d+ points, \d+ points wide\.")

    def test_momenta_are_told_as_they_will_be(self):
        self.write("in.yaml", GOOD.replace("stockmayer", "lennard-jones"))
        self.call(["run", "in.yaml", "-q"])
        self.call(["export", "in.h5md", "--format", "gro"])
        with open(os.path.join(self.folder, "in.gro")) as file:
            lines = file.read().split("\n")
        dots = [at for at, letter in enumerate(lines[2]) if letter == "."]
        places = 20 + 3 * (dots[1] - dots[0])  # behind them are velocities
        self.write("in.gro", "\n".join(lines[:2] + [line[:places] for line in lines[2:-2]] + lines[-2:]))
        text = GOOD.replace("stockmayer", "lennard-jones").replace("{kind: fcc, temperature: 1.35}", "in.gro")
        self.write("in.yaml", text)
        bath = ["--set", "dynamics.thermostat.kind=langevin", "--set", "dynamics.thermostat.temperature=1.35"]
        for words, told in (([], "Molecules are at rest: "), (bath, "Momenta are drawn at the temperature of the first thermostat: ")):
            done = subprocess.run([PROGRAM, "check", "in.yaml", *words], capture_output=True, text=True, cwd=self.folder)
            self.assertIn(told, done.stderr)
            self.assertEqual("at rest" in done.stderr, not words)

    def test_settings(self):
        for setting, needed in SETS:
            self.answers(["check", "in.yaml", "--set", setting], 2, [f"--set {setting}: ", *needed])

    def test_files(self):
        for text, line, needed in FILES:
            self.write("in.yaml", text)
            self.answers(["check", "in.yaml"], 2, [f"in.yaml:{line}: ", *needed])

    def test_small_systems_are_told_how_well_they_land(self):
        """By sqrt(g/(2 f n)): 3 % with 189 degrees of freedom, and 150 of 400 steps that are correlated"""
        self.write("in.yaml", GOOD)
        for change, words in (([], "to about 3.1 % with 32 molecules and 800 steps"), (["dynamics.equilibrate.steps=8000"], None),
                              (["dynamics.equilibrate.land=false"], None), (["dynamics.equilibrate.relaxation_time=0.05"], "to about 2.0 %"),
                              (["dynamics.equilibrate.steps=40"], None)):
            sets = [word for text in ["dynamics.equilibrate.steps=800", *change] for word in ("--set", text)]
            said = self.notes(*sets)
            self.assertIn(words or "", said)
            self.assertEqual("lands on its temperature" in said, bool(words), said)

    def test_baths_without_noise_need_molecules_that_exchange_energy(self):
        self.write("in.yaml", GOOD)
        self.write("free.yaml", "name: free\ndescription: a point\nsource: none\nunits: reduced\nsites:\n  - {name: A, mass: 1}\n")
        gas = ["--set", "system.molecules=[{model: free.yaml, count: 32}]", "--set", "interactions={cutoff: 1.5}"]
        pressed = ["--set", "dynamics.scheme=verlet", "--set", "dynamics.barostat={kind: andersen, pressure: 1}"]
        for kind, more, words in (("nose-hoover", gas, "nose-hoover has no noise"), ("nose-poincare", gas + pressed, "nose-poincare has no noise"),
                                  ("nose-hoover", [], "No torque acts on molecules of model stockmayer"),
                                  ("velocity-rescaling", gas, None), ("langevin", [], None)):
            said = self.notes("--set", f"dynamics.thermostat.kind={kind}", *more)
            self.assertEqual([words for words in ("has no noise", "No torque acts") if words in said],
                             [part for part in ("has no noise", "No torque acts") if words and part in words], said)
            self.assertIn(words or "", said)


if __name__ == "__main__":
    unittest.main()
