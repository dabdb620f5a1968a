"""HTTP itself: every answer to every byte is a problem document or what was asked for; bad company is sent away."""
import http.client
import json
import random
import socket
import threading
import time

from harness import ServerTest, main, pendulum

HOST = b"Host: localhost\r\n"


def parse(answer):
    head, _, body = answer.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines[1:])
    return int(lines[0].split()[1]), headers, body


class Http(ServerTest):
    def refused_raw(self, data, statuses, **options):
        answer = self.server.raw(data, **options)
        self.assertTrue(answer.startswith(b"HTTP/1.1 "), answer[:200])
        status, headers, body = parse(answer)
        self.assertIn(status, statuses, answer[:300])
        self.assertEqual(headers["Content-Type"], "application/problem+json", answer[:500])
        problem = json.loads(body)
        self.assertEqual(problem["status"], status)
        self.assertTrue(problem["code"] and problem["detail"] and problem["request_id"])

    def test_unknown_addresses_are_404(self):
        for path in ("/assets/", "/assets/none.js", "/v1", "/v1/", "/v2/models", "/v1/models/", "/v1/models/a/b", "/v1/models/a:run", "/v1/models/:evaluate",
                     "/healthz/", "/v1/jobs/x/result/y", "/" + "x" * 3000, "/%2e%2e/etc/passwd", "/v1/models%00", "/%ff%fe"):
            self.assert_problem(self.server.request("GET", path), 404, "not_found")

    def test_a_wrong_method_is_405_with_the_right_ones(self):
        for method, path, allow in [("DELETE", "/v1/models", "POST, GET, HEAD"), ("PATCH", "/v1/models/a", "GET, HEAD, PUT, DELETE"),
                                    ("GET", "/v1/evaluate", "POST"), ("POST", "/healthz", "GET, HEAD"), ("BREW", "/v1/jobs", "POST, GET, HEAD"),
                                    ("GET", "/v1/jobs/x:cancel", "POST"), ("OPTIONS", "/v1/version", "GET, HEAD")]:
            reply = self.server.request(method, path)
            self.assert_problem(reply, 405, "method_not_allowed")
            self.assertEqual(reply.headers["Allow"], allow)

    def test_head_is_get_without_the_body(self):
        got, head = self.server.request("GET", "/v1/version"), self.server.request("HEAD", "/v1/version")
        self.assertEqual((head.status, head.body, head.headers["Content-Length"]), (200, b"", str(len(got.body))))

    def test_nothing_follows_the_head_of_what_would_come_in_chunks(self):
        job = self.server.submit({"model": pendulum(), "kind": "dynamics", "t_end": 0.1, "output": {"dt": 0.05, "fields": ["q"]}})
        self.server.wait(job)
        for path in ("result", "events"):
            answer = self.server.raw(f"HEAD /v1/jobs/{job}/{path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
            head, body = answer.split(b"\r\n\r\n", 1)
            self.assertTrue(head.startswith(b"HTTP/1.1 200 OK\r\n"), head)
            self.assertEqual(body, b"")

    def test_media_types_that_are_not_ours_are_415_and_406(self):
        body = json.dumps(pendulum())
        for kind in ("text/plain", "application/x-www-form-urlencoded", "application/x-npz", "application/jsonx", ""):
            reply = self.server.request("POST", "/v1/models?validate=1", body, {"Content-Type": kind})
            self.assert_problem(reply, 415, "unsupported_media")
        self.assertEqual(self.server.request("POST", "/v1/models?validate=1", body,
                                             {"Content-Type": "Application/JSON; charset=utf-8"}).status, 200)
        for accept in ("text/html", "application/x-npz", "application/json;q=0", "*/*;q=0"):
            self.assert_problem(self.server.request("GET", "/v1/version", headers={"Accept": accept}), 406, "not_acceptable")
        for accept in ("*/*", "application/*", "text/html, application/json;q=0.1", "", "text/html,*/*;q=0.8"):
            self.assertEqual(self.server.request("GET", "/v1/version", headers={"Accept": accept}).status, 200)

    def test_pages_of_other_sites_and_rebound_names_are_sent_away(self):
        for host in ("evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.evil.example", "localhost:80x", "10.0.0.1"):
            self.assert_problem(self.server.request("GET", "/v1/version", headers={"Host": host}), 403, "permission_denied")
        for origin in ("http://evil.example", "null", "https://localhost.evil.example", "file://"):
            reply = self.server.request("GET", "/v1/version", headers={"Origin": origin})
            self.assert_problem(reply, 403, "permission_denied")
        for host in ("localhost", "LOCALHOST:1", "127.0.0.1", "[::1]:8080"):
            self.assertEqual(self.server.request("GET", "/v1/version", headers={"Host": host}).status, 200)
        self.assertEqual(self.server.request("GET", "/v1/version", headers={"Origin": "http://localhost:5173"}).status, 200)
        self.refused_raw(b"GET /v1/version HTTP/1.1\r\nConnection: close\r\n\r\n", {400})

    def test_a_request_id_is_kept_when_it_is_harmless_and_made_otherwise(self):
        kept = self.server.request("GET", "/v1/version", headers={"X-Request-Id": "abc-1.2_3"})
        self.assertEqual(kept.headers["X-Request-Id"], "abc-1.2_3")
        for given in ("a b", "x" * 65, "\"", "é"):
            made = self.server.request("GET", "/v1/version", headers={"X-Request-Id": given}).headers["X-Request-Id"]
            self.assertRegex(made, "^[0-9a-z]{26}$")

    def test_what_is_not_http_gets_a_problem_document(self):
        close = b"Connection: close\r\n"
        self.refused_raw(b"GET / HTTP/9.9\r\n" + HOST + close + b"\r\n", {400, 404})
        self.refused_raw(b"GARBAGE garbage\r\n\r\n", {400, 404})
        self.refused_raw(b"GET /" + b"x" * 100_000 + b" HTTP/1.1\r\n" + HOST + b"\r\n", {413})
        self.refused_raw(b"GET / HTTP/1.1\r\n" + HOST + b"X: " + b"y" * 100_000 + b"\r\n\r\n", {413})
        self.refused_raw(b"GET / HTTP/1.1\r\n" + HOST + b"A: b\r\n" * 50_000 + b"\r\n", {413})
        post = b"POST /v1/models HTTP/1.1\r\n" + HOST + close + b"Content-Type: application/json\r\n"
        self.refused_raw(post + b"Content-Length: -5\r\n\r\n", {400})
        self.refused_raw(post + b"Content-Length: five\r\n\r\n{}", {400})
        self.refused_raw(post + b"Content-Length: 99999999999999999999\r\n\r\n{}", {400, 413})
        self.refused_raw(post + b"Transfer-Encoding: chunked\r\n\r\nZZZ\r\nabc\r\n", {400})
        self.refused_raw(post + b"Transfer-Encoding: chunked\r\n\r\nfffffffffffffffffff\r\nabc\r\n", {400, 413})
        self.refused_raw(post + b"Transfer-Encoding: chunked\r\n\r\n2;" + b"a=b;" * 20_000 + b"\r\n{}\r\n0\r\n\r\n", {413})
        self.refused_raw(post + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n" + b"X: y\r\n" * 20_000 + b"\r\n", {413})
        self.refused_raw(post + b"\r\n", {400})

    def test_a_request_with_two_lengths_is_refused_and_what_follows_it_is_not_read_as_another(self):
        post = b"POST /v1/models HTTP/1.1\r\n" + HOST + b"Content-Type: application/json\r\n"
        hidden = b"GET /v1/version HTTP/1.1\r\n" + HOST + b"\r\n"
        for lengths in (b"Content-Length: 0\r\nContent-Length: %d\r\n" % len(hidden),
                        b"Content-Length: %d\r\nContent-Length: 0\r\n" % len(hidden),
                        b"Content-Length: %d\r\nContent-Length: %d\r\n" % (len(hidden), len(hidden)),
                        b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"):
            body = b"0\r\n\r\n" + hidden if b"chunked" in lengths else hidden
            self.refused_raw(post + lengths + b"\r\n" + body, {400})  # one answer, then the end

    def test_headers_that_others_may_read_differently_end_the_connection(self):
        hidden = b"GET /v1/hidden HTTP/1.1\r\n" + HOST + b"\r\n"
        for line in (b"Content-Length : 40", b"Content-Length\t: 40", b"Transfer-Encoding : chunked", b"X-A: b\r\n Content-Length: 40",
                     b"Transfer-Encoding:\r\n chunked", b"X-A: b\r\n\tc", b" X-A: b"):
            request = b"POST /v1/evaluate HTTP/1.1\r\n" + HOST + line + b"\r\n\r\n" + hidden
            self.refused_raw(request, (400,))
            self.assertNotIn(b"hidden", self.server.raw(request))

    def test_lines_of_the_headers_end_with_cr_lf(self):
        good = b"POST /v1/evaluate HTTP/1.1\r\n" + HOST + b"X-A: b\r\nContent-Length: 2\r\n\r\n"
        whole = good.split(b"\r\n")[:-1]
        for broken in range(len(whole)):
            request = b"".join(line + (b"\n" if i == broken else b"\r\n") for i, line in enumerate(whole))
            if request.endswith(b"\r\n\n"):  # nothing is between the two ends that could be read differently
                continue
            self.refused_raw(request + b"{}GET /v1/hidden HTTP/1.1\r\n" + HOST + b"\r\n", (400,))
        self.refused_raw(good.replace(b"\r\n\r\n", b"\n\n") + b"{}", (400,))
        self.assertIn(b"tendril-hidden", self.server.raw(good.replace(b"X-A: b", b"X-A: b  \r\nX-Request-Id: tendril-hidden\r\nConnection: close") + b"{}"))

    def test_nothing_is_read_behind_a_body_in_chunks(self):
        head = (b"POST /v1/models?validate=1 HTTP/1.1\r\n" + HOST + b"Content-Type: application/json\r\n"
                b"Transfer-Encoding: chunked\r\n\r\n")
        hidden = b"GET /v1/version HTTP/1.1\r\n" + HOST + b"\r\n"
        for body in (b"2\r\n{}\r\n0\r\n\r\n", b"2\n{}\n0\n\n", b"2\r\n{}\r\n0;\nx\r\n\r\n", b"2;\n{}\r\n0\r\n\r\n"):
            answer = self.server.raw(head + body + hidden, timeout=5)
            self.assertEqual(answer.count(b"HTTP/1.1 "), 1, answer)
            self.assertIn(b"Connection: close", answer)

    def test_an_address_with_a_thousand_parameters_gets_an_answer(self):
        for count in (65, 1000, 10000):
            query = b"&".join(b"%d" % i for i in range(count))[:30000]
            self.refused_raw(b"GET /v1/jobs?" + query + b" HTTP/1.1\r\n" + HOST + b"\r\n", (400,))
        many = "&".join(f"a{i}=1" for i in range(64))
        self.assert_problem(self.server.request("GET", "/v1/jobs?" + many), 400, "invalid_argument")

    def test_an_unknown_coding_of_the_body_is_answered_at_once(self):
        post = b"POST /v1/models HTTP/1.1\r\n" + HOST + b"Content-Type: application/json\r\n"
        for coding in (b"gzip, chunked", b"identity", b"chunked, gzip"):
            self.refused_raw(post + b"Transfer-Encoding: " + coding + b"\r\n\r\n", {400, 413})
        self.assert_problem(self.server.request("POST", "/v1/models", b"\x1f\x8b", {"Content-Encoding": "gzip"}), 415, "unsupported_media")

    def test_headers_that_decide_come_once(self):
        for twice in ((b"Host: evil.example",), (b"Origin: http://localhost", b"Origin: http://evil.example"),
                      (b"Authorization: Bearer a", b"Authorization: Bearer b"), (b"Idempotency-Key: a", b"Idempotency-Key: b")):
            lines = b"".join(line + b"\r\n" for line in twice)
            self.refused_raw(b"GET /v1/version HTTP/1.1\r\n" + HOST + lines + b"Connection: close\r\n\r\n", {400})

    def test_headers_are_taken_up_to_their_limit(self):
        self.assertEqual(self.server.request("GET", "/healthz", headers={"X-Long": "y" * 30_000}).status, 200)
        self.assert_problem(self.server.request("GET", "/healthz", headers={"X-Long": "y" * 33_000}), 413, "too_large")

    def test_an_address_may_be_whole_and_its_host_counts(self):
        whole = b"GET http://%s HTTP/1.1\r\n" + HOST + b"Connection: close\r\n\r\n"
        for target in (b"localhost/v1/version", b"127.0.0.1:8080/healthz", b"LOCALHOST/v1/models?limit=1"):
            self.assertEqual(parse(self.server.raw(whole % target))[0], 200, target)
        self.refused_raw(whole % b"evil.example/v1/version", {403})
        self.refused_raw(whole % b"localhost/none", {404})

    def test_a_parameter_of_an_address_comes_once(self):
        for path in ("/v1/jobs?label=a:b&label=c:d", "/v1/jobs?limit=1&limit=1"):
            self.assert_problem(self.server.request("GET", path), 400, "invalid_argument")

    def test_cookies_are_ignored_whatever_they_look_like(self):
        for cookie in ('a="', 'a="b', '"', "a=b; c", ";;;", "=", "x" * 20_000, 'a="b"c'):
            self.assertEqual(self.server.request("GET", "/healthz", headers={"Cookie": cookie}).status, 200)

    def test_garbage_never_stops_the_server(self):
        noise = random.Random(7)
        for size in (1, 10, 100, 1000, 20_000):
            for _ in range(8):
                answer = self.server.raw(noise.randbytes(size) + b"\r\n\r\n", timeout=0.3, half_close=True)
                if answer:
                    self.assertIn(b"application/problem+json", answer)
        for data in (b"", b"\r\n" * 1000, b"\0" * 1000, b"GET", b"GET / HTTP/1.1\r\nHost", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"\x16\x03\x01\x02\x00"):
            self.server.raw(data, timeout=0.3, half_close=True)

    def test_a_body_that_ends_early_is_no_request(self):
        head = b"POST /v1/models HTTP/1.1\r\n" + HOST + b"Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n"
        for sent in (head, head + b'{"format":', head[:-10]):
            answer = self.server.raw(sent, timeout=1, half_close=True)
            self.assertFalse(answer.startswith(b"HTTP/1.1 2"), answer)
        names = [model["name"] for model in self.server.request("GET", "/v1/models").json()["models"]]
        self.assertEqual(names, [])

    def test_slow_and_silent_clients_do_not_hold_up_others(self):
        silent = [socket.create_connection((self.server.host, self.server.port)) for _ in range(40)]
        for s in silent[:20]:
            s.sendall(b"POST /v1/models HTTP/1.1\r\n" + HOST + b"Content-Length: 100000\r\n\r\n{")
        start = time.monotonic()
        for _ in range(20):
            self.assertEqual(self.server.request("GET", "/healthz").status, 200)
        self.assertLess(time.monotonic() - start, 5)
        for s in silent:
            s.close()

    def test_a_client_that_leaves_during_a_long_reply_is_forgotten(self):
        self.server.request("PUT", "/v1/models/left", pendulum())
        body = json.dumps({"want": ["fd", "poses"], "states": [{"q": [0.1]}] * 20000}).encode()
        head = b"POST /v1/models/left:evaluate HTTP/1.1\r\n" + HOST + b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n"
        for wait in (0, 0.01, 0.1):
            with socket.create_connection((self.server.host, self.server.port)) as s:
                s.sendall(head % len(body) + body)
                time.sleep(wait)

    def test_one_connection_carries_many_requests_also_after_errors(self):
        connection = http.client.HTTPConnection(self.server.host, self.server.port, timeout=30)
        for _ in range(20):
            self.assertEqual(self.server.request_on(connection, "GET", "/v1/version").status, 200)
            self.assertEqual(self.server.request_on(connection, "GET", "/nope").status, 404)
            self.assertEqual(self.server.request_on(connection, "POST", "/v1/models", "{").status, 400)
            self.assertEqual(self.server.request_on(connection, "POST", "/nope", "x" * 100_000).status, 404)
        connection.close()

    def test_many_clients_at_once_get_their_own_answers(self):
        self.server.request("PUT", "/v1/models/many", pendulum())
        wrong = []

        def ask(k):
            connection = http.client.HTTPConnection(self.server.host, self.server.port, timeout=60)
            for i in range(20):
                body = {"want": ["tau"], "states": [{"q": [0], "u": [k + i]}] * (1 + 40 * (i % 2))}
                got = self.server.request_on(connection, "POST", "/v1/models/many:evaluate", body).json()
                if any(state["tau"] != [k + i] for state in got["states"]):
                    wrong.append((k, i))
            connection.close()

        threads = [threading.Thread(target=ask, args=(100 * k,)) for k in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    main()
