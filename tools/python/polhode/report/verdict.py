# SPDX-License-Identifier: MIT
"""Is all well with this run? As `polhode info` judges it, worn by the page at its top."""
from __future__ import annotations

from html import escape
from typing import Optional

from ..results import Verdict
from .words import pretty

# By state: what the page calls it, and its sign
WORDS = {"well": ("All well", "✓"), "unclear": ("Unclear", "?"), "wrong": ("Wrong", "✗")}


def badge_html(verdict: Optional[Verdict]) -> str:
    """One line, below the title"""
    if verdict is None:
        return ""
    words, sign = WORDS.get(verdict.state, (verdict.state, "?"))
    line = "" if verdict.line.strip(" .").lower() == words.lower() else f" <span>{escape(pretty(verdict.line))}</span>"
    more = ' <a href="#checks">All checks</a>' if verdict.checks else ""
    return f'<p class="verdict {escape(verdict.state)}" id="verdict" role="status"><b>{sign}\u00a0{escape(words)}</b>{line}{more}</p>'


def checks_html(verdict: Optional[Verdict]) -> str:
    """All of them, those that are wrong first"""
    if verdict is None or not verdict.checks:
        return ""
    order = {"wrong": 0, "unclear": 1}
    rows = "".join(
        f'<tr class="{escape(check.state)}"><td><b>{sign_of(check.state)}</b></td><th>{escape(check.name)}</th>'
        f"<td>{escape(pretty(check.text))}</td></tr>"
        for check in sorted(verdict.checks, key=lambda one: order.get(one.state, 2))
    )
    return (
        '<section id="checks"><h2>Checks</h2><div class="card"><table class="checks"><tbody>'
        f"{rows}</tbody></table></div></section>"
    )


def sign_of(state: str) -> str:
    word, sign = WORDS.get(state, (state, "·"))
    return f'<span title="{escape(word)}" aria-label="{escape(word)}">{sign}</span>'
