// Every shipped robot and every kind of reduced body in the browser: run, shown at three instants, each a picture
// (TENDRIL_PICTURES) with a robot in it that has moved. TENDRIL_ROBOTS=few: one of each way to draw a body, where
// machines are slow (sanitizers); the arithmetic of all of them is in test_kinematics.mjs.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { root } from "./bundle.mjs";
import { eventually, openPage, pictures, share, startBrowser, until } from "./page.mjs";
import { startServer } from "./server.mjs";

const LONGEST = 2; // s of a run
const few = process.env.TENDRIL_ROBOTS === "few";

const json = (...path) => JSON.parse(readFileSync(join(root, ...path), "utf8"));
const examples = readdirSync(join(root, "api/examples")).filter((f) => f.endsWith(".model.json")).map((f) => f.replace(".model.json", ""))
  .filter((name) => !few || ["uw", "parallel"].includes(name));
const bodies = readdirSync(join(root, "tests/published/reduced"))
  .filter((f) => (few ? /^(lvp_ijrr8_N1|ritz).*json$/ : /^(lvp|pcc3d|pgc3d|vpcc2d|tendon|ritz).*json$/).test(f)).map((f) => f.replace(".json", ""));

function ofExample(name) {
  const model = json(`api/examples/${name}.model.json`), whole = json(`api/examples/${name}.job.json`);
  const job = { fit: () => whole.of[0].job, design: () => whole.of }[whole.kind]?.() ?? whole; // of a search what it is done with
  if (job.kind === "statics") return { ...job, model };
  return { ...job, model, t_end: Math.min(job.t_end, LONGEST), output: { dt: 0.02, fields: ["q", "u"] } };
}

function ofBody(name) {
  const { model, states } = json(`tests/published/reduced/${name}.json`);
  return { model, kind: "dynamics", t_end: 0.2, initial: { q: states[0].q }, integrator: { method: "bdf" }, output: { dt: 0.005, fields: ["q"] } };
}

let server, browser, page;
const jobs = {};

before(async () => {
  server = await startServer();
  for (const name of examples) jobs[name] = await server.call("POST", "/v1/jobs", ofExample(name)); // they run while others are looked at
  jobs.mesh = await server.call("POST", "/v1/jobs", ofMesh());
  for (const name of bodies) jobs[name] = await server.call("POST", "/v1/jobs", ofBody(name));
  browser = await startBrowser({ width: 760, height: 1000 });
  page = await openPage(browser, server.url);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

// A block of two hexahedra that bends.
function ofMesh() {
  const points = [0, 0.1, 0.2].flatMap((z) => [[-0.02, -0.02, z], [0.02, -0.02, z], [0.02, 0.02, z], [-0.02, 0.02, z]]);
  const body = { type: "reduced", kinematics: "ritz", length: 0.2, density: 1100, young: 3e5, poisson: 0.35, modes: [[[[5, 0, 0, 2]], [], [[-10, 1, 0, 1]]]],
    mesh: { points, hexahedra: [0, 4].map((k) => [0, 1, 2, 3, 4, 5, 6, 7].map((c) => c + k)) }, tip_points: [[0, 0, 0.2], [0.02, 0, 0.2], [0, 0.02, 0.2]] };
  const model = { format: "tendril.model/1", name: "mesh", gravity: [0, 0, -9.81], links: [{ name: "block", joint: { type: "fixed" }, body }] };
  return { model, kind: "dynamics", t_end: 0.1, initial: { q: [0.2] }, integrator: { method: "bdf" }, output: { dt: 0.005, fields: ["q"] } };
}

for (const name of [...examples, ...bodies, "mesh"])
  test(`${name} is seen to move`, async () => {
    const { id } = jobs[name];
    await page.goto(`${server.url}/#/jobs/${id}`);
    await page.waitForSelector(`h1:has-text("${id.slice(-10)}")`);
    await page.waitForSelector("h1 ~ .state.succeeded, h1 ~ .state.failed");
    assert.equal((await server.call("GET", `/v1/jobs/${id}`)).error, null);
    await page.waitForSelector(".stage canvas[data-time]");
    const slider = page.getByLabel("time", { exact: true }), seen = new Set();
    const end = Number(await slider.getAttribute("max")), counted = (await slider.getAttribute("step")) === "1"; // rows of statics
    for (const [k, part] of [0, 0.45, 0.9].entries()) {
      const time = counted ? Math.round(part * end) : Number((part * end).toPrecision(3));
      await slider.fill(String(time));
      await until(page, (t) => Number(document.querySelector(".stage canvas").dataset.time) === t, time);
      const { hash, png } = await eventually(() => share(page, ".stage canvas"),
        ({ strong, hash }) => strong > 0.0005 && strong < 0.6 && !seen.has(hash), `a picture of ${name} that has moved`);
      seen.add(hash);
      writeFileSync(join(pictures, `robot_${name}_${k}.png`), png);
    }
  });

test("pages make no request elsewhere and report no error", () => assert.deepEqual(page.troubles, []));
