"""Archives of results in parts: Range, If-Range, ETag, If-None-Match."""
from harness import ServerTest, main, pendulum

JOB = {"model": pendulum(), "kind": "dynamics", "t_end": 2, "output": {"dt": 0.01, "fields": ["q", "qd"]}}


class Parts(ServerTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        job_id = cls.server.submit(JOB)
        assert cls.server.wait(job_id)["state"] == "succeeded"
        cls.path = f"/v1/jobs/{job_id}/result"
        cls.whole = cls.server.request("GET", cls.path, headers={"Accept": "application/x-npz"})

    def get(self, **headers):
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.server.request("GET", self.path, headers={"Accept": "application/x-npz", **names})

    def test_one_range_gives_just_these_bytes(self):
        size = len(self.whole.body)
        for header, first, last in (("0-0", 0, 0), ("10-99", 10, 99), (f"{size - 5}-", size - 5, size - 1),
                                    ("-7", size - 7, size - 1), (f"100-{10 * size}", 100, size - 1),
                                    (f"-{10 * size}", 0, size - 1), ("0-99999999999999999999999", 0, size - 1)):
            part = self.get(Range=f"bytes={header}")
            self.assertEqual((part.status, part.body), (206, self.whole.body[first:last + 1]), header)
            self.assertEqual(part.headers["Content-Range"], f"bytes {first}-{last}/{size}")
            self.assertEqual(part.headers["ETag"], self.whole.headers["ETag"])

    def test_what_is_no_single_range_of_the_file_gives_the_whole(self):
        size = len(self.whole.body)
        for header in ("bytes=0-1,5-6", "lines=0-1", "bytes=", "bytes=-", "bytes=5-2", f"bytes={size}-", "bytes=x-1",
                       "bytes=-0", "bytes=1-2x", "bytes= 1-2", "0-1", "bytes=99999999999999999999999-"):
            reply = self.get(Range=header)
            self.assertEqual((reply.status, reply.body), (200, self.whole.body), header)
            self.assertNotIn("Content-Range", reply.headers)

    def test_a_download_is_only_continued_when_the_file_is_the_same(self):
        tag = self.whole.headers["ETag"]
        self.assertEqual(self.get(Range="bytes=5-", If_Range=tag).status, 206)
        self.assertEqual(self.get(Range="bytes=5-", If_Range='"other"').body, self.whole.body)

    def test_what_the_client_has_is_not_sent_again(self):
        tag = self.whole.headers["ETag"]
        for header in (tag, "*", f'"a", {tag}'):
            reply = self.get(If_None_Match=header)
            self.assertEqual((reply.status, reply.body, reply.headers["ETag"]), (304, b"", tag))
        self.assertEqual(self.get(If_None_Match='"other"').status, 200)


if __name__ == "__main__":
    main()
