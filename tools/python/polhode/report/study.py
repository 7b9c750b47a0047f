# SPDX-License-Identifier: MIT
"""A page on a study: what the paper claims against what was measured, curves, and the pictures that plot-study drew."""
from __future__ import annotations

import base64
import gzip
import re
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Dict, List, Sequence, Tuple

import h5py
import numpy as np

from ..series import text_of
from . import figures as draw
from .compare import MARKS, cost_axis, decades, spread
from .panels import Panel, Section
from .runs import DASHES
from .shell import figures_html, html_page, section_html
from .words import count, duration, plain, pretty

VERDICTS = {1: ("holds", "well"), 2: ("holds in part", "unclear"), 3: ("does not hold", "wrong")}
MOST_POINTS = 800  # of a curve against time: there are many
LARGEST_PICTURE = 1_500_000  # bytes of an SVG; larger ones are shown as PNG


def read_table(file: h5py.File, name: str) -> Dict[str, np.ndarray]:
    """The columns of a table: arrays of numbers, or of str."""
    return {
        key: np.char.decode(data[()], "ascii") if data.dtype.kind == "S" else data[()]
        for key, data in file[name].items()
    }


def prose(line: str) -> str:
    """A text of the study as HTML: what stands between backticks is code"""
    return re.sub("`(.+?)`", r"<code>\1</code>", escape(pretty(line)))


def text(file: h5py.File, name: str, default: str = "") -> str:
    return text_of(file.attrs.get(name, default))


def numbered(file: h5py.File, name: str) -> List[str]:
    """name_0, name_1, ... as far as they go"""
    found: List[str] = []
    while f"{name}_{len(found)}" in file.attrs:
        found.append(text(file, f"{name}_{len(found)}"))
    return found


# ---- Curves ----


@dataclass(frozen=True)
class Curves:
    """Which columns of a table make the panels, the curves in them (colours, then dashes), and the axes."""

    table: str
    by: Tuple[str, ...]
    x: Tuple[str, str]  # column, and what the axis is called
    y: Tuple[str, str]
    panels: str = ""  # a column: one panel for each of its values
    title: str = ""  # of the panel, if there is one only; else what stands behind its value
    log: str = "xy"  # axes that are logarithmic


CURVES: Dict[str, Sequence[Curves]] = {
    "survey": (
        Curves("errors", ("scheme", "flow"), ("evaluations", "force evaluations"), ("error", "relative energy error"), "panel"),
        Curves("errors", ("scheme", "flow"), ("seconds", "processor time (s)"), ("error", "relative energy error"), "panel", "against time"),
    ),
    "convergence": (
        Curves("errors", ("method",), ("step", "step"), ("error_m", "error of the momentum"), "panel", "momentum"),
        Curves("errors", ("method",), ("step", "step"), ("error_w", "error of the angular velocity"), "panel", "angular velocity"),
        Curves("errors", ("method",), ("step", "step"), ("error_q", "error of the orientation"), "panel", "orientation"),
    ),
    "work": (
        Curves("work", ("flow",), ("cost", "processor time (µs)"), ("error_m", "error of the angular momentum"), "panel", "angular momentum"),
        Curves("work", ("flow",), ("cost", "processor time (µs)"), ("error_q", "error of the orientation"), "panel", "orientation"),
    ),
    "spheres": (
        Curves("errors", ("method",), ("step", "step"), ("error_q", "error of q at t = 1"), "", "Errors of positions"),
        Curves("errors", ("method",), ("step", "step"), ("error_w", "error of ω at t = 1"), "", "Errors of angular velocities"),
        Curves("series", ("method",), ("time", "time"), ("energy", "|E − E₀|"), "", "Energy of the long run", "y"),
    ),
    "drift": (Curves("energy", ("method",), ("time", "time"), ("error", "energy error"), "step", "", ""),),
    "wall": (Curves("energy", ("method",), ("time", "time"), ("error", "H/H₀ − 1"), "", "Energy in time", ""),),
    "satellite": (
        Curves("path", ("scheme", "step"), ("time", "time"), ("error", "relative energy error"), "", "Energy in time", "y"),
    ),
    "rounding": (
        Curves("energy", ("sums",), ("time", "time"), ("error", "relative energy error"), "", "Energy in time", ""),
        Curves("growth", ("sums",), ("lag", "time between"), ("change", "change of the error, rms"), "", "Growth of the error"),
    ),
}


