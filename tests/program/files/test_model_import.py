#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""polhode model import: topologies of GROMACS and tables become models. Water written as GROMACS writes it has the energies of our
own models; inertia and principal axes are those of numpy; errors name file and line."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import numpy

PROGRAM = os.path.abspath(sys.argv.pop(1))
DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..", "data")

TYPES = """#define OURS
; the digits of potentials/spc-e.yaml
[ defaults ]
1 2 yes 0.5 0.5   ; Lennard-Jones, sigma and epsilon
[ atomtypes ]
; with and without a bonded type and an atomic number
OWx   OB 8 15.9994 0.0 A 0.316555789 0.650169581
HWx      1  1.008  0.4238 A 0.0 0.0
MWx      0  0.0    0.0 D 0.0 0.0
"""
SPCE = """[ moleculetype ]
SOL 2
[ atoms ]
1 OWx 1 SOL OW  1 -0.8476
2 HWx 1 SOL HW1 1
3 HWx 1 SOL HW2 1 0.4238 1.008
#ifndef FLEXIBLE
[ settles ]
1 1 0.1 0.163298086184023444
#else
[ bonds ]
1 2 1 7 1000
#endif
[ exclusions ]
1 2 3
"""
# A and C of the paper in kJ/mol: 600000 and 610 kcal A^12 and A^6; the site M by its weights
TIP4P = """#define OTHER
[ defaults ]
1 1 no
[ atomtypes ]
OW 8 15.9994 0.0 A %.17g %.17g
HW 1 1.008   0.0 A 0 0
MW 0 0.0     0.0 V 0 0
[ moleculetype ]
W4 2
[ atoms ]
1 OW 1 W4 O  1  0.0
2 HW 1 W4 H1 1  0.52
3 HW 1 W4 H2 1  0.52
4 MW 1 W4 M  1 -1.04
#ifdef OTHER
[ bonds ]
1 2 1 0.09572 1000
1 3 1 0.09572 1000
[ angles ]
2 1 3 1 104.52 1000
#endif
[ dummies3 ]
4 1 2 3 1 %.17g %.17g
[ moleculetype ]
other 1
[ atoms ]
1 OW 1 other O 1 0 16
""" % (610 * 4.184e-6, 600000 * 4.184e-12, *2 * [0.5 * 0.015 / (0.09572 * numpy.cos(numpy.radians(52.26)))])
TABLE = """# another order
charge, name, x, y, z, mass, epsilon, sigma
-0.8476, O, 0, 0, 0, 15.9994, 0.650169581, 0.316555789
0.4238, H, 0.081649043092011722, 0, 0.057735896651553043, 1.008, 0, 0
0.4238, H, -0.081649043092011722, 0, 0.057735896651553043, 1.008, 0, 0
"""
METHANE = """[ defaults ]
1 3
[ atomtypes ]
C 6 12.011 0 A 0.35 0.276144
H 1 1.008 0 A 0.25 0.12552
[ moleculetype ]
CH4 3
[ atoms ]
1 C 1 CH4 C  1 -0.24
2 H 1 CH4 H1 1 0.06
3 H 1 CH4 H2 1 0.06
4 H 1 CH4 H3 1 0.06
5 H 1 CH4 H4 1 0.06
[ bonds ]
1 2 1 0.109 1000
"""
METHANE_XYZ = "5\nAngstrom\nC 0 0 0\n" + "".join(
    "H %.12f %.12f %.12f\n" % tuple(1.09 / 3**0.5 * numpy.array(x)) for x in ((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)))
CARBON_DIOXIDE = """[ defaults ]
1 2
[ atomtypes ]
M 0 22 0 A 0 0
C 6 0 0.7 V 0.28 0.22
O 8 0 -0.35 V 0.305 0.66
[ moleculetype ]
CO2 2
[ atoms ]
1 M 1 CO2 M1 1
2 M 1 CO2 M2 1
3 C 1 CO2 C  1
4 O 1 CO2 O1 1
5 O 1 CO2 O2 1
[ constraints ]
1 2 1 0.2
[ virtual_sites2 ]
3 1 2 1 0.5
4 1 2 1 -0.08
5 1 2 1 1.08
"""
DUMBBELL = """LAMMPS data, units = real

2 atoms
1 atom types

Masses

1 14.007

Pair Coeffs # lj/cut

1 0.0725 3.31

Atoms # full

1 1 1 0.5 0 0 0
2 1 1 0.5 0 0 1.1
"""


