// Tests of the installed package. MSD is the native command, SCENES the folder of scenes.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { load } from "@msd/engine";

const { MSD, SCENES } = process.env;
const engine = await load();
const file = (name) => readFileSync(`${SCENES}/${name}`);

function native(scene, ...options) {
  return JSON.parse(execFileSync(MSD, [...options.slice(0, 1), scene, "--json", ...options.slice(1)], { encoding: "utf8", env: { ...process.env, MSD_SCENES: SCENES } }));
}

for (const [name, needs] of [["curtain", []], ["layers", []], ["torn_sheet", []], ["skirt", ["skirt.obj"]]])
  test(`${name} has the hash of the native command`, () => {
    const scene = engine.open(file(`${name}.json`).toString(), { files: Object.fromEntries(needs.map((n) => [n, file(n)])) });
    const frames = 20;
    const substeps = 64;
    scene.substeps = substeps;
    for (let n = 0; n < frames; n++) scene.step();
    const run = native(name, "run", "--substeps", String(substeps), "--duration", String(frames * scene.frameTime));
    assert.equal(scene.hash, run.hash);
    scene.close();
  });

test("the report is that of msd info", () => {
  const scene = engine.open(file("curtain.json").toString());
  const report = scene.report(), info = native("curtain", "info");
  for (const key of ["stable_substep", "substeps", "limiting_spring", "cause"]) assert.deepEqual(report[key], info[key], key);
  assert.match(report.text, /proven/);
  scene.close();
});

test("positions are views of the engine's memory, in which particles move", () => {
  const scene = engine.open(file("curtain.json").toString());
  const before = scene.readPositions();
  assert.equal(before.length, 3 * scene.particleCount);
  for (let n = 0; n < 10; n++) scene.step();
  const view = scene.positions, after = scene.readPositions();
  assert.notDeepEqual(after, before);
  const last = scene.particleCount - 1, at = view.slot === null ? last : view.slot[last];
  assert.deepEqual([view.x[at], view.y[at], view.z[at]], [...after.subarray(3 * last)]);
  assert.deepEqual(scene.position(last), [...after.subarray(3 * last)]);
  assert.equal(scene.positions.x.buffer, scene.velocities.y.buffer);
  scene.close();
});

test("a drag pulls a particle to its goal, and a cut breaks a spring", () => {
  const scene = engine.open(file("curtain.json").toString());
  const last = scene.particleCount - 1, [x, y, z] = scene.position(last);
  const goal = [x, y + 0.2, z + 0.3];
  const distance = () => Math.hypot(...scene.position(last).map((v, i) => v - goal[i]));
  scene.drag(last, goal);
  for (let n = 0; n < 90; n++) scene.step();
  assert.ok(distance() < 0.1, `${distance()} m from the goal`);
  scene.release();
  const before = scene.position(last)[1];
  for (let n = 0; n < 20; n++) scene.step();
  assert.ok(scene.position(last)[1] < before);
  assert.equal(scene.isCut(0), false);
  scene.cut(0);
  assert.equal(scene.isCut(0), true);
  scene.close();
});

test("a pinned particle stays, and moves to its kinematic target", () => {
  const scene = engine.open(file("curtain.json").toString());
  const last = scene.particleCount - 1, there = scene.position(last);
  scene.pin(last);
  for (let n = 0; n < 5; n++) scene.step();
  assert.deepEqual(scene.position(last), there);
  scene.movePinned(last, [1, 0.5, 0.25]);
  scene.step();
  assert.deepEqual(scene.position(last), [1, 0.5, 0.25]);
  scene.close();
});

test("a stiffer spring needs more substeps", () => {
  const scene = engine.open(file("hanging_cloth.json").toString());
  const before = scene.report().substeps;
  for (let n = 0; n < scene.springCount; n++) scene.setSpring(n, { stiffness: 1e6 });
  assert.ok(scene.report().substeps > before);
  scene.close();
});

test("errors have messages", () => {
  assert.throws(() => engine.open("{"), /scene\.json/);
  assert.throws(() => engine.open({ msd: 1, bodies: [{ type: "clot" }] }), /cloth/);
  assert.throws(() => engine.open(file("skirt.json").toString()), /skirt\.obj/);
  const scene = engine.open(file("curtain.json").toString());
  assert.throws(() => scene.pin(-1), RangeError);
  assert.throws(() => scene.drag(0, [NaN, 0, 0]), RangeError);
  assert.throws(() => scene.step(-1), RangeError);
  assert.throws(() => scene.movePinned(scene.particleCount - 1, [0, 0, 0]), Error);
  scene.close();
  assert.throws(() => scene.step(), /closed/);
});
