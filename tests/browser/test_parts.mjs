// Parts of the dashboard that need no page: results read in pieces, places of pointers, formatting, event streams.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { test } from "node:test";
import { load } from "./bundle.mjs";
import { startServer } from "./server.mjs";

globalThis.sessionStorage = { getItem: () => null, setItem() {}, removeItem() {} };
const { Archive } = await load("api/npz.ts");
const { eventsOf } = await load("api/live.ts");
const { locate, pointerAt, scan } = await load("ui/pointer.ts");
const { metricsOf } = await load("api/metrics.ts");
const { reasonOf, tooShort } = await load("ui/reason.ts");
const { buildRobot } = await load("robot/robot.ts");
const { channelReaches, coordinateReaches } = await load("robot/reach.ts");
const { coil } = await load("scene/coil.ts");
const { pretty } = await load("ui/pretty.ts");
const { axisOf, hasRows, keptAfter, modelName, modelsOf, namesOf, NOTHING_KEPT, put, valuesOf, varied, variedIn } = await load("ui/results.ts", "ui/sweep.ts");
const { says } = await load("ui/meaning.ts");
const { flatReach, ticksOf } = await load("ui/scale.ts");
const { slopesOfArrays } = await load("ui/found.ts");
const { completionsAt, unknownKeys } = await load("ui/complete.ts", "ui/schema.ts");
const { occupancy, rates } = await load("ui/history.ts");
const { alongOf, familyOf } = await load("ui/family.ts");
const { mostTelling, telling, usualFields } = await load("ui/fields.ts");
const { limitOf } = await load("ui/limits.ts");
const { byCode } = await load("ui/parts.tsx");
const { documentsOf, sectionsOf, seek } = await load("ui/seek.ts");
const { tellingTime, tipOf } = await load("ui/motion.ts");
const { loadCurve, marksOf, shareOf, stretches } = await load("ui/path.ts");

async function ended(server, id) {
  for (;;) {
    const job = await server.call("GET", `/v1/jobs/${id}`);
    if (["succeeded", "failed", "cancelled"].includes(job.state)) return job;
    await new Promise((r) => setTimeout(r, 50));
  }
}

// What the page asks for without naming its server.
async function asPageOf(server, what) {
  const real = globalThis.fetch;
  globalThis.fetch = (path, ...rest) => real(new URL(path, server.url), ...rest);
  try {
    return await what();
  } finally {
    globalThis.fetch = real;
  }
}

async function runOf(server, change) {
  const { model, job } = await server.call("GET", "/v1/examples/cdm");
  const { id } = await server.call("POST", "/v1/jobs", change({ ...job, model }));
  for (;;) {
    const { state } = await server.call("GET", `/v1/jobs/${id}`);
    if (state === "succeeded") return id;
    assert.ok(["queued", "running"].includes(state), state);
    await new Promise((r) => setTimeout(r, 50));
  }
}

test("a member of an archive is what the result says as JSON, whether it is read in pieces or whole", async () => {
  const server = await startServer();
  try {
    for (const dt of [0.05, 0.0005]) { // smaller and larger than what is read at once
      const id = await runOf(server, (job) => ({ ...job, t_end: 1, output: { dt, fields: ["q", "energy", "poses:arm"] } }));
      const json = await server.call("GET", `/v1/jobs/${id}/result`);
      const told = [], archive = await Archive.open(`${server.url}/v1/jobs/${id}/result`, undefined, (...how) => told.push(how));
      assert.ok(told.length > 0 && told.at(-1)[0] === told.at(-1)[1] && told.every(([done], i) => i === 0 || done > told[i - 1][0]), "how much has come is told");
      assert.deepEqual(archive.names().sort(), Object.keys(json.arrays).sort());
      for (const name of archive.names()) {
        const { shape, data } = await archive.array(name);
        assert.equal(shape.reduce((a, b) => a * b, 1), data.length);
        assert.deepEqual([...data], json.arrays[name].flat(9));
      }
      assert.deepEqual(await archive.summary(), json.summary);
    }
  } finally {
    await server.stop();
  }
});

test("looking at one member of a large result costs that member, not the result", async () => {
  const server = await startServer();
  try {
    const id = await runOf(server, (job) => ({ ...job, t_end: 1, output: { dt: 0.0005, fields: ["q", "qd", "poses:arm"] } }));
    let travelled = 0;
    const real = globalThis.fetch;
    globalThis.fetch = async (...call) => {
      const reply = await real(...call);
      travelled += Number(reply.headers.get("Content-Length"));
      return reply;
    };
    const archive = await Archive.open(`${server.url}/v1/jobs/${id}/result`);
    const { data } = await archive.array("t");
    globalThis.fetch = real;
    assert.equal(data.length, 2001);
    assert.ok(archive.bytes > 1e6 && travelled < 100e3, `${travelled} of ${archive.bytes} bytes`);
  } finally {
    await server.stop();
  }
});

test("an archive that is cut short is refused, not half read", async () => {
  const server = createServer((_, reply) => reply.end(Buffer.alloc(300, 7))).listen(0, "127.0.0.1");
  await new Promise((r) => server.once("listening", r));
  await assert.rejects(Archive.open(`http://127.0.0.1:${server.address().port}/x`), /cannot be read/);
  server.close();
});

test("a pointer is found in the text that it belongs to, with escapes and odd spaces", () => {
  const text = '{ "a/b": [1, {"~x" :\n  "y\\"z"}], "c": -1.5e-3 }';
  const at = (pointer) => { const { start, end } = locate(text, pointer); return text.slice(start, end); };
  assert.equal(at("/a~1b/0"), "1");
  assert.equal(at("/a~1b/1/~0x"), '"y\\"z"');
  assert.equal(at("/c"), "-1.5e-3");
  assert.equal(at("/c/deeper/still"), "-1.5e-3");
  assert.equal(at(""), text.trim());
  assert.equal(pointerAt(text, text.indexOf("-1.5") + 1), "/c");
});

