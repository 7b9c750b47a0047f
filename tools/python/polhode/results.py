# SPDX-License-Identifier: MIT
"""Results of `polhode analyze`: values with errors, tables of columns, notes."""
from __future__ import annotations

import json
import os
import subprocess
import tempfile
from dataclasses import dataclass, field
from typing import Dict, List, Optional

import h5py
import numpy as np

from .names import ByName, Listed, UnknownName, no_such
from .series import text_of


@dataclass
class Value(Listed):
    value: float
    error: float = np.nan  # NaN: has none
    unit: str = ""
    correlation_time: float = np.nan
    rough: bool = False  # the error is a lower bound
    caution: str = ""  # why it must not be taken as it is


@dataclass
class Table(Listed):
    columns: Dict[str, np.ndarray] = field(default_factory=dict)
    units: Dict[str, str] = field(default_factory=dict)
    description: str = ""

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self.columns:
            raise UnknownName(no_such("The table", name, self.columns))
        return self.columns[name]

    def __contains__(self, name: str) -> bool:
        return name in self.columns


@dataclass
class Result(Listed):
    """What one analysis found."""

    kind: str
    values: Dict[str, Value] = field(default_factory=lambda: ByName("The analysis, among its values,"))
    tables: Dict[str, Table] = field(default_factory=lambda: ByName("The analysis, among its tables,"))
    notes: List[str] = field(default_factory=list)
    parameters: Dict[str, object] = field(default_factory=dict)
    caution: str = ""  # why it must not be taken as it is


def load(path: str) -> Result:
    """Reads what `polhode analyze KIND FILE -o RESULT.h5` wrote."""
    with h5py.File(path, "r") as file:
        result = Result(text_of(file["analysis"][()]))
        result.caution = text_of(file["caution"][()]) if "caution" in file else text_of(file.attrs.get("caution", ""))
        result.notes = [line for line in text_of(file["notes"][()]).split("\n") if line] if "notes" in file else []
        for name, item in file.get("parameters", {}).items():
            value = item[()]
            result.parameters[name] = text_of(value) if isinstance(value, bytes) else float(value)
        for name, item in file.get("values", {}).items():
            result.values[name] = Value(
                float(item[()]),
                float(item.attrs.get("error", np.nan)),
                text_of(item.attrs.get("unit", "")),
                float(item.attrs.get("correlation_time", np.nan)),
                "error_is" in item.attrs,
                text_of(item.attrs.get("caution", "")),
            )
        for name, group in file.get("tables", {}).items():
            result.tables[name] = Table(
                {column: item[:] for column, item in group.items()},
                {column: text_of(item.attrs.get("unit", "")) for column, item in group.items()},
                text_of(group.attrs.get("description", "")),
            )
    return result


class AnalysisError(Exception):
    """What `polhode analyze` said when it failed."""


def analyze(program: str, kind: str, *words: str) -> Result:
    """Runs `polhode analyze KIND WORDS...` and reads what it found."""
    with tempfile.TemporaryDirectory(prefix="polhode-") as folder:
        path = os.path.join(folder, kind + ".h5")  # in a session of its own: Ctrl-C is for whoever asked
        done = subprocess.run(
            [program, "analyze", kind, *words, "-o", path],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            start_new_session=True,
        )
        if done.returncode != 0 or not os.path.exists(path):
            lines = [line for line in done.stderr.strip().split("\n") if line]
            raise AnalysisError(lines[-1] if lines else f"exit status {done.returncode}")
        return load(path)


@dataclass
class Asked:
    """What the input asked for, and what the production gave."""

    quantity: str
    asked: float
    obtained: Value
    verdict: str  # "agrees", "disagrees" or "too-short"
    shown: bool
    text: str  # one line that says it


def asked_and_obtained(program: str, path: str) -> List[Asked]:
    """As `polhode info` compares them; empty if nothing was asked for."""
    done = subprocess.run(
        [program, "info", path, "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False
    )
    items = json.loads(done.stdout).get("asked_and_obtained", []) if done.returncode == 0 else []
    return [
        Asked(
            item["quantity"],
            item["asked"],
            Value(item["obtained"], np.nan if item["error"] is None else item["error"], item["unit"] or ""),
            item["verdict"],
            item["shown"],
            item["text"],
        )
        for item in items
    ]


@dataclass
class Check:
    """One of the checks of a verdict."""

    name: str
    state: str  # "well", "wrong" or "unclear"
    text: str


@dataclass
class Verdict:
    """Whether a run went as it should."""

    state: str  # "well", "wrong" or "unclear"
    line: str  # "all well", or what is not and why
    checks: List[Check] = field(default_factory=list)


def verdict(program: str, path: str) -> Optional[Verdict]:
    """As `polhode info` tells it; None if it cannot read the file."""
    done = subprocess.run(
        [program, "info", path, "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False
    )
    found = json.loads(done.stdout).get("verdict") if done.returncode == 0 else None
    if found is None:
        return None
    return Verdict(found["state"], found["line"], [Check(**check) for check in found["checks"]])


def find_value(result: Optional[Result], *names: str) -> Optional[Value]:
    """The first of these that there is."""
    for name in names:
        if result and name in result.values:
            return result.values[name]
    return None
