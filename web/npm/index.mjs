// Scenes of msd in JavaScript. index.d.ts documents the types.
import createModule from "./engine.mjs";

/** Reads engine.wasm: from the file in Node, from the server in a browser. */
async function readBinary() {
  const place = new URL("./engine.wasm", import.meta.url);
  if (typeof process === "object" && place.protocol === "file:") {
    const { readFile } = await import("node:fs/promises");
    return readFile(place);
  }
  const answer = await fetch(place);
  if (!answer.ok) throw new Error(`${place}: ${answer.status} ${answer.statusText}`);
  return answer.arrayBuffer();
}

/** Loads the engine. One engine serves any number of scenes. */
export async function load(options = {}) {
  const binary = options.wasmBinary ?? (await readBinary());
  return new Engine(await createModule({ wasmBinary: binary, printErr: options.warn ?? console.warn }));
}

class Engine {
  #c;
  #folders = 0;

  constructor(module) {
    this.#c = module;
  }

  /** Loads a scene from JSON, as an object or as text; `files` are its mesh and skeleton files. */
  open(json, { name = "scene", files = {} } = {}) {
    const { FS, ccall } = this.#c;
    const folder = `/scene-${++this.#folders}`;
    FS.mkdir(folder);
    const put = (file, content) => {
      const path = `${folder}/${file}`;
      FS.mkdirTree(path.slice(0, path.lastIndexOf("/")));
      FS.writeFile(path, content);
    };
    for (const [file, content] of Object.entries(files)) put(file, content);
    const path = `${folder}/${name}.json`;
    put(`${name}.json`, typeof json === "string" ? json : JSON.stringify(json));
    const handle = ccall("engine_open", "number", ["string"], [path]);
    // The engine has read the files. Messages name the file without its folder.
    for (const file of [...Object.keys(files), `${name}.json`]) FS.unlink(`${folder}/${file}`);
    if (handle === 0) throw new Error(ccall("engine_message", "string", [], []).replaceAll(`${folder}/`, ""));
    return new Scene(this.#c, handle);
  }
}

class Scene {
  #c;
  #handle;

  constructor(module, handle) {
    this.#c = module;
    this.#handle = handle;
  }

  #call(name, result, ...values) {
    if (this.#handle === 0) throw new Error("this scene was closed");
    return this.#c.ccall(name, result, ["number", ...values.map(() => "number")], [this.#handle, ...values]);
  }

  /** Throws the message of the engine if a call fails. */
  #must(name, ...values) {
    if (this.#call(name, "number", ...values) === 0) throw new Error(this.#c.ccall("engine_message", "string", [], []));
  }

  #index(value, count, what) {
    if (!Number.isInteger(value) || value < 0 || value >= count)
      throw new RangeError(`there is no ${what} ${value}; there are ${count}, counted from 0`);
    return value;
  }

  #finite(values) {
    if (values.length !== 3 || !values.every(Number.isFinite)) throw new RangeError(`[${values}] is not a position: it must be three finite numbers`);
    return values;
  }

  #particle(value) {
    return this.#index(value, this.particleCount, "particle");
  }

  #spring(value) {
    return this.#index(value, this.springCount, "spring");
  }

  get particleCount() {
    return this.#call("engine_count", "number");
  }

  get springCount() {
    return this.#call("engine_springs", "number");
  }

  get frameTime() {
    return this.#call("engine_frame_time", "number");
  }

  get substeps() {
    return this.#call("engine_substeps", "number");
  }

  set substeps(value) {
    if (!Number.isInteger(value) || value < 0 || value > 1e6) throw new RangeError(`substeps is ${value}; it must be a whole number, or 0 for the fewest that are proven stable`);
    this.#call("engine_set_substeps", null, value);
  }

  get bodies() {
    return JSON.parse(this.#call("engine_bodies", "string"));
  }

  step(frameTime) {
    if (frameTime !== undefined && !(frameTime > 0 && Number.isFinite(frameTime))) throw new RangeError(`the frame time is ${frameTime} s; it must be finite and above 0`);
    this.#must("engine_step", frameTime ?? 0);
  }

  #view(name) {
    const count = this.particleCount, heap = this.#c.HEAPF32;
    const axis = (n) => {
      const first = this.#call(name, "number", n) / 4;
      return heap.subarray(first, first + count);
    };
    const x = axis(0), y = axis(1), z = axis(2);
    const slots = this.#call("engine_slots", "number") / 4;
    return { x, y, z, slot: slots === 0 ? null : this.#c.HEAP32.subarray(slots, slots + count), count };
  }

  get positions() {
    return this.#view("engine_positions");
  }

  get velocities() {
    return this.#view("engine_velocities");
  }

  readPositions(target) {
    const { x, y, z, slot, count } = this.positions;
    const out = target ?? new Float32Array(3 * count);
    if (out.length < 3 * count) throw new RangeError(`target has ${out.length} elements; it needs ${3 * count}`);
    for (let i = 0; i < count; i++) {
      const at = slot === null ? i : slot[i];
      out[3 * i] = x[at];
      out[3 * i + 1] = y[at];
      out[3 * i + 2] = z[at];
    }
    return out;
  }

  position(particle) {
    const { x, y, z, slot } = this.positions;
    const i = this.#particle(particle);
    const at = slot === null ? i : slot[i];
    return [x[at], y[at], z[at]];
  }

  get hash() {
    return this.#call("engine_hash", "string");
  }

  report() {
    const report = JSON.parse(this.#call("engine_report", "string"));
    if (report.error) throw new Error(report.error);
    return report;
  }

  pin(particle) {
    this.#must("engine_pin", this.#particle(particle));
  }

  unpin(particle) {
    this.#must("engine_unpin", this.#particle(particle));
  }

  movePinned(particle, position) {
    this.#must("engine_move", this.#particle(particle), ...this.#finite(position));
  }

  drag(particle, position) {
    this.#must("engine_drag", this.#particle(particle), ...this.#finite(position));
  }

  release() {
    this.#call("engine_release", null);
  }

  cut(spring) {
    this.#must("engine_cut", this.#spring(spring));
  }

  isCut(spring) {
    return this.#call("engine_is_broken", "number", this.#spring(spring)) !== 0;
  }

  setSpring(spring, { stiffness, damping = 0 }) {
    this.#must("engine_set_spring", this.#spring(spring), stiffness, damping);
  }

  close() {
    if (this.#handle !== 0) this.#call("engine_close", null);
    this.#handle = 0;
  }
}
