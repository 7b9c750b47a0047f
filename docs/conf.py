# SPDX-License-Identifier: MIT
"""How Sphinx makes a site of these pages; tools/docs calls it."""
project = "Polhode"
html_title = "Polhode"
extensions = ["myst_parser"]
include_patterns = ["index.md", "docs/**.md"]
myst_heading_anchors = 4  # links to headings, as GitHub has them
html_theme = "sphinx_rtd_theme"  # fits phones, and nothing comes from elsewhere
html_theme_options = {"navigation_depth": 2, "style_external_links": False}
html_favicon = "polhode.svg"
html_static_path = ["site.css"]
html_css_files = ["site.css"]
html_show_copyright = False
html_show_sphinx = False
html_show_sourcelink = False
html_copy_source = False
html_use_index = False
