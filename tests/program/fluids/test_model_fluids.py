#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""polhode model import: potential models of ms2 and components of ls1 mardyn. One molecule written in both formats and in all
units gives one model; places, energies and moments are those worked out here; errors name file and line; torn and hostile
files are refused."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import numpy

PROGRAM = os.path.abspath(sys.argv.pop(1))
DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..", "data", "models")
DEBYE = 48.0320471  # of 1 e nm
KELVIN = 0.00831446261815324  # in kJ/mol
COULOMB = 138.935457644382  # kJ/mol nm / e^2

# An invented molecule in the units of ms2: a bent pair of spheres, a charge on each and one beside them, and a dipole
PM = """#*****
# Substance   none
# Reference   written for this test

NSiteTypes = 3

SiteType   =  LJ126
NSites     =  2

# CH2(1)
x       = \t 0.5
y       = -0.3
z       = 0.0
sigma   = 3.5
epsilon = 80.0
mass    = 14.0

#O[e]
x       = -0.7
y       = 0.2   # a remark
z       = 0.1
sigma   = 3.0
epsilon = 60
mass    = 1.6e1

SiteType   =  Charge
NSites     =  3

x         = 0.5
y         = -0.3
z         = 0.0
charge    = +0.2
mass      = 0.0
shielding = 1.0

x         = -0.7
y         = 0.2
z         = 0.1
charge    = -0.6
mass      = 0
shielding = 1

# H
x         = -1.1
y         = 0.9
z         = -0.4
charge    = 0.4
mass      = 1.0
shielding = 0

SiteType   =  D
NSites     =  1

x         = 0.0
y         = 0.1
z         = 0.2
theta     = 90.0
phi       = 30.0
dipole    = -1.5
mass      = 0.0
shielding = 1.0

NRotAxes = auto

NFluct = 2
0.5 1.0 1.0 0.5
0.0 0.0 0.0 0.0
"""
PLACES = numpy.array([[0.5, -0.3, 0.0], [-0.7, 0.2, 0.1], [-1.1, 0.9, -0.4], [0.0, 0.1, 0.2]]) / 10
MASSES = numpy.array([14.0, 16.0, 1.0, 0.0])
CHARGES = numpy.array([0.2, -0.6, 0.4, 0.0])
POINT_DIPOLE = -1.5 / DEBYE * numpy.array([numpy.cos(numpy.pi / 6), 0.5, 0.0])

# Reference units of ls1 mardyn: nm, u, kJ/mol
REFERENCES = {"md": (1.0, 1.0, 1.0), "angstrom": (0.1, 1.0, KELVIN), "atomic": (0.0529177210903, 1000.0, 2625.4996394799)}

def components(length, mass, energy, extra="", old=False):
    """The molecule of PM as ls1 mardyn has it"""
    charge = (energy * length / COULOMB) ** 0.5

    def place(x):
        tag = "coord" if old else "coords"
        return f"<{tag}> <x>{x[0] / length:.17g}</x> <y>{x[1] / length:.17g}</y><z>{x[2] / length:.17g}</z> </{tag}>"

    dipole = 1.5 / DEBYE / charge / length
    direction = f"<orientation><theta>90</theta><phi>210</phi></orientation><dipole>{dipole:.17g}</dipole>"
    vector = -dipole * numpy.array([3**0.5 / 2, 0.5, 0])
    direction = direction if old else (f"<dipolemoment><x>{vector[0]:.17g}</x>\n<y>{vector[1]:.17g}</y> <z>0</z></dipolemoment>")
    spheres = zip(PLACES, MASSES, ((0.35, 80 * KELVIN, "CH2"), (0.3, 60 * KELVIN, "O")))
    sites = "".join(f'<site type="LJ126" id="{k}" name="{name}">{place(x)}<mass>{m / mass:.17g}</mass>\n<sigma>{s / length:.17g}</sigma>'
                    f"<epsilon>{e / energy:.17g}</epsilon><shifted>0</shifted></site>\n" for k, (x, m, (s, e, name)) in enumerate(spheres))
    sites += "".join(f"<site type='Charge' name=\"H\">{place(x)}<charge>{q / charge:.17g}</charge><mass>{m / mass:.17g}</mass></site>\n"
                     for x, q, m in zip(PLACES[:3], CHARGES, (0, 0, 1)))
    sites += f'<site type="Dipole">{place(PLACES[3])}{direction}</site>\n'
    return (f"<?xml version='1.0'?>\n<!-- one & <two> -->\n<components version=\"1\">\n<moleculetype id=\"7\" name=\"BENT\">\n{sites}{extra}"
            "</moleculetype>\n<moleculetype id=\"8\" name=\"other\"/></components>\n")