test("the first error of a broken document is found where it is", () => {
  for (const [text, place] of [['{"a": 1,}', 8], ['{"a" 1}', 5], ["[1 2]", 3], ['["x]', 4], ["[01]", 1], ["{} {}", 3], ["", 0], ["[nul]", 1]])
    assert.equal(scan(text).error?.at, place, text);
  for (const text of ["[]", "{}", '{"a":[true,false,null,1e9,-0.5]}', ' "x" ']) assert.equal(scan(text).error, null, text);
  assert.ok(scan("[".repeat(5000)).error);
});

test("documents are written so that they read back the same", () => {
  const value = { a: [1, 2.5, -3e-9], long: Array.from({ length: 200 }, (_, i) => i / 7), o: { s: 'q"\\', n: null, e: [], x: {} } };
  assert.deepEqual(JSON.parse(pretty(value)), value);
  assert.ok(pretty(value).split("\n").every((line) => line.length <= 120));
});

test("events are cut out of a stream wherever its pieces end", () => {
  const stream = 'id: 1\nevent: state\ndata: {"seq":1}\n\n: heartbeat\n\nid: 2\ndata: {"seq":2}\n\n';
  for (let cut = 0; cut <= stream.length; cut++) {
    const first = eventsOf(stream.slice(0, cut)), second = eventsOf(first.rest + stream.slice(cut));
    assert.deepEqual([...first.data, ...second.data], ['{"seq":1}', '{"seq":2}'], `cut at ${cut}`);
  }
});

test("what a failure says of time, link and residual is found in its sentence", () => {
  assert.equal(tooShort({ pointer: "/max_wall_s", detail: "the job's time of 2.5 s was up at t = 204.292; it had 0.586 s of a processor" }), 2.5);
  assert.ok(Number.isNaN(tooShort({ detail: "no equilibrium" })) && Number.isNaN(tooShort(null)));
  assert.deepEqual(reasonOf("rk4 at t = 0.05 s: the mass matrix is not positive definite; residual 3.6e+05, worst at soft-arm.2.bending_y[2]"),
    { time: 0.05, link: "soft-arm.2", coordinate: "soft-arm.2.bending_y[2]", residual: 3.6e5 });
  assert.deepEqual(reasonOf("no equilibrium found in 40 Newton iterations: the residual stays at 1.5 (forces up to 3), worst at l6.joint[0]"),
    { link: "l6", coordinate: "l6.joint[0]", residual: 1.5 });
  assert.deepEqual(reasonOf('bdf at t = 1e-06 s: body "b1" at s = 0.13 m is bent too far; residual inf, worst at b1.q[0]'),
    { time: 1e-6, link: "b1", coordinate: "b1.q[0]", place: 0.13, residual: Infinity });
  assert.deepEqual(reasonOf("rk4 at t = 0.1 s: the motion has blown up, worst at arm.bending_y[2] (3.99e+05 in a step): the step of 0.05 s is too large"),
    { time: 0.1, link: "arm", coordinate: "arm.bending_y[2]" });
  assert.deepEqual(reasonOf("the worker was killed by signal 9"), {});
});

test("a run that fails on a server names what the page shows in fields", async () => {
  const server = await startServer();
  try {
    const { model, job } = await server.call("GET", "/v1/examples/cdm");
    const { id } = await server.call("POST", "/v1/jobs", { ...job, model, integrator: { method: "newmark", h: 0.5 }, inputs: { cable1: 1e7 } });
    let state = {};
    while (state.state !== "failed") state = await server.call("GET", `/v1/jobs/${id}`);
    const found = reasonOf(state.error.detail);
    assert.equal(found.link, "arm", state.error.detail);
    assert.ok(found.time >= 0 && found.residual > 0 && model.links.some((l) => found.coordinate.startsWith(l.name)), state.error.detail);
  } finally {
    await server.stop();
  }
});

test("the server's figures are read by name and labels", async () => {
  const server = await startServer();
  try {
    const m = metricsOf(await (await fetch(`${server.url}/metrics`)).text());
    assert.equal(m.value("tendril_workers", '{activity="idle"}'), 1);
    assert.equal(m.total("tendril_workers"), 1);
    assert.equal(m.total("tendril_jobs"), 0);
    assert.ok(m.value("process_resident_memory_bytes") > 1e6);
    assert.equal(m.value("tendril_nothing"), undefined);
  } finally {
    await server.stop();
  }
});

test("sliders of loads per length and of a flow have their units and stand in the order of the channels", async () => {
  const model = {
    format: "tendril.model/1", fluid: { density: 1000, velocity: [0.3, 0, -2], channels: ["stream", null, "up"] },
    links: [{ name: "reed", joint: { type: "fixed" }, body: {
      type: "rod", length: 0.5, section: { shape: "circle", radius: 0.01 }, material: { young: 1e6, poisson: 0.5, density: 900 },
      strain: { basis: "legendre", order: { bending_y: 2 } }, hydrodynamics: { cd_y: 1 } } }],
    loads: [{ link: "reed", per_length: true, from: 0.5, channels: ["twist", null, null, null, null, "push"] }] };
  const server = await startServer();
  try {
    const { channels } = await server.call("POST", "/v1/models?validate=1", model);
    assert.deepEqual(channels, ["twist", "push", "stream", "up"]);
    const reaches = channelReaches(buildRobot(model));
    assert.deepEqual(reaches.map((r) => r.unit), ["N", "N/m", "m/s", "m/s"]);
    assert.deepEqual(reaches.slice(2).map((r) => r.high), [2, 2]);
  } finally {
    await server.stop();
  }
});

