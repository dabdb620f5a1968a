// node tests/browser/bench.mjs: what one step of a replay costs in TypeScript for every shipped robot: the poses of all
// frames, and everything that changes with them (skins, normals, tendons), all but drawing.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { load, root } from "./bundle.mjs";

const { axisSkin, buildRobot, forward, movingTube, ritzSkin, tendonPaths, tracePath } =
  await load("robot/robot.ts", "robot/tendons.ts", "scene/surface.ts", "scene/tube.ts");
const STATIONS = 24, REPEAT = 300;

function median(call) {
  const times = [];
  for (let i = 0; i < REPEAT; i++) {
    const start = performance.now();
    call();
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[REPEAT >> 1].toFixed(3).padStart(7);
}

const folder = join(root, "api/examples");
for (const file of readdirSync(folder).filter((f) => f.endsWith(".model.json"))) {
  const robot = buildRobot(JSON.parse(readFileSync(join(folder, file), "utf8")), STATIONS);
  const poses = new Float64Array(12 * robot.nodes), q = Float64Array.from({ length: robot.ndof }, (_, i) => 0.1 * Math.sin(i));
  const skins = robot.links.filter((l) => ["rod", "reduced"].includes(l.document.body?.type))
    .map((l) => (l.document.body.kinematics === "ritz" ? ritzSkin(l) : axisSkin(robot, l)));
  const tendons = (robot.document.actuators ?? []).filter((a) => a.type === "tendon").flatMap((a) => tendonPaths(robot, a))
    .map((path) => ({ path, tube: movingTube(path.length) }));
  const step = () => {
    forward(robot, q, poses);
    for (const s of skins) s.update(poses, q, null);
    for (const { path, tube } of tendons) tracePath(robot, path, q, poses, tube.points), tube.update(0.001);
  };
  console.log(`${file.replace(".model.json", "").padEnd(20)}${robot.ndof} coordinates, ${robot.nodes} frames: poses ${median(() => forward(robot, q, poses))} ms, all ${median(step)} ms`);
}
