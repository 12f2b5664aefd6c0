// The page of the viewer: events, buttons and files. The viewer and the simulation are C (page.wasm, from render/ and
// web/page.c).
import createModule from "./page.mjs";

const $ = (id) => document.getElementById(id);
const canvas = $("view");
const Tool = { drag: 0, cut: 1, pin: 2 };
const Button = { left: 0, right: 1, middle: 2 };
// Pick radius in CSS pixels.
const MOUSE_REACH = 8, FINGER_REACH = 22;
// Limit of the resolution of the picture on dense displays; more pixels only cost time.
const MOST_PIXELS_PER_PIXEL = 2;

let c; // the module
let tool = Tool.drag;
let scenes = [];
let isOpen = false;
let number = 0; // of the last folder of opened files
let before = 0, lastWords = 0;
let framesToPanel = 0; // frames until the panel is filled again; 0: it is up to date

const wasm = (name, result, types = [], values = []) => c.ccall(name, result, types, values);
const json = (name, types, values) => JSON.parse(wasm(name, "string", types, values));
const numbers = (values) => values.map(() => "number");
const call = (name, ...values) => wasm(name, "number", numbers(values), values);

function notice(text) {
  $("notice").textContent = text;
}

// ------------------------------------------------------------------------------------------------ files

function putFile(folder, name, bytes) {
  c.FS.mkdirTree(folder);
  c.FS.writeFile(`${folder}/${name}`, new Uint8Array(bytes));
}

