"""Requests gone wrong: makes an honest request of any route of the contract, and changes it at random in one to three ways.

A Mutant is bytes to send, how to send them, and what may be expected: `whole` when the bytes are one complete request, so
that there must be an answer. Everything follows from one random.Random.
"""
import copy
import dataclasses
import json
import re

from harness import npz, pendulum

JUNK = [None, True, -1, 0, 0.5, 1e308, 1e-320, -0.0, 2**63, 10**30, "", "x" * 5000, "\u0000", "\ud7ff\u20ac", [], {}, [[[[]]]],
        {"a": 1}, [None], "NaN", "zero", "arm", "../../etc/passwd", "%s%n", [1e300] * 40]
TOKENS = [b"%", b"%0", b"%00", b"%zz", b"%2F", b"%3A", b"%25", b"//", b"/..", b"/./", b":", b"::", b";", b"?", b"&", b"=",
          b"+", b"\\",
          b"\xff\xfe", b"\xc3\xa9", b"'", b'"', b"x" * 100, b"x" * 3000, b"{}", b"@", b"@1", b"@99999999999999999999", b"~", b"*"]
VALUES = [b"", b"0", b"1", b"-1", b"1.5", b"1e3", b"99999999999999999999", b"-9223372036854775808", b"0x10", b" 1", b"1 ",
          b"*", b"a:b", b":",
          b"x" * 2000, b"%", b"%41", b"\xff", b"true", b"null", b"2026-01-01T00:00:00Z", b"2026-13-99T99:99:99Z", b"2026-01-01",
          b"queued", b"dynamics", b"pendulum", b"pendulum@1", b"'; DROP TABLE jobs; --", b"../x"]
HEADERS = {
    b"Accept": [b"", b"*/*", b"text/html", b"application/x-npz", b"application/json;q=0", b"application/*;q=0.5, */*;q=0",
                b"a" * 3000,
                b"text/event-stream", b",,,;;;q=", b"*/*;q=nan", b"*/*;q=1e999", b"application/json;q=-1", b"\xff/\xfe"],
    b"Content-Type": [b"", b"text/plain", b"application/json; charset=utf-16", b"application/x-npz", b"APPLICATION/JSON",
                      b"/", b"\xff",
                      b"application/json\x01", b"multipart/form-data; boundary=x"],
    b"If-Match": [b"*", b'"x"', b"W/\"x\"", b'"', b"", b'"' * 300, b"x" * 3000],
    b"If-None-Match": [b"*", b'"x"', b'"', b"", b'"a", "b"'],
    b"If-Range": [b'"x"', b"*", b"", b"Sat, 21 Nov 2026 05:00:00 GMT"],
    b"Range": [b"bytes=0-0", b"bytes=0-", b"bytes=-1", b"bytes=-0", b"bytes=5-2", b"bytes=0-99999999999999999999",
               b"bytes=1-2,4-5", b"bytes=",
               b"bytes=-", b"bytes=99999999999999999999-", b"items=0-1", b"bytes = 0 - 1", b"", b"bytes=\xff-"],
    b"Idempotency-Key": [b"", b"k", b"k" * 128, b"k" * 129, b"k" * 3000, b"\xff", b"a b", b"\x7f", b"'"],
    b"Last-Event-ID": [b"", b"0", b"1", b"-1", b"x", b"99999999999999999999", b"9223372036854775807"],
    b"Host": [b"", b"evil.example", b"localhost:99999999", b"localhost:", b"[::1", b"127.0.0.1 ", b"\xff", b"x" * 3000],
    b"Origin": [b"null", b"http://localhost", b"http://evil.example", b"", b"http://", b"https://[::1]:1"],
    b"X-Request-Id": [b"", b"ok-1", b"x" * 64, b"x" * 65, b"\xff", b"a b", b"\"<script>"],
    b"Connection": [b"close", b"keep-alive", b"upgrade", b"x, close", b""],
    b"Upgrade": [b"h2c", b"websocket"], b"Accept-Encoding": [b"gzip", b"*;q=0"],
    b"Cookie": [b"a=b; c", b"=;=", b"a=\"", b"x" * 3000],
    b"Authorization": [b"Bearer x", b"Basic =", b""], b"TE": [b"trailers"], b"X-" + b"y" * 500: [b"z" * 500],
}


