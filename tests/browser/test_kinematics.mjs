// The dashboard's forward kinematics against the poses of tests/published (every word of the model document, reduced
// bodies: values from independent sources, which the engine is tested with, too), and of the shipped robots against a
// server.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { load, root } from "./bundle.mjs";
import { startServer } from "./server.mjs";

const { buildRobot, forward } = await load("robot/robot.ts");
const { tendonPaths, tracePath } = await load("robot/tendons.ts");
const { outerFaces } = await load("robot/reduced.ts");
const TOLERANCE = 1e-9;

// 4x4 of a node.
function matrix(poses, node) {
  const g = poses.subarray(12 * node, 12 * node + 12);
  return [[g[0], g[1], g[2], g[9]], [g[3], g[4], g[5], g[10]], [g[6], g[7], g[8], g[11]], [0, 0, 0, 1]];
}

function worst(expected, found) {
  let most = 0;
  assert.equal(expected.length, 4);
  expected.forEach((row, i) => row.forEach((x, j) => (most = Math.max(most, Math.abs(x - found[i][j])))));
  return Number.isFinite(most) ? most : Infinity;
}

// Largest difference over states with poses, and how many poses there were.
function compare(model, states, stations) {
  const robot = buildRobot(model, stations);
  let error = 0, count = 0;
  for (const { q, poses: expected } of states) {
    const poses = forward(robot, q);
    for (const link of robot.links) {
      if (!expected?.[link.name]) continue;
      const found = expected[link.name], list = Array.isArray(found[0][0]) ? found : [found];
      assert.equal(list.length, link.points.length, `points of ${link.name}`);
      list.forEach((g, k) => { error = Math.max(error, worst(g, matrix(poses, link.points[k]))); count++; });
    }
  }
  return { error, count };
}

for (const [folder, least] of [["oracle", 900], ["reduced", 150]]) {
  test(`shapes of ${folder} are rebuilt from q to ${TOLERANCE}`, () => {
    const at = join(root, "tests/published", folder);
    let total = 0;
    for (const name of readdirSync(at).filter((f) => f.endsWith(".json"))) {
      const { model, states } = JSON.parse(readFileSync(join(at, name), "utf8"));
      const { error, count } = compare(model, states.map(({ q, expect }) => ({ q, poses: expect.poses })), 0);
      total += count;
      assert.ok(error < TOLERANCE, `${name}: ${error}`);
    }
    assert.ok(total >= least, `${total} poses in ${folder}`);
  });
}

// A cube, and on it another one cut into six tetrahedra around a diagonal: triangles and squares between them do not
// match.
test("the outside of a mesh is the faces of one element alone, seen from outside", () => {
  const points = [0, 1, 2].flatMap((z) => [[0, 0, z], [1, 0, z], [1, 1, z], [0, 1, z]]);
  const ring = [5, 6, 7, 11, 8, 9, 5];
  const cube = [0, 1, 2, 3, 4, 5, 6, 7], cut = ring.slice(1).map((c, i) => [4, ring[i], c, 10]);
  // Volume inside by the divergence theorem.
  const volume = (faces) => faces.flatMap((f) => (f.length === 4 ? [[f[0], f[1], f[2]], [f[0], f[2], f[3]]] : [f])).reduce((sum, t) => {
    const [a, b, c] = t.map((i) => points[i]);
    return sum + (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])) / 6;
  }, 0);
  for (const [mesh, faces, inside] of [[{ hexahedra: [cube] }, 6, 1], [{ tetrahedra: cut }, 12, 1],
    [{ hexahedra: [cube, cube.map((c) => c + 4)] }, 10, 2], [{ hexahedra: [cube], tetrahedra: cut }, 18, 2]]) {
    const found = outerFaces({ points, ...mesh });
    assert.equal(found.length, faces);
    assert.ok(Math.abs(volume(found) - inside) < 1e-15, `volume ${volume(found)}`);
  }
});

// Deterministic numbers in [-1, 1].
function numbers(n, seed) {
  return Array.from({ length: n }, () => ((seed = (seed * 48271) % 2147483647) / 2147483647) * 2 - 1);
}

test("shipped robots take the shapes that the server evaluates, with stations for drawing and without", async () => {
  const server = await startServer();
  try {
    const { examples } = await server.call("GET", "/v1/examples");
    assert.ok(examples.length >= 6);
    for (const { name } of examples) {
      const { model } = await server.call("GET", `/v1/examples/${name}`);
      const n = buildRobot(model).ndof, q = [1, 2, 3].map((seed) => numbers(n, seed).map((x) => 0.4 * x));
      const reply = await server.call("POST", "/v1/evaluate", { model, want: ["poses"], states: q.map((x) => ({ q: x })) });
      assert.equal(reply.ndof, n, `coordinates of ${name}`);
      const states = reply.states.map((s, i) => ({ q: q[i], poses: s.poses }));
      for (const stations of [0, 24]) {
        const { error, count } = compare(model, states, stations);
        assert.ok(count > 0 && error < TOLERANCE, `${name}: ${error}`);
      }
    }
  } finally {
    await server.stop();
  }
});

// A tendon's length as it is drawn.
function drawnLength(robot, path, q) {
  const places = new Float64Array(3 * path.length), poses = forward(robot, q);
  tracePath(robot, path, q, poses, places);
  let length = 0;
  for (let i = 1; i < path.length; i++) length += Math.hypot(...[0, 1, 2].map((c) => places[3 * i + c] - places[3 * i + c - 3]));
  return length;
}

// Marks are reached by other Magnus steps; along a rod the server sums over its Gauss points, the picture over straight
// pieces.
test("tendons are drawn where the server pulls them: their lengths are its lengths", async () => {
  const server = await startServer();
  let tendons = 0;
  try {
    const { examples } = await server.call("GET", "/v1/examples");
    const models = await Promise.all(examples.map(async ({ name }) => (await server.call("GET", `/v1/examples/${name}`)).model));
    models.push(JSON.parse(readFileSync(join(root, "tests/published/reduced/tendon_gvs_pcc3d.json"), "utf8")).model);
    for (const model of models) {
      const actuators = (model.actuators ?? []).filter((a) => a.type === "tendon");
      if (!actuators.length) continue;
      const robot = buildRobot(model, 200), q = numbers(robot.ndof, 5).map((x) => 0.2 * x);
      const { states } = await server.call("POST", "/v1/evaluate", { model, want: ["tendons"], states: [{ q }] });
      for (const [i, a] of actuators.entries()) {
        const found = tendonPaths(robot, a).map((path) => drawnLength(robot, path, q)).reduce((x, y) => x + y);
        const expected = states[0].tendons.length[i], marks = (a.segments ?? [a]).every((s) => s.points);
        assert.ok(Math.abs(found - expected) < (marks ? 1e-4 : 5e-3) * expected, `${model.name} ${a.name}: ${found}, not ${expected}`);
        tendons++;
      }
    }
  } finally {
    await server.stop();
  }
  assert.ok(tendons > 10, `${tendons} tendons`);
});

test("coordinates have the names that the server gives them", async () => {
  const server = await startServer();
  try {
    for (const name of ["uw", "finray", "parallel"]) {
      const { model } = await server.call("GET", `/v1/examples/${name}`);
      const { coordinates } = await server.call("POST", "/v1/models?validate=1", model);
      assert.deepEqual(buildRobot(model).coordinates, coordinates);
    }
  } finally {
    await server.stop();
  }
});
