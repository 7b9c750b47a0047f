#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One-step integrators against the formulas of the papers, written out once more with matrices:
test_integrator_formulas.py PROGRAM

Asymmetric bodies with a constant force on a point of theirs, a few steps so long that any other method of the same order
is far off."""
import os
import subprocess
import sys
import tempfile

import h5py
import numpy as np
from scipy.linalg import expm, polar

INERTIA, STEP, STEPS = np.array([1.1, 1.7, 2.3]), 0.25, 3
FORCE, POINT = np.array([0.7, -1.1, 1.9]), np.array([0.8, 0.5, -0.6])

INPUT = f"""units: reduced
system:
  box: {{kind: open}}
  molecules: [{{model: body.yaml, count: 4}}]
  start: {{kind: random, radius: 50, minimum_distance: 1, temperature: 1.5, seed: 4}}
interactions:
  external: {{body_force: {FORCE.tolist()}, body_point: {POINT.tolist()}, pinned: true}}
dynamics: {{integrator: NAME, step: {STEP}, steps: {STEPS}, energy_bound: 10}}
output: {{frames_every: 1}}
"""
BODY = f"name: body\nsource: this test\nunits: reduced\nmass: 1\ninertia: {INERTIA.tolist()}\nsites: [{{name: A}}]\n"

h, half = STEP, 0.5 * STEP


def hat(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def exp(v):
    return expm(hat(v))


def cay(v):
    return np.linalg.solve(np.eye(3) - 0.5 * hat(v), np.eye(3) + 0.5 * hat(v))


def W(m):
    return m / INERTIA


def spin(m):
    """Euler's term"""
    return -np.cross(W(m), m)


def torque(R):
    """In the body frame, of U = -F . R x"""
    return np.cross(POINT, R.T @ FORCE)


def dexp_inverse(v, x):
    """By its series: sum of Bernoulli's numbers, B_k/k! ad_v^k"""
    bernoulli = [1, -0.5, 1 / 12, 0, -1 / 720, 0, 1 / 30240, 0, -1 / 1209600, 0, 1 / 47900160, 0, -691 / 1307674368000,
                 0, 1 / 74724249600]
    total, term = np.zeros(3), np.array(x)
    for b in bernoulli:
        total = total + b * term
        term = np.cross(v, term)
    return total


def solve(f, x):
    """x of f(x) = 0 by Newton's method with differences"""
    x = np.array(x, dtype=float)
    for _ in range(50):
        y = f(x)
        J = np.array([(f(x + 1e-6 * e) - f(x - 1e-6 * e)) / 2e-6 for e in np.eye(len(x))]).T
        d = np.linalg.solve(J, y)
        x = x - d
        if np.linalg.norm(d) < 1e-14 * (1 + np.linalg.norm(x)):
            return x
    raise RuntimeError("no solution")


# ---- G. Ortolan's thesis, chapter 4, with J w = m ----


def eln(turn):
    def step(R, m):
        z = m + half * (spin(m) + torque(R))
        R1 = R @ turn(h * W(z))
        return R1, solve(lambda x: -x + z + half * (spin(x) + torque(R1)), z)

    return step


def tln(turn):
    def step(R, m):
        def end(x):
            return R @ turn(h * (W(m) + W(x)) / 2)

        x = solve(lambda x: (np.eye(3) + half * hat(W(x))) @ x - half * torque(end(x)) -
                  (np.eye(3) - half * hat(W(m))) @ m - half * torque(R), m)
        return end(x), x

    return step


def liemid_ea(R, m):
    b = m + half * torque(R)
    theta = solve(lambda v: -v + half * W(exp(-v / 2) @ b), half * W(b))
    R, m = R @ exp(theta), exp(-theta) @ b
    theta = solve(lambda v: -v + half * W(exp(-v / 2) @ m), half * W(m))
    R = R @ exp(theta)
    return R, exp(-theta) @ m + half * torque(R)


def prk(R, m):
    z = solve(lambda z: -z + m + half * (torque(R) - np.cross(W(z), z)), m)
    R = R @ cay(h * W(z))
    return R, z + half * (torque(R) - np.cross(W(z), z))


def mcg(R, m):  # (4.9c) with m for z, without which it is of order 0
    z = solve(lambda z: -z + exp(-half * W(z)) @ (m + half * torque(R)), m)
    R1 = R @ exp(h * W(z))
    return R1, exp(-h * W(z)) @ (m + half * torque(R)) + half * torque(R1)


def new3(R, m):
    R1 = R @ exp(half * W(m))
    z = solve(lambda z: -exp(half * W(z)) @ z + exp(-half * W(m)) @ m + h * torque(R1), m)
    return R1 @ exp(half * W(z)), z


def vlv(R, m):
    z = solve(lambda z: -z + m + half * (np.cross(z, W(z)) - half * (W(z) @ z) * W(z) + torque(R)), m)
    R1 = R @ cay(h * W(z))
    return R1, z + half * (np.cross(z, W(z)) + half * (W(z) @ z) * W(z) + torque(R1))


# ---- P. Krysl, sections 3 and 4 ----


def trap(R, m):
    def end(x):
        return R @ exp(half * W(m)) @ exp(half * W(x))

    x = solve(lambda x: -x + m + half * (spin(m) + torque(R) + spin(x) + torque(end(x))), m)
    return end(x), x


def imid(R, m):
    def middle(z):
        return torque(R @ exp(half * W(z)))

    z = solve(lambda z: -z + m + half * (spin(z) + middle(z)), m)
    return R @ exp(h * W(z)), m + h * (spin(z) + middle(z))