@dataclasses.dataclass
class Mutant:
    method: bytes
    target: bytes
    headers: list
    body: bytes
    version: bytes = b"HTTP/1.1"
    chunks: list = None      # sizes: the body goes out in chunks
    length: bytes = None     # a Content-Length that is not the body's
    raw: bytes = None        # sent instead of all that
    tail: bytes = b""        # sent behind
    slices: int = 1          # pieces in which it is sent, with pauses
    end: str = "close"       # or half-close, or abandon
    whole: bool = True       # there must be an answer
    story: list = dataclasses.field(default_factory=list)

    def bytes(self):
        if self.raw is not None:
            return self.raw
        headers, body = list(self.headers), self.body
        if self.chunks is not None:
            headers.append((b"Transfer-Encoding", b"chunked"))
            body = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces(self.body, self.chunks)) + b"0\r\n\r\n"
        elif self.length is not None:
            headers.append((b"Content-Length", self.length))
        elif self.body or self.method in (b"POST", b"PUT"):
            headers.append((b"Content-Length", b"%d" % len(self.body)))
        head = b"".join(b"%s: %s\r\n" % header for header in headers)
        return b"%s %s %s\r\n%s\r\n%s" % (self.method, self.target, self.version, head, body) + self.tail


def pieces(body, sizes):
    at = 0
    for size in sizes:
        if at >= len(body):
            return
        yield body[at:at + size]
        at += size
    if at < len(body):
        yield body[at:]


def replaced(document, random):
    """One random place of a JSON document changed: another value, removed, doubled, or a new key."""
    places = list(walk(document))
    node, key = random.choice(places)
    what = random.randrange(4)
    if what == 0 and isinstance(node, dict):
        del node[key]
    elif what == 1 and isinstance(node, dict):
        node[random.choice(["extra", "", "x" * 300, "\u0000", str(key) + " "])] = copy.deepcopy(random.choice(JUNK))
    elif what == 2 and isinstance(node, list):
        node.extend(node * random.choice([1, 3, 50]))
    else:
        node[key] = copy.deepcopy(random.choice(JUNK))
    return document


def walk(node):
    keys = node.keys() if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
    for key in keys:
        yield node, key
        yield from walk(node[key])


def scrambled(data, random):
    """Bytes changed, cut out, doubled or put in."""
    data = bytearray(data)
    for _ in range(random.choice([1, 1, 2, 8])):
        at = random.randrange(len(data) + 1)
        what = random.randrange(5)
        if what == 0:
            data[at:at + 1] = bytes([random.randrange(256)])
        elif what == 1:
            del data[at:at + random.choice([1, 2, 10, 1000])]
        elif what == 2:
            data[at:at] = data[at:at + 20] * random.choice([1, 3])
        elif what == 3:
            data[at:at] = random.choice([b"{", b"[" * 200, b"}", b",", b'"', b"\\u0000", b"\\ud800", b"1e999", b"\xff",
                                         b"\0", b"//"])
        else:
            del data[at:]
    return bytes(data)