test("sliders of pulled lengths and of springs are in metres, and channels of springs stand before those of a flow", async () => {
  const rod = { type: "rod", length: 0.5, section: { shape: "circle", radius: 0.01 }, material: { young: 1e6, poisson: 0.5, density: 900 },
    strain: { basis: "legendre", order: { bending_y: 2 } } };
  const model = {
    format: "tendril.model/1", fluid: { density: 1000, channels: ["stream", null, null] }, links: [{ name: "reed", joint: { type: "fixed" }, body: rod }],
    actuators: [{ name: "wire", type: "tendon", link: "reed", mode: "length", stiffness: 1e4, routing: { type: "linear", base: [0.008, 0] } }],
    loads: [{ link: "reed", channels: [null, null, null, null, null, "push"] }],
    springs: [{ a: { link: "world" }, b: { link: "reed", at: 0.37 }, stiffness: 5, rest: 0.2, channel: "draw" }, { a: { link: "world" }, b: { link: "reed" }, damping: 1 }] };
  const server = await startServer();
  try {
    const { channels } = await server.call("POST", "/v1/models?validate=1", model), robot = buildRobot(model), reaches = channelReaches(robot);
    assert.deepEqual(channels, ["wire", "push", "draw", "stream"]);
    assert.deepEqual(reaches.map((r) => r.unit), ["m", "N", "m", "m/s"]);
    assert.ok(reaches[0].low === -reaches[0].high && reaches[0].high >= 0.008 && reaches[0].high <= 0.08);
    assert.ok(robot.links[0].stations.some(({ s }) => s === 0.37), "a spring has its own station");
  } finally {
    await server.stop();
  }
});

test("a drawn coil goes from end to end and stays by its line", () => {
  const out = new Float32Array(3 * (9 * 12 + 3));
  coil([1, 2, 3, 1, 2, 5], 9, 0.1, out);
  assert.deepEqual([...out.slice(0, 3), ...out.slice(-3)], [1, 2, 3, 1, 2, 5]);
  for (let i = 1; i < out.length / 3 - 1; i++) {
    assert.ok(Math.abs(Math.hypot(out[3 * i] - 1, out[3 * i + 1] - 2) - 0.1) < 1e-5);
    assert.ok(out[3 * i + 2] > 3 && out[3 * i + 2] < 5);
  }
  coil([1, 2, 3, 1, 2, 3], 9, 0.1, out);
  assert.ok(out.every(Number.isFinite), "ends that meet");
});

test("sliders reach as far as a robot bends, in the order and units of its channels", async () => {
  const server = await startServer();
  try {
    for (const [name, first, unit, least, most] of [["cdm", 0, "N", 8, 100], ["parallel", 0, "N m", 0.05, 0.5], ["parallel", 3, "N", 0.5, 5],
      ["finray", 0, "m", 0.025, 0.1], ["serial", 0, "rad", 3, 3.2], ["uw", 0, "N m", 0.25, 20], ["vpcc-pneumatic", 0, "Pa", 2e5, 1e6], ["helicoid", 0, "N", 1, 100]]) {
      const { model } = await server.call("GET", `/v1/examples/${name}`), { channels, ndof } = await server.call("POST", "/v1/models?validate=1", model);
      const robot = buildRobot(model), reaches = channelReaches(robot);
      assert.equal(reaches.length, channels.length, name);
      assert.equal(reaches[first].unit, unit);
      assert.ok(reaches[first].high >= least && reaches[first].high <= most, `${name}: ${reaches[first].high} ${unit}`);
      const q = coordinateReaches(robot);
      assert.ok(q.length === ndof && q.every((x) => x.high > 0 && x.high < 10 && x.low === -x.high), `${name}: ${JSON.stringify(q)}`);
    }
  } finally {
    await server.stop();
  }
});

test("sliders of joints with limits go to these", () => {
  const joint = { type: "revolute", limits: { lower: -0.3, upper: [0.5], stiffness: 80 } }, body = { type: "rigid", mass: 1, com: [0, 0, 0.1], inertia: [1, 1, 1] };
  const robot = buildRobot({ format: "tendril.model/1", name: "arm", links: [{ name: "a", joint, body }, { name: "b", parent: "a", joint: { ...joint, limits: { upper: 1 } }, body }] });
  const [a, b] = coordinateReaches(robot);
  assert.deepEqual([a.low, a.high, b.high], [-0.3, 0.5, 1]);
  assert.ok(b.low < -0.5, `${b.low}: no limit there`);
});

test("jobs of a sweep have the values, the names and the models that the server gave them", async () => {
  const server = await startServer();
  try {
    const { model } = await server.call("GET", "/v1/examples/cdm");
    await server.call("PUT", "/v1/models/cdm", model);
    await server.call("PUT", "/v1/models/short", { ...put(model, "/links/0/body/length", 0.1), name: "short" });
    const base = { model, kind: "statics", inputs: { cable1: 1 } }, tensions = { path: "/job/inputs/cable1", values: [1, 2, 3] };
    const sweeps = [
      { base, vary: [{ path: "/model/links/0/body/length", values: [0.1, 0.5] }, tensions] },
      { base: { ...base, model: "cdm" }, vary: [{ path: "/model/links/0/body/length", values: [0.3, 0.2, 0.1] }, tensions], mode: "zip" },
      { base: { ...base, model: "cdm" }, vary: [{ path: "/job/model", values: ["short", "cdm", { ...model, gravity: [0, 0, 0] }] }] },
    ];
    for (const sweep of sweeps) {
      const { id } = await server.call("POST", "/v1/jobs", { kind: "sweep", ...sweep });
      const before = await asPageOf(server, () => namesOf(id, true)); // by places in the list or by the result, whatever there is
      await ended(server, id);
      const { summary } = await server.call("GET", `/v1/jobs/${id}/result?fields=child`), models = await asPageOf(server, () => modelsOf(summary));
      const { jobs } = await server.call("GET", `/v1/jobs?parent=${id}`), whole = await asPageOf(server, () => namesOf(id, true)), part = await asPageOf(server, () => namesOf(id, false));
      for (const [i, job] of summary.jobs.entries()) {
        assert.deepEqual(valuesOf(sweep.vary, sweep.mode === "zip", i), job.values);
        assert.deepEqual(models[i], (await server.call("GET", `/v1/jobs/${job.id}/document`)).model);
        const rank = jobs.findIndex((j) => j.id === job.id), name = whole(job.id, rank);
        assert.match(name, new RegExp(`^${i}: .* = `));
        assert.equal(part(job.id, 0), name);
        assert.equal(before(job.id, rank), name);
        if (typeof job.values[0] !== "object") assert.equal(`${i}: ${await asPageOf(server, () => variedIn(job.id, id))}`, name);
      }
    }
  } finally {
    await server.stop();
  }
});

