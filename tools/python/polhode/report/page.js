// Theme, plots with their legends and data, the menu, and the page that renews itself while a run goes on.
"use strict";
const root = document.documentElement;
root.dataset.errors = "0";
window.addEventListener("error", () => { root.dataset.errors = String(Number(root.dataset.errors) + 1); });
window.addEventListener("unhandledrejection", () => { root.dataset.errors = String(Number(root.dataset.errors) + 1); });

const kept = { // pages opened from a disk may have no storage
  get(key) { try { return sessionStorage.getItem("polhode-" + key); } catch { return null; } },
  take(key) { const value = this.get(key); try { sessionStorage.removeItem("polhode-" + key); } catch { /* then not */ } return value; },
  set(key, value) { try { sessionStorage.setItem("polhode-" + key, value); } catch { /* then not */ } },
};

function readData(id) { return JSON.parse(document.getElementById(id).textContent); }

const figures = new Map(readData("figure-data").map((figure) => [figure.id, figure]));
const touched = matchMedia("(pointer: coarse)").matches; // fingers scroll the page; plots leave them alone

// "@c1" is a colour of the theme, "@c1/0.3" the same, transparent.
function colour(name) {
  const [base, alpha] = name.slice(1).split("/");
  const value = getComputedStyle(root).getPropertyValue("--" + base).trim();
  if (alpha === undefined) return value;
  const n = parseInt(value.slice(1), 16);
  return `rgba(${n >> 16}, ${(n >> 8) & 255}, ${n & 255}, ${alpha})`;
}

function painted(item) {
  if (typeof item === "string") return item.startsWith("@") ? colour(item) : item;
  if (Array.isArray(item)) return item.length && typeof item[0] === "number" ? item : item.map(painted);
  if (item && typeof item === "object") return Object.fromEntries(Object.entries(item).map(([k, v]) => [k, painted(v)]));
  return item;
}

function axisStyle(axis) {
  return {
    gridcolor: colour("@grid"), zeroline: false, linecolor: colour("@faint"), tickcolor: colour("@faint"), automargin: true,
    ticks: "outside", ticklen: 4, exponentformat: "power", fixedrange: touched, ...painted(axis),
    title: { ...axis.title, standoff: 8, font: { size: 13, color: colour("@muted") } },
  };
}

function plotStyle(layout) {
  const { xaxis, yaxis, ...rest } = layout;
  return {
    ...painted(rest), xaxis: axisStyle(xaxis), yaxis: axisStyle(yaxis), paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: getComputedStyle(document.body).fontFamily, size: 12.5, color: colour("@ink") },
    margin: { l: 58, r: 14, t: 14, b: 44 }, hovermode: "closest", dragmode: touched ? false : "zoom", showlegend: false,
    modebar: { bgcolor: "rgba(0,0,0,0)", color: colour("@muted"), activecolor: colour("@ink") },
    hoverlabel: { bgcolor: colour("@card"), bordercolor: colour("@faint"), font: { color: colour("@ink") } },
  };
}

// Names of traces are plain text. Plotly would read markup in them.
function traceStyle({ name, ...trace }) {
  const marks = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
  return { ...painted(trace), ...(name && { name: name.replace(/[&<>]/g, (mark) => marks[mark]) }) };
}

const plotOptions = {
  responsive: true, displaylogo: false, toImageButtonOptions: { format: "svg" }, displayModeBar: touched ? false : "hover",
  modeBarButtonsToRemove: ["select2d", "lasso2d", "zoomIn2d", "zoomOut2d", "autoScale2d"],
};

function drawPlots() {
  for (const figure of figures.values()) {
    const place = document.getElementById("plot-" + figure.id);
    window.Plotly.react(place, figure.data.map(traceStyle), plotStyle(figure.layout), plotOptions);
    drawLegend(figure, place);
  }
}

// ---- Legends: they wrap at any width, and each entry shows or hides its curve with what belongs to it ----

const DASHES = { dash: "6 4", dot: "2 3", dashdot: "6 3 2 3" };

function drawn(kind, attributes, ...children) { // an element of a picture
  const element = document.createElementNS("http://www.w3.org/2000/svg", kind);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function swatch(trace) {
  const line = painted(trace.line || {}), mark = painted(trace.marker || {}), tint = line.color || mark.color, parts = [];
  if (trace.mode !== "markers") {
    const dashes = DASHES[line.dash] || "";
    parts.push(drawn("line", { x1: 0, y1: 6, x2: 24, y2: 6, stroke: tint, "stroke-width": 2, "stroke-dasharray": dashes }));
  }
  if (trace.marker) parts.push(drawn("circle", { cx: 12, cy: 6, r: 4, fill: tint }));
  return drawn("svg", { width: 24, height: 12, "aria-hidden": "true" }, ...parts);
}

function drawLegend(figure, place) {
  const box = document.getElementById("legend-" + figure.id);
  const entries = figure.data.map((trace, k) => [trace, k]).filter(([trace]) => trace.name && trace.showlegend !== false);
  box.replaceChildren(...entries.map(([trace, k]) => {
    const button = document.createElement("button"), label = document.createElement("span");
    const group = figure.data.flatMap((other, j) => (j === k || (trace.legendgroup && other.legendgroup === trace.legendgroup) ? [j] : []));
    label.textContent = trace.name;
    button.append(swatch(trace), label);
    button.setAttribute("aria-pressed", String(trace.visible !== "legendonly"));
    button.addEventListener("click", () => {
      const shown = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(shown));
      window.Plotly.restyle(place, { visible: shown ? true : "legendonly" }, group);
    });
    return button;
  }));
}

