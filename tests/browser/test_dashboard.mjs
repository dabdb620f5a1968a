// The dashboard as people use it: in Chromium, on a running server. Pictures of what was seen go to TENDRIL_PICTURES.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { get as plainGet } from "node:http";
import { after, before, test } from "node:test";
import { editorOf, eventually, layoutTroubles, openPage, picture, share, startBrowser, until } from "./page.mjs";
import { createToken, startServer } from "./server.mjs";

let server, browser, page;

before(async () => {
  server = await startServer();
  browser = await startBrowser();
  page = await openPage(browser, server.url);
});
after(async () => {
  await browser?.close();
  await server?.stop();
});

const at = (path) => page.goto(`${server.url}/#/${path}`);
const atJob = (id, query = "") => at(`jobs/${id}${query}`).then(() => page.waitForSelector(`h1:has-text("${id.slice(-10)}")`));
const raw = (path, headers) => new Promise((resolve, reject) =>
  plainGet(server.url + path, { headers }, (reply) => {
    const chunks = [];
    reply.on("data", (c) => chunks.push(c)).on("end", () => resolve({ status: reply.statusCode, headers: reply.headers, body: Buffer.concat(chunks) }));
  }).on("error", reject));

// Looks at the robot until it is as it should be.
const drawn = (good, what) => eventually(() => share(page, ".stage canvas"), good, what);

async function submitExample(name, change = (job) => job) {
  const { model, job } = await server.call("GET", `/v1/examples/${name}`);
  await server.call("PUT", `/v1/models/${name}`, model);
  return (await server.call("POST", "/v1/jobs", change(job))).id;
}

async function finished(id) {
  for (;;) {
    const job = await server.call("GET", `/v1/jobs/${id}`);
    if (["succeeded", "failed", "cancelled"].includes(job.state)) return job;
    await new Promise((r) => setTimeout(r, 100));
  }
}

// Runs for minutes on any machine: many small steps.
const long = (job) => ({ ...job, t_end: 1000, integrator: { method: "newmark", h: 1e-5 }, output: { dt: 1, fields: ["q"] } });

// Rows are kept twenty times in a run. This one becomes twice as slow with each (a tension of 10 Hz, then 20, 40 … 5
// MHz): there is something to see after a second or two and again as long after, however fast the machine, and its end
// is never reached.
const slower = (job) => {
  const from = (k) => (k ? k / 2 : 1e-9);
  const hum = (k) => ({ type: "product", of: [{ type: "steps", t: [0, from(k), from(k + 1)], value: [0, 1, 0] },
    { type: "sine", offset: 5, amplitude: 5, frequency: 10 * 2 ** k }] });
  return { ...job, t_end: 10, inputs: { cable1: { type: "sum", of: Array.from({ length: 20 }, (_, k) => hum(k)) } },
    integrator: { method: "bdf" }, output: { dt: 0.05, fields: ["q"] } };
};

test("files come compressed to those who can read them, are kept by their names, and obey a policy", async () => {
  const page_ = await raw("/", {});
  assert.equal(page_.status, 200);
  assert.match(page_.headers["content-type"], /^text\/html/);
  assert.match(page_.headers["content-security-policy"], /default-src 'none'; script-src 'self'/);
  assert.equal((await raw("/", { "If-None-Match": page_.headers.etag })).status, 304);
  const script = /\/assets\/[\w.-]+\.js/.exec(page_.body.toString())[0];
  const plain = await raw(script, {}), packed = await raw(script, { "Accept-Encoding": "gzip" }), refused = await raw(script, { "Accept-Encoding": "gzip;q=0" });
  assert.equal(packed.headers["content-encoding"], "gzip");
  assert.equal(refused.headers["content-encoding"], undefined);
  assert.deepEqual(gunzipSync(packed.body), plain.body);
  assert.match(plain.headers["cache-control"], /immutable/);
  assert.equal((await raw("/assets/none.js", {})).status, 404);
});

test("the first page needs 80 kB compressed: 3D, plots and editor come when they are looked at, all together 400 kB, 150 of them the editor", async () => {
  let total = 0, editor = 0;
  const seen = new Set(), queue = ["/"];
  while (queue.length) {
    const path = queue.pop();
    if (seen.has(path)) continue;
    seen.add(path);
    const reply = await raw(path, { "Accept-Encoding": "gzip" });
    if (reply.status !== 200) continue;
    total += reply.body.length;
    if (/\/code-/.test(path)) editor += reply.body.length;
    for (const name of gunzipSync(reply.body).toString().match(/[\w-]+-[\w-]{8}\.(js|css)/g) ?? []) queue.push(`/assets/${name}`);
  }
  assert.ok(seen.size >= 6, `${seen.size} files`);
  const start = gunzipSync((await raw("/", { "Accept-Encoding": "gzip" })).body).toString(), first = [...start.matchAll(/(?:src|href)="(\/assets\/[^"]+\.(?:js|css))"/g)].map((m) => m[1]);
  let asked = 0;
  for (const path of first) asked += (await raw(path, { "Accept-Encoding": "gzip" })).body.length;
  assert.ok(first.length >= 2 && asked < 80e3, `${asked} bytes of ${first}`);
  assert.ok(total < 400e3 && editor > 0 && editor < 150e3, `${total} bytes, ${editor} of the editor`);
});

test("an example is submitted from the page, runs to its end, is plotted and replayed", async () => {
  await at("submit?example=cdm");
  await editorOf(page, "Job").has("cable4");
  await picture(page, "submit");
  await page.getByRole("button", { name: "Submit" }).click();
  await page.waitForURL(/#\/jobs\/\w+/);
  await page.waitForSelector(".state.succeeded");
  await page.waitForSelector(".uplot canvas");
  await until(page, () => document.querySelector(".stage canvas")?.width > 300);
  const still = await drawn((now) => now.strong > 0.01, "a robot in the picture");
  await page.getByLabel("time", { exact: true }).fill("4.5");
  await page.getByLabel("trail", { exact: true }).check();
  await drawn((now) => now.hash !== still.hash, "another shape at another time");
  assert.match(await page.locator(".transport output").textContent(), /4\.5/);
  await picture(page, "job");
  await page.locator(".player").focus();
  await page.keyboard.press("Home");
  await page.keyboard.press(" ");
  await until(page, () => parseFloat(document.querySelector(".transport output").textContent) > 0.3);
  await page.keyboard.press(" ");
  assert.deepEqual(await page.locator(".chart").evaluateAll((all) => all.map((c) => c.dataset.field)), ["poses:arm", "u", "q"], "what moves, what drives it");
  await page.locator("select[name=field]").first().selectOption("energy");
  await until(page, () => /gravitational.*sum/.test(document.querySelector(".u-legend")?.textContent ?? ""));
  assert.match(await page.locator("h1 ~ .progress").textContent(), /10 \/ 10 s/);
  const broken = await page.locator("#about dd").evaluateAll((all) => all.filter((d) => d.getBoundingClientRect().height > 30).map((d) => d.textContent));
  assert.deepEqual(broken, [], "ids and dates stand in one line");
  for (const colour of ["curvature", "strain", "tension"]) {
    const before = await drawn(() => true);
    await page.getByLabel("colour").selectOption(colour);
    await drawn((now) => now.hash !== before.hash, `colours of ${colour}`);
    await picture(page, `job_${colour}`);
  }
  for (const [name, start] of [["npz", "PK"], ["json", '{"summary"'], ["csv", "t,"]]) {
    const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: `Download ${name}` }).click()]);
    assert.match(download.suggestedFilename(), new RegExp(`\\.${name}$`));
    assert.equal(readFileSync(await download.path()).subarray(0, start.length).toString(), start);
  }
});