test("a sweep over one number that rises or falls has it as its axis, and says what it varies", () => {
  const summary = (vary, jobs) => ({ kind: "sweep", job: { vary }, jobs: jobs.map((values) => ({ values })) });
  const length = { path: "/model/links/0/body/length", values: [0.5, 0.2, 0.1] }, pull = { path: "/job/inputs/cable1", values: [1, 2] };
  const falling = axisOf(summary([length], [[0.5], [0.2], [0.1]]), [0, 1, 2]);
  const told = ({ label, curves }) => [label, ...curves.map((c) => [c.name, [...c.x], c.rows])];
  assert.deepEqual(told(falling), ["body/length (m)", ["", [0.1, 0.2, 0.5], [2, 1, 0]]]);
  assert.deepEqual(told(axisOf(summary([pull], [[1], [2]]), [0, 1])), ["inputs/cable1", ["", [1, 2], [0, 1]]]);
  assert.deepEqual(told(axisOf(summary([length], [[0.1], [0.5], [0.2]]), [0, 1, 2]))[1], ["", [0.1, 0.2, 0.5], [0, 2, 1]], "in any order");
  const zipped = summary([length, pull], [[0.5, 3], [0.4, 5], [0.3, 4]]);
  zipped.job.mode = "zip";
  assert.deepEqual(told(axisOf(zipped, [0, 1, 2])), ["body/length (m), with inputs/cable1", ["", [0.3, 0.4, 0.5], [2, 1, 0]]]);
  const grid = summary([length, pull], [[0.5, 1], [0.5, 2], [0.5, 3], [0.4, 1], [0.4, 2], [0.4, 3]]);
  assert.deepEqual(told(axisOf(grid, [0, 1, 2, 3, 4, 5])), ["inputs/cable1", ["body/length = 0.5", [1, 2, 3], [0, 1, 2]], ["body/length = 0.4", [1, 2, 3], [3, 4, 5]]]);
  for (const none of [summary([length], [[{}], [3]]), summary([], [[]])])
    assert.equal(axisOf(none, none.jobs.map((_, i) => i)), null);
  assert.equal(axisOf(summary([pull], [[1], [2]]), [0, 0, 1, 1]), null, "several rows a job");
  assert.equal(varied([length, pull]), "body/length: 0.1 to 0.5, 3 values; inputs/cable1: 1, 2");
  assert.match(varied([{ path: "/job/model", values: ["a", "b", "c", "d", "e"] }]), /^model: a, b, c, d …$/);
});

test("of a sweep over several numbers the curves have places on the scale of the second, and rows of a workspace its colours", () => {
  const vary = ["left", "front"].map((name) => ({ path: `/job/inputs/${name}`, values: [0, 2, 4, 6] })), jobs = vary[0].values.flatMap((a) => vary[1].values.map((b) => ({ values: [a, b] })));
  const model = { document: { links: [], actuators: [{ name: "left", type: "tendon" }, { name: "front", type: "tendon" }] } }, child = jobs.map((_, i) => i);
  const axis = axisOf({ kind: "sweep", job: { vary }, jobs, model }, child);
  assert.deepEqual([axis.label, axis.scale, axis.curves.map((c) => c.share)], ["left (N)", { name: "front (N)", low: "0", high: "6" }, [0, 1 / 3, 2 / 3, 1]], "of two with as many values the first is the axis");
  const family = familyOf({ kind: "sweep", job: { vary }, jobs, model }, 16, child, null);
  assert.deepEqual([family.name, family.low, family.high, [...family.values].slice(0, 5)], ["front (N)", 0, 6, [0, 2, 4, 6, 0]]);
  assert.equal(family.beside, "left (N): 0 to 6");
  assert.equal(alongOf([[1, 2, 1], [1, 2, 3], [3, 2, 1]]), 1);
  const statics = { kind: "statics", job: {}, channels: ["a", "b"] }, u = Float64Array.from({ length: 24 }, (_, i) => (i % 2 ? i % 6 : i)), rising = Float64Array.from({ length: 24 }, (_, i) => (i % 2 ? 3 : i));
  assert.equal(familyOf(statics, 12, null, u).name, "b");
  assert.equal(familyOf(statics, 12, null, rising), null, "one input that rises is a course");
  assert.equal(familyOf({ ...statics, continuation: {} }, 12, null, u), null);
  assert.equal(familyOf(statics, 3, null, u), null, "few are robots");
  assert.equal(familyOf({ kind: "sweep", job: { vary }, jobs, model }, 3, [0, 1, 2], null).name, "front (N)", "jobs of a sweep are no way, however few");
});

test("a chart shows what moves most, where nothing moves the largest, first the tip of the last rod", async () => {
  const table = (columns) => ({ names: columns.map((_, i) => `${i}`), size: 1, values: (c) => Float64Array.from(columns[c]) });
  const still = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [-0.35, -0.35], [0.1, 0.1], [0, 0]];
  assert.deepEqual(telling(table(still), "q"), [0, 1, 2, 3, 5, 6]);
  assert.ok(telling(table([...still, [0, 0.01]]), "q").includes(8));
  assert.deepEqual(mostTelling(table([[0, 1], [0, 3], [2, 2]]), "q"), [1]);
  const links = [{ name: "fore", body: { type: "rigid" } }, { name: "finger", body: { type: "rod" } }, { name: "camera", body: { type: "rigid" } }];
  const archive = { names: () => ["t", "poses:fore", "poses:finger", "q"], has: (n) => ["t", "q", "poses:fore", "poses:finger"].includes(n), size: () => 100 };
  assert.equal((await usualFields({ archive, summary: { kind: "dynamics", model: { document: { links } } } }))[0], "poses:finger");
});

