#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""The site that tools/docs makes: all pages are there, it is searched from file:// in Chromium, mistakes are errors.

usage: test_site.py TOOLS/DOCS
"""
import importlib.machinery
import importlib.util
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../support"))
from browser import Browser

TOOL = pathlib.Path(sys.argv.pop(1)).resolve()
ROOT = TOOL.parent.parent


def tool_as_module():
    loader = importlib.machinery.SourceFileLoader("tools_docs", str(TOOL))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("tools_docs", loader))
    loader.exec_module(module)
    return module


if tool_as_module().missing():
    print("skipped: tools/setup docs installs what the site needs")
    sys.exit(77)
FOLDER = tempfile.TemporaryDirectory(prefix="polhode-site-")
SITE = pathlib.Path(FOLDER.name) / "site"


def make(tool, site):
    return subprocess.run(
        [sys.executable, "-B", tool, "--output", site], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False
    )


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        done = make(TOOL, SITE)
        assert done.returncode == 0, done.stderr
        assert int(done.stdout.split(" pages: ")[0].split()[-1]) > 10, done.stdout  # whose links were followed
        cls.browser = Browser()

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()

    def test_every_page_is_there_and_in_the_menu(self):
        home = (SITE / "index.html").read_text()
        pages = sorted(str(path.relative_to(ROOT / "docs").with_suffix("")) for path in (ROOT / "docs").rglob("*.md"))
        self.assertGreater(len(pages), 10)
        for page in pages:
            self.assertTrue((SITE / "docs" / f"{page}.html").is_file(), page)
            self.assertIn(f'href="docs/{page}.html"', home)

    def test_readme_is_short(self):
        """Three sentences, one picture, two commands, one input, six links to pages"""
        readme = (ROOT / "README.md").read_text()
        begin = readme.split("\n\n")[1]
        self.assertEqual(len(re.findall(r"[.:]\s+[A-Z]|\.$", begin)), 3, begin)
        self.assertEqual(len(re.findall(r"!\[", readme)), 1)
        commands = re.search(r"```sh\n(.*?)```", readme, re.S)[1]
        self.assertEqual(len(commands.splitlines()), 2)
        self.assertEqual(readme.count("```yaml"), 1)
        links = re.findall(r"(?<!!)\[[^]]+\]\((.*?)\)", readme)
        self.assertEqual(len(links), 6)
        for link in links:
            self.assertTrue((ROOT / link).is_file(), link)

    def test_figures_show_their_tables(self):
        tool = TOOL.with_name("draw-measurements")
        subprocess.run([sys.executable, "-B", tool, "--check"], check=True)
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "tools").mkdir()
            shutil.copy(tool, root / "tools")
            shutil.copytree(ROOT / "docs/measurements", root / "docs/measurements")
            page = root / "docs/measurements/speed/programs.md"
            page.write_text(page.read_text().replace("| 15.1 |", "| 15.2 |"))
            done = subprocess.run([sys.executable, "-B", root / "tools" / tool.name, "--check"], stderr=subprocess.PIPE, text=True, check=False)
            self.assertIn("figure-peers.svg does not show its table", done.stderr)

    def test_options_keep_their_hyphens_and_the_version_is_shown(self):
        page = (SITE / "docs" / "commands.html").read_text()
        self.assertIn("see --list", page)
        number = re.search(r"project\(polhode VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
        self.assertRegex(page, rf'class="release">{re.escape(number)}')

    def test_equations_are_typeset_and_the_theme_changes(self):
        browser = self.browser
        browser.look_like(None)
        browser.open(f"{SITE}/docs/physics.html")
        count = "return document.querySelectorAll('%s').length"
        self.assertGreater(browser.run(count % ".math .katex"), 20)
        self.assertEqual(browser.run(count % ".katex-error"), 0)
        self.assertEqual(browser.run(count % ".math:not(:has(.katex))"), 0)
        self.assertGreater(browser.wait("return document.fonts.ready.then(() => [...document.fonts].filter(f => f.status == 'loaded').length)"), 0)
        paper = "return getComputedStyle(document.body).backgroundColor"
        before = browser.run(paper)
        browser.run("document.querySelector('.theme-toggle-content .theme-toggle').click()")
        self.assertNotEqual(browser.run(paper), before)

    def test_words_are_found_without_a_server_and_pages_fit_phones(self):
        browser = self.browser
        browser.open(f"{SITE}/search.html?q=kaiser")
        found = browser.wait("return [...document.querySelectorAll('#search-results li > a')].map(a => a.href)")
        self.assertEqual([pathlib.Path(address.split("?")[0]).name for address in found], ["longrange.html"])
        browser.look_like(390)
        browser.complaints()
        pages = [SITE / "index.html", *sorted((SITE / "docs").rglob("*.html"))]
        for page in pages:
            if page.parent.parent.name == "measurements" and page.name != "dipolar-errors.html":
                continue  # these pages are alike, and that table is the widest
            browser.open(str(page))
            self.assertEqual(browser.run("return document.documentElement.scrollWidth"), 390, page.name)
            self.assertEqual(browser.complaints(), [], page.name)

    def test_what_leads_nowhere_is_found(self):
        check = tool_as_module().check_links
        page = SITE / "docs" / "glossary.html"
        style = SITE / "_static" / "site.css"
        text, rules = page.read_text(), style.read_text()
        planted = ('<a href="nowhere.html">x</a>', '<a href="input.html#nowhere">x</a>', '<script src="https://example.org/x.js"></script>')
        try:
            page.write_text(text.replace("</body>", "".join(planted) + "</body>"))
            style.write_text(rules + "@import url(/javascript/normalize.css);")
            with self.assertRaises(SystemExit) as caught:
                check(SITE)
        finally:
            page.write_text(text)
            style.write_text(rules)
        said = str(caught.exception.code)
        for words in ("'nowhere.html' does not exist", "'input.html#nowhere': no such place", "script 'https://example.org/x.js' needs a network",
                      "site.css: '/javascript/normalize.css' needs a network"):
            self.assertIn(words, said)
        self.assertEqual(len(said.splitlines()), 5, said)

    def test_folders_are_names_on_the_site(self):
        convert = tool_as_module().without_folders
        docs = pathlib.Path("docs")
        self.assertEqual(convert("[models](../potentials), x", docs), "models, `potentials`, x")
        for text in ("[x](input.md)", "[x](input.md#frames)", "[y](../tools/example.c)", "[1, 2](a)(b)"):
            self.assertEqual(convert(text, docs), text)

    def test_links_show_titles_instead_of_names_of_files(self):
        convert = tool_as_module().with_titles
        text = "[input.md](input.md#models), [x](units.md), [gone.md](gone.md)"
        self.assertEqual(convert(text, pathlib.Path("docs")), text.replace("[input.md]", "[Input files]"))


class Mistakes(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(dir=FOLDER.name))
        shutil.copytree(ROOT / "docs", self.root / "docs")
        for name in ("README.md", "CMakeLists.txt"):
            shutil.copy(ROOT / name, self.root)
        for name in ("inputs", "potentials", "src"):  # files that pages link to
            (self.root / name).symlink_to(ROOT / name)
        (self.root / "tools").mkdir()
        shutil.copy(TOOL, self.root / "tools")

    def assert_refused(self, said):
        done = make(self.root / "tools" / TOOL.name, self.root / "site")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn(said, done.stderr)
        return done.stderr

    def test_a_link_to_a_page_that_does_not_exist(self):
        for folder in (self.root / "docs/measurements").glob("*/"):  # half of all pages, which this does not need
            shutil.rmtree(folder, ignore_errors=True)
        for page in (self.root / "docs").rglob("*.md"):  # of the others, titles are enough
            page.write_text(re.search("^# .*\n", page.read_text(), re.M)[0])
        with open(self.root / "docs" / "glossary.md", "a") as page:
            page.write("\n[nothing](nowhere.md)\n")
        said = self.assert_refused("nowhere.md")
        self.assertEqual(said.count("WARNING"), 1, said)

    def test_a_page_that_is_not_in_the_menu(self):
        (self.root / "docs" / "orphan.md").write_text("# Orphan\n")
        self.assert_refused("docs/orphan.md is not in the menu")

    def test_a_folder_that_is_no_site_keeps_its_files(self):
        (self.root / "site").mkdir()
        kept = self.root / "site" / "kept.txt"
        kept.write_text("x")
        self.assert_refused("is not a site")
        self.assertTrue(kept.is_file())


if __name__ == "__main__":
    unittest.main()