test("a long job shows its progress and can be cancelled from its page", async () => {
  const id = await submitExample("cdm", long);
  await atJob(id);
  await page.waitForSelector("h1 ~ .state.running");
  await until(page, () => document.querySelector("h1 ~ .progress progress")?.value > 0);
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.waitForSelector("h1 ~ .state.cancelled");
  assert.equal((await server.call("GET", `/v1/jobs/${id}`)).state, "cancelled");
});

test("a queued job waits without complaint, and a running one shows its robot before it ends", async () => {
  const running = await submitExample("cdm", slower);
  const waiting = await submitExample("cdm", (job) => ({ ...job, t_end: 0.1 }));
  await atJob(waiting);
  await page.waitForSelector("h1 ~ .state.queued");
  assert.equal(await page.locator(".problem").count(), 0);
  let asked = false;
  await page.route(/result\?partial=1/, async (route) => ((asked = true), await new Promise((r) => setTimeout(r, 1500)), await route.continue()), { times: 1 });
  await atJob(running);
  await page.waitForSelector("h1 ~ .state.running");
  await eventually(async () => asked, (done) => done, "its rows are asked for");
  assert.equal(await page.locator("text=/kept no rows|No rows/").count(), 0, "what is on its way is not nothing");
  await until(page, () => document.querySelector(".stage canvas")?.width > 300);
  assert.equal(await page.locator("h1 ~ .state").textContent(), "running");
  const reach = () => page.getByLabel("time", { exact: true }).evaluate((e) => Number(e.max));
  const first = await reach();
  await until(page, (before) => Number(document.querySelector("input[aria-label=time]").max) > before, first);
  await picture(page, "running");
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.waitForSelector("h1 ~ .state.cancelled");
});

test("a failing job shows its reason, on its page and in the list", async () => {
  const id = await submitExample("cdm", (job) => ({ ...job, integrator: { method: "newmark", h: 0.5 }, inputs: { cable1: 1e7 } }));
  const { error } = await finished(id), asked = [];
  const note = (request) => request.url().includes("/result") && asked.push(request.url());
  page.on("request", note);
  await atJob(id);
  await page.waitForSelector(".failure");
  await page.waitForSelector(".events .state.failed");
  page.off("request", note);
  assert.deepEqual(asked, [], "nothing was kept of it");
  assert.ok((await page.locator(".failure").textContent()).includes(error.detail));
  const fields = await page.locator(".failure .facts > div").evaluateAll((all) => Object.fromEntries(all.map((d) => [d.firstChild.textContent, d.lastChild.textContent])));
  assert.equal(fields.link, "arm");
  assert.match(fields.time, /^[\d.e-]+ s$/);
  assert.ok(Number(fields.residual) > 0, fields.residual);
  assert.match(fields.coordinate, /^arm\./);
  await picture(page, "failed");
  await at("jobs");
  await page.waitForSelector("tr.reason");
  assert.ok((await page.locator("tr.reason").first().textContent()).includes(error.detail));
});

test("filters narrow the list, stay in the address, and are read from it", async () => {
  await at("jobs");
  await page.waitForSelector("tr[data-job]");
  const all = await page.locator("tr[data-job]").count();
  await page.locator("select[name=state]").selectOption("cancelled");
  await until(page, (n) => { const rows = document.querySelectorAll("tr[data-job]").length; return rows > 0 && rows < n; }, all);
  assert.match(page.url(), /state=cancelled/);
  assert.deepEqual([...new Set(await page.locator("tr[data-job] .state").allTextContents())], ["cancelled"]);
  const label = page.locator("input[name=label]");
  await label.fill("example:nothing");
  await label.press("Enter");
  await page.waitForURL(/label=example%3Anothing/);
  await page.waitForSelector("text=No jobs here.");
  await page.goBack();
  await page.waitForSelector("tr[data-job]");
  await at("jobs?label=example:nothing");
  await page.waitForSelector("text=No jobs here.");
  assert.equal(await page.locator("input[name=label]").inputValue(), "example:nothing");
});

test("many jobs are cancelled and deleted at once", async () => {
  const ids = [];
  for (let i = 0; i < 3; i++) ids.push(await submitExample("cdm", (job) => ({ ...long(job), labels: { batch: "b" } })));
  await at("jobs?label=batch:b");
  await until(page, () => document.querySelectorAll("tr[data-job]").length === 3);
  await page.getByLabel("choose all on this page").check();
  await picture(page, "jobs");
  await page.getByRole("button", { name: "Cancel 3" }).click();
  await until(page, () => document.querySelectorAll("tr[data-job] .state.cancelled").length === 3);
  await page.getByLabel("choose all on this page").check();
  await page.getByRole("button", { name: "Delete 3" }).click();
  const question = page.locator("dialog.question");
  assert.match(await question.textContent(), /Delete 3 jobs and their results\?/);
  await page.keyboard.press("Escape");
  await question.waitFor({ state: "detached" });
  assert.equal(await page.locator("tr[data-job]").count(), 3, "Escape says no");
  await page.getByRole("button", { name: "Delete 3" }).click();
  await question.getByRole("button", { name: "Delete" }).click();
  await page.waitForSelector("text=No jobs here.");
  for (const id of ids) await assert.rejects(server.call("GET", `/v1/jobs/${id}`), /404/);
});

test("pages of the list follow the cursor and lead back", async () => {
  const { model, job } = await server.call("GET", "/v1/examples/cdm");
  await server.call("PUT", "/v1/models/cdm", model);
  const base = { ...job, t_end: 0.01, output: { dt: 0.01, fields: ["q"] }, labels: { many: "m" } };
  for (let i = 0; i < 55; i++) await server.call("POST", "/v1/jobs", base);
  await at("jobs?label=many:m");
  await until(page, () => document.querySelectorAll("tr[data-job]").length === 50);
  await page.getByRole("button", { name: "Older" }).click();
  await until(page, () => document.querySelectorAll("tr[data-job]").length === 5);
  await page.getByRole("link", { name: "Newest" }).click();
  await until(page, () => document.querySelectorAll("tr[data-job]").length === 50);
});

test("errors of the server stand at their place in the document", async () => {
  await at("submit?example=cdm");
  const model = editorOf(page, "Model");
  await model.has("0.015");
  await model.change('"length": 0.5', '"length": -0.5');
  await page.getByRole("button", { name: "Submit" }).click();
  await page.waitForSelector(".editor .problem");
  assert.match(await page.locator(".editor .problem").textContent(), /\/links\/0\/body\/length/);
  await eventually(() => model.selected(), (chosen) => chosen === "-0.5", "the value is selected");
  assert.equal(await model.host.locator(".cm-selectionMatch").count(), 0, "and nothing else that looks like it");
  await picture(page, "error");
  const job = editorOf(page, "Job"), count = async () => (await server.call("GET", "/v1/jobs?limit=1000")).jobs.length, before = await count();
  await page.getByRole("button", { name: "Check the job" }).click();
  await eventually(() => page.locator(".editor .problem").textContent(), (said) => /\/links\/0\/body\/length/.test(said), "the job is checked with its model");
  await model.change('"length": -0.5', '"length": 0.5');
  await job.change('"cable1"', '"cable9"');
  await page.getByRole("button", { name: "Check the job" }).click();
  await eventually(() => page.locator(".editor .problem").textContent(), (said) => /\/inputs\/cable9/.test(said), "against its model");
  await job.change('"cable9"', '"cable1"');
  await page.getByRole("button", { name: "Check the job" }).click();
  await page.waitForSelector("[role=status]:has-text('would take this job')");
  assert.equal(await count(), before, "and not queued");
  await job.fill('{"kind": "dynamics",');
  assert.match(await page.locator(".editor .problem").first().textContent(), /line 1/);
  assert.ok(await page.getByRole("button", { name: "Submit" }).isDisabled());
});

