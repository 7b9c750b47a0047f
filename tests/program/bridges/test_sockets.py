#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Bridges of the Python package to other programs: sites of rigid molecules, sockets of i-PI in both directions, ASE in
both directions.

usage: test_sockets.py LIBRARY PYTHON_DIR
"""
import os
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy as np

os.environ["POLHODE_LIBRARY"] = sys.argv.pop(1)
sys.path.insert(0, sys.argv.pop(1))
import polhode
from polhode import ipi
from polhode.sites import Sites

try:
    import polhode.ase
    from ase.calculators.lj import LennardJones
    from ase.calculators.socketio import SocketClient, SocketIOCalculator
except ImportError:
    LennardJones = None

CLIENT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support/ipi_client.py")
FOLDER = tempfile.TemporaryDirectory(prefix="polhode-sockets-")
os.chdir(FOLDER.name)
# Water that has masses, and no interactions of its own
with open("bare.yaml", "w", encoding="utf-8") as file:
    file.write("""name: bare
source: made for this test
units: md
sites:
  - {name: OW, position: [0, 0, 0], mass: 15.9994}
  - {name: HW, position: [0.081649043092011722, 0, 0.057735896651553043], mass: 1.008}
  - {name: HW, position: [-0.081649043092011722, 0, 0.057735896651553043], mass: 1.008}
""")


def waters(model="bare.yaml", box="{kind: open}", count=4, scheme="verlet", step=0.0005):
    place = "" if "periodic" in box else "spacing: 0.32, "
    return polhode.Simulation.from_text(f"""units: md
system:
  box: {box}
  molecules: [{{model: {model}, count: {count}}}]
  start: {{kind: simple-cubic, {place}temperature: 100, seed: 3}}
