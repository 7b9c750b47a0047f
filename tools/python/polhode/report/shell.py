# SPDX-License-Identifier: MIT
"""What all pages share: style, scripts, data, and plotly.js inside."""
from __future__ import annotations

import base64
import gzip
import json
import math
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Dict, List, Optional

from .panels import Panel, Section

HERE = Path(__file__).parent
MARK = (
    '<svg viewBox="0 0 32 32" fill="none" stroke="currentColor" aria-hidden="true"><ellipse cx="16" cy="16" rx="14" '
    'ry="10.5" stroke-width="1.6"/><path d="M5.5 16c3-7 18-7 21 0c-3 7-18 7-21 0z" stroke-width="1.2"/>'
    '<path d="M10 16c2-3.4 10-3.4 12 0c-2 3.4-10 3.4-12 0z" stroke-width="1.2"/></svg>'
)


@lru_cache(maxsize=1)
def packed_plotly() -> str:
    """plotly.js as it comes with Debian's python3-plotly, a quarter of its size."""
    from plotly.offline import get_plotlyjs

    return base64.b64encode(gzip.compress(get_plotlyjs().encode(), 6, mtime=0)).decode()


def data_script(name: str, data: object) -> str:
    text = json.dumps(data, separators=(",", ":"), allow_nan=False).replace("</", "<\\/")
    return f'<script type="application/json" id="{name}">{text}</script>\n'


def panel_html(panel: Panel) -> str:
    name = panel.figure["id"]
    return (
        f'<figure class="card{" wide" if panel.wide else ""}" style="margin:0"><h3>{panel.title}</h3>'
        f'<div class="plot" id="plot-{name}" role="img" aria-label="{escape(panel.title)}"></div>'
        f"<figcaption><p>{panel.caption}</p></figcaption></figure>"
    )


def section_html(section: Section) -> str:
    panels = "".join(panel_html(panel) for panel in section.panels)
    return f'<section id="{section.name}"><h2>{section.title}</h2><div class="grid">{panels}</div></section>'


def html_page(
    title: str,
    pill: str,
    header: str,
    body: str,
    footer: str,
    plots: List[Dict],
    view: Optional[Dict] = None,
    renew: float = 0.0,
) -> str:
    """A page that needs nothing else. `renew`: seconds after which it loads itself again, 0 for never."""
    again = f' data-renew="{math.ceil(renew)}"' if renew else ""
    data = data_script("figure-data", plots) + (data_script("view-data", view) if view else "")
    return f"""<!DOCTYPE html>
<html lang="en"{again}>
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>
{(HERE / "page.css").read_text()}</style></head>
<body>
<header class="top"><div class="brand">{MARK}<span>Polhode</span>{pill}<button id="theme">Dark</button></div>
{header}</header>
<main><div id="trouble" hidden>This browser is too old to unpack the plots; any of 2023 or later can.</div>
{body}</main>
{footer}
{data}<script type="text/plain" id="plotly-packed">{packed_plotly()}</script>
<script>
{(HERE / "view.js").read_text()}</script>
<script>
{(HERE / "page.js").read_text()}</script>
</body></html>
"""
