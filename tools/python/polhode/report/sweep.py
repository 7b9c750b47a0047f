# SPDX-License-Identifier: MIT
"""All runs of `polhode sweep` on one page: a table of them, and what was found against what was varied."""
from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from html import escape
from typing import Dict, List, Optional, Sequence, Tuple
from urllib.parse import quote

import numpy as np

from ..layout import TrajectoryError
from ..results import Value, Verdict
from . import figures as draw
from .compare import MARKS, decades, steps_axis, verdict_words
from .panels import Panel, Section, axis
from .shell import html_page, section_html
from .words import count, plain, unit, with_error


@dataclass
class Quantity:
    """Something found in every run: where sweep.json has it, and its unit in md units"""

    name: str
    title: str
    path: Tuple[str, str, str]  # group, value, error
    unit: str
    caption: str
    head: str  # in the table
    log: bool = False


QUANTITIES = (
    Quantity(
        "rms", "Energy error", ("energy", "rms", "rms_error"), "kJ mol-1",
        "Root mean square of the conserved energy per molecule about its mean.", "energy error", log=True,
    ),
    Quantity(
        "drift", "Drift of the energy", ("energy", "drift", "drift_error"), "kJ mol-1 ps-1",
        "Slope of the conserved energy per molecule against time.", "drift",
    ),
    Quantity(
        "potential", "Potential energy", ("potential_energy", "mean", "error"), "kJ mol-1", "Per molecule, mean of the production.",
        "potential energy",
    ),
    Quantity(
        "translation", "Temperature of translation", ("temperature_translation", "mean", "error"), "K", "Mean of the production.",
        "T<sub>translation</sub>",
    ),
    Quantity(
        "rotation", "Temperature of rotation", ("temperature_rotation", "mean", "error"), "K", "Mean of the production.",
        "T<sub>rotation</sub>",
    ),
    Quantity("pressure", "Pressure", ("pressure", "mean", "error"), "kJ mol-1 nm-3", "Mean of the production.", "pressure"),
)


@dataclass
class Sweep:
    folder: str
    title: str
    physical: bool
    keys: List[str]
    runs: List[Dict]

    def value(self, run: Dict, quantity: Quantity) -> Optional[Value]:
        group, name, error = quantity.path
        found = run.get("conserved_energy") or run.get("total_energy") if group == "energy" else run.get(group)
        if not found or found.get(name) is None:
            return None
        size = found.get(error)
        return Value(found[name], np.nan if size is None else size, quantity.unit if self.physical else "")


def load_sweep(folder: str) -> Sweep:
    """What `polhode sweep` has written"""
    try:
        with open(os.path.join(folder, "sweep.json"), encoding="utf-8") as file:
            told = json.load(file)
        return Sweep(folder, told["title"], told["units"] == "md", told["keys"], told["runs"])
    except (OSError, ValueError, KeyError) as error:
        raise TrajectoryError(f"{folder}: is not a folder of 'polhode sweep': {error}") from error


# ---- What is shown against what ----


def as_number(text: str) -> Optional[float]:
    try:
        return float(text)
    except ValueError:
        return None


def is_seed(key: str) -> bool:
    """Runs that differ in nothing else are repetitions."""
    return key.rsplit(".", 1)[-1] == "seed"


def varied(sweep: Sweep) -> List[str]:
    return [key for key in sweep.keys if len({run["parameters"][key] for run in sweep.runs}) > 1]


def abscissa(sweep: Sweep) -> Optional[str]:
    """The first key that has several values, all numbers; not a seed. None: runs are counted."""
    for key in varied(sweep):
        if not is_seed(key) and all(as_number(run["parameters"][key]) is not None for run in sweep.runs):
            return key
    return None


def tells_apart(sweep: Sweep, key: str, along: str) -> bool:
    """False if the key goes with the abscissa: one value at each place, and another one at every other place."""
    pairs = {(run["parameters"][along], run["parameters"][key]) for run in sweep.runs}
    return not len(pairs) == len({x for x, _ in pairs}) == len({y for _, y in pairs})


def short(key: str) -> str:
    return key.rsplit(".", 1)[-1]


def curves(sweep: Sweep, quantity: Quantity, along: Optional[str]) -> List[Dict]:
    """A point for each run, a line through the means of repetitions, and a colour for each set of the other values."""
    others = [key for key in varied(sweep) if along and key != along and not is_seed(key) and tells_apart(sweep, key, along)]
    groups: Dict[str, List[Tuple[float, Value]]] = {}
    for k, run in enumerate(sweep.runs):
        value = sweep.value(run, quantity)
        if value is None or (quantity.log and not value.value > 0):
            continue
        label = ", ".join(f"{short(key)} {run['parameters'][key]}" for key in others)
        groups.setdefault(label, []).append((float(run["parameters"][along]) if along else k + 1.0, value))
    data = []
    for k, (label, points) in enumerate(groups.items()):
        colour, places = f"@c{1 + k % 6}", sorted({x for x, _ in points})
        means = [np.mean([value.value for x, value in points if x == place]) for place in places]
        if along and len(places) > 1:
            data.append({**draw.curve(places, means, label, colour, 1.4), "showlegend": False, "hoverinfo": "skip"})
        data.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": label or quantity.title,
                "x": draw.numbers([x for x, _ in points], 8),
                "y": draw.numbers([value.value for _, value in points], 8),
                "showlegend": len(groups) > 1,
                "marker": {"size": 8, "symbol": MARKS[k % 6], "color": colour},
                "error_y": {
                    "type": "data",
                    "array": draw.numbers(np.nan_to_num([value.error for _, value in points])),
                    "thickness": 1.2,
                    "width": 4,
                    "color": colour,
                },
            }
        )
    return data


