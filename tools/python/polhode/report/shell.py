# SPDX-License-Identifier: MIT
"""What all pages share: style, scripts, data, and plotly.js inside."""
from __future__ import annotations

import base64
import gzip
import hashlib
import json
import math
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Dict, List, Optional, Sequence, Tuple
from urllib.parse import quote

from .panels import Panel, Section

HERE = Path(__file__).parent
MARK = (
    '<svg viewBox="0 0 32 32" fill="none" stroke="currentColor" aria-hidden="true"><ellipse cx="16" cy="16" rx="14" '
    'ry="10.5" stroke-width="1.6"/><path d="M5.5 16c3-7 18-7 21 0c-3 7-18 7-21 0z" stroke-width="1.2"/>'
    '<path d="M10 16c2-3.4 10-3.4 12 0c-2 3.4-10 3.4-12 0z" stroke-width="1.2"/></svg>'
)


# Of the mark in the tab of the browser, by the verdict
TINTS = {"well": "#3c7a66", "unclear": "#b98a1f", "wrong": "#c0271f", "": "#27597f"}


def icon(state: str) -> str:
    """The mark on a disc in the colour of the verdict, as the address of a picture"""
    tint = TINTS.get(state, TINTS[""])
    inside = MARK[MARK.index("<ellipse") :].replace("</svg>", "") if state != "wrong" else '<path d="M10 10L22 22M22 10L10 22" stroke-width="4"/>'
    disc = f'<rect width="32" height="32" rx="8" fill="{tint}"/>'
    return "data:image/svg+xml," + quote(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32" fill="none" stroke="white">{disc}{inside}</svg>'
    )


def menu_html(entries: Sequence[Tuple[str, str]]) -> str:
    """Of the sections, by their ids and names; it stays at the top of the window."""
    links = "".join(f'<a href="#{name}">{title}</a>' for name, title in entries)
    return f'<nav class="menu" aria-label="Sections"><div>{links}</div></nav>'


@lru_cache(maxsize=1)
def plotly_script() -> bytes:
    """plotly.js as it comes with Debian's python3-plotly"""
    from plotly.offline import get_plotlyjs

    return get_plotlyjs().encode()


@lru_cache(maxsize=1)
def packed_plotly() -> str:
    """A quarter of its size. Level 6 takes half as long again, for 2 % less."""
    return base64.b64encode(gzip.compress(plotly_script(), 5, mtime=0)).decode()


def policy(scripts: Sequence[bytes]) -> str:
    """What the page may do: run these scripts and show its own pictures and styles. Nothing is loaded from elsewhere."""
    hashes = " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(one).digest()).decode()}'" for one in scripts)
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def data_script(name: str, data: object) -> str:
    """Data for scripts. Without `<` no text in it ends the element, or begins a comment."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    return f'<script type="application/json" id="{name}">{text}</script>\n'


def panel_html(panel: Panel) -> str:
    name = panel.figure["id"]
    return (
        f'<figure class="card{" wide" if panel.wide else ""}"><div class="head"><h3>{panel.title}</h3>'
        f'<a class="csv" href="#" data-figure="{name}" title="The data of this plot">CSV</a></div>'
        f'<div class="legend" id="legend-{name}"></div>'
        f'<div class="plot" id="plot-{name}" role="img" aria-label="{escape(panel.title)}"></div>'
        f"<figcaption><p>{panel.caption}</p></figcaption></figure>"
    )


def section_html(section: Section) -> str:
    panels = "".join(panel_html(panel) for panel in section.panels)
    return f'<section id="{section.name}"><h2>{section.title}</h2><div class="grid">{panels}</div></section>'


def figures_html(figures: Sequence[Tuple[str, str, str]]) -> str:
    """Label, value and what is below each, in rows of equal length, up to six"""
    rows = max(1, math.ceil(len(figures) / 6))
    tiles = "".join(
        f'<div class="tile"><div class="label">{label}</div><div class="value">{value}</div><div class="sub">{below}</div></div>'
        for label, value, below in figures
    )
    return f'<div class="figures" style="--columns: {math.ceil(len(figures) / rows)}">{tiles}</div>'


def html_page(
    title: str,
    pill: str,
    header: str,
    body: str,
    footer: str,
    plots: List[Dict],
    view: Optional[Dict] = None,
    renew: float = 0.0,
    menu: Sequence[Tuple[str, str]] = (),
    verdict: str = "",
    name: str = "polhode",
) -> str:
    """A page that needs nothing else. `renew`: seconds after which it loads itself again, 0 for never; `verdict`: its state,
    or ""; `name`: what files that are saved from the page begin with."""
    again = f' data-renew="{math.ceil(renew)}"' if renew else ""
    worn = f' data-verdict="{escape(verdict)}"' if verdict else ""
    plotly = f'<script type="text/plain" id="plotly-packed">{packed_plotly()}</script>' if plots else ""
    scripts = ["\n" + (HERE / script).read_text(encoding="utf-8") for script in ("view.js", "page.js")]
    allowed = policy([script.encode() for script in scripts] + ([plotly_script()] if plots else []))
    data = data_script("figure-data", plots) + (data_script("view-data", view) if view else "")
    return f"""<!DOCTYPE html>
<html lang="en"{again}{worn} data-name="{escape(name)}">
<head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{allowed}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{"WRONG: " if verdict == "wrong" else ""}{escape(title)}</title>
<link rel="icon" href="{icon(verdict)}">
<style>
{(HERE / "page.css").read_text()}</style></head>
<body>
<header class="top"><div class="brand">{MARK}<span>Polhode</span>{pill}<button id="theme">Dark</button></div>
{header}</header>
{menu_html(menu) if menu else ""}
<main><div id="trouble" hidden>This browser is too old to unpack the plots; any of 2023 or later can.</div>
{body}</main>
{footer}
{data}{plotly}
{"".join(f"<script>{script}</script>" for script in scripts)}
</body></html>
"""