class Maker:
    """Mutants of all operations of the contract in turn. `places` fills the {…} of paths, by template."""

    def __init__(self, contract, random, places):
        self.random, self.places = random, places
        self.operations = [(method.upper(), path, operation) for path, item in contract["paths"].items()
                           for method, operation in item.items() if method in ("get", "put", "post", "delete")]
        self.parameters = contract["components"]["parameters"]
        self.count = 0

    # ------------------------------------------------------------------------------------------------ honest requests

    def bodies(self, method, path):
        states = [{"q": [0.3], "qd": [1], "u": [0.5]}, {"q": [0]}]
        want = ["fd", "energy", "poses", "dfd_dq"]
        if path.endswith("evaluate"):
            model = {} if "{" in path else {"model": pendulum()}
            archive = npz(q=[[0.1]], want=["fd"]) if "{" in path else npz(q=[[0.1]], want=["fd"],
                                                                          model=list(json.dumps(pendulum()).encode()))
            return [{"want": want, "states": states, **model}, archive]
        if path == "/v1/jobs" and method == "POST":
            return [{"model": "pendulum", "kind": "dynamics", "t_end": 0.1, "inputs": {"motor": {"type": "sine", "amplitude": 1}},
                     "integrator": {"method": "bdf", "rtol": 1e-3}, "output": {"dt": 0.05, "fields": ["q", "energy"]},
                     "labels": {"a": "b"}, "priority": 1, "max_wall_s": 1},
                    {"model": pendulum(), "kind": "statics", "inputs": {"motor": [0, 0.5]}}]
        return [pendulum(name=self.random.choice(["m1", "m2", "m3"]))] if method in ("POST", "PUT") and "models" in path else [b""]

    def honest(self, port):
        method, path, operation = self.operations[self.count % len(self.operations)]
        self.count += 1
        target = re.sub(r"{(\w+)}", lambda m: self.random.choice(self.places(method, path, m.group(1))), path)
        body = self.random.choice(self.bodies(method, path))
        kind = b"application/x-npz" if isinstance(body, bytes) and body else b"application/json"
        headers = [(b"Host", b"127.0.0.1:%d" % port)] + [(b"Content-Type", kind)] * (method in ("POST", "PUT"))
        return Mutant(method.encode(), target.encode(), headers, body, story=[method + " " + path]), operation

    # --------------------------------------------------------------------------------------------------------- changes

    def change_method(self, m, _):
        m.method = self.random.choice([b"GET", b"HEAD", b"POST", b"PUT", b"DELETE", b"PATCH", b"OPTIONS", b"TRACE",
                                       b"CONNECT", b"get",
                                       b"X" * 40, b"G\xffT", b"PRI", b"PROPFIND"])

    def change_path(self, m, _):
        at = self.random.randrange(len(m.target) + 1)
        what = self.random.randrange(4)
        if what == 0:
            m.target = m.target[:at] + self.random.choice(TOKENS) + m.target[at:]
        elif what == 1:
            m.target = m.target[:at] + m.target[at + self.random.choice([1, 3, 10]):]
        elif what == 2 and at < len(m.target):
            m.target = m.target[:at] + b"%%%02x" % m.target[at] + m.target[at + 1:]
        else:
            m.target += self.random.choice([b"/", b"/x", b":evaluate", b":cancel", b"/events", b"#x", b"/" * 50])
        m.target = m.target.replace(b" ", b"+") or b"*"

    def change_query(self, m, operation):
        known = [p.get("name") or self.parameters[p["$ref"].split("/")[-1]]["name"] for p in operation.get("parameters", [])]
        pairs = [(self.random.choice(known + ["wait", "x", "", "limit", "cursor", "partial"]).encode(), self.random.choice(VALUES))
                 for _ in range(self.random.choice([1, 1, 2, 30]))]
        text = b"&".join(self.random.choice([b"%s=%s", b"%s=%s", b"%s&%s"]) % pair for pair in pairs)
        m.target += (b"&" if b"?" in m.target else b"?") + text.replace(b" ", b"%20")

    def change_headers(self, m, _):
        for _ in range(self.random.choice([1, 1, 2, 5])):
            name = self.random.choice(list(HEADERS))
            header = (name, self.random.choice(HEADERS[name]))
            if self.random.random() < 0.7:
                m.headers = [other for other in m.headers if other[0] != name]
            m.headers.insert(self.random.randrange(len(m.headers) + 1), header)

    def break_headers(self, m, _):
        wrong = self.random.choice([(b"", b"x"), (b"No Colon", b""), (b" Folded", b"x"), (b"X", b"a\r\n b"),
                                    (b"X\x00", b"y"), (b"X", b"a\x00b"),
                                    (b"X", b"a\rb"), (b"Host", b"evil.example"), (b"Expect", b"100-continue"),
                                    (b"Expect", b"200-ok")])
        m.headers.insert(self.random.randrange(len(m.headers) + 1), wrong)
        m.whole = m.whole and wrong[0] not in (b"X\x00",) and wrong[1] not in (b"a\rb",)

    def change_document(self, m, _):
        if isinstance(m.body, dict):
            m.body = replaced(m.body, self.random)
        else:
            self.scramble_body(m, _)

    def scramble_body(self, m, _):
        if isinstance(m.body, dict):
            m.body = json.dumps(m.body).encode()
        m.body = scrambled(m.body, self.random)

    def other_body(self, m, _):
        m.body = self.random.choice([b"", b"{", b"[]", b"null", b"0", b'""', b"\xef\xbb\xbf{}", b" " * 10000, b"[" * 10000,
                                     b"PK\x03\x04", b"\0" * 100,
                                     json.dumps(pendulum()).encode() * 2, b'{"a":' * 60 + b"1" + b"}" * 60, npz(q=[[1.0]])])

    def change_version(self, m, _):
        m.version = self.random.choice([b"HTTP/1.0", b"HTTP/1.0", b"HTTP/1.1", b"HTTP/2.0", b"HTTP/0.9", b"HTTP/1.10",
                                        b"http/1.1", b"", b"HTTX/1.1"])
        m.whole = m.whole and m.version in (b"HTTP/1.0", b"HTTP/1.1")

    def in_chunks(self, m, _):
        m.chunks = [self.random.choice([1, 2, 7, 100, 5000]) for _ in range(20)]

    def lie_about_length(self, m, _):
        size = len(m.body) if isinstance(m.body, bytes) else len(json.dumps(m.body))
        m.length = self.random.choice([b"%d" % (size + 1), b"%d" % (size + 100000), b"%d" % max(size - 1, 0), b"0", b"-1",
                                       b"", b"1, 1", b"+5",
                                       b"0x10", b"5 5", b"99999999999999999999", b"268435457", b"67108865", b"five"])
        m.whole, m.end = False, self.random.choice(["close", "half-close"])

    def two_lengths(self, m, _):
        m.headers.append((b"Content-Length", self.random.choice([b"3", b"0", b"100"])))
        m.whole, m.end = False, "half-close"

    def length_and_chunks(self, m, _):
        m.headers.append((b"Content-Length", b"3"))
        m.chunks, m.whole, m.end = [10], False, "half-close"

    def broken_chunks(self, m, _):
        self.in_chunks(m, _)
        encode(m)
        data = m.bytes()
        head = data.index(b"\r\n\r\n") + 4
        m.raw = data[:head] + self.random.choice([
            scrambled(data[head:], self.random), b"zz\r\n", b"-1\r\n", b"ffffffffffffffff\r\nx", b"fffffffffffffffff\r\nx",
            b"5\r\nabc", b"5;x=" + b"y" * 9000,
            b"1\nx\n0\n\n", b"0\r\nTrailer: x\r\n\r\n", b"5\r\nhelloX\r\n0\r\n\r\n", b"\r\n", b"0" * 9000 + b"\r\n\r\n",
            b"1\r\n{\r\n0\r\n" + b"T: x\r\n" * 5000])
        m.whole, m.end = False, "half-close"

    def cut_short(self, m, _):
        encode(m)
        data = m.bytes()
        m.raw = data[:self.random.randrange(len(data))]
        m.whole, m.end = False, self.random.choice(["half-close", "abandon"])

    def scramble_all(self, m, _):
        encode(m)
        m.raw = scrambled(m.bytes(), self.random)
        m.whole, m.end = False, "half-close"

    def pipelined(self, m, _):
        encode(m)
        one = m.bytes()
        m.tail = self.random.choice([one, one * 3, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n" * 5, b"\r\n\r\n",
                                     b"garbage\r\n\r\n", b"\0"])

    def slowly(self, m, _):
        m.slices = self.random.choice([2, 3, 10])

    def half_closed(self, m, _):
        m.end, m.whole = "half-close", False  # it may be taken for a client that has left

    def abandoned(self, m, _):
        m.end, m.whole = "abandon", False

    CHANGES = [change_method, change_path, change_path, change_query, change_query, change_headers, change_headers, change_headers,
               change_document, change_document, change_document, scramble_body, other_body, change_version, in_chunks,
               slowly, half_closed]
    LAST = [break_headers, lie_about_length, two_lengths, length_and_chunks, broken_chunks, cut_short, scramble_all,
            pipelined, abandoned]

    def make(self, port):
        m, operation = self.honest(port)
        changes = self.random.sample(self.CHANGES, self.random.choice([1, 1, 2, 3]))
        if self.random.random() < 0.3:
            changes.append(self.random.choice(self.LAST))
        for change in changes:
            m.story.append(change.__name__)
            if change in (Maker.change_document, Maker.scramble_body, Maker.other_body) and not m.body:
                continue
            change(self, m, operation)
        encode(m)
        return m


def encode(m):
    if isinstance(m.body, dict):
        m.body = json.dumps(m.body).encode()