def logarithmic(data: Sequence[Dict]) -> Dict:
    """With ticks at 1, 2 and 5 times powers of ten, each in full, if there are few powers"""
    values = [y for trace in data for y in trace["y"] if y and y > 0]
    if max(values) >= 30 * min(values):
        return decades(data)
    low, high = 0.6 * min(values), 1.7 * max(values)
    ticks = [m * 10.0**k for k in range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high)))) for m in (1, 2, 5)]
    ticks = [y for y in ticks if low <= y <= high]
    return {"type": "log", "tickvals": ticks, "ticktext": [plain(y, 2) for y in ticks]}


def section_of(sweep: Sweep) -> Optional[Section]:
    section, along = Section("found", "Results"), abscissa(sweep)
    for quantity in QUANTITIES:
        data = curves(sweep, quantity, along)
        if not data:
            continue
        places = [x for trace in data for x in trace["x"]]
        wide = along and min(places) > 0 and max(places) > 3 * min(places)
        section.panels.append(
            Panel(
                quantity.title,
                draw.figure(
                    quantity.name,
                    data,
                    escape(along) if along else "run",
                    axis(quantity.title.lower(), quantity.unit if sweep.physical else ""),
                    xaxis=steps_axis(data) if wide else {},
                    yaxis=logarithmic(data) if quantity.log else {},
                ),
                quantity.caption
                + (" A line joins the means of repetitions." if along and any(map(is_seed, varied(sweep))) else ""),
            )
        )
    return section if section.panels else None


# ---- The page ----


def verdict_of(run: Dict) -> Optional[Verdict]:
    found = run.get("verdict")
    return Verdict(found["state"], found["line"]) if found else None


def table_html(sweep: Sweep) -> str:
    shown = [quantity for quantity in QUANTITIES if any(sweep.value(run, quantity) for run in sweep.runs)]
    columns = [("run", "", ""), *((escape(short(key)), escape(key), "") for key in sweep.keys), ("state", "", ""), ("verdict", "", "")]
    columns += [(quantity.head, "", f"<br><small>{unit(quantity.unit, '')}</small>" * sweep.physical) for quantity in shown]
    head = "".join(f'<th title="{title}">{name}{below}</th>' for name, title, below in columns)
    labels = [re.sub("<.*?>", " ", name).strip() for name, _, _ in columns]
    rows = ""
    for run in sweep.runs:
        state = run["state"] + (f": {run['message'].split('. ')[0]}" if run["message"] else "")
        if run["state"] == "interrupted":
            state += f" at step {run['last_step']} of {run['planned_steps']}"
        cells = [f'<a href="{quote(run["file"])}">{escape(run["run"])}</a>']
        cells += [escape(run["parameters"][key]) for key in sweep.keys]
        cells.append(f'<span style="white-space:normal" title="{escape(run["message"] or "")}">{escape(state)}</span>')
        cells.append(verdict_words(verdict_of(run)))
        cells += [with_error(sweep.value(run, quantity), 3) for quantity in shown]
        rows += "<tr>" + "".join(f'<td data-label="{label}">{cell}</td>' for label, cell in zip(labels, cells)) + "</tr>"
    return f'<div class="card scroll"><table class="runs"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'


def pill_of(runs: Sequence[Dict]) -> str:
    states = [run["state"] for run in runs]
    parts = [f"{states.count(state)} {state}" for state in ("finished", "failed", "interrupted", "waiting") if state in states]
    return f'<span class="pill" id="state">{", ".join(parts)}</span>'


def sweep_page(sweep: Sweep) -> str:
    section = section_of(sweep)
    title = sweep.title or os.path.basename(os.path.abspath(sweep.folder))
    lead = f"{count(len(sweep.runs), 'run')} over {', '.join(escape(key) for key in sweep.keys)}"
    header = f'<h1>{escape(title)}</h1><p class="lead">{lead}</p>'
    body = f'<div style="height:26px"></div>{table_html(sweep)}' + (section_html(section) if section else "")
    footer = (
        "<footer><div>Means are those of the production; errors are one standard deviation. The same numbers are in "
        '<a href="sweep.csv">sweep.csv</a> and <a href="sweep.json">sweep.json</a>; each run is a trajectory, of which '
        "<code>polhode report</code> makes a page of its own.</div></footer>"
    )
    return html_page(
        title, pill_of(sweep.runs), header, body, footer, [panel.figure for panel in section.panels] if section else []
    )