class Fluids(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, name, text):
        with open(os.path.join(self.folder.name, name), "w", encoding="latin-1") as file:
            file.write(text)

    def run_program(self, *words, status=0):
        done = subprocess.run([PROGRAM, "model", "import", *words], cwd=self.folder.name, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout if status == 0 else done.stderr

    def made(self, *words):
        return json.loads(self.run_program(*words, "--json", "--overwrite"))

    def refused(self, name, text, *sentences, words=()):
        self.write(name, text)
        said = self.run_program(name, *words, status=2)
        for sentence in sentences:
            self.assertIn(sentence, said)

    def check(self, model, digits):
        """Against numbers worked out from the constants above"""
        near = 10.0**-digits
        sites = {site["name"]: site for site in model["sites"]}
        self.assertEqual(list(sites), ["CH2", "O", "H", "d"])
        self.assertAlmostEqual(model["mass"], 31.0, delta=31 * near)
        self.assertAlmostEqual(model["charge"], 0.0, delta=near)
        axes = numpy.array(model["axes"])
        place = PLACES - MASSES @ PLACES / MASSES.sum()
        found = numpy.array([sites[name]["position"] for name in sites]) @ axes
        self.assertLess(abs(found - place).max(), 0.1 * near)
        inertia = sum(m * (x @ x * numpy.eye(3) - numpy.outer(x, x)) for m, x in zip(MASSES, place))
        self.assertLess(abs(axes @ inertia @ axes.T - numpy.diag(model["inertia"])).max(), near)
        self.assertLess(abs(numpy.array(model["dipole"]) @ axes - (CHARGES @ place + POINT_DIPOLE)).max(), near)
        self.assertLess(abs(numpy.array(sites["d"]["dipole"]) @ axes - POINT_DIPOLE).max(), near)
        for name, sigma, epsilon, charge in (("CH2", 0.35, 80, 0.2), ("O", 0.3, 60, -0.6), ("H", 0, 0, 0.4), ("d", 0, 0, 0)):
            self.assertAlmostEqual(sites[name]["sigma"], sigma, delta=near)
            self.assertAlmostEqual(sites[name]["epsilon"], epsilon * KELVIN, delta=near)
            self.assertAlmostEqual(sites[name]["charge"], charge, delta=near)

    def test_one_molecule_in_every_format_and_unit_is_one_model(self):
        """Catches a wrong unit, angle or sign, and charges that do not join the sphere at their place"""
        self.write("bent.pm", PM)
        self.check(self.made("bent.pm"), 9)
        self.write("spaces.pm", "\xef\xbb\xbf#\n" + PM.replace("x       = \t", "x\xc2\xa0=\xc2\xa0").replace("\n", "\r\n"))
        self.check(self.made("spaces.pm"), 9)
        for name, reference in REFERENCES.items():
            for old in (False, True):
                self.write("bent.xml", components(*reference, old=old))
                self.check(self.made("bent.xml", "--units", name, "--molecule", "BENT"), 9)
        self.check(self.made("bent.xml", "--units", "atomic", "--molecule", "7"), 9)
        self.write("input.xml", "<mardyn>\n<refunits><length unit='nm'>0.0529177210903</length><mass unit='u'>1000</mass>\n"
                   "<energy unit='eV'>27.2113862460</energy></refunits>\n<simulation><ensemble><components>\n"
                   "<include query='/components'>bent.xml</include></components></ensemble></simulation></mardyn>")
        self.check(self.made("input.xml", "--molecule", "BENT"), 8)

    def test_examples_of_the_corpus_are_models(self):
        """The files that random changes start from; a quadrupole of strength 0 is none"""
        for name, sites, inertia in (("bent.pm", 2, [0.01, 0.02, 0.025]), ("bent.xml", 2, [0.01, 0.02, 0.025])):
            model = self.made(os.path.join(DATA, name))
            self.assertEqual((len(model["sites"]), model["mass"], model["inertia"]), (sites, 18, inertia))

    def test_the_source_names_the_paper(self):
        """Whose lines end anywhere, as MolMod writes them: within words, before blanks and behind them"""
        header = ("# CAS-No.       1-2-3\n# Reference     A. Author: On a fluid that n\n#               obody has seen, Journal of \n"
                  "#               Nothing\n#                1, 2 (M\xf6ller)\n#               \n#                 not this\n")
        self.write("bent.pm", header + PM[PM.index("NSiteTypes"):])
        with open(os.path.join(self.folder.name, self.made("bent.pm")["file"]), encoding="utf-8") as file:
            self.assertIn("source: 'A. Author: On a fluid that nobody has seen, Journal of Nothing 1, 2 (M?ller); imported from bent.pm'",
                          file.read())

    def test_reduced_units_stay_as_they_are(self):
        self.write("bent.xml", components(*REFERENCES["md"]))
        with open(os.path.join(self.folder.name, self.made("bent.xml", "--units", "reduced", "--molecule", "BENT")["file"])) as file:
            text = file.read()
        self.assertIn("units: reduced\n", text)
        self.assertIn("sigma: 0.35}", text)
        self.assertIn(f"charge: {-0.6 * COULOMB**0.5:.10g}"[:18], text)

    def test_sites_of_one_name_are_alike(self):
        """Two kinds of charges without names: e, e and another name"""
        sites = "".join(f"x={x}\ny=0\nz=0\ncharge={q}\nmass=1\nshielding=0\n" for x, q in ((-1, 0.5), (1, 0.5), (0, -1)))
        self.write("three.pm", f"SiteType=Charge\nNSites=3\n{sites}NRotAxes=auto\n")
        model = self.made("three.pm")
        self.assertEqual([site["name"] for site in model["sites"]], ["e", "e", "e-2"])
        self.assertEqual(model["kind"], "linear rotor")

    def test_moments_of_the_file(self):
        """Those of the masses up to rounding are those of the masses; others are taken as given"""
        plain = "NSiteTypes=1\nSiteType=LJ126\nNSites=2\n" + "".join(
            f"x={x}\ny=0\nz=0\nsigma=3\nepsilon=50\nmass={m}\n" for x, m in ((1.0, 10), (-0.5, 20))) + "NRotAxes={}\n"
        self.write("auto.pm", plain.format("auto"))
        self.write("same.pm", plain.format("2\nTotalMass = 30\nInertMomX=0\nInertMomY=15.0001\nInertMomZ=14.9999"))
        self.write("other.pm", plain.format("3\nInertMomX=5\nInertMomY=15\nInertMomZ=16").replace("x=1.0", "x=1.6").replace("x=-0.5", "x=0.1"))
        auto = self.made("auto.pm")["inertia"]
        self.assertEqual(self.made("same.pm")["inertia"], auto)
        self.assertEqual((auto[0], auto[1]), (0, auto[2]))
        self.assertAlmostEqual(auto[1], 0.15)
        other = self.made("other.pm")
        for got, want in zip(other["inertia"], (0.05, 0.15, 0.16)):
            self.assertAlmostEqual(got, want, places=14)
        self.assertAlmostEqual(other["sites"][0]["position"][0], 0.1)  # the centre of mass is the origin
        moments = "<momentsofinertia><Ixx>0.3</Ixx><Iyy>0.4</Iyy><Izz>0.5</Izz></momentsofinertia>"
        self.refused("bent.xml", components(*REFERENCES["md"], extra=moments), "bent.xml: ", "its origin must be the centre of mass",
                     words=("--units", "md", "--molecule", "BENT"))
        point = '<moleculetype name="P"><site type="LJ126"><coords><x>0</x><y>0</y><z>0</z></coords><mass>44</mass><sigma>0.4</sigma>'
        point += "<epsilon>2</epsilon></site><momentsofinertia rotaxes='xy'><Ixx>0.5</Ixx><Iyy>0.5</Iyy></momentsofinertia></moleculetype>"
        self.write("point.xml", point)
        self.assertEqual(self.made("point.xml", "--units", "md")["inertia"], [0.5, 0.5, 0])

    def test_quadrupoles(self):
        """With their strength, sign and direction, which the turn to the principal frame takes along"""
        quadrupole = "SiteType = Q\nNSites = 1\n# qq\nx={}\ny=0\nz=0\ntheta=60\nphi=30\nquadrupole=-4.07\nmass=0\nshielding=1\n"
        direction = numpy.array([0.75, 3**0.5 / 4, 0.5])
        model = self.made(*self.joined(quadrupole.format(0.4), "q.pm"))
        site = model["sites"][-1]
        self.assertEqual(site["name"], "qq")
        self.assertAlmostEqual(site["quadrupole"], -0.407 / DEBYE, places=10)
        self.assertLess(abs(numpy.array(site["axis"]) @ numpy.array(model["axes"]) - direction).max(), 1e-12)
        self.assertIn("quadrupole -0.00847351 e nm^2 = -4.07 D Angstrom", self.run_program("q.pm", "--overwrite"))
        joined = self.made(*self.joined(quadrupole.format(0.5).replace("y=0", "y=-0.3")))
        self.assertEqual([name for name in (site["name"] for site in joined["sites"])], ["CH2", "O", "H", "d"])
        self.assertAlmostEqual(joined["sites"][0]["quadrupole"], -0.407 / DEBYE, places=10)
        charge = (1.0 / COULOMB) ** 0.5  # of ls1 mardyn in nm and kJ/mol
        site = '<site type="Quadrupole" name="Q1"><coords><x>0.5</x><y>0</y><z>0</z></coords><quadrupolemoment>{}</quadrupolemoment></site>'
        for words in ("<theta>60</theta><phi>30</phi><abs>2.5</abs>",
                      "<orientation><x>0.75</x><y>0.4330127018922193</y><z>0.5</z></orientation><abs>2.5</abs>"):
            self.write("q.xml", components(*REFERENCES["md"], extra=site.format(words)))
            model = self.made("q.xml", "--units", "md", "--molecule", "BENT")
            site_made = model["sites"][-1]
            self.assertAlmostEqual(site_made["quadrupole"], 2.5 * charge, places=12)
            self.assertLess(abs(numpy.array(site_made["axis"]) @ numpy.array(model["axes"]) - direction).max(), 1e-12)

    def joined(self, quadrupole, name="joined.pm"):
        before = PM[: PM.index("NRotAxes")].replace("NSiteTypes = 3", "NSiteTypes = 4")
        self.write(name, before + quadrupole + "NRotAxes = auto\n")
        return (name,)

    def test_a_linear_molecule_of_two_centres(self):
        """Carbon monoxide's cousin with a quadrupole: the model is one of the library but for the names"""
        spheres = "".join(f"x=0\ny=0\nz={z}\nsigma=3.3211\nepsilon=34.897\nmass=14.007\n" for z in (-0.5232, 0.5232))
        self.write("n2.pm", f"SiteType=LJ126\nNSites=2\n{spheres}SiteType=Q\nNSites=1\nx=0\ny=0\nz=0\ntheta=0\nphi=0\n"
                            "quadrupole=1.4397\nmass=0\nshielding=1\nNRotAxes=auto\n")
        model = self.made("n2.pm")
        self.assertEqual(model["kind"], "linear rotor")
        self.assertEqual(model["sites"][2]["axis"], [0, 0, 1])
        self.assertAlmostEqual(model["sites"][2]["quadrupole"], 0.00299737380802, places=13)

    def test_mistakes_in_files_of_ms2_are_named(self):
        for old, new, *sentences in (
            ("NRotAxes = auto", "", "ends without NRotAxes"),
            ("NRotAxes = auto", "NRotAxes = 1", "NRotAxes is '1'. Accepted: auto, 0, 2, 3."),
            ("NRotAxes = auto", "NRotAxes = 2\nInertMomX = 1", "there is no InertMomY"),
            ("SiteType   =  D", "SiteType = MIEnm", "bent.pm:51: SiteType is 'MIEnm'. Accepted: LJ126, Charge, Dipole"),
            ("NSiteTypes = 3", "NSiteTypes = 2", "bent.pm:5: NSiteTypes = 2, but the file has 3 SiteTypes."),
            ("NSiteTypes = 3", "NSiteTypes = 4", "bent.pm:5: NSiteTypes = 4, but the file has 3 SiteTypes."),
            ("NSiteTypes = 3", "NSiteTypes = 2.5", "bent.pm:5: NSiteTypes = 2.5. Accepted: one number of SiteTypes."),
            ("NSites     =  2", "NSites = 3", "bent.pm:7: SiteType LJ126 has 2 sites, but NSites = 3."),
            ("NSites     =  2", "NSites = -1", "bent.pm:8: NSites = -1. Accepted"),
            ("NSites     =  2\n", "", "bent.pm:10: 'x' belongs to a site, after SiteType and NSites."),
            ("epsilon = 60", "", "bent.pm:19: the LJ126 site that begins here has no 'epsilon'."),
            ("epsilon = 60", "epsilon = sixty", "bent.pm:23: epsilon is 'sixty'. Accepted: a number."),
            ("epsilon = 60", "epsilon = nan", "bent.pm:23: epsilon is 'nan'"),
            ("epsilon = 60", "epsilon = 60 K", "bent.pm:23: found 3 words. Accepted: key = value."),
            ("epsilon = 60", "epsilon 60", "bent.pm:23: found 2 words and no '='"),
            ("epsilon = 60", "charge = 1", "bent.pm:23: a LJ126 site has no 'charge'. Accepted: x y z mass sigma epsilon."),
            ("epsilon = 60", "sigma = 1", "bent.pm:23: the site has 'sigma' twice."),
            ("epsilon = 60", "depth = 1", "bent.pm:23: 'depth' is unknown. Accepted: NSiteTypes"),
            ("epsilon = 60", "epsilon = -60", "bent.pm:19: site 'O' has sigma = 3 and epsilon = -60: 0 or more."),
            ("mass    = 14.0", "mass = -14", "bent.pm:11: site 'CH2' has mass = -14. Accepted: 0 or more."),
        ):
            with self.subTest(new=new):
                self.assertIn(old, PM)
                self.refused("bent.pm", PM.replace(old, new, 1), "bent.pm", *sentences)
        self.refused("bent.pm", "# nothing\n", "ends without NRotAxes")
        self.refused("bent.pm", "NRotAxes = auto\n", "the molecule has no sites")
        self.refused("bent.pm", PM, "--units reduced: files of ms2 have units of their own", words=("--units", "reduced"))
        self.refused("bent.pm", PM, "belongs to files of GROMACS", words=("--coordinates", "a.gro"))
        self.refused("bent.pm", PM, "--molecule A: there is one molecule in a file of ms2", words=("--molecule", "A"))
        many = "".join(f"x={k}\ny=0\nz=0\ncharge=1\nmass=1\nshielding=0\n" for k in range(65))
        self.refused("many.pm", f"SiteType=Charge\nNSites=17\n{many[:many.index('x=17')]}NRotAxes=auto\n", "many.pm:99: site 'e' is one too many")
        self.refused("many.pm", f"SiteType=Charge\nNSites=65\n{many}NRotAxes=auto\n", "many.pm:387: the molecule has more than 64 sites")
        self.assertFalse([name for name in os.listdir(self.folder.name) if name.endswith(".yaml")])
        self.run_program("missing.pm", status=4)

    def test_mistakes_in_files_of_ls1_are_named(self):
        right, words = components(*REFERENCES["md"]), ("--units", "md", "--molecule", "BENT")
        for old, new, *sentences in (
            ("<mass>14</mass>", "<mass>heavy</mass>", "bent.xml:5: <mass> is 'heavy'. Accepted: a number."),
            ("<mass>14</mass>", "<mass unit='g'>14</mass>", "bent.xml:5: <mass>: has a unit of its own"),
            ("<mass>14</mass>", "<mass>14<x/>15</mass>", "bent.xml:5: the text of an element is in several pieces."),
            ("<sigma>0.3", "<sigma/><other>0.3", "'</sigma>' closes '<other>'"),
            ("<sigma>0.34999999999999998</sigma>", "", "bent.xml:5: <site> has no <sigma>."),
            ('type="LJ126"', 'type="Tersoff"', "bent.xml:5: <site> has the type 'Tersoff'. Accepted: LJ126, Charge, Dipole, Quadrupole."),
            ('type="LJ126"', 'type="LJ126" type="LJ126"', "bent.xml:5: an attribute is there twice."),
            ('type="LJ126"', "type=LJ126", "bent.xml:5: the value of an attribute is not in quotes."),
            ("<coords>", "<where>", "'</coords>' closes '<where>'"),
            ("</components>", "", "the file ends, and '<components>' of line 3 is open."),
            ("</components>", "</components><more/>", "there is a second root element."),
            ("</components>", "</components>more", "there is text outside of the root element."),
            ("<components ", "<!DOCTYPE a [<!ENTITY b 'bbbb'>]>\n<components ", "bent.xml:3: '<!' begins a document type or a CDATA section"),
            ('name="CH2"', 'name="&#65;"', "bent.xml:5: the entity after '&' is not accepted"),
        ):
            with self.subTest(new=new):
                self.assertIn(old, right)
                self.refused("bent.xml", right.replace(old, new, 1), "bent.xml", *sentences, words=words)
        self.refused("bent.xml", right, "does not say its units", "--units angstrom")
        self.refused("bent.xml", right, "not accepted: --units si", words=("--units", "si"))
        self.refused("bent.xml", right, "has 2 molecules: BENT, other. Say which: --molecule NAME.", words=("--units", "md"))
        self.refused("bent.xml", right, "none named W", words=("--units", "md", "--molecule", "W"))
        self.refused("bent.xml", right, "the molecule has no sites", words=("--units", "md", "--molecule", "other"))
        self.refused("a.xml", "<a/>", "a.xml: has no <moleculetype>", words=("--units", "md"))
        self.refused("a.xml", "", "a.xml:1: the file has no element.", words=("--units", "md"))
        self.refused("a.xml", "<a>" * 33, "a.xml:1: elements are too deep in each other.", words=("--units", "md"))
        self.refused("a.xml", "<a>" + "<b/>" * 70000, "a.xml: has more than 65536 elements", words=("--units", "md"))
        self.refused("a.xml", "<a>" + "b" * (1 << 22), "a.xml: has more than 4194304 bytes", words=("--units", "md"))
        self.refused("a.xml", "<a>\0</a>", "a.xml: has a byte 0", words=("--units", "md"))
        refunits = "<mardyn>\n<refunits>{}</refunits><components><include>x.xml</include></components></mardyn>"
        self.refused("a.xml", refunits.format(""), "a.xml:2: <refunits> has no <length>.")
        self.refused("a.xml", refunits.format("<length unit='ell'>1</length>"), "<length> has the unit 'ell'. Accepted: nm Angstrom")
        self.refused("a.xml", refunits.format("<length unit='nm'>0</length>"), "<length> is '0'. Accepted: a number above 0.")
        self.refused("a.xml", refunits.format(""), "a.xml:2: the file has <refunits>: leave out --units md.", words=("--units", "md"))
        self.assertFalse([name for name in os.listdir(self.folder.name) if name.endswith(".yaml")])
        whole = "<length unit='nm'>1</length><mass unit='u'>1</mass><energy unit='K'>1</energy>"
        self.write("a.xml", refunits.format(whole))
        self.assertIn("a.xml:2: <include>: x.xml: cannot be read", self.run_program("a.xml", status=4))

    def test_torn_files_are_read_or_refused(self):
        refused = 0
        for name, text, words in (("torn.pm", PM, ()), ("torn.xml", components(*REFERENCES["md"]), ("--units", "md", "--molecule", "7"))):
            for end in range(0, len(text), 127):
                for tail in ("", "\x01<", "&"):
                    self.write(name, text[:end] + tail)
                    done = subprocess.run([PROGRAM, "model", "import", name, "--overwrite", *words], cwd=self.folder.name,
                                          capture_output=True, text=True, check=False)
                    self.assertIn(done.returncode, (0, 2), done.stderr)
                    self.assertEqual("torn" in done.stderr, done.returncode == 2)
                    refused += done.returncode == 2
        self.assertGreater(refused, 40)


if __name__ == "__main__":
    unittest.main()
