# SPDX-License-Identifier: MIT
"""How Sphinx makes a site of these pages; tools/docs calls it and says the version."""
import html
import re

from docutils import nodes
from furo.navigation import get_navigation_tree

project = "Polhode"
html_title = "Polhode"
extensions = ["myst_parser"]
include_patterns = ["index.md", "docs/**.md"]
myst_enable_extensions = ["dollarmath"]  # equations between dollars, as GitHub has them
myst_heading_anchors = 4  # links to headings, as GitHub has them
smartquotes = False  # options begin with two hyphens
highlight_language = "none"  # of blocks that name no language
html_theme = "furo"  # light and dark, fits phones, and nothing comes from elsewhere
SAME = {  # names of the theme for the colours of the report page, below
    "color-background-primary": "var(--paper)",
    "color-background-secondary": "var(--paper)",
    "color-background-hover": "var(--hover)",
    "color-background-hover--transparent": "transparent",
    "color-background-border": "var(--faint)",
    "color-background-item": "var(--faint)",
    "color-foreground-primary": "var(--ink)",
    "color-foreground-secondary": "var(--muted)",
    "color-foreground-muted": "var(--muted)",
    "color-foreground-border": "var(--muted)",
    "color-brand-primary": "var(--accent)",
    "color-brand-content": "var(--accent)",
    "color-link-underline": "transparent",
    "color-inline-code-background": "var(--code)",
    "color-code-background": "var(--code)",
    "color-sidebar-link-text": "var(--muted)",
    "color-sidebar-link-text--top-level": "var(--ink)",
    "color-table-border": "var(--faint)",
    "color-table-header-background": "transparent",
    "color-highlight-on-target": "var(--target)",
}
LIGHT = "paper #fbfaf7 ink #1d2329 muted #68717a faint #e4e2dc accent #27597f hover #efede7 code #f3f1eb target #f6eccb".split()
DARK = "paper #14181c ink #e8e6e1 muted #98a1a9 faint #2c333a accent #7fb2d9 hover #20262c code #1b2025 target #3a3420".split()
html_theme_options = {
    "light_css_variables": {**SAME, **dict(zip(LIGHT[::2], LIGHT[1::2]))},
    "dark_css_variables": {**SAME, **dict(zip(DARK[::2], DARK[1::2]))},
}
pygments_style = "friendly"
pygments_dark_style = "native"
templates_path = ["theme"]
html_favicon = "mark.svg"
html_static_path = ["site.css", "site.js", "static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_math_renderer = "katex"
html_show_copyright = False
html_show_sphinx = False
html_show_sourcelink = False
html_copy_source = False
html_use_index = False


def write_inline(translator, node):
    translator.body.append(translator.starttag(node, "span", "", CLASS="math") + translator.encode(node.astext()) + "</span>")
    raise nodes.SkipNode


def write_block(translator, node):
    translator.body.append(translator.starttag(node, "div", "", CLASS="math") + translator.encode(node.astext()) + "</div>\n")
    raise nodes.SkipNode


def load_katex(app, page, template, context, tree):
    """KaTeX, which site.js calls, comes with the pages that have equations."""
    if tree is not None and any(tree.findall(lambda node: isinstance(node, (nodes.math, nodes.math_block)))):
        app.add_css_file("katex/katex.min.css")
        app.add_js_file("katex/katex.js", priority=400)  # before site.js


# Sphinx and the theme make the menu anew for each page, which took two fifths of the time of the whole site. All pages of a
# folder have the same one here, by the folder; only the place of the page itself is marked in it.
MENUS = {}


def leave_menu(app, page, template, context, tree):
    """Before the theme makes it"""
    context["toctree"] = lambda **_: ""


def set_menu(app, page, template, context, tree):
    beside = f"{page.rpartition('/')[0]}/menu".lstrip("/")  # a page of that folder, which does not exist
    if beside not in MENUS:
        whole = {"titles_only": True, "maxdepth": -1, "includehidden": True}
        MENUS[beside] = get_navigation_tree(app.builder._get_local_toctree(beside, collapse=False, **whole))
    context["furo_navigation_tree"] = marked(MENUS[beside], app.builder.get_relative_uri(beside, page))


def marked(menu, address):
    """The menu, with the page at this address as the current one, and opened down to it"""
    before, found, behind = menu.partition(f'<a class="reference internal" href="{html.escape(address)}">')
    if not found:  # the first page, and the search
        return menu
    items = re.split('(?=<li class="toctree-l)', before)
    level, also = 10, " current-page"
    for k in range(len(items) - 1, 0, -1):
        own = int(items[k][len('<li class="toctree-l')])
        if own >= level:  # beside the page, or beside one that it is beneath
            continue
        level = own
        items[k] = re.sub('^<li class="[^"]*', rf"\g<0> current{also}", items[k]).replace("<input ", '<input checked="" ', 1)
        also = ""
    if 'has-children current current-page">' in items[-1]:
        behind = behind.replace("<input ", '<input checked="" ', 1)
    return "".join(items) + '<a class="current reference internal" href="#">' + behind


def setup(app):
    app.add_html_math_renderer("katex", (write_inline, None), (write_block, None))
    app.connect("html-page-context", load_katex)
    app.connect("html-page-context", leave_menu, priority=400)  # the theme has 500
    app.connect("html-page-context", set_menu, priority=600)