async function fetchBytes(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${answer.statusText}`);
  return answer.arrayBuffer();
}

function size() {
  const ratio = Math.min(window.devicePixelRatio || 1, MOST_PIXELS_PER_PIXEL);
  return [Math.max(1, Math.round(canvas.clientWidth * ratio)), Math.max(1, Math.round(canvas.clientHeight * ratio))];
}

// Shows a scene file of the module's file system. On failure the current scene remains.
function show(path, isPaused = false) {
  const [width, height] = size();
  const done = wasm("page_open", "number", ["string", "number", "number", "number"], [path, isPaused ? 1 : 0, width, height]);
  if (!done) {
    notice(wasm("page_message", "string"));
    return false;
  }
  notice("");
  isOpen = true;
  const state = json("page_state");
  document.title = `${state.title || state.name} - msd`;
  fillPanel();
  return true;
}

async function showShipped(file, isPaused = false) {
  const scene = scenes.find((item) => item.file === file);
  if (!scene) return notice(`No such scene: ${file}`);
  try {
    const names = [file, ...scene.needs];
    const all = await Promise.all(names.map((name) => fetchBytes(`scenes/${name}`)));
    names.forEach((name, i) => putFile("/scenes", name, all[i]));
  } catch (problem) {
    return notice(String(problem.message || problem));
  }
  $("scenes").value = file;
  return show(`/scenes/${file}`, isPaused);
}

async function showOwn(files) {
  const list = [...files];
  const scene = list.find((file) => file.name.endsWith(".json"));
  if (!scene) return notice("Select a scene (.json) together with its mesh files.");
  const folder = `/own/${++number}`;
  for (const file of list) putFile(folder, file.name, await file.arrayBuffer());
  if (!show(`${folder}/${scene.name}`)) return;
  let option = $("scenes").querySelector("option[data-own]");
  if (!option) {
    option = new Option();
    option.dataset.own = "1";
    $("scenes").prepend(option);
  }
  option.textContent = scene.name;
  option.value = "";
  option.selected = true;
}

// ------------------------------------------------------------------------------------------------ frames

function words() {
  const state = json("page_state");
  const parts = [`${state.particles.toLocaleString("en")} particles`, `${state.springs.toLocaleString("en")} springs`];
  if (state.broken > 0) parts.push(`${state.broken.toLocaleString("en")} broken`);
  parts.push(`${state.time.toFixed(2)} s`, `simulation ${(1e3 * state.simulation_seconds).toPrecision(2)} ms`);
  if (!state.paused && state.rate > 0 && state.rate < 0.93 * state.speed) parts.push(`${state.rate.toPrecision(2)}× real time: simulation too slow`);
  $("status").textContent = parts.join(" · ");
  $("pause").textContent = state.paused ? "Resume" : "Pause";
}

// One frame of the display, `elapsed` s after the last one.
function draw(elapsed) {
  const [width, height] = size();
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  if (!call("page_frame", elapsed, width, height)) {
    notice(wasm("page_message", "string"));
    isOpen = false;
    return;
  }
  // The frame after a change applies it.
  if (framesToPanel > 0 && --framesToPanel === 0) fillPanel();
  if (performance.now() - lastWords > 200) {
    lastWords = performance.now();
    words();
  }
}

function frame(now) {
  requestAnimationFrame(frame);
  if (isOpen && !document.hidden) draw(Math.min((now - before) / 1e3, 1));
  before = now;
}

// ------------------------------------------------------------------------------------------------ pointers

const pointers = new Map(); // positions of the pressed pointers
let pinch = null; // center and distance of two fingers

function pixel(event) {
  const box = canvas.getBoundingClientRect();
  return [((event.clientX - box.left) * canvas.width) / box.width, ((event.clientY - box.top) * canvas.height) / box.height];
}

function spread() {
  const [a, b] = [...pointers.values()];
  return { x: (a[0] + b[0]) / 2, y: (a[1] + b[1]) / 2, apart: Math.max(Math.hypot(a[0] - b[0], a[1] - b[1]), 1) };
}

canvas.addEventListener("pointerdown", (event) => {
  if (!isOpen) return;
  event.preventDefault();
  canvas.focus({ preventScroll: true });
  canvas.setPointerCapture(event.pointerId);
  const at = pixel(event);
  pointers.set(event.pointerId, at);
  const reach = ((event.pointerType === "mouse" ? MOUSE_REACH : FINGER_REACH) * canvas.width) / canvas.clientWidth;
  if (pointers.size === 2) {
    // The first finger releases its particle; both fingers now move and zoom the view.
    call("page_release");
    pinch = spread();
    call("page_press", Button.middle, Tool.drag, pinch.x, pinch.y, reach);
  } else if (pointers.size === 1) {
    const action = event.shiftKey ? Tool.cut : event.ctrlKey || event.metaKey ? Tool.pin : tool;
    const button = event.button === 2 ? Button.right : event.button === 1 ? Button.middle : Button.left;
    call("page_press", button, action, at[0], at[1], reach);
  }
});

canvas.addEventListener("pointermove", (event) => {
  if (!isOpen || !pointers.has(event.pointerId)) return;
  pointers.set(event.pointerId, pixel(event));
  if (pinch && pointers.size === 2) {
    const next = spread();
    call("page_move", next.x, next.y);
    call("page_scroll", Math.log(next.apart / pinch.apart) / Math.log(1.12));
    pinch = next;
  } else if (!pinch) {
    call("page_move", ...pointers.get(event.pointerId));
  }
});

function lift(event) {
  if (!pointers.delete(event.pointerId) || !isOpen) return;
  call("page_release");
  // The remaining finger has no effect until it is lifted too.
  if (pointers.size === 0) pinch = null;
}
canvas.addEventListener("pointerup", lift);
canvas.addEventListener("pointercancel", lift);
canvas.addEventListener("lostpointercapture", lift);
canvas.addEventListener("contextmenu", (event) => event.preventDefault());
canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  if (isOpen) call("page_scroll", -event.deltaY / (event.deltaMode === 0 ? 100 : 3));
}, { passive: false });

// ------------------------------------------------------------------------------------------------ buttons

function key(letter) {
  if (isOpen) call("page_key", letter.charCodeAt(0));
}

function chooseTool(wanted) {
  tool = wanted;
  for (const button of document.querySelectorAll("[data-tool]")) button.setAttribute("aria-checked", Number(button.dataset.tool) === tool);
}

for (const button of document.querySelectorAll("[data-tool]")) button.onclick = () => chooseTool(Number(button.dataset.tool));
$("pause").onclick = () => { key(" "); lastWords = 0; };
$("step").onclick = () => { key("."); lastWords = 0; };
// Reads the file again, which discards tuned values.
$("reset").onclick = () => { key("R"); lastWords = 0; afterChange(); };
$("color").onclick = () => key("C");
$("frame").onclick = () => key("F");
$("open").onclick = () => $("files").click();
$("files").onchange = (event) => { showOwn(event.target.files); event.target.value = ""; };
$("scenes").onchange = (event) => showShipped(event.target.value);
$("panel").onclick = () => {
  $("side").hidden = !$("side").hidden;
  $("panel").setAttribute("aria-expanded", !$("side").hidden);
  if (!$("side").hidden) fillPanel();
};
window.addEventListener("keydown", (event) => {
  if (event.target.matches("select, input, button, summary") || event.ctrlKey || event.metaKey || event.altKey) return;
  const letter = event.key.length === 1 ? event.key.toUpperCase() : "";
  if (letter && " .RFCSBXG-=".includes(letter)) {
    event.preventDefault();
    key(letter);
  }
});
for (const type of ["dragenter", "dragover"]) window.addEventListener(type, (event) => { event.preventDefault(); document.body.classList.add("dropping"); });
window.addEventListener("dragleave", (event) => { if (!event.relatedTarget) document.body.classList.remove("dropping"); });
window.addEventListener("drop", (event) => {
  event.preventDefault();
  document.body.classList.remove("dropping");
  if (event.dataTransfer.files.length) showOwn(event.dataTransfer.files);
});

// ------------------------------------------------------------------------------------------------ tuning

function seconds(value) {
  if (value === null) return "any";
  return value >= 1 ? `${value.toPrecision(3)} s` : value >= 1e-3 ? `${(1e3 * value).toPrecision(3)} ms` : `${(1e6 * value).toPrecision(3)} µs`;
}

function fillReport() {
  const report = json("page_report");
  const verdict = $("verdict");
  verdict.replaceChildren();
  if (report.error) {
    verdict.textContent = report.error;
    $("report").textContent = "";
    return;
  }
  const taken = controls.run_substeps, substep = taken > 0 ? controls.frame_time / taken : null;
  const limit = report.stable_substep;
  const rows = [["stable substep (symplectic Euler)", seconds(limit)],
                ["frame time", seconds(controls.frame_time)],
                ["stable substeps per frame", report.substeps > 0 ? String(report.substeps) : "none"],
                ["current substeps", taken > 0 ? `${taken} of ${seconds(substep)}` : "none"]];
  if (limit !== null && substep !== null) rows.push(["stable / current substep", (limit / substep).toPrecision(3)]);
  if (report.limiting_spring_name) rows.push(["limited by", report.limiting_spring_name]);
  const table = document.createElement("table");
  for (const [name, value] of rows) {
    const row = table.insertRow();
    row.insertCell().textContent = name;
    row.insertCell().textContent = value;
  }
  const word = document.createElement("p");
  word.className = controls.proven_stable ? "good" : "bad";
  word.textContent = controls.proven_stable ? "Proven stable: cannot blow up." : "Not proven stable at these substeps.";
  verdict.append(word, table);
  $("report").textContent = report.text;
}

// Logarithmic scale of a slider: positions 0 to 1 are values from 1e-7 top to top; position 0 is the value 0.
const DECADES = 7;
const toPlace = (value, top) => (value <= 0 ? 0 : Math.min(Math.max(1 + Math.log10(value / top) / DECADES, 0), 1));
const fromPlace = (place, top) => (place <= 0 ? 0 : top * 10 ** ((place - 1) * DECADES));
const TOPS = { "stiffness, N/m": 1e6, "damping, N s/m": 1e3, "frequency, Hz": 1e3, "damping ratio": 10, ck: 2, cd: 2, "ck of the hard limit": 1 };

let controls = null;

function slider(group, index, item) {
  const top = Math.max(TOPS[item.name], 10 * item.value);
  const row = document.createElement("label");
  row.className = "row";
  const name = document.createElement("span"), out = document.createElement("output"), input = document.createElement("input");
  const slide = document.createElement("div");
  slide.className = "slide";
  name.textContent = item.name;
  const write = (value) => { out.textContent = value < 0 ? "max stable" : Number(value.toPrecision(4)); };
  write(item.value);
  Object.assign(input, { type: "range", min: 0, max: 1, step: 0.001, value: toPlace(item.value, top) });
  input.oninput = () => {
    const value = fromPlace(Number(input.value), top);
    write(value);
    call("page_set_group", group, index, value);
  };
  input.onchange = afterChange;
  slide.append(input);
  const place = item.limit === null ? 1 : toPlace(item.limit, top);
  if (place < 1) {
    const mark = document.createElement("div");
    mark.className = "mark";
    // The center of the thumb stays half its width away from both ends.
    mark.style.left = `calc(8px + ${place} * (100% - 16px))`;
    slide.append(mark);
  }
  row.append(name, out, slide);
  return row;
}

// Fills the panel again after the frame that applies a change.
function afterChange() {
  framesToPanel = 2;
}

function fillPanel() {
  if (!isOpen || $("side").hidden) return;
  controls = json("page_controls");
  fillReport();
  $("substeps").value = controls.substeps > 0 ? 0.01 + Math.log10(controls.substeps) * 2 : 0;
  $("substeps-out").textContent = controls.substeps > 0 ? controls.substeps : "auto";
  $("gravity").value = controls.gravity;
  $("gravity-out").textContent = controls.gravity.toFixed(2);
  const list = $("groups");
  list.replaceChildren();
  controls.groups.forEach((group, n) => {
    const title = document.createElement("p");
    title.className = "group-name";
    title.textContent = `${group.body}: ${group.name} (${group.springs})`;
    list.append(title, ...group.numbers.map((item, i) => slider(n, i, item)));
  });
}

function substeps() {
  const place = Number($("substeps").value);
  return place < 0.01 ? 0 : Math.round(10 ** ((place - 0.01) / 2));
}
$("substeps").oninput = () => { $("substeps-out").textContent = substeps() || "auto"; };
$("gravity").oninput = () => { $("gravity-out").textContent = Number($("gravity").value).toFixed(2); };
$("substeps").onchange = $("gravity").onchange = () => {
  if (!isOpen) return;
  call("page_set_world", substeps(), Number($("gravity").value));
  afterChange();
};

// ------------------------------------------------------------------------------------------------ begin

async function begin() {
  const [binary, list] = await Promise.all([fetchBytes("page.wasm"), fetchBytes("scenes/index.json")]);
  c = await createModule({ wasmBinary: binary, canvas, print: console.log, printErr: console.warn });
  scenes = JSON.parse(new TextDecoder().decode(list));
  for (const scene of scenes) {
    const option = new Option(scene.title, scene.file);
    option.title = scene.description || "";
    $("scenes").append(option);
  }
  if (!call("page_begin")) return notice(wasm("page_message", "string"));
  const asked = new URLSearchParams(location.search);
  if (!asked.has("manual")) requestAnimationFrame(frame);
  await showShipped(`${asked.get("scene") || "curtain"}.json`, asked.has("paused"));
}

// For tests, and for pages that embed this one.
window.msd = {
  get ready() { return isOpen; },
  state: () => json("page_state"),
  report: () => json("page_report"),
  controls: () => json("page_controls"),
  find: (particle) => json("page_find", ["number"], [particle]),
  hash: () => wasm("page_hash", "string"),
  step: (frames) => call("page_steps", frames) === 1,
  show: showShipped,
  // With "manual" in the address, frames are drawn by this function only.
  frame: draw,
};

begin().catch((problem) => notice(String(problem.message || problem)));