test("a job is cloned with its documents", async () => {
  const id = await submitExample("cdm", (job) => ({ ...job, t_end: 0.25, output: { dt: 0.01, fields: ["q"] } }));
  await finished(id);
  await atJob(id);
  await page.getByRole("link", { name: "Clone and edit" }).click();
  await editorOf(page, "Job").has('"t_end": 0.25');
  assert.match(await editorOf(page, "Job").text(), /"model": "cdm"/);
});

test("two runs are compared: curves on top of each other, robots side by side", async () => {
  const one = await submitExample("cdm", (job) => ({ ...job, t_end: 1 }));
  const two = await submitExample("cdm", (job) => ({ ...job, t_end: 1, inputs: { cable1: 8 } }));
  await finished(one);
  await finished(two);
  await atJob(one, `?with=${two}`);
  await until(page, () => document.querySelectorAll(".stage canvas").length === 2);
  await until(page, (id) => (document.querySelector(".u-legend")?.textContent ?? "").includes(id), two.slice(-4));
  const start = await drawn(({ strong }) => strong > 0.01, "a robot in the picture");
  await page.getByLabel("time", { exact: true }).fill("0.8");
  await drawn((now) => now.hash !== start.hash, "another shape at another time");
  await picture(page, "compare");
  const marks = await page.locator(".chart").first().locator(".u-legend .u-series:not(:first-child)").evaluateAll((all) => all.map((s) => [s.textContent.includes("·") && s.querySelector(".u-label").textContent.slice(-4), getComputedStyle(s.querySelector(".u-marker")).borderTopStyle]));
  assert.deepEqual([...new Set(marks.map(String))].sort(), [[one.slice(-4), "solid"], [two.slice(-4), "dashed"]].map(String).sort());
  const statics = await server.call("POST", "/v1/jobs", { model: "cdm", kind: "statics", inputs: { cable1: [1, 2, 3] } });
  await finished(statics.id);
  await atJob(one, `?with=${two},${statics.id}`);
  await page.waitForSelector(`.problem:has-text("${statics.id.slice(-10)} is not shown beside this job")`);
  await until(page, () => document.querySelectorAll(".stage canvas").length === 2);
  assert.doesNotMatch((await page.locator(".u-legend").allTextContents()).join(), new RegExp(statics.id.slice(-4)));
  assert.equal(await page.getByLabel("time", { exact: true }).getAttribute("max"), "1", "s of the runs, no problems");
});

test("what is odd is shown: in the list, on the job's page, at its line in the editor", async () => {
  const { model } = await server.call("GET", "/v1/examples/cdm"), odd = { ...model, name: "odd", gravity: [0, 0, -9810] };
  await server.call("PUT", "/v1/models/odd", odd);
  const lossy = { model: "odd", kind: "dynamics", t_end: 1, integrator: { method: "euler_implicit", h: 0.05 }, labels: { odd: "yes" } };
  const { id } = await server.call("POST", "/v1/jobs", { ...lossy, on_inconsistency: "fail" }), job = await finished(id);
  assert.equal(job.error.code, "inconsistent", JSON.stringify(job));
  await at("jobs?label=odd:yes");
  const oddRow = page.locator(`tr[data-job="${id}"] .warned:has-text("odd gravity")`);
  await oddRow.waitFor();
  assert.match(await oddRow.textContent(), /⚠ energy error.*, odd gravity/, "what makes the answer false stands first");
  assert.equal(await page.locator(`tr[data-job="${id}"] .warned.grave`).count(), 1, "what makes it false is red, as on its page");
  await atJob(id);
  await page.waitForSelector('.warnings li:has-text("energy error at /integrator: the energy balance misses")');
  await page.waitForSelector('.failure:has-text("inconsistent")');
  await page.waitForSelector(".stage canvas"); // what it computed is kept
  await page.waitForSelector('.facts:has-text("exchanged")');
  await picture(page, "warnings");
  await at("models/odd");
  await page.waitForSelector('.warnings li:has-text("odd gravity at line")');
  assert.equal(await page.locator(".problem").count(), 0);
  await editorOf(page, "Document").fill(JSON.stringify({ ...odd, gravity: [0, 0, -9.81] }, null, 2));
  await page.locator('button:has-text("Check")').click();
  await page.waitForSelector('[role=status]:has-text("The document is valid.")');
  assert.equal(await page.locator(".warnings").count(), 0);
  await editorOf(page, "Document").fill(JSON.stringify({ ...odd, gravity: [0, -9810, 0] }, null, 2));
  await page.locator('button:has-text("Check")').click();
  await page.waitForSelector('.warnings li:has-text("/gravity")');
  await at("submit?example=cdm");
  await editorOf(page, "Model").has("cdm"); // the example is there: it fills no more
  await editorOf(page, "Model").fill(JSON.stringify(odd));
  await page.locator('button:has-text("Check the model")').click();
  await page.waitForSelector('.warnings li:has-text("odd gravity at line 1")');
});

test("charts of a run stand over each other with one cursor, and a line in each where the replay is", async () => {
  const id = await submitExample("cdm", (job) => ({ ...job, t_end: 2, output: { dt: 0.01, fields: ["q", "u", "energy"] } })), other = await submitExample("cdm", (job) => ({ ...job, t_end: 0.05 }));
  await finished(id);
  await finished(other);
  await atJob(id);
  await page.waitForSelector(".stage canvas[data-time]");
  await eventually(() => page.locator(".chart .playhead").count(), (n) => n === 3, "a line in each of three charts");
  assert.deepEqual(await page.locator(".chart").evaluateAll((all) => all.map((c) => c.dataset.field)), ["tip:tip:arm", "u", "q"]);
  const shown = () => page.locator(".playhead").evaluateAll((all) => all.map((e) => Number(e.dataset.x))), slider = page.getByLabel("time", { exact: true });
  const opened = Number(await slider.inputValue());
  assert.ok(opened > 0, "it opens where the tip is farthest from where it began");
  await eventually(shown, (xs) => xs.every((x) => Math.abs(x - opened) < 1e-9), "all lines at the time that is shown");
  await slider.fill("1.25");
  await eventually(shown, (xs) => xs.every((x) => x === 1.25), "all lines follow");
  await eventually(() => page.locator(".chart.last .u-legend .u-series").first().textContent(), (text) => text.includes("1.25"), "the legend has the values there");
  const lefts = await page.locator(".chart .u-over").evaluateAll((all) => all.map((e) => Math.round(e.getBoundingClientRect().left)));
  assert.equal(new Set(lefts).size, 1, `${lefts}: their axes begin at one place`);
  const box = await page.locator(".chart .u-over").first().boundingBox();
  await page.mouse.move(box.x + box.width / 4, box.y + 20);
  await eventually(() => page.locator(".chart .u-cursor-x").evaluateAll((all) => all.map((e) => e.style.transform.match(/[\d.]+/)?.[0])), (xs) => xs.length === 3 && new Set(xs).size === 1 && xs[0] > 10, "a cursor in each");
  await page.mouse.click(box.x + box.width / 4, box.y + 20);
  await eventually(async () => Number(await slider.inputValue()), (t) => Math.abs(t - 0.5) < 0.02, "the robot goes where one clicks");
  await page.getByRole("button", { name: "Add a chart" }).click();
  await eventually(() => page.locator(".chart .playhead").count(), (n) => n === 4, "one more");
  await page.getByRole("button", { name: "remove the chart of u" }).click();
  await eventually(() => page.locator(".chart").count(), (n) => n === 3, "one less");
  await page.locator(".compare summary").click();
  await page.getByLabel("search runs").fill("no-such-run");
  await page.waitForSelector(".offer:has-text('No run fits that.')");
  await page.getByLabel("search runs").fill("");
  await page.waitForSelector(".offer section:first-of-type h3:has-text('the same model')");
  await page.locator(".offer section").first().locator(`li:has-text("${other.slice(-10)}")`).click();
  await until(page, () => document.querySelectorAll(".stage canvas").length === 2);
});

