// Molecules as arrows or sites, in perspective, on a plain canvas: works wherever a page can be shown.
"use strict";
function startView(data) {
  const canvas = document.getElementById("view"), pen = canvas.getContext("2d");
  const slider = document.getElementById("view-frame"), label = document.getElementById("view-time");
  const play = document.getElementById("view-play"), style = document.getElementById("view-style");

  const unpack = (text, Kind) => new Kind(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
  const position = unpack(data.position, Uint16Array), attitude = data.attitude ? unpack(data.attitude, Int16Array) : null;
  const n = data.n, centre = data.low.map((low, k) => low + 0.5 * data.span[k]);
  const reach = (data.boxes ? 0.5 * Math.hypot(...data.span) : 0.62 * Math.max(...data.span) + 0.3 * data.spacing) || 1;
  const home = { yaw: 0.6, pitch: 0.35, zoom: 1 };
  let camera = { ...home }, frame = data.frames - 1, timer = 0, paints = 0, waiting = false;

  const kindOf = new Uint16Array(n);
  data.kinds.reduce((first, kind, k) => (kindOf.fill(k, first, first + kind.count), first + kind.count), 0);

  // ---- Colours: along the vertical from blue over grey to red, fading into the background with depth ----
  const SHADES = 10, STEPS = 24, BALL = 64;
  let palette, sprites;
  const parse = (text) => (text.startsWith("#") ? [1, 3, 5].map((k) => parseInt(text.slice(k, k + 2), 16)) : [128, 128, 128]);
  const mix = (a, b, t) => a.map((x, k) => x + (b[k] - x) * t);
  const css = (c) => `rgb(${c.map(Math.round).join(",")})`;
  function mixColours() {
    const back = parse(colour("@card")), cold = parse(colour("@c1")), warm = parse(colour("@c2")), middle = mix(parse(colour("@muted")), back, 0.45);
    const along = Array.from({ length: STEPS }, (_, s) => (2 * s) / (STEPS - 1) - 1).map((u) => (u < 0 ? mix(middle, cold, -u) : mix(middle, warm, u)));
    palette = { ramp: [], along, edge: parse(colour("@muted")), back, fade: [] };
    for (let f = 0; f < SHADES; ++f) {
      const fade = 0.66 * (f / (SHADES - 1));
      palette.ramp.push(along.map((c) => css(mix(c, back, fade))));
      palette.fade.push(fade);
    }
    sprites = new Map();
    const bar = document.getElementById("view-ramp");
    if (bar) bar.style.background = `linear-gradient(90deg, ${palette.ramp[0].join(",")})`;
  }
  function sprite(name, shade) { // a lit ball; `name` of a colour, or a step of the ramp
    const key = `${name} ${shade}`;
    if (!sprites.has(key)) {
      const ball = document.createElement("canvas"), size = BALL;
      ball.width = ball.height = size;
      const brush = ball.getContext("2d"), base = typeof name === "number" ? palette.along[name] : parse(colour(name)), fade = palette.fade[shade];
      const glow = brush.createRadialGradient(0.36 * size, 0.33 * size, 0.03 * size, 0.5 * size, 0.5 * size, 0.5 * size);
      const at = (c) => css(mix(c, palette.back, fade));
      glow.addColorStop(0, at(mix(base, [255, 255, 255], 0.75)));
      glow.addColorStop(0.35, at(mix(base, [255, 255, 255], 0.18)));
      glow.addColorStop(0.85, at(mix(base, [0, 0, 0], 0.22)));
      glow.addColorStop(1, at(mix(base, [0, 0, 0], 0.42)));
      brush.fillStyle = glow;
      brush.beginPath();
      brush.arc(size / 2, size / 2, size / 2 - 0.5, 0, 2 * Math.PI);
      brush.fill();
      sprites.set(key, ball);
    }
    return sprites.get(key);
  }

  // ---- Geometry ----
  let turn = [], scale = 1, width = 1, height = 1;
  const distance = 3.4 * reach;
  function aim() {
    const [cy, sy, cp, sp] = [Math.cos(camera.yaw), Math.sin(camera.yaw), Math.cos(camera.pitch), Math.sin(camera.pitch)];
    turn = [[cy, sy, 0], [-sy * sp, cy * sp, cp], [sy * cp, -cy * cp, sp]]; // right, up, towards the eye
    scale = 1.05 * Math.min(width, height) * camera.zoom * distance / (2 * reach);
  }
  function project(x, y, z) { // to pixels; depth grows towards the eye
    const p = [x - centre[0], y - centre[1], z - centre[2]];
    const depth = turn[2][0] * p[0] + turn[2][1] * p[1] + turn[2][2] * p[2];
    const size = scale / Math.max(distance - depth, 0.05 * distance);
    return [0.5 * width + size * (turn[0][0] * p[0] + turn[0][1] * p[1] + turn[0][2] * p[2]),
      0.485 * height - size * (turn[1][0] * p[0] + turn[1][1] * p[1] + turn[1][2] * p[2]), depth, size];
  }
  const shadeOf = (depth) => Math.max(0, Math.min(SHADES - 1, Math.round((SHADES - 1) * (0.5 - 0.62 * depth / reach))));
  function rotate(i, v) {
    if (!attitude) return v;
    const k = 4 * (frame * n + i), [w, x, y, z] = [attitude[k], attitude[k + 1], attitude[k + 2], attitude[k + 3]].map((q) => q / 32767);
    const t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])];
    return [v[0] + w * t[0] + y * t[2] - z * t[1], v[1] + w * t[1] + z * t[0] - x * t[2], v[2] + w * t[2] + x * t[1] - y * t[0]];
  }

  // ---- Drawing ----
  // A step of the ramp: from down to up, or from lying to upright where head and tail are alike.
  const stepOf = (kind, u) => Math.round((kind.polar ? 0.5 + 0.5 * Math.max(-1, Math.min(1, u[2])) : Math.min(1, Math.abs(u[2]))) * (STEPS - 1));
  function outline(i, site) { // of an ellipsoid seen from far away: maps the unit disc on its picture
    let xx = 0, xy = 0, yy = 0;
    site.along.forEach((axis, m) => {
      const v = rotate(i, axis), seen = (t) => site.half[m] * (t[0] * v[0] + t[1] * v[1] + t[2] * v[2]), x = seen(turn[0]), y = seen(turn[1]);
      xx += x * x; xy -= x * y; yy += y * y; // pixels count downwards
    });
    const root = Math.sqrt(Math.max(0, xx * yy - xy * xy)), norm = Math.sqrt(xx + yy + 2 * root);
    return [(xx + root) / norm, xy / norm, (yy + root) / norm];
  }
  function collect() {
    const items = [], arrows = style.value === "arrows", half = 0.46 * data.spacing;
    for (let i = 0; i < n; ++i) {
      const kind = data.kinds[kindOf[i]], k = 3 * (frame * n + i);
      const r = [0, 1, 2].map((d) => data.low[d] + (position[k + d] / 65535) * data.span[d]);
      if (arrows && kind.axis) {
        const u = rotate(i, kind.axis);
        const tip = project(r[0] + half * u[0], r[1] + half * u[1], r[2] + half * u[2]);
        const tail = project(r[0] - half * u[0], r[1] - half * u[1], r[2] - half * u[2]);
        items.push({ depth: 0.5 * (tip[2] + tail[2]), tip, tail, polar: kind.polar, step: stepOf(kind, u) });
        continue;
      }
      let first = null;
      for (const site of kind.sites) {
        const at = rotate(i, site.at), p = project(r[0] + at[0], r[1] + at[1], r[2] + at[2]);
        if (site.half) items.push({ depth: p[2], ball: p, outline: outline(i, site), paint: kind.axis ? stepOf(kind, rotate(i, kind.axis)) : site.colour });
        else items.push({ depth: p[2], ball: p, radius: p[3] * site.radius, paint: site.colour });
        const apart = Math.hypot(...site.at.map((x, d) => x - kind.sites[0].at[d])) - site.radius - kind.sites[0].radius;
        if (first && apart > 0) items.push({ depth: 0.5 * (p[2] + first[2]) - 1e-6, from: first, to: p, thick: 0.5 * site.radius * p[3] });
        first = first || p;
      }
    }
    return items.sort((a, b) => a.depth - b.depth);
  }
  function drawArrow(item) {
    const [x0, y0] = item.tail, [x1, y1] = item.tip, dx = x1 - x0, dy = y1 - y0, length = Math.hypot(dx, dy) || 1e-6;
    const size = 0.5 * (item.tip[3] + item.tail[3]) * data.spacing, thin = 0.06 * size, wide = 0.17 * size;
    const head = Math.min(0.42 * size, 0.75 * length), [ex, ey] = [dx / length, dy / length], [px, py] = [-ey, ex];
    const [bx, by] = [x1 - head * ex, y1 - head * ey];
    pen.fillStyle = palette.ramp[shadeOf(item.depth)][item.step];
    pen.beginPath();
    if (!item.polar) { // a rod: head and tail are alike
      for (const [x, y, side] of [[x0, y0, 1], [x1, y1, 1], [x1, y1, -1], [x0, y0, -1]]) pen.lineTo(x + 1.2 * side * thin * px, y + 1.2 * side * thin * py);
      pen.closePath();
      pen.stroke();
      return pen.fill();
    }
    pen.moveTo(x0 + 0.55 * thin * px, y0 + 0.55 * thin * py);
    pen.lineTo(bx + thin * px, by + thin * py);
    pen.lineTo(bx + wide * px, by + wide * py);
    pen.lineTo(x1, y1);
    pen.lineTo(bx - wide * px, by - wide * py);
    pen.lineTo(bx - thin * px, by - thin * py);
    pen.lineTo(x0 - 0.55 * thin * px, y0 - 0.55 * thin * py);
    pen.closePath();
    pen.stroke();
    pen.fill();
    pen.fillStyle = "rgba(0, 0, 0, 0.13)"; // the side away from the light
    const side = px + py > 0 ? 1 : -1;
    pen.beginPath();
    pen.moveTo(x0, y0);
    pen.lineTo(x0 + 0.55 * side * thin * px, y0 + 0.55 * side * thin * py);
    pen.lineTo(bx + side * thin * px, by + side * thin * py);
    pen.lineTo(bx + side * wide * px, by + side * wide * py);
    pen.lineTo(x1, y1);
    return pen.fill();
  }
  function drawItem(item) {
    if (item.tip) return drawArrow(item);
    if (item.outline) {
      const [x, y, , size] = item.ball, [xx, xy, yy] = item.outline.map((each) => each * size);
      pen.save();
      pen.transform(xx, xy, xy, yy, x, y);
      const edge = BALL / (BALL - 1); // of a sprite, whose ball is a pixel smaller
      pen.drawImage(sprite(item.paint, shadeOf(item.depth)), -edge, -edge, 2 * edge, 2 * edge);
      return pen.restore();
    }
    if (item.ball) {
      const [x, y] = item.ball, s = 2 * item.radius;
      return pen.drawImage(sprite(item.paint, shadeOf(item.depth)), x - item.radius, y - item.radius, s, s);
    }
    pen.strokeStyle = css(mix(palette.edge, palette.back, palette.fade[shadeOf(item.depth)]));
    pen.lineWidth = item.thick;
    pen.beginPath();
    pen.moveTo(item.from[0], item.from[1]);
    pen.lineTo(item.to[0], item.to[1]);
    return pen.stroke();
  }
  function drawBox(front) { // edges behind the molecules first, those before them last
    if (!data.boxes) return;
    const which = data.boxes.length > 1 ? frame : 0, box = data.boxes[which];
    const corner = (bits) => [0, 1, 2].map((d) => data.corners[which][d] + box.reduce((sum, edge, e) => sum + (bits >> e & 1) * edge[d], 0));
    const corners = Array.from({ length: 8 }, (_, bits) => project(...corner(bits)));
    const farthest = corners.reduce((worst, p, k) => (p[2] < corners[worst][2] ? k : worst), 0);
    pen.lineWidth = 1;
    pen.strokeStyle = css(mix(palette.edge, palette.back, front ? 0.45 : 0.65));
    for (let a = 0; a < 8; ++a) for (let e = 0; e < 3; ++e) {
      const b = a | (1 << e);
      if (b === a || (a === farthest || b === farthest) === front) continue;
      pen.beginPath();
      pen.moveTo(corners[a][0], corners[a][1]);
      pen.lineTo(corners[b][0], corners[b][1]);
      pen.stroke();
    }
  }
  function paint() {
    waiting = false;
    const dense = window.devicePixelRatio || 1;
    width = canvas.clientWidth;
    height = canvas.clientHeight;
    canvas.width = Math.round(width * dense);
    canvas.height = Math.round(height * dense);
    pen.setTransform(dense, 0, 0, dense, 0, 0);
    aim();
    drawBox(false);
    const items = collect();
    pen.lineJoin = pen.lineCap = "round";
    for (const item of items) {
      if (item.tip) { pen.strokeStyle = css(palette.back); pen.lineWidth = 1.1; } // a rim parts arrows that cross
      drawItem(item);
    }
    drawBox(true);
    slider.value = frame;
    const t = data.time[frame];
    label.textContent = `t = ${Number(t.toPrecision(6))}${data.unit ? " " + data.unit : ""}`;
    ++paints;
  }
  function ask() { if (!waiting) { waiting = true; requestAnimationFrame(paint); } }

  // ---- What the user does ----
  const show = (k) => { frame = (k + data.frames) % data.frames; ask(); };
  function stop() { clearInterval(timer); timer = 0; play.textContent = "▶"; play.setAttribute("aria-label", "Play"); }
  function toggle() {
    if (timer) return stop();
    timer = setInterval(() => show(frame + 1), 90);
    play.textContent = "❚❚";
    play.setAttribute("aria-label", "Pause");
    return undefined;
  }
  play.addEventListener("click", toggle);
  slider.addEventListener("input", () => { stop(); show(Number(slider.value)); });
  style.addEventListener("change", () => { legend(); ask(); });
  document.getElementById("view-home").addEventListener("click", () => { camera = { ...home }; ask(); });
  function legend() {
    for (const part of document.querySelectorAll("[data-style]")) part.hidden = part.dataset.style !== style.value;
  }
  const zoomBy = (factor) => { camera.zoom = Math.max(0.4, Math.min(8, camera.zoom * factor)); ask(); };
  // One pointer turns, two come nearer. Fingers that go up or down scroll the page: `touch-action` of the canvas lets them.
  let turning = false;
  const held = new Map(), apart = () => { const [a, b] = [...held.values()]; return Math.hypot(a[0] - b[0], a[1] - b[1]) || 1; };
  canvas.addEventListener("pointerdown", (event) => { held.set(event.pointerId, [event.clientX, event.clientY]); canvas.setPointerCapture(event.pointerId); });
  canvas.addEventListener("pointermove", (event) => {
    const before = held.get(event.pointerId);
    if (!before) return;
    const was = held.size === 2 ? apart() : 0;
    held.set(event.pointerId, [event.clientX, event.clientY]);
    if (was) { zoomBy(apart() / was); return; }
    if (event.pointerType === "touch" && Math.abs(event.clientX - before[0]) < 8 && !turning) { held.set(event.pointerId, before); return; } // up or down: not ours
    turning = true;
    camera.yaw -= 0.008 * (event.clientX - before[0]);
    camera.pitch = Math.max(-1.55, Math.min(1.55, camera.pitch + 0.008 * (event.clientY - before[1])));
    ask();
  });
  for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => { held.delete(event.pointerId); turning = false; });
  canvas.addEventListener("wheel", (event) => { // that of a page that scrolls by does nothing here
    if (document.activeElement !== canvas && !event.ctrlKey) return;
    event.preventDefault();
    zoomBy(Math.exp(-0.0012 * event.deltaY));
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const acts = { " ": toggle, ArrowRight: () => show(frame + 1), ArrowLeft: () => show(frame - 1) };
    if (acts[event.key]) { event.preventDefault(); acts[event.key](); }
  });
  window.addEventListener("resize", ask);
  mixColours();
  legend();
  paint();
  return {
    repaint() { mixColours(); ask(); },
    camera(set) { if (set) { camera = { ...home, ...set }; ask(); } return { ...camera }; },
    state() { return { frame, frames: data.frames, playing: timer !== 0, paints, molecules: n, camera: { ...camera } }; },
    axes() { return Array.from({ length: n }, (_, i) => rotate(i, data.kinds[kindOf[i]].axis || [0, 0, 0])); }, // of the frame that is shown
    pixels(at) { return project(...at)[3]; }, // of a length there
    show, paint,
  };
}
