# SPDX-License-Identifier: MIT
"""The time series as CSV inside of the page, with all digits: as `polhode export --format csv` writes them."""
from __future__ import annotations

import base64
import gzip
from itertools import product
from typing import Dict, Optional, Tuple

import numpy as np

from ..trajectory import Trajectory

MOST_NUMBERS, MOST_NUMBERS_LIVE = 200_000, 20_000  # in the page: some ten bytes each


def columns_of(run: Trajectory) -> Dict[str, np.ndarray]:
    """By name; components of vectors and tensors get _x, _xy and so on. Series with other steps are left out."""
    longest = max(run.series.values(), key=len, default=None)
    if longest is None or not len(longest):
        return {}
    columns = {"step": longest.step, "time": longest.time}
    for name, series in run.series.items():
        if len(series) != len(longest) or not np.array_equal(series.step, longest.step):
            continue
        shape = series.value.shape[1:]
        if all(n == 3 for n in shape):
            for index in product(range(3), repeat=len(shape)):
                letters = "".join("xyz"[k] for k in index)
                columns[f"{name}_{letters}" if letters else name] = series.value[(slice(None), *index)]
    return columns


def packed_series(run: Trajectory, live: bool) -> Optional[Tuple[str, int, int]]:
    """The text, packed, with the number of its rows and which of them it has: every so many. None without series."""
    columns = columns_of(run)
    if not columns:
        return None
    n = len(columns["step"])
    stride = max(1, -(-n * len(columns) // (MOST_NUMBERS_LIVE if live else MOST_NUMBERS)))
    rows = zip(*(column[::stride].tolist() for column in columns.values()))
    lines = [",".join(columns), *(",".join(map(repr, row)) for row in rows)]
    text = "\n".join(lines) + "\n"
    return base64.b64encode(gzip.compress(text.encode(), 6, mtime=0)).decode(), -(-n // stride), stride
