# SPDX-License-Identifier: MIT
"""The seal of a trajectory: a checksum behind all that HDF5 knows of the file (src/output/hdf5/seal.h)."""
from __future__ import annotations

import os
import struct
from typing import BinaryIO, Optional
from zlib import crc32

MARK = b"polhode seal 1\n\0"
TAIL = struct.Struct("<4Q16s")  # number of ranges, end, CRC-32 of the file, of the seal, mark
BLOCK = 1 << 20
UNSEALED = (
    "has no seal: its run was killed, or another program changed the file. Damage outside frames would not be noticed."
)


def read_tail(file: BinaryIO) -> Optional[bytes]:
    """The last bytes of the seal, or None without one. A mark with some flipped bits is one."""
    if os.fstat(file.fileno()).st_size <= TAIL.size:
        return None
    file.seek(-TAIL.size, os.SEEK_END)
    tail = file.read(TAIL.size)
    return tail if 2 * sum(a == b for a, b in zip(tail[-len(MARK) :], MARK)) > len(MARK) else None


def is_sealed(path: str) -> bool:
    with open(path, "rb", buffering=0) as file:
        return read_tail(file) is not None


def fits(file: BinaryIO, tail: bytes) -> bool:
    n, end, crc, own_crc, mark = TAIL.unpack(tail)
    begin = os.fstat(file.fileno()).st_size - TAIL.size - 16 * n
    if begin < end or mark != MARK:
        return False
    file.seek(begin)
    ranges = file.read(16 * n)
    if crc32(ranges + tail[:24]) != own_crc:
        return False
    at = found = 0
    for first, after in [*struct.iter_unpack("<2Q", ranges), (end, end)]:
        file.seek(at)
        while at < first:
            block = file.read(min(first - at, BLOCK))
            if not block:
                return False
            found = crc32(block, found)
            at += len(block)
        at = after
    return found == crc


def is_damaged(path: str) -> bool:
    """Whether a file with a seal is not as its run wrote it. A run that writes to it again removes the seal first."""
    try:
        with open(path, "rb", buffering=0) as file:
            tail = read_tail(file)
            return tail is not None and not fits(file, tail) and read_tail(file) == tail
    except OSError:
        return False  # h5py says why
