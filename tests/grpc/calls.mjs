// Stock @grpc/grpc-js with the .proto files alone, against the servers that test_grpc_js.py has started: every method,
// streams, deadlines, cancels and errors; once in plain text, once over TLS with a token; then what TLS and tokens
// refuse.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { after, describe, test } from "node:test";

const given = JSON.parse(process.env.TENDRIL_TEST);
const load = createRequire(join(given.packages, "package.json"));
const grpc = load("@grpc/grpc-js");
const { status } = grpc;

const files = ["tendril/v1/models", "tendril/v1/dynamics", "tendril/v1/jobs", "grpc/health/v1/health", "grpc/reflection/v1/reflection",
  "grpc/reflection/v1alpha/reflection"].map((name) => join(given.api, `${name}.proto`));
const contract = load("@grpc/proto-loader").loadSync(files, { includeDirs: [given.api], longs: Number, enums: String, defaults: true });
const packages = grpc.loadPackageDefinition(contract);
const services = { ...packages.tendril.v1, Health: packages.grpc.health.v1.Health,
  Reflection: packages.grpc.reflection.v1.ServerReflection, OldReflection: packages.grpc.reflection.v1alpha.ServerReflection };
const everyMethod = Object.values(contract).flatMap((part) => Object.values(part)).map((method) => method.path)
  .filter((path) => typeof path === "string").sort();