def word(value) -> str:
    return str(value) if isinstance(value, str) else plain(float(value))


def axis_of(data: List[Dict], name: str, log: bool) -> Dict:
    values = [value for trace in data for value in trace[name] if value]
    if not log or not values:
        return {"exponentformat": "power"}
    if name == "y" or max(values) > 1000 * min(values):
        return decades([{"y": [value for value in values if value > 0]}])
    if len(set(values)) < 12:
        ticks = spread(values)
        return {"type": "log", "tickvals": ticks, "ticktext": [plain(x, 3) for x in ticks]}
    return cost_axis([{"x": values}])


def traces_of(table: Dict[str, np.ndarray], rows: np.ndarray, spec: Curves) -> List[Dict]:
    """Colours tell the first column that makes curves, dashes the second."""
    first = list(dict.fromkeys(table[spec.by[0]]))
    second = list(dict.fromkeys(table[spec.by[-1]]))
    data = []
    for key in dict.fromkeys(zip(*(table[name][rows] for name in spec.by))):
        own = rows & np.all([table[name] == part for name, part in zip(spec.by, key)], axis=0)
        x, y = np.asarray(table[spec.x[0]][own], dtype=float), np.asarray(table[spec.y[0]][own], dtype=float)
        y = np.abs(y) if "y" in spec.log else y
        y = np.where(np.isfinite(y) & ((y > 0) | ("y" not in spec.log)), y, np.nan)
        colour = f"@c{1 + first.index(key[0]) % 6}"
        repeat = first.index(key[0]) // 6 + (second.index(key[-1]) if len(key) > 1 else 0)
        few = len(x) <= 40
        more = {"mode": "lines+markers", "marker": {"size": 7, "symbol": MARKS[first.index(key[0]) % 6], "color": colour}} if few else {}
        x, y = draw.thin(x, y, MOST_POINTS)
        name = ", ".join(word(part) for part in key)
        data.append({**draw.curve(x, y, name, colour, 1.6 if few else 0.9, DASHES[repeat % len(DASHES)]), **more})
    return data


def curves_section(file: h5py.File) -> List[Section]:
    section = Section("curves", "Curves")
    for spec in CURVES.get(text(file, "plot"), ()):
        if spec.table not in file or spec.y[0] not in file[spec.table]:
            continue
        table = read_table(file, spec.table)
        n = len(table[spec.x[0]])
        names = list(dict.fromkeys(table[spec.panels])) if spec.panels else [None]
        for name in names:
            rows = np.ones(n, dtype=bool) if name is None else table[spec.panels] == name
            data = traces_of(table, rows, spec)
            if not any(value is not None for trace in data for value in trace["y"]):
                continue
            label = "" if name is None else (f"{spec.panels} {word(name)}" if not isinstance(name, str) else pretty(name))
            title = ", ".join(part for part in (label, spec.title) if part) or "Errors"
            figure = draw.figure(
                f"curves-{len(section.panels)}",
                data,
                spec.x[1],
                spec.y[1],
                xaxis=axis_of(data, "x", "x" in spec.log),
                yaxis=axis_of(data, "y", "y" in spec.log),
            )
            section.panels.append(Panel(escape(title), figure, ""))
    return [section] if section.panels else []


# ---- Parts of the page ----


def claims_html(file: h5py.File) -> str:
    rows = ""
    for k, (claim, measured) in enumerate(zip(numbered(file, "claim"), numbered(file, "measured"))):
        words, look = VERDICTS.get(int(file.attrs.get(f"verdict_{k}", 0)), ("not judged", ""))
        rows += (
            f'<tr><td data-label="The paper says">{prose(claim)}</td>'
            f'<td data-label="Verdict"><b class="{look}">{words}</b></td>'
            f'<td data-label="Measured">{prose(measured)}</td></tr>'
        )
    head = "<thead><tr><th>Claim of the paper</th><th>Verdict</th><th>Measurement</th></tr></thead>"
    return (
        '<section id="claims"><h2>Claims of the paper, and measurements</h2><div class="card">'
        f'<table class="claims">{head}<tbody>{rows}</tbody></table></div></section>'
    )


