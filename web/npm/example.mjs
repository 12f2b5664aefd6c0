// node example.mjs: a cloth hangs from two corners, is pulled at a third, and is released at one of them.
import { load } from "@msd/engine";

const engine = await load();
const scene = engine.open({
  msd: 1,
  bodies: [
    {
      type: "cloth", origin: [0, 2, 0], u: [1, 0, 0], v: [0, 0, 1], columns: 20, rows: 20, mass: 0.2,
      pinned: ["top_left", "top_right"],
      stretch: { stiffness: 500, damping: 0.05 }, shear: { stiffness: 200, damping: 0.02 },
    },
  ],
});

const report = scene.report();
console.log(`${scene.particleCount} particles, ${scene.springCount} springs`);
console.log(`stable substep ${(1e3 * report.stable_substep).toFixed(3)} ms: ${report.substeps} substeps per frame`);

const lowest = () => Math.min(...scene.positions.y);
for (let frame = 0; frame < 60; frame++) scene.step();
console.log(`after 1 s its lowest point is at ${lowest().toFixed(3)} m`);

const corner = scene.particleCount - 1;
scene.drag(corner, [1.5, 2, 1]);
for (let frame = 0; frame < 60; frame++) scene.step();
scene.release();
console.log(`dragged corner at ${scene.position(corner).map((x) => x.toFixed(2)).join(", ")} m`);

scene.unpin(0);
for (let frame = 0; frame < 60; frame++) scene.step();
console.log(`released at one corner, its lowest point is at ${lowest().toFixed(3)} m`);
console.log(`state ${scene.hash}`);
scene.close();