def trapm(R, m):
    def end(x):
        return R @ exp(half * W(m)) @ exp(half * W(x))

    x = solve(lambda x: -x + end(x).T @ R @ (m + half * torque(R)) + half * torque(end(x)), m)
    return end(x), x


def imidm(R, m):
    def middle(v):
        return torque(R @ exp(v / 2))

    v = solve(lambda v: -v + h * W(exp(-v / 2) @ m + half * middle(v)), h * W(m))
    return R @ exp(v), exp(-v) @ m + h * exp(-v / 2) @ middle(v)


def swc1(R, m):
    def turn(x):
        return half * (W(x) + W(m))

    x = solve(lambda x: -x + exp(-turn(x)) @ m + h * exp(-turn(x) / 2) @ torque(R @ exp(turn(x) / 2)), m)
    return R @ exp(turn(x)), x


def akw(R, m):
    def end(x):
        return R @ cay(h * W(0.5 * (x + m)))

    x = solve(lambda x: -x + m + h * spin(0.5 * (x + m)) + half * (torque(R) + torque(end(x))), m)
    return end(x), x


def bottasso(rate):
    def step(R, m):
        def momentum(v):
            return exp(-v) @ (m + half * torque(R)) + half * torque(R @ exp(v))

        v = solve(lambda v: -v + half * (rate(v, W(momentum(v))) + W(m)), h * W(m))
        return R @ exp(v), momentum(v)

    return step


# ---- G. Vilmart, (11) and remark 4 ----


def rattle(R, m):
    """P = R' D with moments I1 = D2 + D3 and so on; A0 and A1 are symmetric"""
    D = np.diag(0.5 * INERTIA.sum() - INERTIA)
    gradient = -np.outer(FORCE, POINT)
    triangle = np.triu_indices(3)

    def symmetric(x):
        A = np.zeros((3, 3))
        A[triangle] = x
        return A + A.T - np.diag(np.diag(A))

    def middle(x):
        return R @ hat(W(m)) @ D - half * gradient - half * R @ symmetric(x)

    def end(x):
        return R + h * middle(x) @ np.linalg.inv(D)

    x = solve(lambda x: (end(x).T @ end(x) - np.eye(3))[triangle], np.zeros(6))
    R1, P = end(x), middle(x)

    def momenta(y):
        return P - half * gradient - half * R1 @ symmetric(y)

    def off(y):
        V = R1.T @ momenta(y) @ np.linalg.inv(D)
        return (V + V.T)[triangle]

    Y = R1.T @ momenta(solve(off, np.zeros(6)))
    Y = Y - Y.T
    return R1, np.array([Y[2, 1], Y[0, 2], Y[1, 0]])


def midpoint(R, m):
    def end(x):
        return R @ cay(h * W(0.5 * (x + m)))

    x = solve(lambda x: -x + m + h * (spin(0.5 * (x + m)) + torque(polar(0.5 * (R + end(x)))[0])), m)
    return end(x), x


METHODS = {
    "rattle": rattle, "vlv": vlv, "midpoint": midpoint, "eln-cay": eln(cay), "eln-exp": eln(exp), "tln-cay": tln(cay),
    "tln-exp": tln(exp), "liemid-ea": liemid_ea, "prk": prk, "mcg": mcg, "new3": new3, "trap": trap, "imid": imid,
    "trapm": trapm, "imidm": imidm, "swc1": swc1, "akw": akw, "bbtrap": bottasso(lambda v, w: w),
    "bbtrapwd": bottasso(lambda v, w: dexp_inverse(-v, w)),
}


def matrix(q):
    """Body to space, of a quaternion with its scalar first"""
    v = hat(q[1:])
    return np.eye(3) + 2 * q[0] * v + 2 * v @ v


def follow(program, name):
    with open("in.yaml", "w") as file:
        file.write(INPUT.replace("NAME", name))
    subprocess.run([program, "run", "in.yaml", "-q", "--overwrite", "-o", "out.h5md"], check=True, stdout=subprocess.DEVNULL)
    with h5py.File("out.h5md") as file:
        frames = file["particles/trajectory"]
        return frames["orientation/value"][:], frames["angular_momentum/value"][:]


def main():
    program = os.path.abspath(sys.argv[1])
    listed = subprocess.run([program, "list", "integrators"], check=True, capture_output=True, text=True).stdout
    assert all(f"\n  {name} " in listed for name in METHODS)
    worst, ends = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("body.yaml", "w") as file:
            file.write(BODY)
        for name, step in METHODS.items():
            q, m = follow(program, name)
            worst[name] = 0.0
            for i in range(m.shape[1]):
                R, y = matrix(q[0, i]), m[0, i]
                for k in range(STEPS):
                    R, y = step(R, y)
                    off = max(np.abs(R - matrix(q[k + 1, i])).max(), np.abs(y - m[k + 1, i]).max())
                    worst[name] = max(worst[name], off)
                ends.setdefault(name, []).append(np.concatenate([R.ravel(), y]))
        os.chdir("/")
    bad = {name: off for name, off in worst.items() if not off < 2e-13}
    assert not bad, bad
    # The methods differ from each other by far more than that, so that none can stand for another.
    names = list(METHODS)
    nearest = min(np.abs(np.array(ends[a]) - np.array(ends[b])).max() for i, a in enumerate(names) for b in names[:i])
    assert nearest > 1e-5, nearest
    print(f"{len(worst)} integrators: at most {max(worst.values()):.1e} off; methods are {nearest:.1e} apart")


main()
