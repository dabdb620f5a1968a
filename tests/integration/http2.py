"""HTTP/2 by hand, for tests that send what no client library would: frames over a socket, header blocks with no compression. What comes
back is read frame by frame; header blocks are inflated by libnghttp2 (through ctypes)."""
import ctypes
import socket
import struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM, ACK, END_HEADERS = 1, 1, 4
ENHANCE_YOUR_CALM = 11


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def integer(value, bits, first=0):
    """RFC 7541, 5.1."""
    most = (1 << bits) - 1
    if value < most:
        return bytes([first | value])
    out = [first | most]
    value -= most
    while value >= 128:
        out.append(value % 128 | 128)
        value //= 128
    return bytes(out + [value])


def literal(name, value, first=b"\0"):
    """A field with its text, not to be kept by the other side; with first = b"@" it is."""
    name, value = (text.encode() if isinstance(text, str) else text for text in (name, value))
    return first + integer(len(name), 7) + name + integer(len(value), 7) + value


def call_fields(method, **more):
    fields = {":method": "POST", ":scheme": "http", ":path": method, ":authority": "localhost", "te": "trailers",
              "content-type": "application/grpc"}
    return {**fields, **{name.replace("_", "-"): value for name, value in more.items()}}


def block(fields):
    return b"".join(literal(name, value) for name, value in fields.items())


def message(payload):
    return b"\0" + struct.pack(">I", len(payload)) + payload


class _Field(ctypes.Structure):
    _fields_ = [("name", ctypes.POINTER(ctypes.c_uint8)), ("value", ctypes.POINTER(ctypes.c_uint8)), ("name_size", ctypes.c_size_t),
                ("value_size", ctypes.c_size_t), ("flags", ctypes.c_uint8)]


class Inflater:
    library = ctypes.CDLL("libnghttp2.so.14")
    library.nghttp2_hd_inflate_hd2.restype = ctypes.c_ssize_t
    library.nghttp2_hd_inflate_hd2.argtypes = [ctypes.c_void_p, ctypes.POINTER(_Field), ctypes.POINTER(ctypes.c_int), ctypes.c_char_p,
                                               ctypes.c_size_t, ctypes.c_int]
    library.nghttp2_hd_inflate_end_headers.argtypes = library.nghttp2_hd_inflate_del.argtypes = [ctypes.c_void_p]

    def __init__(self):
        self.handle = ctypes.c_void_p()
        assert self.library.nghttp2_hd_inflate_new(ctypes.byref(self.handle)) == 0

    def __del__(self):
        self.library.nghttp2_hd_inflate_del(self.handle)

    def inflate(self, data):
        fields, field, flags = {}, _Field(), ctypes.c_int()
        while True:
            used = self.library.nghttp2_hd_inflate_hd2(self.handle, field, flags, data, len(data), 1)
            assert used >= 0, used
            data = data[used:]
            if flags.value & 2:
                name, value = (bytes(text[:size]).decode() for text, size in ((field.name, field.name_size), (field.value, field.value_size)))
                fields[name] = value
            if flags.value & 1:
                self.library.nghttp2_hd_inflate_end_headers(self.handle)
                return fields


class Connection:
    """A client's connection; nothing is answered by itself, not even SETTINGS."""

    def __init__(self, address, source=None, context=None, greet=True, timeout=30):
        host, port = address.rsplit(":", 1)
        self.socket = socket.create_connection((host, int(port)), timeout=timeout, source_address=(source, 0) if source else None)
        if context:
            self.socket = context.wrap_socket(self.socket, server_hostname="localhost")
        self.inflater, self.rest, self.next_stream = Inflater(), b"", 1
        if greet:
            self.send(PREFACE + frame(SETTINGS, 0, 0))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def open(self, method, data=None, **more):
        """The frames of a call (of its headers alone without data) and its number."""
        stream, self.next_stream = self.next_stream, self.next_stream + 2
        out = frame(HEADERS, END_HEADERS, stream, block(call_fields(method, **more)))
        return stream, out + (frame(DATA, END_STREAM, stream, data) if data is not None else b"")

    def _more(self):
        chunk = self.socket.recv(65536)
        self.rest += chunk
        return bool(chunk)

    def frames(self):
        """(kind, flags, stream, payload) until the server closes."""
        while True:
            while len(self.rest) < 9 or len(self.rest) < 9 + int.from_bytes(self.rest[:3], "big"):
                try:
                    if not self._more():
                        return
                except (ConnectionResetError, BrokenPipeError):
                    return
            size = int.from_bytes(self.rest[:3], "big")
            head, payload, self.rest = self.rest[:9], self.rest[9:9 + size], self.rest[9 + size:]
            yield head[3], head[4], int.from_bytes(head[5:9], "big") & 0x7FFFFFFF, payload

    def trailers(self, stream):
        """Headers and trailers of one call, together, when it has ended; None: it was reset, or the connection ended."""
        fields = {}
        for kind, flags, number, payload in self.frames():
            if kind == HEADERS:
                found = self.inflater.inflate(payload)
                if number == stream:
                    fields.update(found)
            if number == stream and kind in (HEADERS, DATA) and flags & END_STREAM:
                return fields
            if number == stream and kind == RST_STREAM:
                return None
        return None

    def end(self):
        """The error code of GOAWAY, read until the server closes; None: it closed without one."""
        code = None
        try:
            for kind, _, _, payload in self.frames():
                if kind == GOAWAY:
                    code = int.from_bytes(payload[4:8], "big")
        except (TimeoutError, OSError):
            return code
        return code
