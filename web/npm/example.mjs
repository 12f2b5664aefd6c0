// node example.mjs: a cloth that hangs from two corners is pulled, and cut loose at one of them.
import { load } from "@msd/engine";

const engine = await load();
const scene = engine.open({
  msd: 1,
  bodies: [
    {
      kind: "cloth", origin: [0, 2, 0], u: [1, 0, 0], v: [0, 0, 1], columns: 20, rows: 20, mass: 0.2,
      pinned: ["top_left", "top_right"],
      structural: { stiffness: 500, damping: 0.05 }, shear: { stiffness: 200, damping: 0.02 },
    },
  ],
});

const report = scene.report();
console.log(`${scene.particleCount} particles, ${scene.springCount} springs`);
console.log(`certified up to ${(1e3 * report.stable_time_step).toFixed(3)} ms: ${report.substeps} substeps a frame`);

const lowest = () => Math.min(...scene.positions.y);
for (let frame = 0; frame < 60; frame++) scene.step();
console.log(`after a second it hangs down to ${lowest().toFixed(3)} m`);

const corner = scene.particleCount - 1;
scene.drag(corner, [1.5, 2, 1]);
for (let frame = 0; frame < 60; frame++) scene.step();
scene.release();
console.log(`pulled, its corner is at ${scene.position(corner).map((x) => x.toFixed(2)).join(", ")} m`);

scene.unpin(0);
for (let frame = 0; frame < 60; frame++) scene.step();
console.log(`loose at one corner it hangs down to ${lowest().toFixed(3)} m`);
console.log(`state ${scene.hash}`);
scene.close();