test("an editor colours, numbers lines, completes from the schema and marks keys that nobody knows; the shape follows what is typed", async () => {
  await at("models/cdm");
  const text = editorOf(page, "Document");
  await text.has('"length": 0.5');
  assert.ok((await page.locator(".cm-lineNumbers .cm-gutterElement").count()) > 20);
  const colours = await page.locator(".cm-line span").evaluateAll((all) => [...new Set(all.map((e) => getComputedStyle(e).color))]);
  assert.ok(colours.length >= 3, `${colours}`);
  const before = await drawn(({ strong }) => strong > 0.01, "a robot");
  await text.change('"length": 0.5', '"length": 0.2');
  await page.waitForSelector("h2:has-text('Shape, as edited')");
  await drawn((now) => now.hash !== before.hash, "a shorter arm, before anything is saved");
  await page.waitForSelector("[role=status]:has-text('Not saved; it could be.')");
  await text.change('"length": 0.2', '"lenght": 0.2');
  await page.waitForSelector(".editor .problem:has-text('is “length” meant?'), .editor .problem:has-text('did you mean')");
  assert.equal(await page.locator(".editor .problem > div:has-text('lenght')").count(), 1, "one message per error");
  await page.locator(".cm-lintRange-error, .cm-lint-marker-error").first().waitFor();
  await text.fill('{"format": "tendril.model/1", "links": [{"name": "a", "joint": {"type": "revolute", ');
  await page.keyboard.press("Control+Space");
  await page.locator(".cm-tooltip-autocomplete li:has-text('\"stiffness\"')").waitFor();
  await page.keyboard.type("damp");
  await eventually(() => page.locator(".cm-tooltip-autocomplete li[aria-selected]").allTextContents(), (all) => all.length === 1 && all[0].startsWith('"damping"'), "the key that is meant");
  await page.waitForTimeout(100); // CodeMirror takes no answer to a list that has just come
  await page.keyboard.press("Enter");
  await text.has('"type": "revolute", "damping": ');
});

test("a path of equilibria has its load curve; a click into it shows the robot there", async () => {
  const id = await submitExample("snap-gripper");
  assert.equal((await finished(id)).state, "succeeded");
  await atJob(id);
  await page.waitForSelector(".loadcurve .stable");
  assert.deepEqual([await page.locator(".loadcurve circle.limit").count(), await page.locator(".loadcurve .branch").count()], [2, 2]);
  assert.ok(await page.locator(".loadcurve .unstable").count() >= 1);
  assert.match(await page.locator(".loadcurve figcaption").textContent(), /push over z of strip at s = 0.5/);
  await page.waitForSelector(".stage canvas[data-time]");
  const [x, y] = (await page.locator(".loadcurve .stable").first().getAttribute("points")).split(" ")[0].split(",").map(Number);
  const box = await page.locator(".loadcurve svg").boundingBox();
  await page.mouse.click(box.x + (x / 640) * box.width, box.y + (y / 300) * box.height);
  await until(page, () => document.querySelector(".stage canvas").dataset.time === "0");
  await picture(page, "loadcurve");
});

test("contacts that begin are lines on the curves, and an inconsistent run is told apart from what is odd", async () => {
  const id = await submitExample("contact", (job) => ({ ...job, t_end: 1, output: { dt: 0.01, fields: ["q", "energy"] } }));
  await finished(id);
  await atJob(id);
  await page.waitForSelector('.marks:has-text("contact begins")');
  const { model } = await server.call("GET", "/v1/examples/cdm");
  const lossy = await server.call("POST", "/v1/jobs", { model, kind: "dynamics", t_end: 1, integrator: { method: "euler_implicit", h: 0.05 } });
  await finished(lossy.id);
  await atJob(lossy.id);
  await page.waitForSelector('.warnings .grave:has-text("Not to be trusted: energy error")');
});

test("colours of tensions that a result does not have are not shown, and it is said why", async () => {
  const id = await submitExample("cdm", (job) => ({ ...job, t_end: 0.1, output: { dt: 0.05, fields: ["q"] } }));
  await finished(id);
  await atJob(id);
  await page.getByLabel("colour").selectOption("tension");
  await page.waitForSelector(".options:has-text('no field u')");
  assert.equal(await page.locator(".scale").count(), 0);
  await page.getByLabel("colour").selectOption("curvature");
  await page.waitForSelector(".scale");
});

test("each job of a sweep is drawn with its own model, one after the other, in the order of the sweep", async () => {
  const { model } = await server.call("GET", "/v1/examples/cdm");
  model.links[0].body.length = 0.1;
  await server.call("PUT", "/v1/models/short", { ...model, name: "short" });
  const base = { model: "short", kind: "statics", inputs: { cable1: 1 } };
  const { id } = await server.call("POST", "/v1/jobs", { kind: "sweep", base, vary: [{ path: "/model/links/0/body/length", values: [0.1, 0.5] }] });
  await finished(id);
  await atJob(id);
  const slider = page.getByLabel("time", { exact: true }), said = () => page.locator(".transport output").textContent();
  await page.waitForSelector(".stage canvas[data-time]");
  assert.match(await said(), /problem 1: body\/length = 0.5/, "it opens where most has happened");
  await page.locator(".player").focus();
  await page.keyboard.press("Home");
  const short = await drawn(({ strong }) => strong > 0.0005, "a short robot");
  assert.match(await said(), /problem 0: body\/length = 0.1/);
  assert.equal(await page.locator(".over").textContent(), "Varied: body/length: 0.1, 0.5. ");
  await page.waitForSelector(".u-legend:has-text('body/length')"); // curves stand over what was varied
  const coordinates = page.locator('.chart[data-field="q"]');
  await coordinates.locator(".shown:has-text('those that move most')").waitFor();
  await coordinates.getByRole("button", { name: "show all 24" }).click();
  await eventually(() => coordinates.locator(".u-legend .u-series").count(), (n) => n === 25, "all coordinates");
  const cut = await coordinates.locator(".u-legend").evaluate((l) => [...l.querySelectorAll(".u-series")].filter((e) => { const from = e.getBoundingClientRect().top - l.getBoundingClientRect().top, to = from + e.offsetHeight; return from < l.clientHeight - 1 && to > l.clientHeight + 1; }).length);
  assert.equal(cut, 0, "no line of the legend is cut through");
  assert.equal(await coordinates.locator(".shown").count(), 0);
  await page.locator(".player").focus();
  await page.keyboard.press("ArrowRight");
  await drawn(({ strong }) => strong > 3 * short.strong, "a robot five times as long");
  assert.match(await said(), /problem 1: body\/length = 0.5/);
  assert.equal(await page.locator(".stage canvas").getAttribute("data-time"), "1");
  assert.deepEqual(await slider.evaluate((e) => [e.min, e.max, e.step]), ["0", "1", "1"]);
  await picture(page, "sweep_long");
  await page.keyboard.press("Home");
  await drawn(({ strong }) => Math.abs(strong - short.strong) < 0.1 * short.strong, "the short robot again"); // the player's frame may differ
  await picture(page, "sweep_short");
});

