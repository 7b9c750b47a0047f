# SPDX-License-Identifier: MIT
"""Forces over the sockets of i-PI, both ways: a simulation that moves rigid molecules by the forces of any client, and a
client that gives the forces of a simulation to any driver.

    with polhode.Simulation("water.yaml") as sim, polhode.ipi.Driver(sim, "unix:water") as driver:
        sim.advance(1000)                    # waits for a client, then asks it at each evaluation of forces

    polhode.ipi.serve(polhode.Simulation("water.yaml"), "localhost:31415")

From the shell: python3 -m polhode.ipi drive|serve INPUT ADDRESS [--steps N]

An address is `unix:NAME`, which is the socket /tmp/ipi_NAME as i-PI has it, or `HOST:PORT`. Without a host a driver listens
at 127.0.0.1, which other machines cannot reach. Sockets have no password: whoever can reach one can take part.
"""
from __future__ import annotations

import argparse
import os
import socket
import struct
import sys
from typing import Any, Optional, Sequence, Tuple

import numpy as np

from .sites import Sites

HEADER = 12
HARTREE, BOHR = 2625.4996394798, 0.0529177210903  # kJ/mol and nm of an atomic unit, CODATA 2018


class ProtocolError(Exception):
    """The other side said what the protocol does not allow, or ended."""


class Units:
    """Factors from units of a simulation to those of a socket: atomic units, or, of reduced units, the same"""

    def __init__(self, reduced: bool):
        self.energy, self.length = (1.0, 1.0) if reduced else (1.0 / HARTREE, 1.0 / BOHR)
        self.force = self.energy / self.length


class Wire:
    """Messages on a connected socket"""

    def __init__(self, connected: socket.socket):
        self.socket = connected

    def close(self) -> None:
        """Closes the socket."""
        self.socket.close()

    def send(self, word: str, *parts: bytes) -> None:
        """Sends a word of the protocol, unless it is "", and what belongs to it."""
        try:
            self.socket.sendall(b"".join((word.encode().ljust(HEADER) if word else b"", *parts)))
        except OSError as error:
            raise ProtocolError(f"The other side of the socket is gone: {error}.") from None

    def bytes(self, n: int) -> bytes:
        """Receives n bytes."""
        found = bytearray()
        while len(found) < n:
            try:
                part = self.socket.recv(n - len(found))
            except OSError as error:
                raise ProtocolError(f"Nothing came from the other side of the socket: {error}.") from None
            if not part:
                raise ProtocolError("The other side closed the socket.")
            found += part
        return bytes(found)

    def word(self) -> str:
        """Receives a word of the protocol."""
        return self.bytes(HEADER).decode("ascii", "replace").strip()

    def integer(self, least: int = 0, most: int = 2**31 - 1) -> int:
        """Receives a whole number, in 32 bits."""
        n = struct.unpack("=i", self.bytes(4))[0]
        if not least <= n <= most:
            raise ProtocolError(f"The other side sent {n}, where {least} to {most} is possible.")
        return n

    def doubles(self, *shape: int) -> np.ndarray:
        """Receives an array of doubles."""
        return np.frombuffer(self.bytes(8 * int(np.prod(shape))), dtype="=f8").reshape(shape)

    def expect(self, word: str) -> None:
        """Receives a word, which must be this one."""
        found = self.word()
        if found != word:
            raise ProtocolError(f"The other side said '{found}', not '{word}'.")


def integer(n: int) -> bytes:
    """A whole number as the protocol sends it"""
    return struct.pack("=i", n)


def doubles(values: Any) -> bytes:
    """Doubles as the protocol sends them"""
    return np.ascontiguousarray(values, dtype="=f8").tobytes()


def parse(address: str) -> Tuple[int, Any]:
    """Family of a socket, and where it is"""
    if address.startswith("unix:"):
        name = address[5:]
        return socket.AF_UNIX, name if "/" in name else f"/tmp/ipi_{name}"
    host, _, port = address.rpartition(":")
    if not port.isdigit() or not 0 <= int(port) < 65536:
        raise ValueError(f"'{address}' is no address. Accepted: unix:NAME, HOST:PORT, :PORT.")
    return socket.AF_INET, (host or "127.0.0.1", int(port))


