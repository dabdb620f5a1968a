"""Everything that is wrong gets a problem document that names the place, and the server lives on."""
import copy
import json

from harness import ServerTest, main, pendulum, soft_arm

DELETE = object()


def changed(document, path, value):
    """A copy with one place changed (DELETE: removed; a new key or index is added)."""
    copied = copy.deepcopy(document)
    node = copied
    for key in path[:-1]:
        node = node[key]
    if value is DELETE:
        del node[path[-1]]
    else:
        node[path[-1]] = value
    return copied


SECOND = {"name": "second", "parent": "arm", "joint": {"type": "revolute"},
          "body": {"type": "rigid", "mass": 1, "inertia": [1, 1, 1]}}


class Models(ServerTest):
    def refuse(self, document, pointer=None, words=(), status=400):
        reply = self.server.request("POST", "/v1/models?validate=1", document)
        return self.assert_problem(reply, status, "invalid_argument" if status == 400 else "too_large", pointer, words)

    def test_values_that_are_missing_of_a_wrong_type_or_out_of_range_are_named(self):
        body = ["links", 0, "body"]
        for path, value, pointer in [
                (["format"], DELETE, "/format"), (["format"], "tendril.model/2", "/format"), (["links"], DELETE, "/links"),
                (["links"], {}, "/links"), (["links"], [], "/links"), (["gravity"], [0, 0], "/gravity"),
                (["gravity"], "down", "/gravity"), (["gravity", 1], None, "/gravity/1"), (["colour"], 1, "/colour"),
                (["links", 0, "name"], DELETE, "/links/0/name"), (["links", 0, "name"], 7, "/links/0/name"),
                (["links", 0, "joint", "type"], "hinge", "/links/0/joint/type"),
                (["links", 0, "joint"], DELETE, "/links/0/joint"), (["links", 0, "at"], 1.5, "/links/0/at"),
                (body + ["length"], -0.5, "/links/0/body/length"), (body + ["length"], 0, "/links/0/body/length"),
                (body + ["length"], DELETE, "/links/0/body/length"), (body + ["length"], "0.5", "/links/0/body/length"),
                (body + ["length"], True, "/links/0/body/length"),
                (body + ["section", "radius"], [0.03, -0.015], None), (body + ["material", "young"], -1, None),
                (body + ["material", "poisson"], 0.7, "/links/0/body/material/poisson"),
                (body + ["strain", "basis"], "bessel", "/links/0/body/strain/basis"),
                (body + ["strain", "order", "torsion"], -3, None), (body + ["strain", "order", "torsion"], 2.5, None),
                (body + ["strain", "order", "twist"], 2, "/links/0/body/strain/order/twist"),
                (body + ["quadrature", "points"], 3, "/links/0/body/quadrature/points"),
                (body + ["quadrature", "points"], 10**9, "/links/0/body/quadrature/points"),
                (["actuators", 0, "link"], "leg", "/actuators/0/link"),
                (["actuators", 0, "type"], "muscle", "/actuators/0/type"),
                (["actuators", 0, "routing", "base"], [0], "/actuators/0/routing/base")]:
            with self.subTest(path=path, value=str(value)):
                self.refuse(changed(soft_arm(), path, value), pointer)

    def test_references_between_links_are_checked(self):
        two = pendulum()
        two["links"].append(SECOND)
        self.assertEqual(self.server.request("POST", "/v1/models?validate=1", two).status, 200)
        self.refuse(changed(two, ["links", 1, "parent"], "third"), "/links/1/parent", ["third"])
        self.refuse(changed(two, ["links", 1, "parent"], "second"), "/links/1/parent", ["second"])
        self.refuse(changed(two, ["links", 0, "parent"], "second"), "/links/0/parent", ["second"])
        self.refuse(changed(two, ["links", 1, "name"], "arm"), "/links/1/name", ["arm"])

    def test_text_that_is_not_json_is_refused_with_line_and_column(self):
        text = json.dumps(pendulum())
        for wrong in ("", " ", "{", text[:-1], text[:100], text + "x", text.replace("2.0", "NaN"), text.replace("2.0", "+2"),
                      text.replace("2.0", "01"), text.replace('"arm"', '"a\x01m"'), "[1,]", "nul", "\0",
                      text.replace('"name"', '"name": "x", "name"', 1)):
            with self.subTest(wrong=wrong[:40]):
                self.refuse(wrong.encode(), "")
        self.assertIn("line", self.refuse(b'{\n "format": }')["detail"])

    def test_numbers_beyond_the_doubles_are_refused(self):
        for number in ("1e400", "-1e999", "1" + "0" * 400):
            problem = self.refuse(json.dumps(pendulum()).replace("2.0", number))
            self.assertTrue(problem["detail"])

    def test_bytes_that_are_not_utf8_are_refused(self):
        text = json.dumps(pendulum()).encode()
        for wrong in (b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf5\x80\x80\x80", b"\xe2\x82"):
            self.refuse(text.replace(b"pendulum", wrong), "")

    def test_deep_nesting_is_refused_and_not_recursed_into(self):
        for opening in (b"[", b'{"a":'):
            for depth in (65, 5000, 5_000_000):
                self.refuse(opening * depth, "")
        self.refuse(b"[" * 100 + b"]" * 100, "")
        routing = {"type": "linear", "base": [0, 0.01]}
        for _ in range(12):
            routing = {"type": "sum", "of": [routing]}
        self.refuse(changed(soft_arm(), ["actuators", 0, "routing"], routing))

    def test_a_string_of_ten_megabytes_is_refused_quickly(self):
        self.refuse(changed(pendulum(), ["links", 0, "name"], "x" * 10_000_000), "/links/0/name")
        self.refuse(changed(pendulum(), ["x" * 10_000_000], 1))
        self.refuse(b'"' + b"x" * 10_000_000 + b'"')

    def test_a_body_beyond_the_limit_is_413_however_it_is_sent(self):
        limit = self.server.request("GET", "/v1/limits").json()["body_bytes"]
        self.refuse(b" " * (limit + 1), status=413)
        chunks = (b" " * (1 << 20) for _ in range(limit // (1 << 20) + 1))
        self.refuse(chunks, status=413)
        huge = self.server.raw(b"POST /v1/models HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                               b"Content-Length: 99999999999999999999\r\n\r\n{")
        self.assertIn(b" 413 ", huge.split(b"\r\n")[0])
        self.assertIn(b"application/problem+json", huge)

    def test_too_many_links_and_too_many_coordinates_are_refused(self):
        many = pendulum()
        many["links"] = [changed(many["links"][0], ["name"], f"l{i}") for i in range(1100)]
        self.refuse(many, "/links")


class Jobs(ServerTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        assert cls.server.request("POST", "/v1/models", soft_arm()).status == 201

    good = {"model": "soft", "kind": "dynamics", "t_end": 0.01, "inputs": {"cable": 1}, "output": {"dt": 0.01, "fields": ["q"]}}

    def test_wrong_jobs_are_refused_at_submission_with_their_place(self):
        for path, value, pointer in [
                (["model"], DELETE, "/model"), (["model"], "nobody", "/model"), (["model"], "soft@9", "/model"),
                (["model"], 3, "/model"), (["model"], {"format": "x"}, None), (["kind"], DELETE, "/kind"),
                (["kind"], "magic", "/kind"), (["kind"], "sweep", "/model"), (["t_end"], DELETE, "/t_end"),
                (["t_end"], -1, "/t_end"), (["t_end"], "1", "/t_end"), (["inputs", "rope"], 1, "/inputs/rope"),
                (["inputs", "cable"], -1, None), (["inputs", "cable"], {"type": "square"}, "/inputs/cable/type"),
                (["inputs", "cable"], {"type": "steps", "t": [0, 1], "value": [1]}, None),
                (["inputs", "cable"], {"type": "steps", "t": [1, 0], "value": [1, 2]}, None),
                (["inputs", "cable"], {"type": "sine", "wavelength": 1}, "/inputs/cable/wavelength"),
                (["integrator"], {"method": "magic"}, "/integrator/method"), (["integrator"], {"rtol": -1}, "/integrator/rtol"),
                (["integrator"], {"method": "newmark", "h": -0.001}, "/integrator/h"),
                (["output", "dt"], 0, "/output/dt"), (["output", "dt"], 1e-300, "/output/dt"),
                (["output", "fields"], ["q", "nope"], "/output/fields/1"),
                (["output", "fields"], ["poses:leg"], "/output/fields/0"),
                (["initial"], {"q": [1, 2]}, "/initial/q"), (["initial"], {"q": "middle"}, "/initial/q"),
                (["labels"], {"a": 1}, "/labels/a"), (["priority"], 101, "/priority"), (["speed"], 1, "/speed")]:
            with self.subTest(path=path, value=str(value)):
                reply = self.server.request("POST", "/v1/jobs", changed(self.good, path, value))
                self.assert_problem(reply, 400, "invalid_argument", pointer)
        self.assertEqual(self.server.request("GET", "/v1/jobs").json()["jobs"], [])

    def test_signals_nested_without_end_are_refused(self):
        signal = 1
        for _ in range(30):
            signal = {"type": "sum", "of": [signal]}
        reply = self.server.request("POST", "/v1/jobs", changed(self.good, ["inputs", "cable"], signal))
        self.assert_problem(reply, 400, "invalid_argument")

    def test_unknown_jobs_are_not_found_whatever_is_asked(self):
        for method, path in (("GET", "/v1/jobs/nope"), ("GET", "/v1/jobs/nope/result"), ("POST", "/v1/jobs/nope:cancel"),
                             ("DELETE", "/v1/jobs/nope")):
            self.assert_problem(self.server.request(method, path), 404, "not_found", words=["nope"])

    def test_parameters_that_an_address_does_not_have_are_refused_by_name(self):
        for method, path, words in (("GET", "/v1/jobs?stat=failed", ['"stat"', "only: state kind"]),
                                    ("GET", "/v1/jobs?state=failed&limit=5&x=", ['"x"']), ("GET", "/v1/jobs?=1", ['""']),
                                    ("HEAD", "/v1/limits?a%20b=1", ()), ("GET", "/v1/limits?a%20b", ['"a b"', "none"]),
                                    ("POST", "/v1/models?vali", ['"vali"', "only: validate"]),
                                    ("GET", "/v1/jobs?stat", ['"stat"']), ("GET", "/v1/jobs?%ff=1", ())):
            reply = self.server.request(method, path, pendulum(name="asked") if method == "POST" else None)
            self.assertEqual(reply.status, 400, path)
            if method != "HEAD":
                self.assert_problem(reply, 400, "invalid_argument", words=words)
        self.assertEqual(self.server.request("GET", "/v1/models/asked").status, 404)
        for path in ("/healthz?x=1", "/v1/version?x=1", "/v1/jobs?", "/v1/jobs?state=failed&limit=5"):
            self.assertEqual(self.server.request("GET", path).status, 200, path)

    def test_wrong_queries_are_refused(self):
        for query in ("state=asleep", "kind=magic", "limit=x", "limit=0", "limit=100000", "cursor=x", "cursor=5", "cursor=" + "0" * 32, "since=yesterday", "label=x"):
            self.assert_problem(self.server.request("GET", f"/v1/jobs?{query}"), 400, "invalid_argument")


if __name__ == "__main__":
    main()