interactions: {{{'cutoff: 0.6, electrostatics: {method: reaction-field}' if 'periodic' in box else ''}}}
dynamics: {{scheme: {scheme}, step: {step}, steps: 10, energy_bound: 100}}
""")


def in_thread(work, *words):
    """The thread, and a list with what the work returned, or raised"""
    found = []

    def call():
        try:
            found.append(work(*words))
        except BaseException as error:
            found.append(error)

    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    return thread, found


class Molecules(unittest.TestCase):
    def test_sites_and_molecules_are_two_ways_to_say_the_same(self):
        random = np.random.default_rng(1)
        for model in ("spc-e", "tip4p-2005", "trappe-co2", "trappe-n2"):
            with waters(model) as sim:
                sites = Sites(sim)
                centres = random.normal(size=(4, 3))
                turned = random.normal(size=(4, 4))
                turned /= np.linalg.norm(turned, axis=1)[:, None]
                places = sites.places(centres, turned)
                again = sites.fit(places)
                np.testing.assert_allclose(sites.places(*again), places, atol=1e-12)
                np.testing.assert_allclose(again[0], centres, atol=1e-12)
                pulls = random.normal(size=places.shape)
                forces, torques = sites.to_molecules(pulls, turned)
                spread = sites.to_sites(forces, torques, turned)
                self.assertGreater(np.abs(spread - pulls).max(), 0.1)
                for one, other in zip(sites.to_molecules(spread, turned), (forces, torques)):
                    np.testing.assert_allclose(one, other, atol=1e-11)
                places[1] += 0.01
                with self.assertRaisesRegex(ValueError, "not places of the rigid molecules"):
                    sites.fit(places)

    def test_sites_carry_forces_as_derivatives_of_an_energy(self):
        """The energy of springs on sites, by differences in centres and in orientations"""
        with waters() as sim:
            sites, centre = Sites(sim), np.array([0.1, -0.2, 0.3])
            centres, turned = np.array(sim.positions), np.array(sim.orientations)

            def energy(r, q):
                return 0.5 * ((sites.places(r, q) - centre) ** 2 * sites.mass[:, None] ** 2).sum()

            pulls = -(sites.places(centres, turned) - centre) * sites.mass[:, None] ** 2
            forces, torques = sites.to_molecules(pulls, turned)
            h = 1e-5
            for k in range(3):
                step = np.zeros((4, 3))
                step[2, k] = h
                slope = (energy(centres + step, turned) - energy(centres - step, turned)) / (2 * h)
                self.assertAlmostEqual(-slope, forces[2, k], delta=1e-6 * np.abs(forces).max())
                ends = []
                for sign in (1, -1):
                    half = np.zeros(4)
                    half[0], half[1 + k] = np.cos(h / 2), sign * np.sin(h / 2)
                    w, v = half[0], half[1:]
                    new = turned.copy()
                    new[2, 0] = w * turned[2, 0] - v @ turned[2, 1:]
                    new[2, 1:] = w * turned[2, 1:] + turned[2, 0] * v + np.cross(v, turned[2, 1:])
                    ends.append(energy(centres, new))
                self.assertAlmostEqual(-(ends[0] - ends[1]) / (2 * h), torques[2, k], delta=1e-6 * np.abs(torques).max())


class Sockets(unittest.TestCase):
    def order(self, scheme, step, force):
        errors = []
        for part in (1, 2):
            with waters(scheme=scheme, step=step / part) as sim:
                with force(sim):
                    start, worst = sim.energies.total, 0.0
                    self.assertGreater(abs(sim.energies.external), 0.1)
                    for _ in range(round(0.024 / step)):
                        sim.advance(part)
                        worst = max(worst, abs(sim.energies.total - start))
            errors.append(worst)
        return np.log2(errors[0] / errors[1])

    def test_schemes_keep_their_order_with_forces_of_a_client(self):
        class Springs:
            def __init__(self, sim):
                self.driver = ipi.Driver(sim, ":0")
                self.client = subprocess.Popen([sys.executable, "-B", CLIENT, self.driver.address, "0.02", "0,3", "1,8"],
                                               env={**os.environ, "OMP_NUM_THREADS": "1"})

            def __enter__(self):
                self.driver.attach()

            def __exit__(self, *_):
                self.driver.close()
                assert self.client.wait(10) == 0

        for scheme, order, step in (("verlet", 2, 4e-4), ("suzuki4", 4, 1.2e-3)):
            found = self.order(scheme, step, Springs)
            self.assertLess(abs(found - order), 0.2, (scheme, found))

    def test_our_client_and_our_driver_give_the_run_without_sockets(self):
        with waters("spc-e") as direct:
            direct.advance(20)
            want = np.array(direct.positions), np.array(direct.orientations), direct.energies
        with waters() as sim, waters("spc-e") as server:
            driver = ipi.Driver(sim, f"unix:{FOLDER.name}/socket")
            self.assertEqual(stat.S_IMODE(os.stat("socket").st_mode), 0o600)
            thread, found = in_thread(ipi.serve, server, driver.address)
            with driver:
                sim.advance(20)
                np.testing.assert_allclose(sim.positions, want[0], atol=1e-10)
                np.testing.assert_allclose(sim.orientations, want[1], atol=1e-8)
                self.assertAlmostEqual(sim.energies.total, want[2].total, delta=1e-7)
                np.testing.assert_allclose(driver.virial, want[2].virial, atol=1e-5)
                evaluations = driver.evaluations
            thread.join(10)
            self.assertEqual(found, [evaluations])
            self.assertFalse(os.path.exists("socket"))

    def test_drivers_listen_at_this_machine_only(self):
        with waters() as sim:
            driver = ipi.Driver(sim, ":0")
            self.assertTrue(driver.address.startswith("127.0.0.1:"))
            driver.close()

    def test_failures_of_the_other_side_are_told(self):
        def answering(*answers):
            """A client that gives these answers whatever it is asked, and goes"""
            def client(address):
                connected = socket.create_connection(("127.0.0.1", int(address.split(":")[1])))
                connected.sendall(b"".join(answers))
                connected.shutdown(socket.SHUT_WR)
                while connected.recv(4096):
                    pass
                connected.close()
            return client

        word = lambda text: text.encode().ljust(12)
        ready = word("READY"), word("HAVEDATA"), word("FORCEREADY")
        numbers = struct.pack("=di", 0.0, 12) + bytes(12 * 24) + bytes(72) + struct.pack("=i", 0)
        cases = (("closed the socket", ()), ("says 'SLEEPY'", (word("SLEEPY"),)), ("sent 11, where 12 to 12", (*ready, struct.pack("=di", 0, 11))),
                 ("not finite", (*ready, struct.pack("=d", np.nan) + numbers[8:])), ("closed the socket", (*ready, numbers[:40])))
        for expected, answers in cases:
            with waters() as sim:
                driver = ipi.Driver(sim, ":0")
                thread, _ = in_thread(answering(*answers), driver.address)
                with self.assertRaisesRegex(ipi.ProtocolError, expected):
                    driver.attach()
                driver.close()
                thread.join(10)
        with waters() as sim:
            driver = ipi.Driver(sim, ":0", timeout=0.05)
            with self.assertRaisesRegex(ipi.ProtocolError, "No client came to 127.0.0.1:"):
                driver.attach()
            driver.close()
            with self.assertRaisesRegex(OSError, "No driver listens at unix:"):
                ipi.serve(sim, f"unix:{FOLDER.name}/nobody")
            with self.assertRaisesRegex(ValueError, "is no address"):
                ipi.Driver(sim, "nowhere")
            with self.assertRaisesRegex(OSError, "unix:"):
                ipi.Driver(sim, f"unix:{FOLDER.name}/no/folder")


@unittest.skipIf(LennardJones is None, "ASE is not installed")
class Ase(unittest.TestCase):
    def lennard_jones(self):
        return LennardJones(sigma=1.1, epsilon=0.02, rc=30.0)

    def test_schemes_keep_their_order_with_a_calculator(self):
        def force(sim):
            sim.add_force(polhode.ase.force_of(self.lennard_jones(), sim))
            return sim

        found = Sockets.order(self, "verlet", 4e-4, force)
        self.assertLess(abs(found - 2), 0.2, found)
        found = Sockets.order(self, "suzuki4", 1.2e-3, force)
        self.assertLess(abs(found - 4), 0.2, found)

    def test_our_calculator_gives_forces_of_the_simulation(self):
        with waters("spc-e", "{kind: periodic, length: 1.3}", 27) as sim:
            atoms = polhode.ase.atoms_of(sim)
            self.assertEqual(atoms.get_chemical_formula(), "H54O27")
            want = sim.energies.potential / polhode.ase.EV
            forces = Sites(sim).to_sites(np.array(sim.forces), np.array(sim.torques), np.array(sim.orientations))
            atoms.calc = polhode.ase.RigidCalculator(sim)
            self.assertAlmostEqual(atoms.get_potential_energy(), want, delta=1e-9 * abs(want))
            np.testing.assert_allclose(atoms.get_forces(), forces / polhode.ase.EV / 10, atol=1e-8)
            numbers = []  # the energy along a shift of one molecule
            for shift in (1e-4, -1e-4):
                moved = atoms.copy()
                moved.positions[3:6, 1] += shift
                moved.calc = atoms.calc
                numbers.append(moved.get_potential_energy())
            self.assertAlmostEqual((numbers[1] - numbers[0]) / 2e-4, atoms.get_forces()[3:6, 1].sum(), delta=1e-5)
            atoms.positions[0] += 0.1
            with self.assertRaisesRegex(ValueError, "not places of the rigid"):
                atoms.get_potential_energy()

    def test_sockets_of_ase_understand_ours(self):
        """ASE's client with our driver, and our client with ASE's driver, in a box"""
        box = "{kind: periodic, edges: [[1.3, 0, 0], [0.2, 1.4, 0], [-0.1, 0.3, 1.5]]}"  # tilted: no matrix is its transpose
        with waters(box=box, count=8) as sim:
            force = polhode.ase.force_of(self.lennard_jones(), sim)
            want = force(np.array(sim.positions), np.array(sim.orientations))
            driver = ipi.Driver(sim, ":0")

            with waters(box=box, count=8) as other:
                atoms = polhode.ase.atoms_of(other)
            atoms.calc = self.lennard_jones()
            atoms.positions[:] = 0.0
            thread, _ = in_thread(lambda: SocketClient(host="localhost", port=int(driver.address.split(":")[1])).run(atoms, use_stress=False))
            found = driver.force(np.array(sim.positions), np.array(sim.orientations))
            np.testing.assert_allclose(found[0], want[0], rtol=1e-6)
            for one, other in zip(found[1:], want[1:]):
                np.testing.assert_allclose(one, other, rtol=0, atol=3e-5 * np.abs(other).max())
            driver.close()
            thread.join(10)
        with waters("spc-e", box, 8) as server:
            atoms = polhode.ase.atoms_of(server)
            want = server.energies.potential / polhode.ase.EV
            probe = socket.socket()
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
            probe.close()
            with SocketIOCalculator(port=port, timeout=20) as calculator:
                thread, found = in_thread(ipi.serve, server, f"127.0.0.1:{port}")
                atoms.calc = calculator
                self.assertAlmostEqual(atoms.get_potential_energy(), want, delta=1e-6 * abs(want))
                self.assertGreater(np.abs(atoms.get_forces()).max(), 1e-3)
            thread.join(10)
            self.assertEqual(found, [1])


if __name__ == "__main__":
    with FOLDER:
        unittest.main()
