"""clients/js in node against real servers: what its README shows, and connections that break. The cases of all clients are in
tests/conformance."""
import json
import math
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from harness import SOURCE, ServerTest, main, pendulum, ram
from test_client import Relay

JS = os.path.join(os.path.abspath(SOURCE), "clients", "js")
NODE = shutil.which("node")


@unittest.skipUnless(NODE, "there is no node")
class JsClient(ServerTest):
    def setUp(self):
        self.url = f"http://{self.server.host}:{self.server.port}"

    def run_node(self, program, url):
        """The program's lines on stdout; `tendril-client` is the package of this source."""
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "node_modules"))
            os.symlink(JS, os.path.join(folder, "node_modules", "tendril-client"))
            path = os.path.join(folder, "program.mjs")
            with open(path, "w", encoding="utf-8") as file:
                file.write(program.replace("http://127.0.0.1:8080", url))
            done = subprocess.run([NODE, path], capture_output=True, text=True, encoding="utf-8", timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()

    def evaluated(self, body, url=None):
        program = f'import {{ Client, TendrilError, JobFailed, record }} from "tendril-client";\n' \
                  f'const tendril = new Client("http://127.0.0.1:8080");\n' \
                  f'const out = await (async () => {{ {body} }})();\nconsole.log(JSON.stringify(out));'
        return json.loads(self.run_node(program, url or self.url)[-1])

    def test_the_program_of_the_readme_runs(self):
        with open(os.path.join(JS, "README.md"), encoding="utf-8") as file:
            program, = re.findall(r"```js\n(.*?)```", file.read(), re.S)
        lines = self.run_node(program, self.url)
        self.assertEqual(lines[0], "24 24")
        self.assertIn("radius[1]", "".join(lines[1:6]))
        self.assertRegex(lines[-5], r"^101 24 [\d.e-]+$")
        self.assertEqual(lines[-4], "24 /model/links/0/body/material/young")
        self.assertRegex(lines[-3], r"^[\d.e-]+ \[ [\d.e-]+, [\d.e-]+ \]$")  # a value and two slopes
        young, deviation, same = lines[-2].split()
        self.assertLess(abs(float(young) - 1e6), 3 * float(deviation))
        self.assertEqual(same, "true")
        self.assertRegex(lines[-1], r"^true \[ [\d.e-]+, [\d.e-]+ \]$")

    def test_what_was_found_is_put_where_it_belongs_and_what_is_not_told_is_infinite(self):
        self.server.request("PUT", "/v1/models/pendulum", pendulum())
        found = self.evaluated("""
            const still = { kind: "statics", inputs: { motor: 1 } }, at = (q) => record("q", [[NaN], [q]], { sigma: 1e-3 });
            const rows = at(0.1), lifted = { kind: "statics", inputs: { motor: [0, 1] } };
            const fit = await tendril.fit([{ job: lifted, data: rows }], { "/model/links/0/body/mass": [0.5, 5], "/model/links/0/body/com/2": [-1, -0.1] },
              { model: "pendulum", unconverged: "keep" });
            const design = await tendril.design({ ...still, model: "pendulum" }, { "/job/inputs/motor": [-20, 20] }, { field: "q", target: 0.5 });
            const slopes = await tendril.gradient({ ...still, model: "pendulum" }, ["/job/inputs/motor"], { cotangents: { q: [[2]] } });
            const worth = await tendril.gradient({ ...still, model: "pendulum" }, ["/job/inputs/motor"], { field: "q", linear: 2 });
            return { missing: rows.value, told: fit.warnings.map((w) => w.code), open: Object.values(fit.deviations).some((d) => d === Infinity || d > 1),
                     mass: fit.model.links[0].body.mass === fit.values["/model/links/0/body/mass"], jobs: fit.job.length,
                     motor: [design.job.inputs.motor, design.values["/job/inputs/motor"]], slopes: [slopes.arrays.gradient[0], worth.arrays.gradient[0]] };""")
        self.assertEqual(found["missing"], [[None], [0.1]])
        self.assertIn("unidentified", found["told"])
        self.assertEqual((found["open"], found["mass"], found["jobs"]), (True, True, 1))
        self.assertEqual(found["motor"][0], found["motor"][1])
        self.assertAlmostEqual(found["motor"][0], 2 * 9.81 * 0.5 * math.sin(0.5), delta=0.02)
        self.assertEqual(found["slopes"][0], found["slopes"][1])

    def test_answers_at_a_rod_turned_inside_out_are_marked(self):
        self.server.request("PUT", "/v1/models/ram", ram())
        found = self.evaluated("""
            const batch = await tendril.evaluate("ram", [{ q: [0] }, { q: [-1.2] }], "tau"), one = await tendril.evaluate("ram", { q: [-1.5] }, "tau");
            const of = (found) => found.warnings.filter((w) => w.code === "inside_out").map((w) => w.pointer);
            return { batch: of(batch), one: of(one), keys: Object.keys(one), fine: of(await tendril.evaluate("ram", { q: [0] }, "tau")) };""")
        self.assertEqual(found, {"batch": ["/states/1/q"], "one": ["/states/0/q"], "keys": ["tau"], "fine": []})

    def test_an_answer_that_is_lost_makes_no_second_job(self):
        self.server.request("PUT", "/v1/models/pendulum", pendulum())
        lose = iter([0, 0])
        relay = Relay(self.server.port, lambda number, request: next(lose, None) if request.startswith("POST /v1/jobs") else None)
        job = self.evaluated('await tendril.version();'
                             'const job = await tendril.submit({model: "pendulum", kind: "statics", labels: {of: "lost"}});'
                             ' return (await job.wait()).data;', relay.url)
        jobs = self.server.request("GET", "/v1/jobs?label=of:lost").json()["jobs"]
        self.assertEqual([one["id"] for one in jobs], [job["id"]])
        self.assertEqual(job["state"], "succeeded")

    def test_warnings_of_models_and_jobs_are_there_and_failures_say_why(self):
        self.server.request("PUT", "/v1/models/pendulum", pendulum())
        found = self.evaluated("""
            const document = await tendril.models.get("pendulum");
            const odd = await tendril.models.validate({ ...document.document, gravity: [0, 0, -9810] });
            const lossy = { model: "pendulum", kind: "dynamics", t_end: 1, initial: { q: [1.5] },
                            integrator: { method: "euler_implicit", h: 0.05 } };
            const job = await (await tendril.submit(lossy)).wait();
            const failed = await tendril.submit({ ...lossy, on_inconsistency: "fail" });
            const error = await failed.wait().catch((error) => error);
            return { odd: odd.warnings, run: job.warnings, is: error instanceof JobFailed, code: error.code,
                     kept: (await failed.result({ partial: true })).arrays.t.length };""")
        self.assertEqual([(w["code"], w["pointer"]) for w in found["odd"]], [("odd_gravity", "/gravity")])
        self.assertEqual([w["code"] for w in found["run"]], ["energy_error"])
        self.assertEqual((found["is"], found["code"], found["kept"]), (True, "inconsistent", 101))

    def test_a_job_is_found_by_its_first_or_last_characters(self):
        self.server.request("PUT", "/v1/models/pendulum", pendulum())
        found = self.evaluated("""
            const submit = () => tendril.submit({ model: "pendulum", kind: "statics" }), [one, other] = [await submit(), await submit()];
            const id = one.data.id, refused = async (part) => { const error = await tendril.job(part).catch((e) => e); return [error.code, error.message]; };
            return { found: [(await tendril.job(id.slice(-10))).data.id === id, (await tendril.job(id.toUpperCase())).data.id === id],
                     refused: [await refused(id.slice(0, 4)), await refused("abc"), await refused("0000000000"), await refused("none")] };""")
        self.assertEqual(found["found"], [True, True])
        self.assertEqual([code for code, _ in found["refused"]], ["invalid_argument", "invalid_argument", "not_found", "not_found"])
        self.assertIn("several jobs' ids begin", found["refused"][0][1])

    def test_events_are_taken_up_behind_the_last_one(self):
        self.server.request("PUT", "/v1/models/pendulum", pendulum())
        job = self.server.submit({"model": "pendulum", "kind": "dynamics", "t_end": 1})
        self.server.wait(job)
        cuts = iter([700, 900])
        relay = Relay(self.server.port, lambda number, request: next(cuts, None) if "/events" in request else None)
        body = f'await tendril.version(); const all = [];' \
               f' for await (const event of (await tendril.job("{job}")).events()) all.push(event); return all;'
        self.assertEqual(self.evaluated(body, relay.url), self.evaluated(body))
        asked = [int(re.search(r"last-event-id: (\d+)", request, re.I)[1]) for request in relay.requests if "/events" in request]
        self.assertGreater(len(asked), 1)
        self.assertGreater(asked[-1], asked[0])

    def test_refusals_and_failures_are_told_apart(self):
        self.server.request("PUT", "/v1/models/pendulum", pendulum())
        error = self.evaluated('try { await tendril.submit({model: "pendulum", kind: "dynamics", t_end: -1}); }'
                               ' catch (e) { return [e instanceof TendrilError, e.code, e.pointer, e.status, typeof e.requestId]; }')
        self.assertEqual(error, [True, "invalid_argument", "/t_end", 400, "string"])
        error = self.evaluated('try { await tendril.evaluate("pendulum", {q: [NaN]}, "fd"); } catch (e) { return e.message; }')
        self.assertIn("NaN", error)
        error = self.evaluated('try { await new Client("http://127.0.0.1:2", {patience: 3600}).version(); } catch (e) { return e.code; }')
        self.assertEqual(error, "unreachable")
        error = self.evaluated(
            'const job = await tendril.submit({model: "pendulum", kind: "dynamics", t_end: 1e5, integrator: {method: "rk4", h: 1e-3}});'
            ' await job.cancel(); try { await job.wait(); } catch (e) { return [e instanceof JobFailed, e.code, e.job.state]; }')
        self.assertEqual(error, [True, "cancelled", "cancelled"])


if __name__ == "__main__":
    main()