test("where bodies touch is read with the largest force and each touch's friction, of contacts whose names have dots, too", async () => {
  const { touchesOf } = await load("ui/touching.ts"), empty = [-1, 0, 0, 0, 0, 0, 0, 0, 0, 0];
  const data = Float64Array.from([0, 0, 0, 0, 3, 4, 0, 0, 1, 0, ...empty, 1, 0, 0, 0, 0, 0, 2, 0, 0, 1, 2, 0, 0, 0, 1, 0, 0, 1, 0, 0]);
  const contacts = [{ type: "plane", name: "a", friction: 0.1 }, { type: "plane", name: "a.b", friction: 0.2 }, { type: "self" }];
  const archive = { has: (n) => n === "contact_place", array: async () => ({ data, shape: [2, 2, 10] }) };
  const run = { archive, summary: { kind: "dynamics", contacts: ["a.x", "a.b.x", "contacts[2].x.x"], model: { document: { contacts, links: [] } } } };
  const found = await touchesOf(run);
  assert.equal(found.most, 5);
  assert.equal(found.longest, 3);
  assert.equal(found.places, 2);
  const impact = Float64Array.from([1, 1, 1, 1, 100].flatMap((f) => [0, 0, 0, 0, 0, 0, f, 0, 0, 1]));
  const hit = await touchesOf({ ...run, archive: { has: archive.has, array: async () => ({ data: impact, shape: [5, 1, 10] }) } });
  assert.deepEqual([hit.most, hit.longest], [100, 1.5]); // what holds is seen beside it
  const across = { ...run, summary: { ...run.summary, model: { document: { contacts: [{ ...contacts[0], anisotropy: [1, 0.5] }], links: [] } }, contacts: ["a.x"] } };
  assert.deepEqual((await touchesOf(across)).friction, [0.05]); // of its cone where it is least
  assert.deepEqual(found.friction, [0.1, 0.2, 0]);
  assert.equal(await touchesOf({ ...run, archive: { has: () => false } }), null);
});

test("a linearisation tells its modes, slow and fast ones on one axis", async () => {
  const { eigenvaluesOf, folded, foldOf, modesOf, spectraOf } = await load("ui/eigenvalues.ts");
  const A = Float64Array.from([0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, -4, 0, 0, -0.2, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, -1e6, 0, 0, -2e3]); // swings, falls over, creeps
  const modes = modesOf(eigenvaluesOf(A, 6));
  const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-6 * Math.max(1, Math.abs(b)), `${a}, not ${b}`);
  near(modes[0].frequency, Math.sqrt(4 - 0.01)), near(modes[0].decay, 0.1), near(modes[0].damping, 0.05);
  assert.deepEqual(modes.slice(1, 3).map((m) => [m.frequency, Math.round(m.decay)]).sort((a, b) => a[1] - b[1]), [[0, -3], [0, 3]]);
  let seed = 1;
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647 - 0.5, n = 60, R = Float64Array.from({ length: n * n }, (_, k) => random() * 10 ** (k % 7));
  const { re, im } = eigenvaluesOf(R, n), trace = (f) => Array.from({ length: n }, (_, i) => f(i)).reduce((a, b) => a + b, 0);
  near(trace((i) => re[i]), trace((i) => R[i * n + i]));
  near(trace((i) => re[i] ** 2 - im[i] ** 2), trace((i) => trace((j) => R[i * n + j] * R[j * n + i])));
  assert.deepEqual([...eigenvaluesOf([0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0], 4).im].map((x) => Math.round(x)).sort(), [-1, 0, 0, 1], "what shifts of the usual kind leave as it is");
  assert.equal(folded(1000, 10), 3), assert.equal(folded(-1, 10), -0.1);
  const archive = { has: () => true, array: async (n) => (n === "A" ? { data: Float64Array.from([...A, ...A.map(() => NaN)]), shape: [2, 6, 6] } : { data: Float64Array.from([0, 1]), shape: [2] }) };
  const spectra = await spectraOf({ archive, summary: { kind: "linearize" } });
  assert.deepEqual(spectra.map((s) => s.at), [0], "a state without numbers has no place");
  near(foldOf(spectra), 2);
  assert.deepEqual(await spectraOf({ archive: { has: () => false }, summary: {} }), []);
});

test("depth, force and slip of touches are charts of their own, each with one unit", async () => {
  const { fieldsOf, labelOf, tableOf } = await load("ui/fields.ts");
  const data = Float64Array.from([1e-3, 5, 0, 2e-3, 7, 0.1, 1e-4, 6, 0, 0, 0, 0]), t = Float64Array.from([0, 1]);
  const archive = { has: (n) => n === "contacts" || n === "t", names: () => ["t", "contacts"], size: () => 8, array: async (n) => (n === "t" ? { data: t, shape: [2] } : { data, shape: [2, 2, 3] }) };
  const run = { archive, summary: { kind: "dynamics", contacts: ["floor.a", "floor.b"], model: { document: { links: [] } } } };
  assert.deepEqual(fieldsOf(run).map(labelOf), ["contacts: depth (m)", "contacts: normal force (N)", "contacts: slip (m/s)"]);
  const force = await tableOf(run, "contacts: normal force");
  assert.deepEqual(force.names, ["floor.a normal force", "floor.b normal force"]);
  assert.deepEqual([...force.values(1)], [7, 0]);
  assert.equal(force.size, 7);
});

test("limits are told in words, with units, and 0 where it means none", () => {
  assert.deepEqual(limitOf("retention_days", 0), ["how long results are kept", "no limit"]);
  assert.deepEqual(limitOf("retention_min_days", 7), ["how long they are kept at least", "7 days"]);
  assert.deepEqual(limitOf("reply_bytes", 2 ** 30), ["a reply", "1.074 GB"]);
  assert.deepEqual(limitOf("queued_bytes_per_owner", 2 ** 30)[1], "1.074 GB");
  assert.deepEqual(limitOf("memory_bytes", 2 ** 30), ["memory for callers", "1.074 GB"]); // --memory, no worker's
  assert.deepEqual(limitOf("wait_s", 60), ["a wait for events", "60 s"]);
  assert.deepEqual(limitOf("max_steps", 2e8)[1], "200 000 000");
  assert.deepEqual(limitOf("something_new", 3), ["something new", "3"]);
});

