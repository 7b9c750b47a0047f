// Theme, plots, and the page that renews itself while a run goes on.
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
    ticks: "outside", ticklen: 4, ...painted(axis),
    title: { ...axis.title, standoff: 8, font: { size: 13, color: colour("@muted") } },
  };
}

function plotStyle(layout) {
  const { xaxis, yaxis, ...rest } = layout;
  return {
    ...painted(rest), xaxis: axisStyle(xaxis), yaxis: axisStyle(yaxis), paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: getComputedStyle(document.body).fontFamily, size: 12.5, color: colour("@ink") },
    margin: { l: 58, r: 14, t: 26, b: 44 }, hovermode: "closest", dragmode: "zoom",
    legend: { orientation: "h", x: 0, y: 1.02, yanchor: "bottom", font: { size: 12.5 }, bgcolor: "rgba(0,0,0,0)" },
    modebar: { bgcolor: "rgba(0,0,0,0)", color: colour("@muted"), activecolor: colour("@ink") },
    hoverlabel: { bgcolor: colour("@card"), bordercolor: colour("@faint"), font: { color: colour("@ink") } },
  };
}

const plotOptions = {
  responsive: true, displaylogo: false, toImageButtonOptions: { format: "svg" },
  modeBarButtonsToRemove: ["select2d", "lasso2d", "zoomIn2d", "zoomOut2d", "autoScale2d"], 
};

function drawPlots() {
  for (const figure of readData("figure-data")) {
    const place = document.getElementById("plot-" + figure.id);
    window.Plotly.react(place, painted(figure.data), plotStyle(figure.layout), plotOptions);
  }
}

function setTheme(name) {
  root.dataset.theme = name;
  kept.set("theme", name);
  const button = document.getElementById("theme");
  button.textContent = name === "dark" ? "Light" : "Dark";
  if (window.Plotly) drawPlots();
  if (window.polhodeView) window.polhodeView.repaint();
}

async function loadPlotly() { // packed: a quarter of the size
  const packed = document.getElementById("plotly-packed");
  const bytes = Uint8Array.from(atob(packed.textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const script = document.createElement("script");
  script.textContent = await new Response(stream).text();
  document.head.append(script);
  packed.remove();
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
  document.getElementById("theme").addEventListener("click", () => setTheme(root.dataset.theme === "dark" ? "light" : "dark"));
  setTheme(wanted);
  if (document.getElementById("view-data")) window.polhodeView = startView(readData("view-data"));
  const top = kept.take("scroll"), camera = kept.take("camera");
  if (window.polhodeView && camera) window.polhodeView.camera(JSON.parse(camera));
  if (typeof DecompressionStream === "undefined") {
    document.getElementById("trouble").hidden = false;
  } else {
    await loadPlotly();
    drawPlots();
  }
  if (top) window.scrollTo(0, Number(top));
  renew();
  root.dataset.ready = "yes";
}
begin();
