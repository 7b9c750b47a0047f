#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""docs/units.md: every number of its tables from CODATA's constants, and its worked conversion by the program.

usage: test_units.py POLHODE UNITS.MD UNITS.C
"""
import decimal
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import unittest

POLHODE, PAGE, SOURCE = (os.path.abspath(sys.argv.pop(1)) for _ in range(3))
with open(PAGE, encoding="utf-8") as page:
    TEXT = page.read()

k, e, avogadro, eps0, c = 1.380649e-23, 1.602176634e-19, 6.02214076e23, 8.8541878128e-12, 299792458.0  # CODATA 2018
kj = 1e3 / avogadro  # J
u = 1e-3 / avogadro  # kg
nm, ps, bar, atm, debye = 1e-9, 1e-12, 1e5, 101325.0, 1e-21 / c
kelvin, kcal = k, 4.184 * kj

IN_SI = {
    "length": nm,
    "mass": u,
    "energy": kj,
    "time": ps,
    "temperature": 1.0,
    "velocity": nm / ps,
    "momentum": u * nm / ps,
    "moment of inertia": u * nm**2,
    "angular momentum": u * nm**2 / ps,
    "angular velocity": 1 / ps,
    "force": kj / nm,
    "torque": kj,
    "charge": e,
    "dipole moment": e * nm,
    "quadrupole moment": e * nm**2,
    "electric field": kj / (e * nm),
    "number density": nm**-3,
    "mass density": u / nm**3,
    "pressure": kj / nm**3,
    "friction": 1 / ps,
    "diffusion coefficient": nm**2 / ps,
    "rotational diffusion": 1 / ps,
    "viscosity": kj * ps / nm**3,
    "compressibility": 1 / bar,
    "heat capacity": 1 / avogadro,
    "thermal expansion": 1.0,
    "acceleration (`gravity`)": nm / ps**2,
    "stiffness (`tether`)": kj / nm**2,
}
IN_MD = {  # what is usual, in md units
    "ångström": 1e-10 / nm,
    "femtosecond": 1e-15 / ps,
    "kcal/mol": kcal / kj,
    "electronvolt, per particle": e / kj,
    "kelvin, as energy": kelvin / kj,
    "debye": debye / (e * nm),
    "bar": bar / (kj / nm**3),
    "atmosphere": atm / (kj / nm**3),
    "g/cm³": 1e3 / (u / nm**3),
    "V/nm": 1e9 / (kj / (e * nm)),
    "cm²/s": 1e-4 / (nm**2 / ps),
    "mPa s (centipoise)": 1e-3 / (kj * ps / nm**3),
    "amu Å²": u * 1e-20 / (u * nm**2),
}
sigma, epsilon, m = 0.3405 * nm, 119.8 * k, 39.948 * u
tau = sigma * math.sqrt(m / epsilon)
coulomb = 4 * math.pi * eps0
WORKED = {  # the unit in SI; the factor from SI to what the page shows for the unit, and for the value; the value with a star
    "energy": (epsilon, 1 / kj, None, None),
    "temperature": (epsilon / k, 1, 1, 1.35),
    "time": (tau, 1 / ps, 1e15, 0.004),
    "number density": (sigma**-3, nm**3, nm**3, 0.8),
    "mass density": (m / sigma**3, 1, 1, 0.8),
    "pressure": (epsilon / sigma**3, 1 / bar, 1 / bar, 1),
    "velocity": (sigma / tau, 1, 1, 1),
    "moment of inertia": (m * sigma**2, 1 / (u * nm**2), 1 / (u * nm**2), 0.1),
    "charge": (math.sqrt(coulomb * epsilon * sigma), 1 / e, 1 / e, 1),
    "dipole moment": (math.sqrt(coulomb * epsilon * sigma**3), 1 / debye, 1 / debye, math.sqrt(3)),
    "electric field": (math.sqrt(epsilon / (coulomb * sigma**3)), 1e-9, 1e-9, 1),
    "diffusion coefficient": (sigma**2 / tau, 1, 1, 0.05),
    "viscosity": (epsilon * tau / sigma**3, 1e3, 1e3, 2),
}


def table(heading=None):
    """The rows of the first table after a heading, or of the page, without the row of titles."""
    lines = (TEXT.split(f"## {heading}\n")[1] if heading else TEXT).split("\n")
    first = next(i for i, line in enumerate(lines) if line.startswith("|"))
    rows = []
    for line in lines[first + 2 :]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


def number(text):
    """The first number of a text, and half a unit of its last digit."""
    digits = decimal.Decimal(re.search(r"[0-9][0-9.]*(?:e[-+]?[0-9]+)?", text)[0])
    return float(digits), 0.5 * 10.0 ** digits.as_tuple().exponent


class Page(unittest.TestCase):
    def assert_number(self, text, want):
        got, error = number(text)
        whole = "." not in text  # as 1e-9: all digits are there
        self.assertLessEqual(abs(got - want), 1e-12 * want if whole else 1.0001 * error, f"'{text}', computed {want!r}")

    def test_constants_are_those_of_the_program_and_of_codata(self):
        with open(SOURCE, encoding="utf-8") as file:
            source = file.read()
        code = dict(re.findall(r"\.(coulomb|boltzmann) = ([0-9.]+[0-9])\b", source.split('"md"')[1]))
        shown = {row[0].split("'")[0].split(":")[0]: row[2] for row in table()}
        self.assertIn(code["coulomb"] + " ", shown["Coulomb"])
        self.assertIn(code["boltzmann"] + " ", shown["Boltzmann"])
        self.assertAlmostEqual(float(code["coulomb"]) / (e * e / (coulomb * nm * kj)), 1, delta=1e-13)
        self.assertAlmostEqual(float(code["boltzmann"]) / (k / kj), 1, delta=1e-13)

    def test_units_in_si(self):
        rows = table("Every quantity")
        self.assertEqual([row[0] for row in rows], list(IN_SI))
        for row in rows:
            self.assert_number(row[3], IN_SI[row[0]])

    def test_usual_units(self):
        rows = table("To and from usual units")
        self.assertEqual([row[0] for row in rows], list(IN_MD))
        for name, one, back in rows:
            self.assert_number(one, IN_MD[name])
            self.assert_number(back, 1 / IN_MD[name])

    def test_worked_conversion(self):
        rows = table("A worked conversion")
        self.assertEqual([row[0] for row in rows], list(WORKED))
        for name, unit, star, usual in rows:
            si, of_unit, of_value, value = WORKED[name]
            self.assert_number(unit.split("=")[1], si * of_unit)
            if value is not None:
                self.assert_number(usual, value * si * of_value)
                shown = star.split("=")[1].strip()
                self.assertAlmostEqual(math.sqrt(float(shown[1:])) if shown[0] == "√" else float(shown), value)

    def test_the_program_finds_the_same_in_both_units(self):
        model = re.search(r"```yaml\n# file: argon-stockmayer.yaml\n(.*?)```", TEXT, re.S)[1]
        to = {"reduced": (1, 1), "md": (sigma / nm, 119.8)}
        found = {}
        with tempfile.TemporaryDirectory(prefix="polhode-units-") as folder:
            with open(f"{folder}/argon-stockmayer.yaml", "w", encoding="utf-8") as file:
                file.write(model)
            for units, (length, kelvins) in to.items():
                name = "stockmayer" if units == "reduced" else "argon-stockmayer.yaml"
                with open(f"{folder}/{units}.yaml", "w", encoding="utf-8") as file:
                    file.write(
                        f"units: {units}\n"
                        f"system:\n  box: {{kind: periodic, density: {0.8 / length**3!r}}}\n"
                        f"  molecules: [{{model: {name}, count: 108}}]\n"
                        f"  start: {{kind: fcc, temperature: {1.35 * kelvins!r}, seed: 1}}\n"
                        f"interactions: {{cutoff: {2.5 * length!r}, electrostatics: {{method: reaction-field}}}}\n"
                    )
                done = subprocess.run(
                    [POLHODE, "energy", "--json", f"{units}.yaml"], cwd=folder, stdout=subprocess.PIPE, text=True, check=True
                )
                found[units] = json.loads(done.stdout)
        energies = [found[units]["energy"]["total"] for units in to]
        pressures = [found[units]["pressure"]["total"] for units in to]
        self.assertAlmostEqual(energies[1] / energies[0] / (epsilon / kj), 1, delta=1e-8)
        self.assertAlmostEqual(pressures[1] / pressures[0] / (epsilon / sigma**3 / (kj / nm**3)), 1, delta=1e-8)


if __name__ == "__main__":
    unittest.main()