/** One server by one kind of credentials; remembers the methods that were called. */
class Face {
  called = new Set();
  #clients = {};
  constructor(server, credentials) {
    Object.assign(this, { server, credentials });
  }
  client(service) {
    return (this.#clients[service] ??= new services[service](this.server.grpc, this.credentials));
  }
  #method(name) {
    const [service, method] = name.split(".");
    const client = this.client(service);
    this.called.add(client[method].path);
    return client[method].bind(client);
  }
  unary(name, request, options = {}) {
    const promise = new Promise((resolve, reject) => {
      const call = this.#method(name)(request, options, (error, reply) => (error ? reject(error) : resolve(reply)));
      queueMicrotask(() => (promise.cancel = () => call.cancel()));
    });
    return promise;
  }
  /** A server's or a two-way stream. */
  stream(name, ...words) {
    return this.#method(name)(...words);
  }
  async rest(method, path, accept = "application/json", body) {
    const headers = { Accept: accept, ...(body && { "Content-Type": "application/json" }),
      ...(this.server.tokens && { Authorization: `Bearer ${this.server.tokens.run}` }) };
    const reply = await fetch(this.server.http + path, { method, headers, body });
    assert.equal(reply.status, 200, `${method} ${path}`);
    return accept === "application/json" ? reply.json() : Buffer.from(await reply.arrayBuffer());
  }
  close() {
    for (const client of Object.values(this.#clients)) client.close();
  }
}

async function all(stream) {
  const out = [];
  for await (const message of stream) out.push(message);
  return out;
}

/** The call ends with this status and these trailers, for a reason in words. */
async function fails(call, code, word, pointer) {
  const error = await call.then(() => assert.fail("it did not fail"), (caught) => caught);
  assert.equal(error.code, code, error.message);
  assert.deepEqual(error.metadata.get("tendril-code"), word ? [word] : []);
  assert.deepEqual(error.metadata.get("tendril-pointer"), pointer === undefined ? [] : [pointer]);
  assert.ok(error.details);
  return error;
}

/** The members of a JSON state by the names of gRPC, each flat. */
function flat(state) {
  const out = {};
  for (const [name, value] of Object.entries(state)) {
    const parts = Array.isArray(value) ? [[name, value]] : Object.entries(value).map(([part, inner]) => [`${name}/${part}`, inner]);
    for (const [key, inner] of parts) out[key] = [inner].flat(9);
  }
  return out;
}

const dataOf = (reply) => Object.fromEntries(Object.entries(reply.values).map(([name, matrix]) => [name, matrix.data]));
const soon = (milliseconds) => ({ deadline: Date.now() + milliseconds });
const want = ["fd", "dfd_dq", "dfd_dqd", "energy", "poses"];
const states = Array.from({ length: 20 }, (_, k) => ({ q: Array.from({ length: 24 }, (_, i) => 0.1 * Math.sin(k + 7 * i)),
  qd: Array.from({ length: 24 }, (_, i) => Math.cos(3 * k + i)), u: [5, 0, 0.1 * k, 0, 1] }));
const sameStates = (replies, expected) => replies.forEach((reply, k) => assert.deepEqual(dataOf(reply), flat(expected[k])));

function everything(face) {
  after(() => face.close());

  test("models are made, read, listed, revised and deleted, and refused as in REST", async () => {
    const document = JSON.stringify({ ...given.models.pendulum, name: "swing" });
    const made = await face.unary("Models.Create", { document });
    assert.deepEqual([made.name, made.revision, made.ndof, made.channels], ["swing", 1, 1, ["motor"]]);
    await fails(face.unary("Models.Create", { document }), status.ALREADY_EXISTS, "already_exists");
    await fails(face.unary("Models.Create", { document: document.replace('"mass":2', '"mass":-2') }), status.INVALID_ARGUMENT,
      "invalid_argument", "/links/0/body/mass");
    const revised = await face.unary("Models.Update", { name: "swing", document: document.replace('"mass":2', '"mass":3'), ifMatch: made.sha256 });
    assert.equal(revised.revision, 2);
    await fails(face.unary("Models.Update", { name: "swing", document, ifMatch: made.sha256 }), status.FAILED_PRECONDITION, "failed_precondition");
    assert.equal((await face.unary("Models.Get", { name: "swing@1" })).document, document);
    const urdf = '<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>' +
      '<joint name="j" type="revolute"><parent link="a"/><child link="b"/><limit lower="-1" upper="1"/></joint></robot>';
    const imported = await face.unary("Models.Import", { request: JSON.stringify({ urdf }) });
    assert.deepEqual([imported.ndof, imported.coordinates, imported.channels, imported.remarks[0].places[0].line], [1, ["b.joint[0]"], ["j"], 1]);
    const listed = await face.unary("Models.List", {});
    assert.deepEqual(listed.models.map((m) => m.name), ["cdm", "pendulum", "soft", "swing"]);
    await face.unary("Models.Delete", { name: "swing" });
    await fails(face.unary("Models.Get", { name: "swing" }), status.NOT_FOUND, "not_found");
  });

  test("states have the numbers of REST, in a batch and one by one in a stream", async () => {
    const rest = await face.rest("POST", "/v1/models/cdm:evaluate", undefined, JSON.stringify({ want, states }));
    const batch = await face.unary("Dynamics.Evaluate", { model: "cdm", want, states });
    assert.deepEqual([batch.ndof, batch.states.length], [24, 20]);
    sameStates(batch.states, rest.states);
    const stream = face.stream("Dynamics.EvaluateStream");
    const answers = stream[Symbol.asyncIterator]();
    stream.write({ setup: { model: "cdm", want } });
    const found = [];
    for (const state of states) { // the next state is sent when the answer is there, as a controller does
      stream.write({ state });
      found.push((await answers.next()).value);
    }
    stream.end();
    assert.equal((await answers.next()).done, true);
    sameStates(found, rest.states);
  });

  test("what is wrong with a state is said with its place, and a stream goes on behind it", async () => {
    await fails(face.unary("Dynamics.Evaluate", { model: "cdm", want: ["fd"], states: [{ q: [1] }] }), status.INVALID_ARGUMENT,
      "invalid_argument", "/states/0/q");
    await fails(face.unary("Dynamics.Evaluate", { model: "nobody", want: ["fd"], states: [{ q: [1] }] }), status.NOT_FOUND, "not_found");
    const stream = face.stream("Dynamics.EvaluateStream");
    stream.write({ setup: { model: "cdm", want: ["fd"] } });
    for (const state of [states[0], { q: [1] }, states[0]]) stream.write({ state });
    stream.end();
    const [first, wrong, last] = await all(stream);
    assert.deepEqual([wrong.error.code, wrong.error.pointer], ["invalid_argument", "/q"]);
    assert.deepEqual(first, last);
    const unready = face.stream("Dynamics.EvaluateStream");
    unready.end({ state: states[0] });
    await fails(all(unready), status.INVALID_ARGUMENT, "invalid_argument", "/setup");
  });

  test("a job is submitted once, watched, listed and fetched in pieces", async () => {
    const document = JSON.stringify({ model: "pendulum", kind: "dynamics", t_end: 30, initial: { q: [0.5] },
      integrator: { method: "newmark", h: 0.005 }, output: { dt: 0.0002, fields: ["q"] }, labels: { from: "grpc-js" } });
    const job = await face.unary("Jobs.Submit", { document, requestId: "once" });
    assert.equal((await face.unary("Jobs.Submit", { document, requestId: "once" })).id, job.id);
    await fails(face.unary("Jobs.Submit", { document: "{}" }), status.INVALID_ARGUMENT, "invalid_argument", "/kind");
    const events = await all(face.stream("Jobs.Watch", { id: job.id }));
    assert.deepEqual(events.map((e) => JSON.parse(e.data)), (await face.rest("GET", `/v1/jobs/${job.id}/events?since=0`)).events);
    assert.equal(JSON.parse(events.at(-1).data).state, "succeeded");
    assert.deepEqual((await face.unary("Jobs.List", { label: "from:grpc-js" })).jobs.map((j) => [j.id, j.state]), [[job.id, "succeeded"]]);
    const pieces = await all(face.stream("Jobs.GetResult", { id: job.id }));
    assert.ok(pieces.length > 2 && pieces.every((p) => p.data.length <= 1 << 20));
    assert.ok(Buffer.concat(pieces.map((p) => p.data)).equals(await face.rest("GET", `/v1/jobs/${job.id}/result`, "application/x-npz")));
    const csv = Buffer.concat((await all(face.stream("Jobs.GetResult", { id: job.id, format: "CSV", fields: ["q"], begin: 0, end: 0 })))
      .map((p) => p.data)).toString();
    assert.match(csv, /^t,q\.arm\.joint\[0\]\r?\n0(\.0)?,0\.5\r?\n$/);
    await fails(all(face.stream("Jobs.GetResult", { id: "nobody" })), status.NOT_FOUND, "not_found");
  });

  test("deadlines and cancels end calls, and a running job is cancelled, retried and deleted", async () => {
    const { id } = await face.unary("Jobs.Submit", { document: JSON.stringify(given.longJob) });
    await fails(all(face.stream("Jobs.Watch", { id }, soon(300))), status.DEADLINE_EXCEEDED);
    await fails(all(face.stream("Jobs.GetResult", { id })), status.FAILED_PRECONDITION, "not_ready");
    const watch = face.stream("Jobs.Watch", { id });
    const events = watch[Symbol.asyncIterator]();
    await events.next();
    watch.cancel();
    await fails((async () => { for (;;) if ((await events.next()).done) return; })(), status.CANCELLED);
    await face.unary("Jobs.Cancel", { id });
    await all(face.stream("Jobs.Watch", { id }));
    assert.equal((await face.unary("Jobs.Get", { id })).state, "cancelled");
    const again = await face.unary("Jobs.Retry", { id });
    assert.equal(again.retryOf, id);
    await face.unary("Jobs.Cancel", { id: again.id });
    await all(face.stream("Jobs.Watch", { id: again.id }));
    for (const name of [again.id, id]) await face.unary("Jobs.Delete", { id: name });
    await fails(face.unary("Jobs.Get", { id }), status.NOT_FOUND, "not_found");
  });

  test("a unary call and a stream of states are ended by their deadlines and by cancels", async () => {
    const many = { model: "cdm", want: ["dfd_dq"], states: Array(3000).fill(states[0]) };
    await fails(face.unary("Dynamics.Evaluate", many, soon(1)), status.DEADLINE_EXCEEDED);
    const cancelled = face.unary("Dynamics.Evaluate", many);
    queueMicrotask(() => cancelled.cancel());
    await fails(cancelled, status.CANCELLED);
    for (const [options, end, code] of [[soon(300), () => {}, status.DEADLINE_EXCEEDED], [{}, (stream) => stream.cancel(), status.CANCELLED]]) {
      const stream = face.stream("Dynamics.EvaluateStream", options);
      const answers = stream[Symbol.asyncIterator]();
      stream.write({ setup: { model: "pendulum", want: ["fd"] } });
      stream.write({ state: { q: [0.5] } });
      const ended = (async () => {
        while (!(await answers.next()).done) end(stream);
      })();
      await fails(ended, code);
    }
  });

  test("health and reflection answer", async () => {
    assert.equal((await face.unary("Health.Check", { service: "tendril.v1.Jobs" })).status, "SERVING");
    await fails(face.unary("Health.Check", { service: "nobody" }), status.NOT_FOUND, "not_found", "/service");
    const watch = face.stream("Health.Watch", {});
    watch.on("error", () => {}); // that it was cancelled
    assert.equal((await new Promise((resolve) => watch.once("data", resolve))).status, "SERVING");
    watch.cancel();
    for (const service of ["Reflection", "OldReflection"]) {
      const stream = face.stream(`${service}.ServerReflectionInfo`);
      stream.write({ listServices: "" });
      stream.end({ fileByFilename: "tendril/v1/jobs.proto" });
      const [list, file] = await all(stream);
      assert.ok(list.listServicesResponse.service.some((s) => s.name === "tendril.v1.Dynamics"));
      assert.ok(file.fileDescriptorResponse.fileDescriptorProto.length > 0);
    }
  });

  test("no method of the contract was left out", () => assert.deepEqual([...face.called].sort(), everyMethod));
}

const { open, guarded } = given;
const roots = readFileSync(guarded.ca);
const bearer = (token) => grpc.credentials.createFromMetadataGenerator((_, done) => {
  const metadata = new grpc.Metadata();
  metadata.set("authorization", `Bearer ${token}`);
  done(null, metadata);
});
const secure = (token, ca = roots) => {
  const channel = grpc.credentials.createSsl(ca);
  return token ? grpc.credentials.combineChannelCredentials(channel, bearer(token)) : channel;
};

describe("in plain text", () => everything(new Face(open, grpc.credentials.createInsecure())));
describe("over TLS with a token", () => everything(new Face(guarded, secure(guarded.tokens.run))));

describe("who may not", () => {
  async function asking(credentials, ask) {
    const face = new Face(guarded, credentials);
    try {
      await ask(face);
    } finally {
      face.close();
    }
  }

  for (const [name, token] of [["no", ""], ["a wrong", `tendril_${"0".repeat(64)}`], ["a deleted", guarded.tokens.deleted]])
    test(`${name} token`, () => asking(secure(token), async (face) => {
      await fails(face.unary("Models.List", {}), status.UNAUTHENTICATED, "unauthenticated");
      await fails(all(face.stream("Jobs.Watch", { id: "nobody" })), status.UNAUTHENTICATED, "unauthenticated");
      const stream = face.stream("Dynamics.EvaluateStream");
      stream.end();
      await fails(all(stream), status.UNAUTHENTICATED, "unauthenticated");
      assert.equal((await face.unary("Health.Check", {})).status, "SERVING");
    }));

  test("a token that only reads", () => asking(secure(guarded.tokens.read), async (face) => {
    assert.ok((await face.unary("Models.List", {})).models.length >= 3);
    await fails(face.unary("Models.Delete", { name: "cdm" }), status.PERMISSION_DENIED, "permission_denied");
    await fails(face.unary("Dynamics.Evaluate", { model: "cdm", want: ["fd"], states: states.slice(0, 1) }), status.PERMISSION_DENIED,
      "permission_denied");
  }));

  for (const [name, credentials] of [["plain text", grpc.credentials.createInsecure()],
    ["a client that does not know the certificate", secure(guarded.tokens.run, readFileSync(guarded.otherCa))]])
    test(name, () => asking(credentials, (face) => fails(face.unary("Models.List", {}, soon(20000)), status.UNAVAILABLE)));
});
