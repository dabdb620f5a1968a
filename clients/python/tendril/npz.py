"""Archives of arrays, as numpy.savez and numpy.load have them, made for many small ones: what a control loop sends and gets.

A member is a header of numpy's, stored, and then the array's bytes. numpy writes and parses every header anew, which takes
longer than the states of a loop; here those that came before are known. Whatever has another form is left to numpy."""
import functools
import io
import struct
import zlib
from typing import Any, Dict, List, Mapping, Optional, Tuple

import numpy as np

LOCAL, CENTRAL, END = struct.Struct("<4s5H3L2H"), struct.Struct("<4s6H3L5H2L"), struct.Struct("<4s4H2LH")
UTF8 = 0x800            # how names are written
DATE = 0x21             # 1 January 1980: none
LARGEST = 1 << 30       # bytes of an archive in this form; beyond 4 GiB there are other records
MAGIC = b"\x93NUMPY\x01\x00"


@functools.lru_cache(512)
def _header(descr: str, shape: Tuple[int, ...]) -> bytes:
    out = io.BytesIO()
    np.lib.format.write_array_header_1_0(out, {"descr": descr, "fortran_order": False, "shape": shape})
    return out.getvalue()


@functools.lru_cache(512)
def _parsed(header: bytes) -> Tuple[np.dtype, Tuple[int, ...], bool]:
    shape, columns_first, dtype = np.lib.format.read_array_header_1_0(io.BytesIO(header))
    return dtype, shape, columns_first


def write(members: Mapping[str, Any]) -> bytes:
    """An archive of arrays by name."""
    arrays = {name: np.asarray(value) for name, value in members.items()}
    if sum(a.nbytes for a in arrays.values()) > LARGEST or any(a.dtype.kind not in "biufU" for a in arrays.values()):
        out = io.BytesIO()
        np.savez(out, **arrays)
        return out.getvalue()
    parts: List[bytes] = []
    directory: List[bytes] = []
    at = 0
    for name, array in arrays.items():
        file, header, data = (name + ".npy").encode(), _header(array.dtype.str, array.shape), array.tobytes()
        about = (20, UTF8, 0, 0, DATE, zlib.crc32(data, zlib.crc32(header)), len(header) + len(data), len(header) + len(data), len(file))
        directory += CENTRAL.pack(b"PK\1\2", 20, *about, 0, 0, 0, 0, 0, at), file
        parts += LOCAL.pack(b"PK\3\4", *about, 0), file, header, data
        at += LOCAL.size + len(file) + len(header) + len(data)
    index = b"".join(directory)
    return b"".join((*parts, index, END.pack(b"PK\5\6", 0, 0, len(arrays), len(arrays), len(index), at, 0)))


def read(data: bytes) -> Dict[str, np.ndarray]:
    """All members of an archive. Pickled objects are refused."""
    arrays = _plain(data)
    if arrays is None:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
    return arrays


def _plain(data: bytes) -> Optional[Dict[str, np.ndarray]]:
    """None of an archive that has any other form, or is damaged: numpy says then what is wrong."""
    arrays: Dict[str, np.ndarray] = {}
    try:
        end = len(data) - END.size
        mark, _, _, _, count, index_size, at, note_size = END.unpack_from(data, end)
        if mark != b"PK\5\6" or at + index_size != end or note_size:
            return None
        for _ in range(count):
            mark, _, needed, flags, method, _, _, crc, packed, size, name_size, extra_size, note_size, _, _, _, local = CENTRAL.unpack_from(data, at)
            file = data[at + CENTRAL.size:at + CENTRAL.size + name_size]
            at += CENTRAL.size + name_size + extra_size + note_size
            local_mark, _, local_flags, *_, local_name_size, local_extra_size = LOCAL.unpack_from(data, local)
            begin = local + LOCAL.size + local_name_size + local_extra_size
            member = memoryview(data)[begin:begin + size]
            if ((mark, local_mark, flags & ~UTF8, method, packed, len(member)) != (b"PK\1\2", b"PK\3\4", 0, 0, size, size)
                    or needed > 20 or local_flags != flags or bytes(member[:8]) != MAGIC or zlib.crc32(member) != crc
                    or data[local + LOCAL.size:local + LOCAL.size + local_name_size] != file):
                return None
            name = file.decode()
            header_size = 10 + int.from_bytes(member[8:10], "little")
            dtype, shape, columns_first = _parsed(bytes(member[8:header_size]))
            if dtype.hasobject:
                return None
            values = np.frombuffer(member[header_size:], dtype).copy()
            arrays[name[:-4] if name.endswith(".npy") else name] = values.reshape(shape, order="F" if columns_first else "C")
    except (struct.error, ValueError, UnicodeDecodeError):
        return None
    return arrays if at == end else None
