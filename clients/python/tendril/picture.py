"""Pictures, as the command `tendril plot` draws them: one look, whoever asks for it."""
from __future__ import annotations

import base64
import html
import os
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
from typing import Any, List, Optional, Sequence, Type, TypeVar

FORMATS = ("png", "svg", "pdf")
FILMS = ("mp4", "gif")


class Replay:
    """A page that a notebook shows in a frame; `save` writes it."""

    def __init__(self, page: str):
        self.page = page

    def __repr__(self) -> str:
        return f"Replay({len(self.page)} bytes)"

    def save(self, path: str) -> None:
        """Writes the page."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.page)

    def _repr_html_(self) -> str:
        return f"<iframe style='width:100%;height:720px;border:0' sandbox='allow-scripts' srcdoc='{html.escape(self.page)}'></iframe>"


class Drawn:
    """What `tendril plot` has made, as bytes; `save` writes it."""
    formats: Sequence[str] = ()
    told = ""

    def __init__(self, data: bytes, format: str):
        self.data, self.format = data, format

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.format}, {len(self.data)} bytes)"

    def save(self, path: str) -> None:
        """Writes it; the file's name should end as `format` says."""
        with open(path, "wb") as file:
            file.write(self.data)


class Picture(Drawn):
    """A picture as bytes. A notebook shows it; `save` writes it. format: "png", "svg" or "pdf"."""
    formats, told = FORMATS, "pictures are PNG, SVG or PDF"

    def __init__(self, data: bytes, format: str = "png"):
        super().__init__(data, format)

    def _repr_png_(self) -> Optional[bytes]:
        return self.data if self.format == "png" else None

    def _repr_svg_(self) -> Optional[str]:
        return self.data.decode() if self.format == "svg" else None


class Film(Drawn):
    """A film as bytes. A notebook plays it; `save` writes it. format: "mp4" or "gif"."""
    formats, told = FILMS, "films are MP4 or GIF"

    def _repr_html_(self) -> str:
        data = base64.b64encode(self.data).decode()
        if self.format == "gif":
            return f"<img alt='film' src='data:image/gif;base64,{data}'>"
        return f"<video controls loop src='data:video/mp4;base64,{data}'></video>"


D = TypeVar("D", bound=Drawn)


def command() -> Optional[str]:
    """Where the command `tendril` is: TENDRIL_COMMAND, in PATH, or in this checkout's build folder; None: nowhere."""
    given = os.environ.get("TENDRIL_COMMAND")
    if given:
        return given
    checkout = os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 3, "build", "release", "bin", "tendril")
    return shutil.which("tendril") or (os.path.normpath(checkout) if os.access(checkout, os.X_OK) else None)


def _listen(lines: Any) -> str:
    """What the command says to its end; how far a film is goes to standard error meanwhile."""
    said, told = [], False
    for line in lines:
        if re.match(r"frame \d+ of \d+", line):
            told = bool(sys.stderr.write("\r" + line.strip().ljust(40)))
            sys.stderr.flush()
        else:
            said.append(line)
    if told:
        sys.stderr.write("\n")
    return "".join(said).strip()


def run(words: Sequence[str], result: Any, output: str) -> None:
    """Runs `tendril WORD RESULT.npz … -o output` on a result; ValueError with what it says where it refuses."""
    program = command()
    if not program:
        raise FileNotFoundError("this needs the command `tendril`: put its folder (build/release/bin) into PATH, or its path into TENDRIL_COMMAND")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "result.npz")
        result.save(path)
        with subprocess.Popen([program, words[0], path, *words[1:], "-o", output], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, encoding="utf-8") as making:
            said = _listen(making.stderr)
        status = making.returncode
    if status:
        raise ValueError(said.removeprefix("tendril: ") or f"{program} ended with status {status}")
    if said:
        warnings.warn(said, stacklevel=4)


def options(**given: Any) -> List[str]:
    """As the command takes them: None is left out, True is a switch, lists have commas."""
    words: List[str] = []
    for name, value in given.items():
        if value is None or value is False:
            continue
        words.append("--" + name)
        if value is not True:
            words.append(",".join(str(one) for one in value) if isinstance(value, (list, tuple)) else str(value))
    return words


def draw(result: Any, path: Optional[str], format: Optional[str], words: List[str], kind: Type[D]) -> D:
    """The command's picture or film of a result, also written to `path`; without either word of the first of its formats."""
    format = format or (os.path.splitext(path)[1][1:].lower() if path else kind.formats[0])
    if format not in kind.formats:
        raise ValueError(f"{path or format}: {kind.told}")
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "drawn." + format)
        run(["plot", *words], result, output)
        with open(output, "rb") as file:
            made = kind(file.read(), format)
    if path:
        made.save(path)
    return made


def replay(result: Any, path: Optional[str]) -> Replay:
    """The command's page of a result, also written to `path`."""
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, "replay.html")
        run(["replay"], result, output)
        with open(output, encoding="utf-8") as file:
            made = Replay(file.read())
    if path:
        made.save(path)
    return made