class Driver:
    """Adds the forces of a client to a simulation. Listens from the beginning; `address` is then the true one, also if
    port 0 let the system choose. The first evaluation of forces waits for a client, at most `timeout` seconds.

    The client's energy is a part of energies.external. Its virial is not used, so a barostat is refused."""

    def __init__(self, simulation: Any, address: str = "127.0.0.1:31415", timeout: Optional[float] = 60.0, reduced: bool = False,
                 keeps_momentum: bool = False):
        self.sites, self.units, self.timeout = Sites(simulation), Units(reduced), timeout
        self._box = simulation.box  # it cannot change: a barostat is refused
        self.evaluations, self.virial = 0, np.zeros((3, 3))
        self._wire: Optional[Wire] = None
        family, where = parse(address)
        self._listener = socket.socket(family, socket.SOCK_STREAM)
        self._path = where if family == socket.AF_UNIX else None
        try:
            if family == socket.AF_INET:
                self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self._listener.bind(where)
            if self._path:
                os.chmod(self._path, 0o600)
            self._listener.listen(1)
        except OSError as error:
            self._listener.close()
            raise OSError(error.errno, f"{address}: {os.strerror(error.errno or 0)}") from None
        self.address = f"unix:{where}" if self._path else "{}:{}".format(*self._listener.getsockname())
        self._keeps, self._attached = keeps_momentum, False

    def attach(self) -> "Driver":
        """Adds the force; waits for a client. The first call of `with` does it."""
        if not self._attached:
            self.sites.simulation.add_force(self.force, self._keeps)
            self._attached = True
        return self

    def __enter__(self) -> "Driver":
        return self.attach()

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Tells the client to end."""
        if self._wire:
            try:
                self._wire.send("EXIT")
            except ProtocolError:
                pass
            self._wire.close()
            self._wire = None
        self._listener.close()
        if self._path and os.path.exists(self._path):
            os.unlink(self._path)

    def _connected(self) -> Wire:
        if not self._wire:
            self._listener.settimeout(self.timeout)
            try:
                connected, _ = self._listener.accept()
            except socket.timeout:
                raise ProtocolError(f"No client came to {self.address} within {self.timeout:g} seconds.") from None
            connected.settimeout(self.timeout)
            self._wire = Wire(connected)
        return self._wire

    def force(self, centres: np.ndarray, orientations: np.ndarray) -> Tuple[float, np.ndarray, np.ndarray]:
        """The force that the simulation calls: asks the client."""
        wire, units = self._connected(), self.units
        places = self.sites.places(centres, orientations)
        # An open space is a box of zeros, as in ASE.
        edges = np.zeros((3, 3)) if self._box is None else self._box
        wire.send("STATUS")
        state = wire.word()
        if state == "NEEDINIT":
            wire.send("INIT", integer(0), integer(1), b" ")
            wire.send("STATUS")
            state = wire.word()
        if state != "READY":
            raise ProtocolError(f"The client is not ready for places, but says '{state}'.")
        inverse = np.linalg.pinv(edges)
        wire.send("POSDATA", doubles(edges.T * units.length), doubles(inverse.T / units.length), integer(len(places)),
                  doubles(places * units.length))
        wire.send("STATUS")
        wire.expect("HAVEDATA")
        wire.send("GETFORCE")
        wire.expect("FORCEREADY")
        energy = wire.doubles(1)[0] / units.energy
        wire.integer(len(places), len(places))
        pulls = wire.doubles(len(places), 3) / units.force
        self.virial = wire.doubles(3, 3).T / units.energy
        wire.bytes(wire.integer())
        self.evaluations += 1
        if not (np.isfinite(energy) and np.isfinite(pulls).all()):
            raise ProtocolError("The forces of the client are not finite.")
        return (energy, *self.sites.to_molecules(pulls, orientations))


def _connect(address: str, timeout: Optional[float]) -> Wire:
    family, where = parse(address)
    connected = socket.socket(family, socket.SOCK_STREAM)
    connected.settimeout(timeout)
    try:
        connected.connect(where)
    except OSError as error:
        connected.close()
        raise OSError(error.errno, f"No driver listens at {address}: {error}") from None
    return Wire(connected)


def serve(simulation: Any, address: str = "127.0.0.1:31415", timeout: Optional[float] = None, reduced: bool = False) -> int:
    """Gives energy, forces and virial of a simulation to a driver, until it says EXIT; returns how many times.

    Forces on sites are those of a rigid motion (Sites.to_sites), and the virial is that of whole molecules. So the driver
    must move rigid molecules, and send each of them whole. The box cannot change."""
    sites, units, box = Sites(simulation), Units(reduced), simulation.box
    edges = np.zeros((3, 3)) if box is None else box
    wire, done, answer = _connect(address, timeout), 0, None
    try:
        while True:
            try:
                word = wire.word()
            except ProtocolError:
                if answer is None:
                    return done
                raise
            if word == "EXIT":
                return done
            if word == "STATUS":
                wire.send("READY" if answer is None else "HAVEDATA")
            elif word == "INIT":
                wire.integer()
                wire.bytes(wire.integer())
            elif word == "POSDATA":
                cell = wire.doubles(3, 3).T / units.length
                wire.doubles(3, 3)
                places = wire.doubles(wire.integer(len(sites), len(sites)), 3) / units.length
                if not np.allclose(cell, edges, rtol=1e-6, atol=1e-6 * np.abs(edges).max()):
                    raise ProtocolError("The box of the driver is not that of the simulation, which cannot change.")
                centres, orientations = sites.fit(places)
                simulation.positions = centres
                simulation.orientations = orientations
                energies = simulation.energies
                pulls = sites.to_sites(np.array(simulation.forces), np.array(simulation.torques), orientations)
                answer = (energies.potential, pulls, energies.virial)
            elif word == "GETFORCE" and answer is not None:
                energy, pulls, virial = answer
                wire.send("FORCEREADY", doubles(energy * units.energy), integer(len(pulls)), doubles(pulls * units.force),
                          doubles(virial.T * units.energy), integer(1), b" ")
                answer, done = None, done + 1
            else:
                raise ProtocolError(f"The driver said '{word}', which is not expected now.")
    finally:
        wire.close()


def main(words: Optional[Sequence[str]] = None) -> int:
    """The command line"""
    from . import Simulation, SimulationError

    parser = argparse.ArgumentParser(prog="python3 -m polhode.ipi", description=__doc__.split("\n\n")[0])
    parser.add_argument("what", choices=("drive", "serve"), help="move molecules by a client's forces, or be a client")
    parser.add_argument("input")
    parser.add_argument("address", nargs="?", default="127.0.0.1:31415", help="unix:NAME or HOST:PORT")
    parser.add_argument("--steps", type=int, help="drive: default those of the input")
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds to wait for the other side")
    parser.add_argument("--reduced", action="store_true", help="numbers of the socket are those of the input, not atomic units")
    chosen = parser.parse_args(words)
    try:
        with Simulation(chosen.input) as simulation:
            if chosen.what == "serve":
                print(f"{serve(simulation, chosen.address, chosen.timeout, chosen.reduced)} evaluations")
                return 0
            driver = Driver(simulation, chosen.address, chosen.timeout, chosen.reduced)
            print(f"listening at {driver.address}", flush=True)
            with driver:
                simulation.advance(simulation.end - simulation.step if chosen.steps is None else chosen.steps)
                energies = simulation.energies
            print(f"{simulation.step} steps, {driver.evaluations} evaluations, total energy {energies.total:.12g}")
    except (SimulationError, ProtocolError, OSError, ValueError) as error:
        print(f"polhode.ipi: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
