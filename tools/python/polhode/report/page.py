# SPDX-License-Identifier: MIT
"""Puts the page together."""
from __future__ import annotations

import os
import time
from html import escape
from typing import Dict, List, Optional

from ..trajectory import Trajectory
from .facts import facts, key_figures, lead, notes_of, state, title_of
from .findings import Findings, gather, ordinal
from .series_csv import packed_series
from .shell import figures_html, html_page, section_html
from .structure import dipole_section, motion_section, structure_section
from .thermal import energy_section, temperature_section
from .verdict import badge_html, checks_html
from .view import make_view
from .words import count

MAKERS = (energy_section, temperature_section, structure_section, motion_section, dipole_section)


def _view(run: Trajectory, view: Dict) -> str:
    arrows = any(kind["axis"] for kind in view["kinds"])
    ellipsoids = any("half" in site for kind in view["kinds"] for site in kind["sites"])
    sites = any(len(kind["sites"]) > 1 for kind in view["kinds"])
    polar = any(kind["polar"] for kind in view["kinds"])
    drawn = ("sites", "Ellipsoids" if ellipsoids else "Sites" if sites else "Spheres")
    lines = [("arrows", "Arrows" if polar else "Axes")] if arrows else []
    options = [drawn, *lines] if ellipsoids or sites else [*lines, drawn]
    choices = "".join(f'<option value="{value}">{label}</option>' for value, label in options)
    shown = (
        f"{count(view['n'], 'molecule')} of {view['of']:,}, around the middle".replace(",", "\u202f", 1)
        if view["n"] < view["of"]
        else count(view["n"], "molecule")
    )
    text = (
        f"The last {count(view['frames'], 'frame')} of {view['all']}, {shown}. "
        '<span class="by-mouse">Drag to turn; once clicked, scroll to come nearer, space to play. </span>'
        '<span class="by-touch">Swipe sideways to turn, two fingers to come nearer. </span>'
    )
    what, low, high = ("dipoles", "down", "up") if polar else ("axes of molecules", "lying", "upright")
    only = "" if ellipsoids else ' data-style="arrows"'
    ramp = f'<span{only}>Colours show {what}, from {low}<i class="ramp" id="view-ramp"></i>to {high}.</span>'
    return f"""<div class="card view">
<canvas id="view" tabindex="0" role="img" aria-label="Molecules in the box, in perspective"></canvas>
<div class="controls"><button id="view-play" aria-label="Play">▶</button>
<input type="range" id="view-frame" min="0" max="{view['frames'] - 1}" value="{view['frames'] - 1}" aria-label="Frame">
<output id="view-time"></output>
<select id="view-style" aria-label="How molecules are drawn">{choices}</select>
<button id="view-home" title="Back to the first view">Reset</button></div>
<p>{text}{ramp}</p></div>"""


def _facts(run: Trajectory, rows) -> str:
    body = "".join(f"<tr><th>{label}</th><td>{value}</td></tr>" for label, value in rows)
    return f'<div class="card"><h3>The run</h3><table class="facts">{body}</table></div>'


def _series(run: Trajectory, live: bool) -> str:
    """All rows, to be saved as a file"""
    packed = packed_series(run, live)
    if packed is None:
        return ""
    text, rows, stride = packed
    which = "" if stride == 1 else f", every {ordinal(stride)}; <code>polhode export --format csv</code> writes all"
    return (
        f'<p class="save"><a class="csv" href="#" data-packed="series-packed">Time series, CSV</a> {count(rows, "row")}'
        f'{which}. Each plot has a link to its own data.</p><script type="text/plain" id="series-packed">{text}</script>'
    )


def _texts(run: Trajectory) -> str:
    parts = []
    if run.parameters.get("input"):
        sets = str(run.parameters.get("input_set", "")).strip()
        text = escape(str(run.parameters["input"]).rstrip()) + (
            "\n\n# on the command line\n" + escape("\n".join(f"--set {line}" for line in sets.split("\n")))
            if sets
            else ""
        )
        parts.append(f"<details><summary>The input</summary><pre>{text}</pre></details>")
    for name, text in run.models.items():
        parts.append(
            f"<details><summary>The model {escape(name)}</summary><pre>{escape(text.rstrip())}</pre></details>"
        )
    return "".join(parts)


def _missing(found: Findings) -> str:
    if not found.missing:
        return ""
    return (
        '<div class="missing" id="missing"><b>Not in this report</b><ul>'
        + "".join(f"<li>{escape(line)}</li>" for line in found.missing)
        + "</ul></div>"
    )


def _notes(run: Trajectory, found: Findings) -> str:
    """What the run was warned of, and results that are to be taken with care"""
    lines = notes_of(run) + [f"{what[0].upper()}{what[1:]}: {text}" for what, text in found.cautions()]
    if not lines:
        return ""
    return (
        '<div class="missing" id="notes"><b>Notes</b><ul>'
        + "".join(f"<li>{escape(line)}</li>" for line in lines)
        + "</ul></div>"
    )


def _footer(run: Trajectory) -> str:
    how = "All numbers are those of <code>polhode analyze</code>; errors are one standard deviation. "
    return (
        f"<footer><div>{how}Made of <code>{escape(run.path)}</code> by polhode report, "
        f'{time.strftime("%Y-%m-%d %H:%M %Z")}.</div></footer>'
    )


def make_page(run: Trajectory, program: Optional[str] = None, renew: float = 0.0, at_once: bool = False) -> str:
    """The whole page. `renew`: seconds after which it loads itself again; 0 if the run has ended. `at_once`: without what
    takes long, since somebody waits for a first look."""
    found, view = gather(run, program, renew > 0, at_once), make_view(run)
    progress = run.progress
    sections = [section for section in (maker(run, found) for maker in MAKERS) if section]
    look, words = state(run, found, progress, renew > 0)
    pill = f'<span class="pill {look}" id="state">{words}</span>' if words else ""
    figures = key_figures(run, found, progress, renew > 0)
    hero = (_view(run, view) if view else "") + _facts(run, facts(run, progress))
    plots: List[Dict] = [panel.figure for section in sections for panel in section.panels]
    header = f"""<h1>{escape(title_of(run))}</h1><p class="lead">{lead(run)}</p>{badge_html(found.verdict)}
{figures_html(figures)}"""
    body = f"""<section id="run" class="{"hero" if view else ""}">{hero}</section>
{_notes(run, found)}{_missing(found)}{checks_html(found.verdict)}
{"".join(section_html(section) for section in sections)}
<section id="texts"><h2>Data and input</h2>{_series(run, renew > 0)}{_texts(run)}</section>"""
    checks = [("checks", "Checks")] if found.verdict and found.verdict.checks else []
    menu = [("run", "Run"), *checks, *((section.name, section.title) for section in sections), ("texts", "Data and input")]
    worn = found.verdict.state if found.verdict else ""
    name = os.path.splitext(os.path.basename(run.path))[0]
    return html_page(title_of(run), pill, header, body, _footer(run), plots, view, renew, menu, worn, name)
