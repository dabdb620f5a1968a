"""Descriptions of robots in other formats: which one a text is in, and the files of meshes that it names."""
from __future__ import annotations

import base64
import os
import re
from typing import Dict, Iterator, Union

MOST_BYTES = 40 << 20
UPWARDS = 5  # folders above the description in which files are looked for


def read(path: Union[str, "os.PathLike[str]"]) -> str:
    """The text of a description. Binary USD is refused with what to do."""
    with open(path, "rb") as file:
        data = file.read()
    if data.startswith((b"PXR-USDC", b"PK\x03\x04")):
        raise ValueError(f"{os.fspath(path)} is binary USD (.usdc, .usdz); write it as text: usdcat --flatten -o scene.usda")
    return data.decode("utf-8")


def format_of(text: str) -> str:
    """The member of an import that the text goes under."""
    if text.startswith("#usda"):
        return "usd"
    return "mjcf" if "<mujoco" in text and "<robot" not in text else "urdf"


def meshes(text: str, path: str) -> Dict[str, str]:
    """The STL and OBJ files that a description names and that are found beside it: {name: base64}."""
    found: Dict[str, str] = {}
    size = 0
    folder = re.search(r"\smeshdir\s*=\s*[\"']([^\"']*)", text)
    for name in re.findall(r"\s(?:filename|file)\s*=\s*[\"']([^\"']*\.(?:stl|obj))[\"']", text, re.IGNORECASE):
        for place in _places(name, os.path.dirname(os.path.abspath(path)), folder.group(1) if folder else ""):
            if name not in found and os.path.isfile(place) and size + os.path.getsize(place) <= MOST_BYTES:
                with open(place, "rb") as file:
                    found[name] = base64.b64encode(file.read()).decode("ascii")
                size += os.path.getsize(place)
                break
    return found


# "package://NAME/REST" may be NAME/REST or REST, in the folder of the description or one above it.
def _places(name: str, beside: str, folder: str) -> Iterator[str]:
    scheme, _, rest = name.rpartition("://")
    if scheme == "file":
        yield rest
        return
    for up in range(UPWARDS + 1):
        above = os.path.join(beside, *[os.pardir] * up)
        yield os.path.join(above, rest)
        if scheme:
            yield os.path.join(above, rest.partition("/")[2])
        else:
            yield os.path.join(above, folder, rest)
