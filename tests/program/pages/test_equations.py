#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Equations of docs/physics.md, written out once more in Python and compared with `polhode energy`.

usage: test_equations.py POLHODE
"""
import itertools
import json
import math
import unittest

import numpy as np

from calling import call, path

MU = 1.3
MODELS = {  # one site at the centre
    "ball": "lennard-jones: {epsilon: 0.8, sigma: 1.1}",
    "mie": "mie: {epsilon: 0.8, sigma: 1.1, repulsive: 14, attractive: 7}",
    "plus": "charge: 1.5",
    "minus": "charge: -1.5",
    "dipole": f"dipole: [0, 0, {MU}]",
}
rc, edge = 2.5, 6.0


def write(name, text):
    with open(path(name), "w", encoding="utf-8") as file:
        file.write(text)


for model, site in MODELS.items():
    write(f"{model}.yaml", f"name: {model}\nsource: test\nunits: reduced\nmass: 2\ninertia: [0.3, 0.3, 0.3]\nsites: [{{name: A, {site}}}]\n")


def energy(molecules, interactions):
    """molecules: (model, position, quaternion, velocity), those of one model together."""
    lines = [f"{m} {' '.join(map(repr, map(float, (*r, *q, *v, 0, 0, 0))))}" for m, r, q, v in molecules]
    write(
        "start.xyz",
        f'{len(lines)}\nLattice="{edge} 0 0 0 {edge} 0 0 0 {edge}" '
        "Properties=species:S:1:pos:R:3:orientation:R:4:velo:R:3:angular_momentum:R:3\n" + "\n".join(lines) + "\n",
    )
    counts = [(m, len(list(group))) for m, group in itertools.groupby(m for m, *_ in molecules)]
    kinds = ", ".join(f"{{model: {m}.yaml, count: {n}}}" for m, n in counts)
    write(
        "input.yaml",
        f"units: reduced\nsystem:\n  molecules: [{kinds}]\n  start: {{kind: file, file: start.xyz}}\n"
        f"interactions: {{cutoff: {rc}, {interactions}}}\n",
    )
    return json.loads(call("energy", "--json", path("input.yaml"))[0])


STILL, UPRIGHT = (0, 0, 0), (1, 0, 0, 0)


def pair(one, other, r, interactions, q=UPRIGHT):
    """Two molecules at a distance r along (1, 2, 2)/3."""
    n = np.array([1, 2, 2]) / 3
    return energy([(one, (1, 1, 1), UPRIGHT, STILL), (other, np.array([1, 1, 1]) + r * n, q, STILL)], interactions)["energy"]


def lennard_jones(r):
    return 4 * 0.8 * ((1.1 / r) ** 12 - (1.1 / r) ** 6)


def slope(function, r, h=1e-5):
    return (function(r + h) - function(r - h)) / (2 * h)


class Equations(unittest.TestCase):
    def assert_close(self, got, want, relative=1e-9):
        self.assertLessEqual(abs(got - want), relative * max(abs(want), 1e-3), f"{got!r}, by hand {want!r}")

    def test_truncation(self):
        cutoff = "electrostatics: {method: cutoff}, truncation: "
        for r in (1.2, 2.0, 2.2, 2.4):
            u = lennard_jones(r)
            self.assert_close(pair("ball", "ball", r, cutoff + "cut")["radial"], u)
            self.assert_close(pair("ball", "ball", r, cutoff + "shifted")["radial"], u - lennard_jones(rc))
            forced = u - lennard_jones(rc) - (r - rc) * slope(lennard_jones, rc)
            self.assert_close(pair("ball", "ball", r, cutoff + "force-shifted")["radial"], forced, 1e-7)
            x = (r - rc + 0.6) / 0.6
            for k in (2, 4, 6):
                s = 1.0 if x < 0 else (1 - x) ** (k + 1) * sum(math.comb(k + j, j) * x**j for j in range(k + 1))
                switched = pair("ball", "ball", r, f"{cutoff}switched, switch: {{width: 0.6, smoothness: {k}}}")
                self.assert_close(switched["radial"], s * u)
            s = 1.0 if x <= 0 else 1 / (1 + math.exp(1 / (1 - x) - 1 / x))
            switched = pair("ball", "ball", r, f"{cutoff}switched, switch: {{width: 0.6, smoothness: all}}")
            self.assert_close(switched["radial"], s * u)

    def test_mie_and_what_lies_beyond_the_cutoff(self):
        n, m, r = 14, 7, 1.3
        c = n / (n - m) * (n / m) ** (m / (n - m)) * 0.8
        self.assert_close(pair("mie", "mie", r, "truncation: cut")["radial"], c * ((1.1 / r) ** n - (1.1 / r) ** m))
        found = energy([("ball", (1, 1, 1), UPRIGHT, STILL), ("ball", (3, 1, 1), UPRIGHT, STILL)], "truncation: cut, long_range_correction: true")
        density = 2 * math.pi * 4 / edge**3  # N_A N_B counts ordered pairs
        twelve, six = 4 * 0.8 * 1.1**12 / (9 * rc**9), 4 * 0.8 * 1.1**6 / (3 * rc**3)
        self.assert_close(found["energy"]["long_range"], density * (twelve - six))
        without = energy([("ball", (1, 1, 1), UPRIGHT, STILL), ("ball", (3, 1, 1), UPRIGHT, STILL)], "truncation: cut")
        virial = -density * (-12 * twelve + 6 * six)  # the trace
        self.assert_close(found["pressure"]["virial"] - without["pressure"]["virial"], virial / (3 * edge**3), 1e-8)

    def test_reaction_field(self):
        n, turned = np.array([1, 2, 2]) / 3, (math.sqrt(0.5), 0, math.sqrt(0.5), 0)  # z to x
        mu_i, mu_j = MU * np.array([0, 0, 1]), MU * np.array([1, 0, 0])
        for eps, ratio in ((4.0, 3.0 / 9.0), (".inf", 0.5)):
            k = ratio / rc**3
            field = f"truncation: cut, electrostatics: {{method: reaction-field, permittivity: {eps}}}"
            for r in (1.1, 2.3):
                charges = 1.5 * -1.5 * (1 / r + k * r**2 - (1 / rc + k * rc**2))
                self.assert_close(pair("plus", "minus", r, field)["electric"], charges)
                mixed = -1.5 * (mu_j @ n) * (1 / r**2 - 2 * k * r)
                self.assert_close(pair("plus", "dipole", r, field, turned)["electric"], mixed)
                dipoles = (mu_i @ mu_j - 3 * (mu_i @ n) * (mu_j @ n)) / r**3 - 2 * k * mu_i @ mu_j
                self.assert_close(pair("dipole", "dipole", r, field, turned)["electric"], dipoles)

    def test_ewald_sum(self):
        """Pairs, waves, constants and surface of four charges and two dipoles, with the Gaussian split cut at 2.5."""
        a, turned = 1.6, (math.sqrt(0.5), 0, math.sqrt(0.5), 0)
        molecules = [
            ("plus", (0.5, 1.0, 1.5), UPRIGHT, STILL),
            ("plus", (3.5, 4.0, 1.0), UPRIGHT, STILL),
            ("minus", (2.0, 1.0, 3.0), UPRIGHT, STILL),
            ("minus", (5.0, 4.5, 2.5), UPRIGHT, STILL),
            ("dipole", (1.5, 3.5, 4.5), UPRIGHT, STILL),
            ("dipole", (3.0, 3.0, 5.0), turned, STILL),
        ]
        q = np.array([1.5, 1.5, -1.5, -1.5, 0, 0])
        mu = np.zeros((6, 3))
        mu[4, 2] = mu[5, 0] = MU
        place = np.array([r for _, r, _, _ in molecules])
        pairs = waves = 0.0
        for i, j in itertools.combinations(range(6), 2):
            d = place[j] - place[i]
            d -= edge * np.round(d / edge)
            r = np.linalg.norm(d)
            if r < rc:
                b0, g = math.erfc(a * r) / r, 2 * a / math.sqrt(math.pi) * math.exp(-((a * r) ** 2))
                b1 = (b0 + g) / r**2
                b2 = (3 * b1 + 2 * a * a * g) / r**2
                pairs += q[i] * q[j] * b0 + (q[j] * mu[i] @ d - q[i] * mu[j] @ d) * b1
                pairs += mu[i] @ mu[j] * b1 - (mu[i] @ d) * (mu[j] @ d) * b2
        for n in itertools.product(range(-16, 17), repeat=3):
            if any(n):
                k = 2 * math.pi / edge * np.array(n)
                s = np.sum((q + 1j * mu @ k) * np.exp(1j * place @ k))
                waves += 2 * math.pi / edge**3 * math.exp(-k @ k / (4 * a * a)) / (k @ k) * abs(s) ** 2
        constant = -a / math.sqrt(math.pi) * np.sum(q**2) - 2 * a**3 / (3 * math.sqrt(math.pi)) * np.sum(mu**2)
        method = f"truncation: cut, electrostatics: {{method: ewald, split: gauss, screening: {a}, k_max: 15.7"
        found = energy(molecules, method + "}")["energy"]
        self.assert_close(found["electric"], pairs)
        self.assert_close(found["waves"], waves + constant, 1e-8)
        dipoles = [molecule for molecule in molecules if molecule[0] == "dipole"]  # a continuum is for neutral molecules
        inside = energy(dipoles, method + ", permittivity: 4}")["energy"]["waves"]
        surface = inside - energy(dipoles, method + "}")["energy"]["waves"]
        self.assert_close(surface, 2 * math.pi / (9 * edge**3) * (MU**2 + MU**2))

    def test_pressure_and_temperature(self):
        """Two Lennard-Jones molecules that fly apart: the total momentum is zero."""
        v, d = np.array([0.3, -0.2, 0.1]), np.array([1.0, 0.5, 0.2])
        found = energy([("ball", (1, 1, 1), UPRIGHT, v), ("ball", (1, 1, 1) + d, UPRIGHT, -v)], "truncation: cut")
        r = np.linalg.norm(d)
        force = -slope(lennard_jones, r) * d / r
        tensor = (2 * 2.0 * np.outer(v, v) + np.outer(d, force)) / edge**3
        for row, line in zip(found["pressure"]["tensor"], tensor):
            for got, want in zip(row, line):
                self.assert_close(got, want, 1e-6)
        kinetic = 2 * 0.5 * 2.0 * v @ v
        self.assert_close(found["temperature"]["translation"], 2 * kinetic / (3 * 2 - 3))


if __name__ == "__main__":
    unittest.main()