test("problems in which two inputs change are a workspace: every tip a dot with the colour of the second input, which can be taken away", async () => {
  const { model } = await server.call("GET", "/v1/examples/cdm");
  const inputs = { cable1: Array.from({ length: 16 }, (_, i) => 4 * (i >> 2)), cable2: Array.from({ length: 16 }, (_, i) => 4 * (i & 3)) };
  const { id } = await server.call("POST", "/v1/jobs", { kind: "statics", model, inputs });
  assert.equal((await finished(id)).state, "succeeded");
  await atJob(id);
  await page.waitForSelector(".stage canvas[data-time]");
  assert.match(await page.locator(".scale.tips").textContent(), /cable2.*0.*12/);
  const whole = await page.locator(".stage canvas").screenshot();
  await page.getByRole("button", { name: "zoom to tips" }).click();
  await eventually(async () => Buffer.compare(await page.locator(".stage canvas").screenshot(), whole), (n) => n !== 0, "the dots alone fill the picture");
  await picture(page, "workspace_near");
  await page.getByRole("button", { name: "whole robot" }).click();
  const dotted = await drawn(({ strong }) => strong > 0.001, "robot and dots");
  await picture(page, "workspace");
  await page.getByLabel("tips", { exact: true }).uncheck();
  await drawn(({ hash }) => hash !== dotted.hash, "no dots");
  assert.equal(await page.locator(".scale.tips").count(), 0);
});

test("a sweep over two numbers has a chart for each of x, y, z of its tip, lines coloured by the second number, a scale instead of a list", async () => {
  const { model } = await server.call("GET", "/v1/examples/cdm"), values = [0, 2, 4, 6, 8];
  const { id } = await server.call("POST", "/v1/jobs", { kind: "sweep", base: { kind: "statics", model, inputs: { cable1: 0, cable2: 0 }, output: { fields: ["poses:arm@1"] } },
    vary: ["cable1", "cable2"].map((name) => ({ path: `/job/inputs/${name}`, values })) });
  assert.equal((await finished(id)).state, "succeeded");
  await atJob(id);
  await eventually(() => page.locator(".chart .uplot canvas").count(), (n) => n === 3, "x, y, z");
  const charts = page.locator(".chart");
  assert.deepEqual(await charts.evaluateAll((all) => all.map((c) => [c.dataset.field, c.querySelector(".scale.lines").textContent, c.querySelector(".columns summary").textContent])),
    [0, 1, 2].map(() => ["poses:arm@1", "cable2 (N)08", "1 of 3 curves"]));
  assert.equal(await charts.locator(".u-legend").count(), 0);
  await picture(page, "sweep_grid");
});

test("what bodies touch with is seen when it is asked for, where it differs from what is drawn", async () => {
  const body = (collision) => ({ type: "rigid", mass: 1, com: [0, 0, 0], inertia: [1e-3, 1e-3, 1e-3], collision });
  const shapes = [{ shape: "sphere", radius: 0.1 }, { shape: "capsule", radius: 0.05, length: 0.2 }, { shape: "box", size: [0.2, 0.1, 0.1], rounding: 0.02 }, { shape: "mesh", points: [[0, 0, 0], [0.2, 0, 0], [0, 0.2, 0], [0, 0, 0.2]] }];
  const links = shapes.map((s, i) => ({ name: `b${i}`, joint: { type: "revolute", axis: "y" }, pose: { translation: [0.4 * i, 0, 0] }, body: body(s), view: [{ type: "box", size: [0.02, 0.02, 0.02] }] }));
  const { id } = await server.call("POST", "/v1/jobs", { kind: "dynamics", t_end: 0.02, model: { format: "tendril.model/1", name: "balls", links }, output: { dt: 0.01, fields: ["q"] } });
  assert.equal((await finished(id)).state, "succeeded");
  await atJob(id);
  await page.waitForSelector(".stage canvas[data-time]");
  const { strong } = await drawn(() => true);
  await page.getByLabel("collision", { exact: true }).check();
  await drawn((now) => now.strong > strong + 0.01, "orange shapes");
  await picture(page, "collision");
});

test("a rod thinner than a pixel is seen, and the picture says that it is drawn thicker", async () => {
  const wire = (radius) => ({ format: "tendril.model/1", name: "wire", links: [{ name: "wire", joint: { type: "fixed" }, body: {
    type: "rod", length: 1, section: { shape: "circle", radius }, material: { young: 2e11, poisson: 0.3, density: 7800 },
    strain: { basis: "legendre", order: { bending_y: 2 } } } }] });
  for (const [radius, notes] of [[2e-5, 1], [0.02, 0]]) {
    const { id } = await server.call("POST", "/v1/jobs", { model: wire(radius), kind: "statics" });
    await finished(id);
    await atJob(id);
    await page.waitForSelector(".stage canvas[data-time]");
    await drawn(({ strong }) => strong > 0.001, `a rod of radius ${radius}`);
    assert.equal(await page.locator(".stage .note").count(), notes);
    await picture(page, `wire_${notes}`);
  }
});

test("a sweep of runs that end at other times counts its jobs; one that failed has no shape", async () => {
  const base = { model: "cdm", kind: "dynamics", t_end: 1, inputs: { cable1: 5 }, output: { dt: 0.05, fields: ["q"] } };
  const { id } = await server.call("POST", "/v1/jobs", { kind: "sweep", base: { ...base, integrator: { method: "bdf" } },
    vary: [{ path: "/job/t_end", values: [0.4, 0.1, 0.3] }, { path: "/job/integrator", values: [{ method: "bdf" }, { method: "rk4", h: 0.05 }] }], mode: "grid" });
  await finished(id);
  await atJob(id);
  const slider = page.getByLabel("time", { exact: true });
  await page.waitForSelector(".chart.last .u-legend:has-text('t_end (s)')");
  assert.deepEqual(await slider.evaluate((e) => [e.min, e.max, e.step]), ["0", "5", "1"]);
  await slider.fill("0");
  const first = await drawn(({ strong }) => strong > 0.01, "a robot in the picture"), shapes = new Set();
  for (const [i, end] of [0.4, 0.1, 0.3].entries()) {
    await slider.fill(String(2 * i));
    await page.waitForSelector(`.transport output:has-text("problem ${2 * i}: t_end = ${end}, ")`);
    shapes.add((await drawn(({ hash }) => !shapes.has(hash), "another shape")).hash);
  }
  assert.ok(shapes.has(first.hash));
  await slider.fill("1");
  await page.waitForSelector(".transport output:has-text('(failed)')");
  await drawn(({ strong }) => strong < 0.001, "no robot");
  assert.equal(await page.locator("text=Nothing moves").count(), 0);
  await picture(page, "sweep_times");
  const [, shown, all] = /^Events \((\d+) of (\d+); earlier progress not shown\)$/.exec(await page.locator("h2", { hasText: "Events" }).textContent());
  assert.equal(await page.locator(".events li").count(), Number(shown));
  assert.ok(Number(all) > Number(shown), `${shown} of ${all}`);
});

test("a sweep is one row that opens to its jobs", async () => {
  const { job } = await server.call("GET", "/v1/examples/cdm");
  const base = { ...job, t_end: 0.05, output: { dt: 0.05, fields: ["q"] } };
  await server.call("POST", "/v1/jobs", { kind: "sweep", base, vary: [{ path: "/job/inputs/cable1/amplitude", values: [1, 2, 3] }], labels: { sweep: "s" } });
  await at("jobs");
  await page.getByRole("button", { name: /jobs of sweep/ }).first().click();
  await until(page, () => document.querySelectorAll("tr.child[data-job]").length === 3);
  const children = await page.locator("tr.child[data-job]").evaluateAll((rows) => rows.map((r) => r.dataset.job));
  const rows = await page.locator("tr[data-job]:not(.child)").evaluateAll((all) => all.map((r) => r.dataset.job));
  assert.deepEqual(children.filter((id) => rows.includes(id)), [], "its jobs have no rows of their own");
  await page.waitForSelector(".varied");
  assert.deepEqual(await page.locator("tr.child .varied").allTextContents(), [3, 2, 1].map((a) => `${a - 1}: cable1/amplitude = ${a}`));
  await at(`jobs/${children[0]}`);
  await page.waitForSelector(".facts:has-text('cable1/amplitude = 3')");
});