def pictures_html(file: h5py.File, pictures: Sequence[Path]) -> str:
    """As they were drawn, each with what it shows of the paper"""
    shows = list(zip(*(numbered(file, name) for name in ("shows", "shows_file", "shows_what"))))
    parts = ""
    for path in pictures:
        lines = [f"{name}{': ' + what if what else ''}." for name, where, what in shows if where == path.name]
        large = path.stat().st_size > LARGEST_PICTURE and path.with_suffix(".png").exists()
        shown, kind = (path.with_suffix(".png"), "png") if large else (path, "svg+xml")
        data = base64.b64encode(shown.read_bytes()).decode()
        parts += (
            f'<figure class="card picture"><div class="scroll" tabindex="0"><img alt="{escape(path.stem)}" '
            f'src="data:image/{kind};base64,{data}"></div>'
            f"<figcaption><p>{prose(' '.join(lines))} <code>{escape(path.name)}</code></p></figcaption></figure>"
        )
    return f'<section id="pictures"><h2>Figures</h2>{parts}</section>' if parts else ""


def csv_of(table: Dict[str, np.ndarray], columns: Sequence[str]) -> str:
    rows = zip(*(table[name].tolist() for name in columns))
    return "\n".join([",".join(columns), *(",".join(each if isinstance(each, str) else repr(each) for each in row) for row in rows)]) + "\n"


def setup_html(file: h5py.File, folder: Path) -> str:
    notes = "".join(f"<li>{prose(note)}</li>" for note in numbered(file, "note"))
    reduced = f"<p>This is the quick version: {prose(text(file, 'reduced'))}</p>" if "reduced" in file.attrs else ""
    tables = ""
    for name in (name for name, item in file.items() if isinstance(item, h5py.Group)):
        table = read_table(file, name)
        packed = base64.b64encode(gzip.compress(csv_of(table, list(file[name])).encode(), 6, mtime=0)).decode()
        help_words = "; ".join(
            f"<code>{escape(column)}</code> {escape(text_of(item.attrs.get('help', '')))}".strip() for column, item in file[name].items()
        )
        tables += (
            f'<p class="save"><a class="csv" href="#" data-packed="table-{escape(name)}">{escape(name)}, CSV</a> '
            f"{count(len(next(iter(table.values()))), 'row')}: {help_words}.</p>"
            f'<script type="text/plain" id="table-{escape(name)}">{packed}</script>'
        )
    quick = " --quick" if int(file.attrs.get("quick", 0)) else ""
    made = (
        f"<p>Made by <code>polhode study {escape(text(file, 'study'))}{quick} --seed {int(file.attrs.get('seed', 1))}</code>, "
        f"polhode {escape(text(file, 'program'))}, in {duration(float(file.attrs.get('seconds', 0.0)))}. Times are those of the "
        "machine it ran on; all other numbers depend on the seed alone.</p>"
    )
    return (
        '<section id="setup"><h2>Computation</h2><div class="card prose">'
        f"<p>{prose(text(file, 'setup'))}</p>{reduced}{f'<ul>{notes}</ul>' if notes else ''}{made}</div></section>"
        f'<section id="texts"><h2>Data</h2>{tables}</section>'
    )


def study_page(file: h5py.File, pictures: Sequence[Path]) -> str:
    """`pictures`: SVG files, in the order in which they are shown."""
    try:
        sections = curves_section(file) if __import__("plotly") else []
    except ImportError:  # then there are the pictures
        sections = []
    verdicts = [VERDICTS.get(int(file.attrs[f"verdict_{k}"]), ("", ""))[0] for k in range(len(numbered(file, "claim")))]
    tiles = [(words, str(verdicts.count(words)), f"of {count(len(verdicts), 'claim')}") for words, _ in VERDICTS.values()]
    header = (
        f"<h1>{prose(text(file, 'title'))}</h1><p class=\"lead\">{escape(text(file, 'figure'))} of "
        f"{escape(text(file, 'reference'))}.</p><p class=\"headline\">{prose(text(file, 'headline'))}.</p>"
        f"{figures_html(tiles)}"
    )
    shown = pictures_html(file, pictures)
    body = claims_html(file) + "".join(section_html(section) for section in sections) + shown
    body += setup_html(file, Path(file.filename).parent)
    menu = [("claims", "Claims"), *((section.name, section.title) for section in sections)]
    menu += ([("pictures", "Figures")] if shown else []) + [("setup", "Computation"), ("texts", "Data")]
    plots = [panel.figure for section in sections for panel in section.panels]
    footer = f"<footer><div>Made of <code>{escape(Path(file.filename).name)}</code> by plot-study.</div></footer>"
    return html_page(text(file, "title"), "", header, body, footer, plots, menu=menu, name=text(file, "study"))
