"""Models by name: revisions, conflicts, preconditions, lists."""
import hashlib
import json

from harness import ServerTest, main, pendulum


class Models(ServerTest):
    def put(self, name, model, **headers):
        return self.server.request("PUT", f"/v1/models/{name}", model, headers)

    def test_a_created_model_is_given_back_byte_for_byte_with_its_shape(self):
        text = json.dumps(pendulum(name="whole"), indent=3)
        reply = self.server.request("POST", "/v1/models", text)
        self.assertEqual(reply.status, 201, reply.body)
        self.assertEqual(reply.headers["Location"], "/v1/models/whole")
        got = self.server.request("GET", "/v1/models/whole")
        self.assertEqual(got.status, 200)
        self.assertIn(text.encode(), got.body)
        model = got.json()
        self.assertEqual((model["name"], model["revision"], model["ndof"]), ("whole", 1, 1))
        self.assertEqual((model["coordinates"], model["channels"]), (["arm.joint[0]"], ["motor"]))
        self.assertEqual(model["sha256"], hashlib.sha256(text.encode()).hexdigest())
        self.assertEqual(got.headers["ETag"], f'"{model["sha256"]}"')
        for path in ("", "/revisions/1"):
            again = self.server.request("GET", f"/v1/models/{model['name']}{path}", headers={"If-None-Match": got.headers["ETag"]})
            self.assertEqual((again.status, again.body, again.headers["ETag"]), (304, b"", got.headers["ETag"]))
        other = self.server.request("GET", f"/v1/models/{model['name']}", headers={"If-None-Match": '"0"'})
        self.assertEqual(other.status, 200)

    def test_a_taken_name_is_a_conflict_and_changes_nothing(self):
        self.assertEqual(self.server.request("POST", "/v1/models", pendulum(name="taken")).status, 201)
        second = self.server.request("POST", "/v1/models", pendulum(name="taken", gravity=[0, 0, -1]))
        self.assert_problem(second, 409, "already_exists", words=["taken"])
        self.assertEqual(self.server.request("GET", "/v1/models/taken").json()["revision"], 1)

    def test_identical_bytes_make_no_revision_and_other_bytes_make_one(self):
        first = self.put("again", pendulum())
        self.assertEqual(first.status, 201)
        same = self.put("again", pendulum()).json()
        self.assertEqual((same["revision"], same["created_at"]), (1, first.json()["created_at"]))
        turned = json.dumps(dict(reversed(list(pendulum().items()))), indent=3).replace(": 1,", ": 1.0,")
        self.assertNotEqual(json.loads(turned), None)
        said = self.server.request("PUT", "/v1/models/again", turned.encode()).json()
        self.assertEqual((said["revision"], said["sha256"]), (1, first.json()["sha256"]))  # the same as JSON
        self.assertEqual(self.put("again", pendulum(gravity=[0, 0, -1])).json()["revision"], 2)
        listed = self.server.request("GET", "/v1/models/again/revisions").json()["revisions"]
        self.assertEqual([row["revision"] for row in listed], [1, 2])
        first = self.server.request("GET", "/v1/models/again/revisions/1").json()
        self.assertEqual(first["document"]["gravity"], [0, 0, -9.81])
        self.assert_problem(self.server.request("GET", "/v1/models/again/revisions/3"), 404, "not_found")
        self.assert_problem(self.server.request("GET", "/v1/models/again/revisions/x"), 404, "not_found")

    def test_if_match_guards_a_change(self):
        tag = self.put("guarded", pendulum()).headers["ETag"]
        self.assert_problem(self.put("guarded", pendulum(gravity=[1, 0, 0]), **{"If-Match": '"other"'}), 412,
                            "failed_precondition")
        self.assertEqual(self.put("guarded", pendulum(gravity=[1, 0, 0]), **{"If-Match": tag}).status, 200)
        self.assert_problem(self.server.request("DELETE", "/v1/models/guarded", headers={"If-Match": tag}), 412,
                            "failed_precondition")

    def test_if_none_match_creates_and_never_revises(self):
        only_new = {"If-None-Match": "*"}
        self.assertEqual(self.put("fresh", pendulum(), **only_new).status, 201)
        self.assert_problem(self.put("fresh", pendulum(gravity=[1, 0, 0]), **only_new), 412, "failed_precondition")
        self.assert_problem(self.put("fresh", pendulum(), **{"If-None-Match": '"tag"'}), 400, "invalid_argument")
        self.assertEqual(self.server.request("GET", "/v1/models/fresh").json()["revision"], 1)

    def test_validate_is_0_or_1(self):
        for value in ("2", "true", ""):
            self.assert_problem(self.server.request("PUT", f"/v1/models/checked?validate={value}", pendulum()), 400, "invalid_argument")
        self.assertEqual(self.server.request("PUT", "/v1/models/checked?validate=1", pendulum()).status, 200)
        self.assert_problem(self.server.request("GET", "/v1/models/checked"), 404, "not_found")
        self.assertEqual(self.server.request("PUT", "/v1/models/checked?validate=0", pendulum()).status, 201)

    def test_a_deleted_model_is_gone_and_its_numbers_are_never_given_again(self):
        self.put("gone", pendulum())
        self.assertEqual(self.server.request("DELETE", "/v1/models/gone").status, 204)
        for path in ("/v1/models/gone", "/v1/models/gone/revisions", "/v1/models/gone/revisions/1"):
            self.assert_problem(self.server.request("GET", path), 404, "not_found")
        self.assert_problem(self.server.request("DELETE", "/v1/models/gone"), 404, "not_found")
        self.assert_problem(self.server.request("POST", "/v1/models/gone:evaluate", {"want": ["fd"], "states": [{"q": [0]}]}),
                            404, "not_found")
        self.assertEqual(self.server.request("POST", "/v1/models", pendulum(name="gone")).json()["revision"], 2)

    def test_validate_checks_and_stores_nothing(self):
        reply = self.server.request("POST", "/v1/models?validate=1", pendulum(name="checked"))
        self.assertEqual((reply.status, reply.json()["ndof"]), (200, 1))
        bad = self.server.request("POST", "/v1/models?validate=1", pendulum(name="checked", links=[]))
        self.assertEqual(bad.status, 400)
        self.assert_problem(self.server.request("GET", "/v1/models/checked"), 404, "not_found")

    def test_a_list_is_cut_into_pages_that_together_are_whole(self):
        for name in ("page-a", "page-b", "page-c"):
            self.put(name, pendulum())
        names, cursor = [], ""
        while cursor is not None:
            page = self.server.request("GET", f"/v1/models?limit=2&cursor={cursor}").json()
            self.assertLessEqual(len(page["models"]), 2)
            names += [model["name"] for model in page["models"]]
            cursor = page["next_cursor"]
        self.assertEqual(names, sorted(set(names)))
        self.assertLessEqual({"page-a", "page-b", "page-c"}, set(names))
        self.assert_problem(self.server.request("GET", "/v1/models?limit=0"), 400, "invalid_argument", words=["limit"])

    def test_revisions_are_cut_into_pages_that_together_are_whole(self):
        for n in range(7):
            self.put("often", pendulum(description=str(n)))
        seen, cursor = [], ""
        for size in (3, 3, 1):
            page = self.server.request("GET", f"/v1/models/often/revisions?limit=3{cursor}").json()
            self.assertEqual(len(page["revisions"]), size)
            seen += [row["revision"] for row in page["revisions"]]
            cursor = f"&cursor={page['next_cursor']}"
        self.assertEqual((seen, page["next_cursor"]), (list(range(1, 8)), None))
        self.assert_problem(self.server.request("GET", "/v1/models/often/revisions?cursor=x"), 400, "invalid_argument")

    def test_names_that_cannot_be_addressed_are_refused(self):
        for name in ("", "-a", "a b", "a/b", "a:b", "x" * 64, "ä"):
            reply = self.server.request("POST", "/v1/models", pendulum(name=name))
            self.assert_problem(reply, 400, "invalid_argument", "/name")
            checked = self.server.request("POST", "/v1/models?validate=1", pendulum(name=name))
            self.assert_problem(checked, 400, "invalid_argument", "/name")
        for query in ("", "?validate=1"):
            self.assert_problem(self.server.request("PUT", "/v1/models/-a" + query, pendulum()), 400, "invalid_argument")
        nameless = pendulum()
        del nameless["name"]
        self.assert_problem(self.server.request("POST", "/v1/models", nameless), 400, "invalid_argument", "/name")
        self.assertEqual(self.server.request("POST", "/v1/models?validate=1", nameless).status, 200)  # a job may carry it

    def test_a_revision_is_evaluated_as_it_was_whatever_is_newest(self):
        def inertia(reference):
            reply = self.server.request("POST", f"/v1/models/{reference}:evaluate", {"want": ["mass"], "states": [{"q": [0.3]}]})
            return reply.json()["states"][0]["mass"][0][0] if reply.status == 200 else reply.status
        light, heavy = pendulum(name="two"), pendulum(name="two")
        heavy["links"][0]["body"]["com"] = [0, 0, -1.0]
        self.server.request("PUT", "/v1/models/two", light)
        first = inertia("two@1")
        self.assertEqual([inertia("two"), inertia("two@1"), inertia("two@2")], [first, first, 404])
        self.server.request("PUT", "/v1/models/two", heavy)
        second = inertia("two@2")
        self.assertNotEqual(first, second)
        for _ in range(2):
            self.assertEqual([inertia("two@1"), inertia("two"), inertia("two@2"), inertia("two@3")], [first, second, second, 404])
        self.server.request("DELETE", "/v1/models/two")
        self.assertEqual([inertia("two@1"), inertia("two"), inertia("two@2")], [404] * 3)


if __name__ == "__main__":
    main()
