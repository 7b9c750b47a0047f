// SPDX-License-Identifier: MIT
// Typesets equations, says where code may break, and names the cells of tables for phones, where a row of words becomes a block.
"use strict";

function typeset() {
  for (const place of document.querySelectorAll(".math"))
    katex.render(place.textContent, place, { displayMode: place.tagName === "DIV", throwOnError: false });
}

// Keys break at dots and underscores in tables. Options in text do not break.
function breakCode(code) {
  if (code.closest("td")) {
    for (const text of [...code.querySelectorAll("span.pre"), code].filter((place) => place.children.length === 0)) {
      const parts = text.textContent.split(/(?<=[._\]])(?=[a-z])/);
      text.replaceChildren(...parts.flatMap((part, k) => (k ? [document.createElement("wbr"), part] : [part])));
    }
  } else if (code.textContent.length < 30) code.classList.add("short");
}

// A table of numbers stays a table, which scrolls. Numbers do not break.
function labelCells(table) {
  const heads = [...table.querySelectorAll("thead th")].map((head) => head.textContent.trim());
  if (heads.length > 8) table.classList.add("dense");
  const rows = [...table.querySelectorAll("tbody tr")].map((row) => [...row.cells]);
  for (const cell of rows.flat())
    if (cell.textContent.length < 16) cell.classList.add("short");
  if (heads.length > 6 || !rows.flat().some((cell) => cell.textContent.trim().length > 28)) return;
  table.classList.add("words");
  for (const cells of rows)
    cells.forEach((cell, k) => {
      if (k > 0 && cells.length > 2 && cell.textContent.trim()) cell.dataset.head = heads[k];
    });
}

document.addEventListener("DOMContentLoaded", () => {
  if (window.katex) typeset();
  document.querySelectorAll("table.docutils").forEach(labelCells);
  document.querySelectorAll("article code.literal").forEach(breakCode);
});