test("a model is stored, checked, revised, and takes the static shape of its tensions", async () => {
  const { revision } = await server.call("GET", "/v1/models/cdm");
  await at("models");
  await page.getByRole("link", { name: "cdm", exact: true }).click();
  await until(page, () => document.querySelector(".stage canvas")?.width > 300);
  const before = await drawn(({ strong }) => strong > 0.01 && strong < 0.5, "a robot in the picture");
  await page.locator("summary", { hasText: "Coordinates" }).click();
  const slider = (name) => page.locator(".slider", { hasText: name });
  await slider("cable1").locator("input[type=range]").fill("20"); // the shape follows
  await eventually(() => slider("arm.bending_y[0]").locator("input[type=number]").inputValue(), (q) => Math.abs(Number(q)) > 0.01, "an arm that tension bends");
  await page.locator("summary", { hasText: "Coordinates" }).click();
  assert.equal(await page.locator(".problem").count(), 0);
  await drawn((now) => now.hash !== before.hash, "an arm that tension bends");
  await picture(page, "model");
  await slider("cable1").locator("input[type=number]").fill("1e7");
  await slider("cable1").locator("input[type=number]").press("Enter");
  await page.waitForSelector(".problem strong:text-is('no equilibrium')");
  const text = editorOf(page, "Document"), save = page.getByRole("button", { name: "Save as a new revision" });
  assert.ok(await save.isDisabled(), "nothing has changed");
  await text.change('"young": 1000000', '"young":   1.0e6');
  assert.ok(await save.isDisabled(), "nothing has changed but its words");
  await text.change("1.0e6", "1200000");
  await page.getByRole("button", { name: "Save as a new revision" }).click();
  await page.waitForSelector(`text=Revision ${revision + 1}.`);
  assert.equal((await server.call("GET", "/v1/models/cdm")).revision, revision + 1);
  await text.change("1200000", "-1");
  await page.getByRole("button", { name: "Check" }).click();
  await page.waitForSelector(".editor .problem");
  assert.match(await page.locator(".editor .problem").textContent(), /material\/young/);
  await at(`models/cdm?revision=${revision}`);
  await page.waitForSelector(`h1:has-text("revision ${revision},")`);
  await until(page, () => [...document.querySelectorAll("button")].some((b) => b.textContent.startsWith("Save as") && !b.disabled));
  await page.getByRole("button", { name: "Save as a new revision" }).click();
  await page.waitForSelector(`h1:has-text("revision ${revision + 2},")`);
  assert.deepEqual((await server.call("GET", "/v1/models/cdm")).document, (await server.call("GET", `/v1/models/cdm/revisions/${revision}`)).document);
});

