#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A client of i-PI that knows nothing of Polhode: springs of strength K between sites A and B of a list, in atomic units.

usage: ipi_client.py ADDRESS K A,B [A,B ...]
"""
import socket
import struct
import sys

import numpy as np


def receive(connected, n):
    found = b""
    while len(found) < n:
        part = connected.recv(n - len(found))
        if not part:
            sys.exit("closed")
        found += part
    return found


def springs(places, k, pairs):
    energy, forces, virial = 0.0, np.zeros_like(places), np.zeros((3, 3))
    for a, b in pairs:
        apart = places[a] - places[b]
        energy += 0.5 * k * apart @ apart
        forces[a] -= k * apart
        forces[b] += k * apart
        virial -= k * np.outer(apart, apart)
    return energy, forces, virial


def main(address, k, *pairs):
    pairs = [tuple(map(int, pair.split(","))) for pair in pairs]
    if address.startswith("unix:"):
        connected = socket.socket(socket.AF_UNIX)
        connected.connect(address[5:])
    else:
        connected = socket.create_connection((address.split(":")[0], int(address.split(":")[1])))
    initialised, result = False, None
    while True:
        word = receive(connected, 12).decode().strip()
        if word == "STATUS":
            state = "HAVEDATA" if result else "READY" if initialised else "NEEDINIT"
            connected.sendall(state.encode().ljust(12))
        elif word == "INIT":
            receive(connected, 4)
            receive(connected, struct.unpack("=i", receive(connected, 4))[0])
            initialised = True
        elif word == "POSDATA":
            receive(connected, 18 * 8)
            n = struct.unpack("=i", receive(connected, 4))[0]
            result = springs(np.frombuffer(receive(connected, 24 * n)).reshape(n, 3), float(k), pairs)
        elif word == "GETFORCE":
            energy, forces, virial = result
            connected.sendall(b"FORCEREADY  " + struct.pack("=di", energy, len(forces)) + forces.tobytes() + virial.T.tobytes()
                              + struct.pack("=i", 0))
            result = None
        else:
            sys.exit(0 if word == "EXIT" else f"unknown: {word}")


main(*sys.argv[1:])
