// node bench.mjs FOLDER MSD: frame times in wasm and of the native command with one thread, interleaved, for the cloths
// of two well-known pages. FOLDER is that of build.sh.
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, msd] = process.argv.slice(2);
const { load } = await import(pathToFileURL(`${process.cwd()}/${folder}/npm/index.mjs`));
const engine = await load();

function cloth(columns, rows, frameTime, substeps, spring, mass, size) {
  return {
    msd: 1, frame_time: frameTime, substeps, duration: 10,
    bodies: [{ type: "cloth", origin: [0, size[1], 0], u: [size[0], 0, 0], v: [0, -size[1] * 0.7, size[1] * 0.7], columns, rows, mass,
               pinned: ["top"], stretch: spring, shear: spring, ...(columns === 40 ? {} : { bend: spring }) }],
  };
}

const soft = { stiffness: 5, damping: 0.001 };
const cases = [
  ["RWTH, 40 x 30, stretch and shear", cloth(40, 30, 0.005, 1, { stiffness: 5000, damping: 10 }, 1200, [39, 29]), 400],
  ["Ten Minute Physics, 30 x 200, 10 substeps", cloth(30, 200, 1 / 60, 10, soft, 6, [0.29, 1.99]), 60],
  ["the same, 100 x 100, 10 substeps", cloth(100, 100, 1 / 60, 10, soft, 10, [0.99, 0.99]), 40],
  ["the same, 250 x 250, 10 substeps", cloth(250, 250, 1 / 60, 10, soft, 62.5, [2.49, 2.49]), 10],
];
const rounds = 7;
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];

function inWasm(json, frames) {
  const scene = engine.open(json);
  for (let n = 0; n < 5; n++) scene.step();
  const begin = performance.now();
  for (let n = 0; n < frames; n++) scene.step();
  const time = (performance.now() - begin) / frames;
  scene.close();
  return time;
}

function native(path, json, frames) {
  const out = execFileSync(msd, ["run", path, "--threads", "1", "--json", "--duration", String(frames * json.frame_time)], { encoding: "utf8" });
  const run = JSON.parse(out);
  return (1e3 * run.wall_seconds) / run.frames;
}

console.log("| cloth | wasm, ms a frame (least, median) | native, one thread | ratio of medians | frames/s in wasm |");
console.log("|---|---|---|---|---|");
for (const [name, json, frames] of cases) {
  const path = `${folder}/bench.json`;
  writeFileSync(path, JSON.stringify(json));
  const ours = [], theirs = [];
  for (let n = 0; n < rounds; n++) {
    ours.push(inWasm(json, frames));
    theirs.push(native(path, json, frames));
  }
  const words = (list) => `${Math.min(...list).toFixed(3)}, ${median(list).toFixed(3)}`;
  console.log(`| ${name} | ${words(ours)} | ${words(theirs)} | ${(median(ours) / median(theirs)).toFixed(2)} | ${(1e3 / median(ours)).toFixed(0)} |`);
}
