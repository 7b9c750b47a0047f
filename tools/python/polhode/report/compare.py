# SPDX-License-Identifier: MIT
"""Comparison of several runs: what differs between them, energy errors against step and time, structure."""
from __future__ import annotations

import re
from html import escape
from typing import Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ..results import AnalysisError, Verdict, analyze, find_value
from . import figures as draw
from .panels import Panel, Section, axis
from .runs import Run, groups_by_method
from .shell import html_page, section_html
from .verdict import WORDS
from .words import plain, unit, with_error

MARKS = ("circle", "square", "diamond", "triangle-up", "x", "cross")


# ---- Energy ----


def _method_curves(runs: Sequence[Run], x_of) -> Tuple[List[Dict], List[str]]:
    data, words = [], []
    for k, (name, group) in enumerate(groups_by_method(runs).items()):
        found = [(x_of(run), run.value("energy", "rms.production")) for run in group]
        points = [(x, rms) for x, rms in found if x and rms is not None and rms.value > 0]
        if not points:
            continue
        errors = [np.nan_to_num(rms.error) for _, rms in points]
        data.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "name": name,
                "x": draw.numbers([x for x, _ in points], 8),
                "y": draw.numbers([rms.value for _, rms in points]),
                "line": {"color": f"@c{1 + k % 6}", "width": 1.8},
                "marker": {"size": 9, "symbol": MARKS[k % 6], "color": f"@c{1 + k % 6}"},
                "error_y": {
                    "type": "data",
                    "array": draw.numbers(errors),
                    "thickness": 1.2,
                    "width": 4,
                    "color": f"@c{1 + k % 6}",
                },
            }
        )
        words.append(name)
    return data, words


def order_words(runs: Sequence[Run], program: str) -> str:
    """The order of every scheme that was run with several steps, as `polhode analyze energy` finds it."""
    found = []
    for name, group in groups_by_method(runs).items():
        if len({run.trajectory.parameters.get("step") for run in group}) < 2:
            continue
        try:
            order = find_value(analyze(program, "energy", *(run.trajectory.path for run in group)), "order")
        except AnalysisError:
            order = None
        if order is not None and np.isfinite(order.value):
            caution = "" if np.isfinite(order.error) else " (from two points, hence without an error)"
            found.append(f"{escape(name)} {with_error(order, 3)}{caution}")
    return f" Orders found: {'; '.join(found)}." if found else ""


def decades(data: Sequence[Dict]) -> Dict:
    """A logarithmic axis with a handful of ticks."""
    values = [y for trace in data for y in trace["y"] if y and y > 0]
    span = np.log10(max(values) / min(values)) if values else 1.0
    return {"type": "log", "exponentformat": "power", "dtick": max(1, int(np.ceil(span / 7)))}


APART = 0.2  # of the width of a plot: labels of ticks that do not touch on a telephone


def spread(values: Sequence[float]) -> List[float]:
    """Of values on a logarithmic axis the smallest, the largest, and those between that are far enough from all others."""
    first, *between, last = sorted(set(values)) if len(set(values)) > 1 else [*values[:1] * 2]
    width, kept = np.log(last / first) or 1.0, [first, last]
    for value in between:
        if min(abs(np.log(value / other)) for other in kept) > APART * width:
            kept.append(value)
    return sorted(set(kept))


def steps_axis(data: Sequence[Dict]) -> Dict:
    """Logarithmic, with ticks where there are points."""
    steps = spread([x for trace in data for x in trace["x"]])
    return {"type": "log", "tickvals": steps, "ticktext": [plain(x) for x in steps]}


def cost_axis(data: Sequence[Dict]) -> Dict:
    """Logarithmic, with ticks at 1, 2 and 5 times powers of ten, as many as there is room for."""
    values = [x for trace in data for x in trace["x"]]
    low, high = np.floor(np.log10(min(values))), np.ceil(np.log10(max(values)))
    round_ones = [m * 10.0**k for k in np.arange(low, high + 1) for m in (1, 2, 5)]
    inside = [x for x in round_ones if min(values) <= x <= max(values)]
    ticks = spread(inside) if len(inside) > 1 else spread(values)
    return {"type": "log", "tickvals": ticks, "ticktext": [plain(x, 3) for x in ticks]}


def energy_section(runs: Sequence[Run], program: str) -> Optional[Section]:
    section, first = Section("energy", "Energy"), runs[0]
    energy_unit = first.value("energy", "rms.production")
    if energy_unit is None:
        return None
    y = axis("rms energy error per molecule", energy_unit.unit)
    methods = {(run.method, run.trajectory.parameters.get("step")) for run in runs}
    if len(methods) > 1:
        for name, title, x_of, x, text in (
            (
                "error-step",
                "Error against step",
                lambda run: float(run.trajectory.parameters.get("step", 0.0)),
                axis("step", "ps" if first.units == "md" else ""),
                "Root mean square of the energy per molecule about its mean, in the production."
                + order_words(runs, program),
            ),
            (
                "error-cost",
                "Error against cost",
                lambda run: run.evaluations_per_time,
                "force evaluations per unit of time",
                "The same against what it costs: the lowest curve is the best scheme.",
            ),
        ):
            data, _ = _method_curves(runs, x_of)
            if data:
                section.panels.append(
                    Panel(
                        title,
                        draw.figure(
                            name,
                            data,
                            x,
                            y,
                            xaxis=steps_axis(data) if name == "error-step" else cost_axis(data),
                            yaxis=decades(data),
                        ),
                        text,
                    )
                )
    section.panels += _time_panels(runs, energy_unit.unit)
    return section if section.panels else None