// ---- Data as CSV: of a plot, its curves one below the other; of the run, as they are packed into the page ----

const plainText = (text) => String(text).replace(/<sub>(.*?)<\/sub>/g, "$1").replace(/<[^>]*>/g, "");
const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

function csvOf(id) {
  const { data, layout } = figures.get(id), curves = data.filter((trace) => !trace.fill && (trace.name || trace.mode === "markers") && trace.hoverinfo !== "text");
  const errors = curves.map((trace) => (trace.error_y && trace.error_y.array) || trace.customdata);
  const head = ["curve", ...["xaxis", "yaxis"].map((axis) => plainText(layout[axis].title.text) || axis[0]), ...(errors.some(Boolean) ? ["error"] : [])];
  const lines = [head.map(quoted).join(",")];
  curves.forEach((trace, c) => trace.x.forEach((x, k) => {
    const y = trace.y[k], cells = [quoted(trace.name || id), x ?? "", y ?? ""];
    if (x === null && y === null) return; // a gap
    if (head.length > 3) cells.push((errors[c] && errors[c][k]) ?? "");
    lines.push(cells.join(","));
  }));
  return lines.join("\n") + "\n";
}

async function unpacked(id) { // a quarter of the size
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent), (c) => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

async function save(link) {
  const { figure, packed } = link.dataset, file = document.createElement("a");
  file.href = URL.createObjectURL(new Blob([figure ? csvOf(figure) : await unpacked(packed)], { type: "text/csv" }));
  file.download = `${root.dataset.name}-${figure || "series"}.csv`;
  file.click();
  setTimeout(() => URL.revokeObjectURL(file.href), 10000);
}

// ---- The menu marks the section that is looked at ----

function startMenu() {
  const links = new Map([...document.querySelectorAll(".menu a")].map((link) => [link.hash.slice(1), link]));
  const sections = [...links.keys()].map((id) => document.getElementById(id)).filter(Boolean);
  const mark = () => {
    const bottom = window.scrollY + window.innerHeight >= root.scrollHeight - 2;
    const past = sections.filter((section) => section.getBoundingClientRect().top < 0.3 * window.innerHeight);
    const here = bottom ? sections[sections.length - 1] : past[past.length - 1];
    for (const [id, link] of links) {
      const on = Boolean(here) && here.id === id;
      if (on && !link.hasAttribute("aria-current")) { // into sight, but the page stays where it is
        const row = link.parentElement;
        row.scrollLeft = link.offsetLeft - 0.5 * (row.clientWidth - link.offsetWidth);
      }
      link.toggleAttribute("aria-current", on);
    }
  };
  window.addEventListener("scroll", mark, { passive: true });
  mark();
}

function setTheme(name) {
  root.dataset.theme = name;
  const button = document.getElementById("theme");
  button.textContent = name === "dark" ? "Light" : "Dark";
  if (window.Plotly) drawPlots();
  if (window.polhodeView) window.polhodeView.repaint();
}

async function loadPlotly() {
  const script = document.createElement("script");
  script.textContent = await unpacked("plotly-packed");
  document.head.append(script);
  document.getElementById("plotly-packed").remove();
}

function renew() { // while the run goes on the file is written anew
  const seconds = Number(root.dataset.renew || 0);
  if (!seconds) return;
  setTimeout(() => {
    kept.set("scroll", String(window.scrollY));
    if (window.polhodeView) kept.set("camera", JSON.stringify(window.polhodeView.camera()));
    location.reload();
  }, 1000 * seconds);
}

async function begin() {
  const wanted = kept.get("theme") || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  document.getElementById("theme").addEventListener("click", () => {
    setTheme(root.dataset.theme === "dark" ? "light" : "dark");
    kept.set("theme", root.dataset.theme);
  });
  setTheme(wanted);
  startMenu();
  for (const picture of document.querySelectorAll(".picture img")) picture.addEventListener("click", () => picture.classList.toggle("large"));
  for (const link of document.querySelectorAll("a.csv")) link.addEventListener("click", (event) => { event.preventDefault(); save(link); });
  if (document.getElementById("view-data")) window.polhodeView = startView(readData("view-data"));
  const top = kept.take("scroll"), camera = kept.take("camera");
  if (window.polhodeView && camera) window.polhodeView.camera(JSON.parse(camera));
  if (typeof DecompressionStream === "undefined") {
    document.getElementById("trouble").hidden = false;
  } else if (figures.size) {
    await loadPlotly();
    drawPlots();
  }
  if (top) window.scrollTo(0, Number(top));
  renew();
  root.dataset.ready = "yes";
}
begin();
