"""Many submissions at a time: none is lost, none comes twice, and lists stay whole while they grow."""
import concurrent.futures
import http.client

from harness import ServerTest, long_job, main, pendulum, soft_arm

CLIENTS, EACH = 16, 75


class ManyJobs(ServerTest):
    def submit_many(self, client):
        connection = http.client.HTTPConnection(self.server.host, self.server.port, timeout=120)
        ids = []
        for k in range(EACH):
            job = {"model": "pendulum", "kind": "statics", "inputs": {"motor": 1}, "labels": {"client": str(client), "k": str(k)}}
            reply = self.server.request_on(connection, "POST", "/v1/jobs", job)
            self.assertEqual(reply.status, 202, reply.body[:500])
            ids.append(reply.json()["id"])
        connection.close()
        return ids

    def pages(self, query=""):
        ids, cursor = [], ""
        while cursor is not None:
            reply = self.server.request("GET", f"/v1/jobs?limit=100{query}" + (f"&cursor={cursor}" if cursor else ""))
            self.assertEqual(reply.status, 200, reply.body[:500])
            ids += [job["id"] for job in reply.json()["jobs"]]
            cursor = reply.json()["next_cursor"]
        return ids

    def test_sixteen_clients_submit_at_once_and_lists_miss_nothing(self):
        self.assertEqual(self.server.request("POST", "/v1/models", pendulum()).status, 201)
        self.assertEqual(self.server.request("POST", "/v1/models", soft_arm()).status, 201)
        first = self.server.submit({**long_job("soft", 400), "priority": 100})  # keeps the only worker
        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
            running = [pool.submit(self.submit_many, client) for client in range(CLIENTS)]
            while not all(one.done() for one in running):
                seen = self.pages()
                self.assertEqual(len(seen), len(set(seen)))
            ids = [one.result() for one in running]
        everything = [job_id for one in ids for job_id in one]
        self.assertEqual(len(set(everything)), CLIENTS * EACH)
        self.assertEqual(sorted(self.pages()), sorted([first, *everything]))
        for client in (0, CLIENTS - 1):
            self.assertEqual(self.pages(f"&label=client:{client}"), ids[client][::-1])
        # A few are cancelled; the rest is what a restart finds queued.
        for job_id in ids[0][:5]:
            self.assertEqual(self.server.request("POST", f"/v1/jobs/{job_id}:cancel").json()["state"], "cancelled")
        self.server.kill()
        self.server.start()
        self.assertEqual(sorted(self.pages("&state=cancelled")), sorted(ids[0][:5]))
        self.assertEqual(sorted(self.pages()), sorted([first, *everything]))
        self.server.request("POST", f"/v1/jobs/{first}:cancel")
        self.assertEqual(self.server.wait(first)["state"], "cancelled")
        self.assertEqual(self.server.wait(ids[3][7])["state"], "succeeded")


if __name__ == "__main__":
    main()