class Import(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, **files):
        for name, text in files.items():
            with open(os.path.join(self.folder.name, name.replace("_", ".")), "w", encoding="utf-8") as file:
                file.write(text)

    def run_program(self, *words, status=0):
        done = subprocess.run([PROGRAM, *words], cwd=self.folder.name, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout if status == 0 else done.stderr

    def made(self, *words):
        return json.loads(self.run_program("model", "import", *words, "--json", "--overwrite"))

    def energy(self, model, start):
        self.write(input_yaml=f"units: md\nsystem:\n  molecules: [{{model: {model}, count: 4}}]\n  start: {start}\n"
                              "interactions: {cutoff: 0.57, electrostatics: {method: reaction-field}}\n")
        out = json.loads(self.run_program("energy", "input.yaml", "--json"))
        return out["energy"]["radial"], out["energy"]["electric"]

    def test_water_of_gromacs_has_the_energies_of_ours(self):
        gro = os.path.join(DATA, "four_waters_digits.gro")
        flagged = SPCE.replace("1 OWx", "#ifdef OURS\n1 OWx").replace("#ifndef FLEX", "#endif\n#ifndef FLEX")
        self.write(spce_itp=SPCE, types_itp=TYPES, tip4p_top=TIP4P, table_csv=TABLE, flagged_itp=flagged,
                   all_top='#include "types.itp"\n#include "spce.itp"\n[ molecules ]\nSOL 3\n')
        made = {"spc-e": [self.made("spce.itp", "--forcefield", "types.itp"), self.made("all.top", "--molecule", "SOL"),
                          self.made("table.csv"), self.made("flagged.itp", "--forcefield", "types.itp")],
                "tip4p": [self.made("tip4p.top", "--molecule", "W4")]}
        for ours, others in made.items():
            start = gro if ours == "spc-e" else f"{{file: {gro}, tolerance: 0.1}}"
            want = self.energy(ours, start)
            self.assertGreater(abs(want[1]), 0.1)
            for other in others:
                got = self.energy("./" + other["file"], start)
                for g, w in zip(got, want):
                    self.assertLess(abs(g - w), 1e-7 * abs(w), (ours, other["file"]))
        spce, tip4p = made["spc-e"][0], made["tip4p"][0]
        self.assertAlmostEqual(spce["mass"], 18.0154)
        self.assertEqual((spce["charge"], spce["kind"], spce["combining"]), (0, "asymmetric top", "lorentz-berthelot"))
        self.assertEqual(tip4p["combining"], "geometric")
        self.assertAlmostEqual(48.0320471 * numpy.linalg.norm(tip4p["dipole"]), 2.177, delta=1e-3)  # Debye, as published
        self.assertIn("2.177", self.run_program("model", "import", "tip4p.top", "--molecule", "W4", "--overwrite"))

    def test_water_of_lammps_has_the_energies_of_ours(self):
        """A template with a script, and a molecule of a data file, whose atoms are wrapped into the box one by one."""
        gro = os.path.join(DATA, "four_waters_digits.gro")
        with open(gro) as file:
            lines = file.read().splitlines()
        places = 10 * numpy.array([line[20:].split()[:3] for line in lines[2:14]], dtype=float)
        edges = 10 * numpy.array(lines[14].split(), dtype=float)
        box = numpy.array([[edges[0], 0, 0], [edges[5], edges[1], 0], [edges[7], edges[8], edges[2]]])
        places = (places @ numpy.linalg.inv(box) % 1) @ box
        kcal = 0.650169581 / 4.184
        coefficients = f"1 {kcal!r} 3.16555789\n2 0 0\n"
        data = f"LAMMPS data\n\n12 atoms\n2 atom types\n" + "".join(
            f"0 {edge!r} {a}lo {a}hi\n" for edge, a in zip(edges.tolist(), "xyz"))
        data += " ".join(map(repr, edges[[5, 7, 8]].tolist())) + " xy xz yz\n"
        data += f"\nMasses\n\n1 15.9994 # O\n2 1.008\nNe 20\n\nPair Coeffs # lj/cut/coul/long\n\n{coefficients}\nAtoms # full\n\n"
        rows = [f"{k + 1} {k // 3 + 1} {min(k % 3, 1) + 1} {0.4238 if k % 3 else -0.8476} {x!r} {y!r} {z!r}"
                for k, (x, y, z) in enumerate(places.tolist())]
        body = numpy.array([[1, 2, 3], [1.81649043092011722, 2, 3.57735896651553043], [0.18350956907988278, 2, 3.57735896651553043]])
        template = "# water\n\n3 atoms\n\nCoords\n\n" + "".join(f"{k + 1} {x} {y} {z}\n" for k, (x, y, z) in enumerate(body))
        template += "\nTypes\n\n1 1\n2 2 # H\n3 2\n\nCharges\n\n1 -0.8476\n2 0.4238\n3 0.4238\n"
        script = f"# SPC/E\nunits real\npair_style lj/cut/coul/long 9.0\nmass 1 15.9994\nmass 2 1.008\npair_modify mix arithmetic\n"
        script += f"pair_coeff 1 1 {kcal!r} 3.16555789\npair_coeff 2 2 0 0\n"
        self.write(water_data=data + "\n".join(reversed(rows)) + "\n", water_mol=template, spce_lmp=script)
        want = self.energy("spc-e", gro)
        whole = self.made("water.mol", "--forcefield", "spce.lmp", "-o", "template.yaml")
        third = self.made("water.data", "--units", "real", "--molecule", "3", "-o", "third.yaml")
        self.assertEqual((whole["combining"], third["combining"]), ("lorentz-berthelot", "geometric"))
        for start in (f"{{file: {gro}, names: {{OW: '1', HW1: '2', HW2: '2'}}}}", "water.data"):
            for made in (whole, third):
                self.assertAlmostEqual(made["mass"], 18.0154)
                for g, w in zip(self.energy("./" + made["file"], start), want):
                    self.assertLess(abs(g - w), 2e-7 * abs(w), (start, made["file"]))
        pair = "pair_coeff 1 2 0.5 2.0\n"
        self.write(mixed_lmp=script + pair)
        [told] = self.made("water.mol", "--forcefield", "mixed.lmp", "-o", "template.yaml")["pairs"]
        self.assertEqual((told["first"], told["second"], told["line"]), ("1", "2", script.count("\n") + 1))
        self.assertAlmostEqual(told["epsilon"], 0.5 * 4.184)
        self.write(wild_lmp=script + "pair_coeff * * 1 1\n", style_lmp="pair_style buck 9\n", few_mol=template.replace("3 atoms", "4 atoms"))
        for words, sentence in {
            ("water.mol",): "does not say its units: --units real, metal or lj",
            ("water.mol", "--units", "si"): "units si are not known here",
            ("water.mol", "--units", "real"): "atom 1 has no mass",
            ("water.mol", "--forcefield", "wild.lmp"): "wild.lmp:9: expected two types without wildcards",
            ("water.mol", "--forcefield", "style.lmp"): "style.lmp:1: expected a pair style lj/cut",
            ("few.mol", "--forcefield", "spce.lmp"): "promises 4 atoms, and Coords has 3",
            ("water.data", "--units", "real", "--molecule", "5"): "has no molecule 5",
        }.items():
            self.assertIn(sentence, self.run_program("model", "import", *words, "--overwrite", status=2))

    def test_inertia_and_axes_are_those_of_the_masses(self):
        turn, _ = numpy.linalg.qr(numpy.array([[1.0, 2, 0.5], [0.3, -1, 2], [2, 0.1, 0.7]]))
        turn *= numpy.linalg.det(turn)
        mass = numpy.array([12.0, 1, 16, 3])
        place = numpy.array([[0, 0, 0], [0.1, 0, 0.02], [-0.05, 0.12, 0], [0, 0.03, 0.09]]) @ turn + [0.5, -0.2, 0.1]
        self.write(odd_txt="".join(f"S{k} {m} 0.25 {x} {y} {z}\n" for k, (m, (x, y, z)) in enumerate(zip(mass, place))))
        made = self.made("odd.txt")
        place = place - mass @ place / mass.sum()
        inertia = sum(m * (x @ x * numpy.eye(3) - numpy.outer(x, x)) for m, x in zip(mass, place))
        axes = numpy.array(made["axes"])
        self.assertLess(abs(axes @ inertia @ axes.T - numpy.diag(made["inertia"])).max(), 1e-9)
        self.assertAlmostEqual(numpy.linalg.det(axes), 1.0)
        found = numpy.array([site["position"] for site in made["sites"]])
        self.assertLess(abs(found @ axes - place).max(), 1e-9)
        self.assertAlmostEqual(made["charge"], 1.0)
        self.assertIn("not neutral", self.run_program("model", "import", "odd.txt", "-o", "two.yaml"))

    def test_coordinates_and_virtual_sites_give_places(self):
        self.write(methane_itp=METHANE, methane_xyz=METHANE_XYZ, co2_itp=CARBON_DIOXIDE)
        methane = self.made("methane.itp", "--coordinates", "methane.xyz")
        self.assertEqual(methane["kind"], "spherical top")
        self.assertAlmostEqual(methane["inertia"][0], 8 / 3 * 1.008 * 0.109**2, places=9)
        carbon_dioxide = self.made("co2.itp")
        self.assertEqual(carbon_dioxide["kind"], "linear rotor")
        places = {site["name"]: numpy.array(site["position"]) for site in carbon_dioxide["sites"]}
        self.assertAlmostEqual(numpy.linalg.norm(places["O1"] - places["O2"]), 0.232)
        self.assertLess(numpy.linalg.norm(places["C"]), 1e-12)
        self.assertAlmostEqual(carbon_dioxide["charge"], 0)

    def test_force_fields_say_what_their_parameters_are(self):
        """Debian's GROMOS and OPLS in small: [ defaults ] in one file, types in another"""
        gromos = "[ atomtypes ]\nOWx 8 0 0 A 0.0026173456 2.634129e-06\nHWx 1 0 0 A 0 0\n"
        opls = "[ atomtypes ]\nOWx OW 8 15.9994 -0.82 A 3.16557e-01 6.50194e-01\nHWx HW 1 1.008 0.41 A 0 0\n"
        full = SPCE.replace("-0.8476", "-0.8476 15.9994").replace("HW1 1", "HW1 1 0.4238 1.008")
        for types, rule in ((gromos, 1), (opls, 3)):
            self.write(spce_itp=full, ffnonbonded_itp=types,
                       forcefield_itp=f'[ defaults ]\n1 {rule} no 1.0 1.0\n#include "ffnonbonded.itp"\n')
            water = self.made("spce.itp", "--forcefield", "forcefield.itp")
            self.assertAlmostEqual(water["sites"][0]["sigma"], 0.3166, delta=1e-4)
            self.assertAlmostEqual(water["sites"][0]["epsilon"], 0.650, delta=3e-4)
            self.assertEqual(water["pairs"], [])
            said = self.run_program("model", "import", "spce.itp", "--forcefield", "ffnonbonded.itp", "-o", "no.yaml", status=2)
            self.assertRegex(said, r"ffnonbonded.itp:2: \[ atomtypes \] without \[ defaults \].*--forcefield forcefield.itp")
        self.assertNotIn("no.yaml", os.listdir(self.folder.name))

    def pairs(self, rule, *lines):
        """Of SPC/E whose hydrogens have a sphere too; sigma and epsilon 0.3, 0.6 and 0.2, 0.15, or C6 and C12"""
        values = [(0.3, 0.6), (0.2, 0.15)]
        if rule == 1:
            values = [(4 * e * s**6, 4 * e * s**12) for s, e in values]
        types = f"[ defaults ]\n1 {rule}\n[ atomtypes ]\n" + "".join(
            f"{name} 1 {mass} 0 A {v:.7g} {w:.7g}\n" for name, mass, (v, w) in zip(("OWx", "HWx"), (15.9994, 1.008), values))
        self.write(pairs_itp="[ nonbond_params ]\n" + "\n".join(lines) + "\n", spce_itp=SPCE.replace("HW1 1", "HW1 1 0.4238"),
                   types_itp=types + '#include "pairs.itp"\n')
        return "spce.itp", "--forcefield", "types.itp"

    def test_pairs_of_the_molecules_own_types_are_told(self):
        def power(sigma, epsilon):
            return f"{4 * epsilon * sigma**6:.7g} {4 * epsilon * sigma**12:.7g}"

        geometric = 0.06**0.5
        means = {1: power(geometric, 0.3), 2: "0.25 0.3", 3: f"{geometric:.7g} 0.3"}
        for rule, mean in means.items():
            other = power(0.26, 0.3) if rule == 1 else "0.26 0.3"
            words = self.pairs(rule, f"HWx OWx 1 {mean}", "OWx Na 1 9 9", "Na Na 1 -1 -1")  # the mean, and other molecules
            self.assertEqual(self.made(*words)["pairs"], [], rule)
            words = self.pairs(rule, f"OWx HWx 1 {mean}", f"HWx OWx 1 {other}", "OWx OWx 1 0 0")  # the last one counts
            found = {(pair["first"], pair["second"]): pair for pair in self.made(*words)["pairs"]}
            self.assertEqual(list(found), [("OW", "OW"), ("OW", "HW1"), ("OW", "HW2")])
            pair, none = found["OW", "HW1"], found["OW", "OW"]
            self.assertEqual((pair["kind"], pair["file"], pair["line"]), ("lennard-jones", "pairs.itp", 3))
            self.assertAlmostEqual(pair["sigma"], 0.26, places=6)
            self.assertAlmostEqual(pair["epsilon"], 0.3, places=5)
            self.assertEqual((none["epsilon"], none["line"]), (0, 4))
        # what it says can be put into an input
        words = self.pairs(1, "OWx HWx 1 0 4e-8", f"HWx HWx 1 {power(0.21, 0.1)}")
        said = self.run_program("model", "import", *words, "--overwrite")
        self.assertIn("soft-sphere: {epsilon: 1e-08, sigma: 1, exponent: 12}}  # pairs.itp:2\n", said)
        block = said[said.index("interactions:\n") : said.index("\n\nNext")]
        start = f"{{file: {os.path.join(DATA, 'four_waters_digits.gro')}, tolerance: 0.1}}"
        rest = "  cutoff: 0.57\n  combining: geometric\n  electrostatics: {method: reaction-field}\n"
        energies = []
        for rules in ("interactions:", block):
            self.write(input_yaml=f"units: md\nsystem:\n  molecules: [{{model: ./spce.yaml, count: 4}}]\n  start: {start}\n"
                                  f"{rules}\n{rest}")
            energies.append(json.loads(self.run_program("energy", "input.yaml", "--json"))["energy"]["radial"])
        self.assertGreater(abs(energies[0] - energies[1]), 1e-3 * abs(energies[0]))

    def test_negative_parameters_are_refused(self):
        for rule, line, sentence in (
            (2, "OWx HWx 1 -0.2 0.3", "pairs.itp:2: [ nonbond_params ] of 'OWx' and 'HWx'"),
            (2, "OWx HWx 1 -0.2 0.3", "sigma = -0.2 and epsilon = 0.3"),
            (3, "OWx HWx 1 0.2 -0.3", "epsilon = -0.3"),
            (1, "HWx HWx 1 1e-3 0", "C6 = 0.001 and C12 = 0"),
            (1, "HWx HWx 2 1e-3 0 1", "pairs.itp:2: [ nonbond_params ] needs two types, funct 1"),
        ):
            self.assertIn(sentence, self.run_program("model", "import", *self.pairs(rule, line), status=2))
        for sigma, epsilon in ((-0.3, 0.65), (0.3, -0.65)):
            values, sentence = f"{sigma} {epsilon}", f"sigma = {sigma} and epsilon = {epsilon}"
            self.write(spce_itp=SPCE, types_itp=TYPES.replace("0.316555789 0.650169581", values),
                       table_csv=f"O 16 0 0 0 0 {values}\n")
            said = self.run_program("model", "import", "spce.itp", "--forcefield", "types.itp", status=2)
            self.assertIn(f"types.itp:7: type 'OWx' of atom 'OW' has {sentence}", said)
            self.assertIn(f"table.csv:1: site 'O' has {sentence}", self.run_program("model", "import", "table.csv", status=2))
        self.write(spce_itp=SPCE, types_itp=TYPES + "Xx 1 1 0 A -1 -1\n")  # not of this molecule
        self.made("spce.itp", "--forcefield", "types.itp")

    def test_mistakes_are_named_with_file_and_line(self):
        self.write(spce_itp=SPCE, methane_itp=METHANE, tip4p_top=TIP4P, empty_csv="# nothing\n", wrong_csv="O 16 x 0 0 0\n",
                   few_csv="O 16 0 0 0\n", atoms_itp="[ moleculetype ]\nA 1\n[ atoms ]\n1 OW 1 A O\n",
                   types_itp="[ atomtypes ]\nO 8 16\n", include_itp='\n#include "nowhere.itp"\n', none_itp="[ atoms ]\n",
                   loop_itp='#include "loop.itp"\n', alike_csv="H 1 0.1 0 0 0\nH 1 0.2 0 0 1\n")
        for words, sentences in {
            ("spce.itp",): ("spce.itp:4: atom 'OW' has the type 'OWx'", "--forcefield"),
            ("methane.itp",): ("methane.itp:7: molecule 'CH4' has 5 atoms", "--coordinates"),
            ("tip4p.top",): ("several molecules", "W4, other", "--molecule"),
            ("tip4p.top", "--molecule", "W5"): ("not W5", "W4, other"),
            ("empty.csv",): ("empty.csv: has no sites", ".itp or .top"),
            ("wrong.csv",): ("wrong.csv:1: charge is 'x'",),
            ("few.csv",): ("few.csv:1: a site needs name mass charge x y z",),
            ("atoms.itp",): ("atoms.itp:4: [ atoms ] needs number",),
            ("types.itp",): ("types.itp:2: [ atomtypes ] needs name, mass",),
            ("include.itp",): ("include.itp:2: there is no file 'nowhere.itp'",),
            ("none.itp",): ("none.itp: has no [ moleculetype ]",),
            ("loop.itp",): ("more than 12 files include each other",),
            ("alike.csv",): ("alike.yaml:", "sites of one name are alike"),
            ("methane.itp", "--coordinates", "spce.itp"): ("spce.itp: the format is unknown",),
            ("wrong.csv", "--units", "si"): ("--units si", "md or reduced"),
        }.items():
            with self.subTest(words=words):
                said = self.run_program("model", "import", *words, status=2)
                for sentence in sentences:
                    self.assertIn(sentence, said)
        self.assertFalse([name for name in os.listdir(self.folder.name) if name.endswith(".yaml")])  # nothing half done
        self.run_program("model", "export", "spce.itp", status=2)
        self.write(spce_yaml="mine")
        self.assertIn("is there already", self.run_program("model", "import", "spce.itp", status=4))
        self.run_program("model", "import", "missing.itp", status=4)

    def test_torn_files_are_read_or_refused(self):
        refused = 0
        for name, text in (("torn.top", TIP4P), ("torn.csv", TABLE), ("torn.data", DUMBBELL)):
            for end in range(0, len(text), 37):
                self.write(**{name.replace(".", "_"): text[:end] + "\x01["})
                done = subprocess.run([PROGRAM, "model", "import", name, "--overwrite"], cwd=self.folder.name,
                                      capture_output=True, text=True, check=False)
                self.assertIn(done.returncode, (0, 2), done.stderr)
                self.assertEqual("torn" in done.stderr, done.returncode == 2)
                refused += done.returncode == 2
        self.assertGreater(refused, 15)


if __name__ == "__main__":
    unittest.main()