test("a model that is stored in other words is not stored again by a job that uses it", async () => {
  const { model } = await server.call("GET", "/v1/examples/cdm"), turned = Object.fromEntries(Object.entries(model).reverse());
  const { revision } = await server.call("PUT", "/v1/models/cdm", turned);
  await at("submit?example=cdm");
  const job = editorOf(page, "Job");
  await job.has("cable4");
  await job.change('"t_end": 10', '"t_end": 0.05');
  await page.getByRole("button", { name: "Submit" }).click();
  await page.waitForURL(/#\/jobs\/\w+/);
  await page.waitForSelector(`h1:has-text("cdm@${revision}")`);
  assert.equal((await server.call("GET", "/v1/models/cdm")).revision, revision);
});

test("a job that another tab deletes while it is looked at, and one that never was, are said to be missing", async () => {
  const id = await submitExample("cdm", (job) => ({ ...job, t_end: 0.05 }));
  await finished(id);
  await atJob(id);
  await page.waitForSelector("h1 ~ .state.succeeded");
  await server.call("DELETE", `/v1/jobs/${id}`);
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange"))); // back from the other tab
  await page.waitForSelector(".problem:has-text('not found')");
  await at("jobs/01aaaaaaaaaaaaaaaaaaaaaaaa");
  await page.waitForSelector("h1:has-text('aaaaaaaaaa') ~ .problem:has-text('not found')");
});

test("a result that is not ready is said to be that, and comes when it is", async () => {
  const shown = await submitExample("cdm", (job) => ({ ...job, t_end: 0.2 }));
  await finished(shown);
  const blocker = await submitExample("cdm", long), other = await submitExample("cdm", (job) => ({ ...job, t_end: 0.2 }));
  await atJob(shown, `?with=${other}`);
  await page.waitForSelector(".problem:has-text('not ready')");
  await server.call("POST", `/v1/jobs/${blocker}:cancel`);
  await until(page, () => document.querySelectorAll(".stage canvas").length === 2);
  assert.equal(await page.locator(".problem").count(), 0);
});

test("a result of 50 MB is looked at without being loaded", async () => {
  const id = await submitExample("cdm", (job) => ({ ...job, t_end: 2, output: { dt: 0.00004, fields: ["q", "poses:arm"] } }));
  await finished(id);
  let travelled = 0;
  const count = async (reply) => { if (reply.url().includes("/result")) travelled += Number(reply.headers()["content-length"] ?? 0); };
  page.on("response", count);
  await atJob(id);
  await page.waitForSelector(".uplot canvas");
  await until(page, () => document.querySelector(".stage canvas")?.width > 300);
  page.off("response", count);
  const text = await page.locator(".facts", { hasText: "result" }).first().textContent(), size = Number(/result([\d.]+) MB/.exec(text)[1]);
  assert.ok(size > 50, text);
  assert.ok(travelled > 0 && travelled < 0.3 * size * 1e6, `${travelled} of ${size} MB`);
});

test("an address that changes while the page starts is followed, and one that encodes nothing is no accident", async () => {
  const tab = await openPage(browser, "about:blank");
  await tab.addInitScript(() => new MutationObserver((_, watch) => {
    if (!document.querySelector("#app > *")) return;
    watch.disconnect();
    location.hash = "#/server";
  }).observe(document, { childList: true, subtree: true }));
  await tab.goto(server.url);
  await tab.waitForSelector("h1:has-text('Server')");
  await tab.goto(`${server.url}/#/models/50%`);
  await tab.waitForSelector("main:has-text('50%')");
  assert.deepEqual(tab.troubles.filter((t) => t.startsWith("error")), []);
  await tab.close();
});

test("a server that wants a token gets the one that was entered; a wrong one and a weak one are said to be that", async () => {
  const first = await startServer(), { folder } = first;
  await first.stop(true);
  const weak = createToken(folder, "looker", "read"), strong = createToken(folder, "runner", "run");
  const guarded = await startServer({ folder }), tab = await openPage(browser, guarded.url);
  await tab.goto(`${guarded.url}/#/submit?example=cdm`);
  const enter = async (token) => {
    await tab.locator("form.token input").fill(token);
    await tab.getByRole("button", { name: /Use until/ }).click();
  };
  try {
    await tab.waitForSelector(".banner:has-text('wants a token')");
    await enter("tendril_wrong");
    await tab.waitForSelector(".banner:has-text('does not accept')");
    await enter(weak);
    await editorOf(tab, "Job").has("cable4");
    assert.equal(await tab.locator("form.token, .banner").count(), 0);
    await editorOf(tab, "Job").change('"t_end": 10', '"t_end": 0.25');
    await tab.getByRole("button", { name: "Submit" }).click();
    await tab.waitForSelector(".problem:has-text('permission denied')");
    await tab.getByRole("button", { name: "Token" }).click();
    await enter(strong);
    assert.match(await editorOf(tab, "Job").text(), /"t_end": 0.25/, "what was typed is still there");
    await tab.getByRole("button", { name: "Submit" }).click();
    await tab.waitForSelector("h1 ~ .state.succeeded");
    await tab.waitForSelector(".stage canvas[data-time]");
    await tab.goto(`${guarded.url}/#/server`);
    const [metrics] = await Promise.all([tab.waitForEvent("download"), tab.getByRole("button", { name: "metrics" }).click()]);
    assert.match(readFileSync(await metrics.path(), "utf8"), /^# EOF\n$/m, "what a link cannot ask for with a token");
    assert.deepEqual(tab.troubles, []);
  } finally {
    await tab.close();
    await guarded.stop();
  }
});

test("the page of somebody else's job leads to the model that the job was made with, not to one's own of its name", async () => {
  const first = await startServer(), { folder } = first;
  await first.stop(true);
  const tokens = { ann: createToken(folder, "ann", "run"), root: createToken(folder, "root", "admin") };
  const guarded = await startServer({ folder }), tab = await openPage(browser, guarded.url);
  const ask = async (who, method, path, body) => (await fetch(guarded.url + path, { method, body: body && JSON.stringify(body),
    headers: { "Content-Type": "application/json", Authorization: `Bearer ${tokens[who]}` } })).json();
  try {
    const { model, job } = await ask("ann", "GET", "/v1/examples/cdm");
    for (const who of ["ann", "root"]) await ask(who, "PUT", "/v1/models/cdm", { ...model, description: `that of ${who}` });
    const { id } = await ask("ann", "POST", "/v1/jobs", { ...job, t_end: 0.05, model: "cdm" });
    await tab.goto(`${guarded.url}/#/jobs/${id}`);
    await tab.waitForSelector(".banner:has-text('wants a token')");
    await tab.locator("form.token input").fill(tokens.root);
    await tab.getByRole("button", { name: /Use until/ }).click();
    await tab.locator(".facts a", { hasText: "cdm@1" }).click();
    await tab.waitForSelector("h1:has-text('of ann')");
    await tab.waitForSelector("p:has-text('that of ann')");
    await tab.locator("a.button", { hasText: "New job" }).click();
    await editorOf(tab, "Model").has("that of ann");
    assert.deepEqual(tab.troubles, []);
  } finally {
    await tab.close();
    await guarded.stop();
  }
});

test("the server's page says what its workers, its queue and its store do", async () => {
  const id = await submitExample("cdm", long);
  await at("server");
  const fact = (panel, name) => page.locator(".panel", { has: page.locator(`h2:text-is("${panel}")`) }).locator(".facts > div", { hasText: name }).locator("dd").first().textContent();
  await page.waitForSelector("text=1 of 1 busy");
  assert.equal(await fact("Queue", "running"), "1");
  assert.ok(Number(await fact("Queue", "succeeded")) > 0);
  assert.match(await fact("Store", "results"), /^[\d.]+ [kMG]?B$/);
  assert.ok(Number(await fact("Process", "HTTP requests")) > 0);
  await eventually(() => page.locator(".over-time canvas").count(), (n) => n === 3, "queue, throughput, load over time");
  await picture(page, "server");
  await server.call("POST", `/v1/jobs/${id}:cancel`);
  await page.waitForSelector("text=0 of 1 busy");
});

test("the page of documents without scripts is no wider than a phone and says where to begin", async () => {
  const before = page.viewportSize();
  await page.setViewportSize({ width: 400, height: 800 });
  await page.goto(`${server.url}/docs`);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 400);
  const dead = await page.locator("a[href^='#']").evaluateAll((all) => all.filter((a) => !document.getElementById(decodeURIComponent(a.getAttribute("href").slice(1)))).map((a) => a.getAttribute("href")));
  assert.deepEqual(dead, []);
  assert.match(await page.locator("h1").first().textContent(), /Where to begin/);
  await page.setViewportSize(before);
});

test("#/docs shows what the documents say, and their links lead to each other", async () => {
  await page.goto(`${server.url}/#/docs`);
  await page.waitForSelector(".docs article h1:has-text('Where to begin')");
  await picture(page, "docs_begin");
  assert.deepEqual(await page.locator(".docs > nav a").evaluateAll((all) => all.map((a) => a.getAttribute("href")).filter((h) => !h.startsWith("#/docs/"))), [], "none leads out of the dashboard");
  for (const title of ["The model document", "The job document"]) {
    await page.locator(".docs > nav a", { hasText: title }).click();
    await page.waitForSelector(`.docs article h1:has-text('${title}')`);
  }
  await page.locator(".docs article a", { hasText: "dynamics" }).first().click();
  await until(page, () => /job\?at=dynamics/.test(location.hash));
  await at("docs/quantities");
  await page.waitForSelector(".docs article h1:has-text('What evaluate gives')");
  await page.waitForSelector(".docs td#dfd_dq");
  const { quantities } = JSON.parse(readFileSync(new URL("../../api/kinds.json", import.meta.url), "utf8"));
  for (const { name } of quantities) assert.equal(await page.locator(`.docs td[id="${name}"]`).count(), 1, name);
  await picture(page, "docs");
  await at("docs/import");
  await page.locator(".docs article a", { hasText: "quantities.md" }).first().click();
  await page.waitForSelector(".docs article h1:has-text('What evaluate gives')");
  await at("docs/quantities?at=dfd_dq");
  await until(page, () => Math.abs(document.querySelector("td#dfd_dq").getBoundingClientRect().top - 64) < 100);
  const names = await page.locator(".docs > nav > ul > li > a[href^='#/docs/']").evaluateAll((all) => all.map((a) => a.getAttribute("href").split("/").pop()));
  for (const name of names) {
    await at(`docs/${name}`);
    await page.waitForSelector(`.docs nav a[aria-current][href$="/${name}"]`);
    const dead = await page.locator(".docs article a[href^='#']").evaluateAll((all) => all.map((a) => a.getAttribute("href")).filter((h) => !/^#\/docs\/[a-z]+(\?at=.+)?$/.test(h)));
    assert.deepEqual(dead, []);
  }
  await page.getByLabel("search the documents").fill("mass matrix");
  await page.waitForSelector('.docs .hits a[href^="#/docs/quantities"]');
  await page.waitForSelector('.docs .hits a[href^="#/docs/job"], .docs .hits a[href^="#/docs/model"]');
  await picture(page, "docs_search");
  await page.locator(".docs .hits a[href^='#/docs/quantities']").first().click();
  await page.waitForSelector(".docs article h1:has-text('What evaluate gives')");
  assert.deepEqual(page.troubles, []);
});

test("a server that goes away is missed and found again", async () => {
  const id = await submitExample("cdm", (job) => ({ ...job, t_end: 0.1 })), port = Number(new URL(server.url).port), folder = server.folder;
  await finished(id);
  await atJob(id, "?with=" + id);
  await page.waitForSelector(".uplot canvas");
  await server.stop(true);
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange"))); // whatever waits asks now
  await page.waitForSelector(".banner");
  await page.locator("details", { hasText: "Documents" }).last().locator("summary").click();
  await page.locator("select[name=field]").first().selectOption("q").catch(() => undefined);
  await new Promise((r) => setTimeout(r, 500));
  assert.deepEqual(await page.locator("text=does not answer").allTextContents(), ["The server does not answer. Trying again…"]);
  assert.equal(await page.locator(".problem").count(), 0, "once is enough");
  server = await startServer({ port, folder });
  await page.waitForSelector(".banner", { state: "detached" });
});

test("a fit shows its parameters with what they are worth, the way to them, and the measured beside the fitted; a gradient its derivatives", async () => {
  const arm = (young, viscosity) => ({ format: "tendril.model/1", name: "arm", gravity: [0, 0, -9.81], links: [{ name: "arm", joint: { type: "fixed" }, body: { type: "rod", length: 0.3,
    section: { shape: "circle", radius: 0.01 }, material: { young, poisson: 0.45, density: 1070, viscosity }, strain: { basis: "legendre", order: { bending_y: 3 } } } }] });
  const job = { kind: "dynamics", t_end: 0.6, integrator: { method: "generalized_alpha", h: 0.004 } }, tip = "poses:arm@1", select = [[0, 3], [2, 3]];
  const { id: run } = await server.call("POST", "/v1/jobs", { ...job, model: arm(4e5, 3000), output: { dt: 0.04, fields: [tip] } });
  await finished(run);
  const { arrays } = await server.call("GET", `/v1/jobs/${run}/result`);
  const value = arrays[tip].slice(1).map((pose, i) => select.map(([r, c]) => pose[r][c] + 1e-3 * Math.sin(37 * i + 5 * r))); // noise
  const place = (name) => `/model/links/0/body/material/${name}`;
  const { id } = await server.call("POST", "/v1/jobs", { kind: "fit", model: arm(9e5, 8000), of: [{ job, data: [{ field: tip, select, t: arrays.t.slice(1), value, sigma: 1e-3 }] }],
    parameters: [{ path: place("young"), name: "stiffness", lower: 1e4, upper: 1e7, scale: "log" }, { path: place("viscosity"), lower: 10, upper: 1e6, scale: "log" }] });
  assert.equal((await finished(id)).state, "succeeded");
  await atJob(id);
  await page.waitForSelector(".found tbody tr:nth-child(2)");
  const [name, fitted] = await page.locator(".found tbody tr").first().locator("td").allTextContents();
  assert.equal(name, "stiffness");
  assert.ok(Math.abs(Number(fitted) / 4e5 - 1) < 0.05, fitted);
  await eventually(() => page.locator(".uplot canvas").count(), (n) => n === 3, "measured and fitted, the cost, the parameters");
  await eventually(() => page.locator(".u-legend").allTextContents(), (all) => all.some((text) => text.includes("measured") && text.includes("at first")), "dots and lines");
  assert.equal(await page.locator(".correlation tbody td").first().textContent(), "1.00");
  await picture(page, "fit");
  const gradient = await server.call("POST", "/v1/jobs", { kind: "gradient", of: { ...job, model: arm(4e5, 3000), output: { dt: 0.04, fields: ["q", tip] } },
    parameters: [place("young")], objective: [{ field: tip, select, target: [0.1, -0.2] }] });
  await finished(gradient.id);
  await atJob(gradient.id);
  const sum = await server.call("GET", `/v1/jobs/${gradient.id}/result`);
  await page.waitForSelector(`tr:has-text("${place("young")}")`);
  const shown = Number(await page.locator(`tr:has-text("${place("young")}") td`).last().textContent());
  assert.ok(Math.abs(shown / sum.arrays.gradient[0] - 1) < 1e-2, `${shown}`);
  await page.waitForSelector(".stage canvas");
  await picture(page, "gradient");
});

test("a design shows what it chose, what that is worth, and the robot with it", async () => {
  const { model } = await server.call("GET", "/v1/examples/cdm"), tip = "poses:arm@1";
  const { id } = await server.call("POST", "/v1/jobs", { kind: "design", of: { model, kind: "statics", inputs: { cable1: 2, cable2: 2 } },
    parameters: ["cable1", "cable2"].map((name) => ({ path: `/job/inputs/${name}`, lower: 0, upper: 15 })), objective: [{ field: tip, select: [[0, 3], [1, 3]], target: [0.1, 0.05] }] });
  assert.equal((await finished(id)).state, "succeeded");
  await atJob(id);
  const { summary } = await server.call("GET", `/v1/jobs/${id}/result`);
  await page.waitForSelector(".found tbody tr:nth-child(2)");
  const cells = await page.locator(".found tbody tr").first().locator("td").allTextContents();
  assert.equal(cells[0], "inputs/cable1");
  assert.ok(Math.abs(parseFloat(cells[1]) / summary.design.parameters[0].value - 1) < 1e-2, cells[1]);
  await page.waitForSelector(".stage canvas");
  await eventually(() => page.locator(".uplot canvas").count(), (n) => n === 4, "tip and coordinates of the job, the objective, the numbers");
  await picture(page, "design");
  const long = await server.call("POST", "/v1/jobs", { kind: "design", of: { model, kind: "statics" }, parameters: [{ path: "/model/links/0/body/length", lower: 0.3, upper: 1 }],
    objective: [{ field: tip, select: [[2, 3]], target: [-0.8] }] });
  assert.equal((await finished(long.id)).state, "succeeded");
  await atJob(long.id);
  await page.waitForSelector(".stage canvas");
  await picture(page, "design_long");
});

const LOOKS = [["light", 1400, 1000], ["dark", 1400, 1000], ["light", 360, 780], ["dark", 360, 780]];

test("every page in both colours, wide and on a telephone: nothing overlaps, reaches out, or is too pale, with names of 63 characters too", async () => {
  const { model } = await server.call("GET", "/v1/examples/cdm"), name = `A${"x".repeat(62)}`;
  await server.call("PUT", `/v1/models/${name}`, { ...model, name });
  const [id, other] = [await submitExample("cdm", (job) => ({ ...job, t_end: 0.5, model: name })), await submitExample("cdm", (job) => ({ ...job, t_end: 0.5, model: name }))];
  const { id: sweep } = await server.call("POST", "/v1/jobs", { kind: "sweep", base: { kind: "statics", model: name }, vary: [{ path: "/model/links/0/body/length", values: [0.3, 0.4] }] });
  const statics = await server.call("POST", "/v1/jobs", { kind: "statics", model: name });
  for (const job of [id, other, sweep, statics.id]) await finished(job);
  const chart = ".uplot canvas", editor = ".code .cm-content", stage = ".stage canvas[data-time]";
  const pages = { jobs: [["jobs", "tr[data-job]"]], job: [[`jobs/${id}`, stage], [`jobs/${id}`, chart]], compare: [[`jobs/${id}?with=${other}`, chart]], unlike: [[`jobs/${id}?with=${statics.id}`, ".problem"]],
    sweep: [[`jobs/${sweep}`, chart]], submit: [["submit?example=cdm", editor]], models: [["models", "td"]], model: [["models/cdm", stage]], model_long: [[`models/${name}`, stage]], server: [["server", ".over-time canvas"]], docs: [["docs/warnings", ".docs article h1"]] };
  const found = [];
  for (const [title, signs] of Object.entries(pages)) {
    await at(signs[0][0]);
    for (const [, sign] of signs) await page.locator(sign).first().waitFor({ state: "attached" });
    for (const [colorScheme, width, height] of LOOKS) {
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme });
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      found.push(...(await layoutTroubles(page)).map((t) => `${title}, ${colorScheme}, ${width}: ${t}`));
      await picture(page, `look_${title}_${colorScheme}_${width}`);
    }
  }
  await page.setViewportSize({ width: 1400, height: 1000 });
  await page.emulateMedia({ colorScheme: "light" });
  assert.deepEqual(found, []);
});

test("pages make no request elsewhere and report no error", () => {
  assert.deepEqual(page.troubles, []);
});