test("words are sought in sections of documents and in rows of their tables, what has them in its heading first", () => {
  const document = { name: "d", title: "All", html: '<h1 id="all">All</h1><p>Of mass &amp; more.</p><h2 id="mass">Mass <code>M</code></h2><p>A matrix.</p><table><tr>\n<td id="fd"><code>fd</code></td><td>the mass matrix</td></tr></table>' };
  const sections = sectionsOf(document), ids = (words) => seek(sections, words).map((h) => h.id);
  assert.deepEqual(sections.map((s) => [s.id, s.heading]), [["all", "All"], ["mass", "Mass M"], ["fd", "fd"]]);
  assert.deepEqual(ids("mass"), ["mass", "all", "fd"]);
  assert.deepEqual(ids("mass matrix"), ["mass", "fd"]);
  assert.deepEqual(ids("zebra"), []);
  assert.deepEqual(ids("how to mass the matri"), ["mass", "fd"], "words that say nothing are left out, the last may be half typed");
  assert.deepEqual(ids("atrix"), [], "no inside of a word");
  assert.deepEqual(ids("ma matrix"), [], "only the last may be half typed");
  const [hit] = seek(sections, "more");
  assert.equal(hit.before + hit.found + hit.behind, "Of mass & more.");
  const [a, b] = documentsOf('<article id="a">\n<h1 id="a:a">A</h1>x<a href="#b">b</a><a href="#b:one%2Ftwo">1</a></article><hr><article id="b"><h1>B</h1><h2 id="b:part">a <code>Part</code></h2>y</article>');
  assert.deepEqual([a.name, a.title, b.title, b.parts], ["a", "A", "B", [["part", "a Part"]]]);
  assert.match(a.html, /<h1 id="a">.*href="#\/docs\/b">.*href="#\/docs\/b\?at=one/);
});

test("warnings of one code stand together", () => {
  const of = (code, n) => Array.from({ length: n }, (_, i) => ({ code, detail: `${i}`, pointer: `/${i}` }));
  assert.deepEqual(byCode([...of("a", 1), ...of("b", 24), ...of("a", 2)]).map((same) => [same[0].code, same.length]), [["a", 3], ["b", 24]]);
});

test("a model that was given with its job is called by its own name", async () => {
  const server = await startServer();
  try {
    const { model } = await server.call("GET", "/v1/examples/cdm");
    const { id } = await server.call("POST", "/v1/jobs", { kind: "statics", model, inputs: { cable1: 1 } }), job = await ended(server, id);
    assert.equal(modelName(job), "cdm (own copy)");
    assert.equal(modelName({ model: { name: null, revision: null } }), "given with the job");
    assert.equal(modelName({ model: { name: "cdm", revision: 2 } }), "cdm@2");
  } finally {
    await server.stop();
  }
});

test("putting a value into a document leaves the document as it was", () => {
  const before = { a: [{ "x/y": 1 }, 2], b: {} };
  assert.deepEqual(put(before, "/a/0/x~1y", 5), { a: [{ "x/y": 5 }, 2], b: {} });
  assert.equal(before.a[0]["x/y"], 1);
});

test("documents are the same when they mean the same", () => {
  const document = { name: "x", list: [1, 2, { a: 1e6, b: null }] };
  for (const text of ['{"list":[1.0,2,{"b":null,"a":1000000}],"name":"\\u0078"}', JSON.stringify(document, null, 3)]) assert.ok(says(text, document), text);
  for (const text of ['{"list":[2,1,{"a":1e6,"b":null}],"name":"x"}', '{"name":"x"}', '{"name":"x","list":[1,2,{"a":1e6,"c":null}]}', '{"name":"x","list":{"0":1}}', '{"name":', ""])
    assert.ok(!says(text, document), text);
});

test("rounding errors are a flat line, small curves are not, and ticks tell values apart", () => {
  const flat = (low, high, size) => {
    const reach = flatReach(low, high, size);
    return reach !== null && (high - low) / (reach[1] - reach[0]) < 0.01;
  };
  assert.ok(flat(-3e-17, 5e-17, 0), "noise alone");
  assert.ok(flat(-3e-17, 5e-17, 20), "noise beside curves that are not shown");
  assert.ok(flat(-2e-14, 3e-14, 20), "more noise beside large ones");
  assert.ok(flat(0.3, 0.3 + 2e-16), "noise on a constant");
  assert.ok(flat(1e9, 1e9 + 1e-4));
  assert.deepEqual(flatReach(0, 0), [-1, 1]);
  assert.equal(flatReach(-1e-9, 2e-9, 1), null, "a strain of 1e-9");
  assert.equal(flatReach(0, 1e-10), null);
  assert.equal(flatReach(0.5, 0.5 + 1e-7, 1), null);
  assert.deepEqual(ticksOf([-1e-9, 0, 1e-9, 2e-9]), ["-1e-9", "0", "1e-9", "2e-9"]);
  assert.deepEqual(ticksOf([0, 2.5e-9, 5e-9, 7.5e-9, 1e-8]), ["0", "0.25e-8", "0.50e-8", "0.75e-8", "1.00e-8"]);
  assert.deepEqual(ticksOf([0.5, 0.50000005, 0.5000001]), ["0.50000000", "0.50000005", "0.50000010"]);
  assert.deepEqual(ticksOf([-0.2, -0.1, 2.7e-17, 0.1]), ["-0.2", "-0.1", "0", "0.1"]);
  assert.deepEqual(ticksOf([0, 25, 50, null]), ["0", "25", "50", ""]);
  assert.deepEqual(ticksOf([1e6, 1.5e6]), ["1.0e6", "1.5e6"]);
  assert.deepEqual(ticksOf([-1e-12, 0, 1e-12]).length, new Set(ticksOf([-1e-12, 0, 1e-12])).size);
});

test("rows of a job without a result are asked for when its fields and its events tell of some", async () => {
  const server = await startServer();
  try {
    const { model, job } = await server.call("GET", "/v1/examples/cdm");
    const after = async (body, good) => {
      const { id } = await server.call("POST", "/v1/jobs", body);
      while (!(await good(id))) await new Promise((r) => setTimeout(r, 100));
      const { events } = await server.call("GET", `/v1/jobs/${id}/events?since=0`);
      return { job: await server.call("GET", `/v1/jobs/${id}`), kept: events.reduce(keptAfter, NOTHING_KEPT) };
    };
    const over = async (id) => !!(await ended(server, id));
    const failed = await after({ ...job, model, integrator: { method: "rk4", h: 0.05 } }, over);
    assert.equal(hasRows(failed.job, failed.kept), false, "failed before its first rows were kept");
    const good = await after({ ...job, model, t_end: 0.1 }, over);
    assert.equal(hasRows(good.job, NOTHING_KEPT), true);
    const slow = { ...job, model, t_end: 40, integrator: { method: "newmark", h: 1e-5 }, output: { dt: 0.02, fields: ["q"] } };
    const running = await after(slow, async (id) => (await server.call("GET", `/v1/jobs/${id}/events?since=0`)).events.some((e) => e.event === "samples"));
    assert.equal(hasRows(running.job, running.kept), true);
    assert.equal(hasRows(running.job, NOTHING_KEPT), false);
    const waiting = await after(slow, () => true);
    assert.equal(hasRows(waiting.job, waiting.kept), false);
    assert.equal(hasRows({ ...running.job, state: "failed" }, { ...NOTHING_KEPT, gaps: true, over: true }), true, "events that the server forgot may have told of rows");
    assert.equal(hasRows({ kind: "sweep", state: "failed", jobs: { succeeded: 0 } }, NOTHING_KEPT), false);
    for (const { id } of [running.job, waiting.job]) await server.call("POST", `/v1/jobs/${id}:cancel`);
  } finally {
    await server.stop();
  }
});

// A result in memory: what the pages ask of an archive.
function resultOf(arrays, summary) {
  const shapes = Object.fromEntries(Object.entries(arrays).map(([n, rows]) => {
    const shape = [rows.length];
    for (let inner = rows[0]; Array.isArray(inner); inner = inner[0]) shape.push(inner.length);
    return [n, { shape, data: Float64Array.from(rows.flat(4)) }];
  }));
  return { id: "x", partial: false, summary: { model: { document: { links: [] } }, ...summary },
    archive: { has: (n) => n in shapes, names: () => Object.keys(shapes), array: async (n) => shapes[n], size: (n) => shapes[n].data.length } };
}

test("a load curve is the channel over where its load acts, with events between their rows", async () => {
  const pose = (z) => [[1, 0, 0, 0], [0, 1, 0, 7 * z], [0, 0, 1, z], [0, 0, 0, 1]], push = [0, -2, -3, -2, 0, -1];
  const arrays = { u: push.map((p) => [p]), q: push.map((_, i) => [i]), stable: [1, 1, 0, 0, 1, 1], "poses:arm": push.map((_, i) => [pose(0), pose(-i), pose(-2 * i)]) };
  const load_ = { link: "arm", at: 0.5, channels: [null, null, null, null, null, "push"] };
  const summary = { kind: "statics", channels: ["push"], coordinates: ["a"], points: { arm: [0, 0.5, 1] }, model: { document: { links: [], loads: [load_] } },
    continuation: { channel: "push", events: [{ kind: "limit", after: 2, value: -3, multiplicity: 1 }, { kind: "bifurcation", after: 3, value: -0.5, multiplicity: 1 }, { kind: "limit", after: 99, value: 1, multiplicity: 1 }] } };
  const curve = await loadCurve(resultOf(arrays, summary));
  assert.deepEqual([...curve.x].map((x) => x + 0), [0, -1, -2, -3, -4, -5]);
  assert.deepEqual([...curve.y], push);
  assert.equal(curve.xName, "z of arm at s = 0.5 (m)");
  assert.deepEqual(curve.events, [{ kind: "limit", x: -2, y: -3 }, { kind: "bifurcation", x: -3.75, y: -0.5 }]);
  assert.deepEqual(stretches(curve).map((s) => [s.stable, s.points.length]), [[true, 2], [false, 4], [true, 2]]);
  assert.equal(shareOf("limit", 0, 1, 4), 1 / 3);
  const { "poses:arm": _, ...bare } = arrays;
  assert.equal((await loadCurve(resultOf(bare, summary))).xName, "a", "without poses a coordinate");
  const far = { ...summary, model: { document: { links: [] } } };
  assert.match((await loadCurve(resultOf(arrays, far))).xName, /^y at 1 of arm/, "without a load what moves farthest");
  assert.equal(await loadCurve(resultOf(arrays, { ...summary, continuation: undefined })), null);
});

test("contacts that begin and what a summary tells are marks", async () => {
  const energy = [0, 0, 1, 1, 0, 2].map((c) => [0, 0, 0, c]), t = [0, 1, 2, 3, 4, 5];
  const timed = resultOf({ t, energy }, { kind: "dynamics", events: [{ kind: "singular_configuration", t: 2.5 }] });
  assert.deepEqual(await marksOf(timed), [{ x: 2.5, word: "singular configuration" }, { x: 2, word: "contact begins" }, { x: 5, word: "contact begins" }]);
  const field = resultOf({ t, energy: energy.map((row) => [...row, -1]) }, { kind: "dynamics", energies: ["kinetic", "elastic", "gravitational", "contact", "magnetic"] });
  assert.equal((await marksOf(field)).length, 2, "other kinds of energy hide no contact");
  const list = resultOf({ q: [[0], [1]] }, { kind: "statics", events: [{ kind: "snap", after: 0, distance: 1 }] });
  assert.deepEqual(await marksOf(list), [{ x: 0.5, word: "snap" }]);
});

test("slopes of an array have a curve of their own, numbers of other units and of short arrays have none", () => {
  const names = [...[0, 1, 2, 3].map((k) => ({ name: `pull[${k}]`, path: `/job/inputs/pull/value/${k}` })), ...["young", "density"].map((one) => `/model/links/0/body/material/${one}`).map((path) => ({ name: path, path })),
    ...[0, 1].map((k) => ({ name: `radius[${k}]`, path: `/model/links/0/body/section/radius/${k}` })),
    ...[0, 1, 2].map((k) => ({ name: `/job/inputs/side/value/${k}`, path: `/job/inputs/side/value/${k}` }))];
  const found = slopesOfArrays(names, Float64Array.from(names, (_, i) => 10 ** i));
  assert.deepEqual(found.map((one) => [one.label, one.first, [...one.y]]), [["pull", 0, [1, 10, 100, 1000]], ["side/value", 8, [1e8, 1e9, 1e10]]]);
});

test("an editor offers the keys and the words that fit where one is, and finds keys that nobody knows", () => {
  const schema = (name) => JSON.parse(readFileSync(new URL(`../../api/schema/${name}.schema.json`, import.meta.url), "utf8")), model = schema("model"), job = schema("job");
  const offered = (of, text, asked = true) => (completionsAt(of, text.replace("|", ""), text.indexOf("|"), asked)?.choices ?? []).map((c) => JSON.parse(c.label));
  const link = (inside) => `{"format": "tendril.model/1", "links": [{"name": "a", "joint": {"type": "fixed"}}, {"name": "b", ${inside}`;
  assert.ok(["name", "gravity", "links", "actuators"].every((k) => offered(model, "{|}").includes(k)));
  assert.ok(!offered(model, '{"name": "x", |}').includes("name"), "what is there is not offered again");
  assert.ok(offered(model, link('"joint": {"type": "revolute", "|')).includes("damping"), "in the midst of a word, with nothing behind it");
  assert.deepEqual(offered(model, link('"joint": {"type": "spherical", "|"}}]}')).includes("pitch"), false, "of the kind that is there");
  assert.ok(offered(model, link('"joint": {"type": "helical", "|"}}]}')).includes("pitch"));
  assert.ok(["revolute", "prismatic", "free"].every((k) => offered(model, link('"joint": {"type": |}}]}')).includes(k)));
  assert.deepEqual(offered(model, link('"parent": "|')).slice(0, 2), ["world", "a"], "names of the document");
  assert.ok(offered(job, '{"kind": "dynamics", "integrator": {"method": "r|"}}').includes("radau"));
  assert.ok(["mode", "vary"].every((k) => offered(job, '{"kind": "sweep", "|"}').includes(k)) && !offered(job, '{"kind": "sweep", "|"}').includes("t_end"));
  assert.deepEqual(offered(model, '{"gravity": [0, 0, |]}', false), [], "nothing unasked where nothing is typed");
  for (const name of readdirSync(new URL("../../api/examples", import.meta.url)).filter((f) => /\.(model|job)\.json$/.test(f))) {
    const document = JSON.parse(readFileSync(new URL(`../../api/examples/${name}`, import.meta.url), "utf8"));
    assert.deepEqual(unknownKeys(name.includes(".model.") ? model : job, document), [], name);
  }
  const wrong = JSON.parse(link('"jiont": {}, "body": {"type": "rod", "lenght": 1, "section": {"shape": "circle", "radius": 1, "width": 2}}}]}'));
  assert.deepEqual(unknownKeys(model, wrong).map((u) => [u.pointer, u.meant]), [["/links/1/jiont", "joint"], ["/links/1/body/lenght", "length"], ["/links/1/body/section/width", undefined]]);
  assert.deepEqual(unknownKeys(job, { kind: "dynamics", t_end: 1, tend: 2 }).map((u) => u.meant), ["t_end"], "though it is there already");
  assert.deepEqual(unknownKeys(job, { kind: "dynamics", t_end: 1, inputs: { anything: 1 }, labels: { any: "x" }, outptu: {} }).map((u) => u.meant), ["output"]);
});

test("queue, runs and throughput over time are those of the times that jobs tell", () => {
  const now = Date.parse("2026-01-01T12:00:00Z"), ago = (s) => (s === null ? null : new Date(now - 1000 * s).toISOString()), job = (created, started, finished, kind = "statics") => ({ kind, created_at: ago(created), started_at: ago(started), finished_at: ago(finished) });
  const past = occupancy([job(100, 80, 40), job(30, null, null), job(500, 90, null), job(60, null, 50), job(100, 90, 10, "sweep")], now, 100, 10);
  assert.deepEqual([...past.queued], [2, 1, 0, 0, 1, 0, 0, 1, 1, 1]);
  assert.deepEqual([...past.running].map((x) => Math.round(x)), [0, 1, 2, 2, 2, 2, 1, 1, 1, 1]);
  assert.deepEqual([...past.ended], [0, 0, 0, 0, 0, 6, 6, 0, 0, 0], "one in ten seconds is six a minute");
  assert.ok(Math.abs(past.minutes[0] + 1.5) < 1e-12 && past.minutes[9] === 0);
  const figures = [{ at: 0, requests: 5 }, { at: 2000, requests: 9 }, { at: 4000, requests: 1 }, { at: 6000, requests: 2 }]; // started again in between
  assert.deepEqual([...rates(6000, "requests", figures).values], [2, 0.5]);
});

test("a replay opens where the tips of the robot are farthest from where they began", () => {
  const document = { format: "tendril.model/1", name: "p", links: [{ name: "p", joint: { type: "revolute", axis: "y" }, body: { type: "rigid", mass: 1, com: [0, 0, -1], inertia: [1, 1, 1] } }] };
  const motion = (q) => ({ id: "m", documents: [document], t: Float64Array.from(q, (_, i) => i / 10), rows: "time", q: Float64Array.from(q), n: 1, u: null, channels: 0 });
  assert.equal(tellingTime(motion([0, 0.2, -0.9, 0.3])), 0.2);
  assert.equal(tellingTime(motion([0, 0, 0])), 0, "of a robot that rests, at the start");
  assert.equal(tellingTime(motion([NaN, 0.1, 0.5])), 0.2, "rows without a shape are passed over");
  const { places } = tipOf(motion([0, Math.PI / 2]), "p", 10);
  assert.ok([0, 0, -1, -1, 0, 0].every((x, i) => Math.abs(places[i] - x) < 1e-12), `${places}`);
});
