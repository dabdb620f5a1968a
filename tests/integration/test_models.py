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

    def test_a_taken_name_is_a_conflict_and_changes_nothing(self):
        self.assertEqual(self.server.request("POST", "/v1/models", pendulum(name="taken")).status, 201)
        second = self.server.request("POST", "/v1/models", pendulum(name="taken", gravity=[0, 0, -1]))
        self.assert_problem(second, 409, "already_exists", words=["taken"])
        self.assertEqual(self.server.request("GET", "/v1/models/taken").json()["revision"], 1)

    def test_identical_bytes_make_no_revision_and_other_bytes_make_one(self):
        self.assertEqual(self.put("again", pendulum()).status, 201)
        self.assertEqual(self.put("again", pendulum()).json()["revision"], 1)
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

    def test_names_that_cannot_be_addressed_are_refused(self):
        for name in ("", "-a", "a b", "a/b", "a:b", "x" * 64, "ä"):
            reply = self.server.request("POST", "/v1/models", pendulum(name=name))
            self.assert_problem(reply, 400, "invalid_argument", "/name")
        nameless = pendulum()
        del nameless["name"]
        self.assert_problem(self.server.request("POST", "/v1/models", nameless), 400, "invalid_argument", "/name")


if __name__ == "__main__":
    main()