def _time_panels(runs: Sequence[Run], energy_unit: str) -> List[Panel]:
    """Errors as they are, or their size if some would not be seen beside others."""
    found = [run.value("energy", "rms.production") for run in runs]
    sizes = [size.value for size in found if size is not None and size.value > 0]
    far = bool(sizes) and max(sizes) > 30 * min(sizes)
    data = []
    for run in runs:
        result = run.results.get("energy")
        table = result.tables.get("production") if result else None
        if table:
            shown = np.abs(table["deviation"]) if far else table["deviation"]
            data.append(
                draw.curve(
                    table["time"] - table["time"][0],
                    np.where(shown == 0, np.nan, shown) if far else shown,
                    run.label,
                    run.colour,
                    1.2,
                    run.dash,
                )
            )
    if not data:
        return []
    return [
        Panel(
            "Error against time",
            draw.figure(
                "error-time",
                data,
                axis("time of the production", "ps" if runs[0].units == "md" else ""),
                axis("energy error per molecule", energy_unit),
                [] if far else [draw.level(0.0)],
                yaxis=decades(data) if far else {"exponentformat": "power"},
            ),
            ("Size of the deviation" if far else "Deviation") + " of the energy that is conserved, per molecule, from its mean.",
            wide=True,
        )
    ]


# ---- Structure ----


def _overlay(runs: Sequence[Run], kind: str, column: str) -> List[Dict]:
    """A column of the first table of each run"""
    data = []
    for run in runs:
        result = run.results.get(kind)
        table = next((each for each in result.tables.values() if column in each), None) if result else None
        if table is not None:
            data.append(draw.curve(table["r"], table[column], run.label, run.colour, 1.8, run.dash))
    return data


def structure_section(runs: Sequence[Run]) -> Optional[Section]:
    section, r = Section("structure", "Structure"), axis("r", "nm" if runs[0].units == "md" else "")
    for kind, column, name, title, y, at, text in (
        (
            "rdf",
            "g",
            "rdf",
            "Pair distribution",
            "g(r)",
            1.0,
            "Density at a distance r from a molecule, over the mean.",
        ),
        (
            "orientation",
            "h110",
            "h110",
            "Orientational order, h<sub>110</sub>",
            "h<sub>110</sub>(r)",
            0.0,
            "Positive where dipoles are parallel.",
        ),
        (
            "orientation",
            "h112",
            "h112",
            "Orientational order, h<sub>112</sub>",
            "h<sub>112</sub>(r)",
            0.0,
            "Positive where dipoles lie as they attract each other most.",
        ),
    ):
        data = _overlay(runs, kind, column)
        if data:
            section.panels.append(Panel(title, draw.figure(name, data, r, y, [draw.level(at)]), text))
    return section if section.panels else None


# ---- The page ----


def table_html(runs: Sequence[Run]) -> str:
    columns: List[Tuple[str, Callable[[Run], str]]] = [
        ("run", lambda run: escape(run.label)),
        ("molecules", lambda run: str(run.trajectory.n_molecules)),
        ("method", lambda run: escape(run.method)),
        ("step", lambda run: plain(float(run.trajectory.parameters.get("step", np.nan)))),
    ]
    for title, kind, name in (
        ("temperature", "temperature", "temperature"),
        ("pressure", "pressure", "pressure"),
        ("potential energy", "energy", "potential_energy.production"),
        ("rms energy error", "energy", "rms.production"),
        ("drift", "energy", "drift.production"),
    ):
        if any(run.value(kind, name) for run in runs):
            columns.append((title + _unit_of(runs, kind, name), _shower(kind, name)))
    if any(run.verdict for run in runs):
        columns.append(("verdict", lambda run: verdict_words(run.verdict)))
    head = "".join(f"<th>{title}</th>" for title, _ in columns)
    cells = [(re.sub("<br>.*", "", title), show) for title, show in columns]
    rows = "".join(
        "<tr>" + "".join(f'<td data-label="{label}">{show(run)}</td>' for label, show in cells) + "</tr>" for run in runs
    )
    return (
        '<section id="runs"><div class="card scroll"><table class="runs">'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div></section>"
    )


def verdict_words(verdict: Optional[Verdict]) -> str:
    if verdict is None:
        return "–"
    words, sign = WORDS.get(verdict.state, (verdict.state, "?"))
    return f'<b class="{escape(verdict.state)}" title="{escape(verdict.line)}">{sign} {escape(words.lower())}</b>'


def _shower(kind: str, name: str) -> Callable[[Run], str]:
    return lambda run: with_error(run.value(kind, name), 3)


def _unit_of(runs: Sequence[Run], kind: str, name: str) -> str:
    units = {value.unit for value in (run.value(kind, name) for run in runs) if value is not None}
    return f"<br><small>{unit(units.pop(), '')}</small>" if len(units) == 1 else ""


def sections_of(runs: Sequence[Run], program: str) -> List[Section]:
    return [section for section in (energy_section(runs, program), structure_section(runs)) if section]


def compare_page(runs: Sequence[Run], program: str) -> str:
    sections = sections_of(runs, program)
    title = f"{len(runs)} runs compared"
    titles = ", ".join(dict.fromkeys(run.trajectory.title for run in runs if run.trajectory.title))
    header = f'<h1>{title}</h1><p class="lead">{escape(titles)}</p>'
    body = table_html(runs) + "".join(section_html(section) for section in sections)
    files = ", ".join(f"<code>{escape(run.trajectory.path)}</code>" for run in runs)
    footer = (
        f"<footer><div>All numbers are those of <code>polhode analyze</code>; errors are one standard deviation. Made of "
        f"{files}.</div></footer>"
    )
    plots = [panel.figure for section in sections for panel in section.panels]
    menu = [("runs", "Runs"), *((section.name, section.title) for section in sections)]
    return html_page(title, "", header, body, footer, plots, menu=menu, name="compare")
