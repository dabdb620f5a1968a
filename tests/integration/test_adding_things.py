"""engine/adding.md is true: a copy of the engine to which its code blocks are added, as it says, has the new kinds.

Each block stands below a paragraph that ends with "New file `PATH`:", "In `PATH`, before `TEXT`:" or "…, after `TEXT`:". The engine
and the part of the server that reads documents are built without optimisation, and adding_things.c is linked to them and run.
"""
import concurrent.futures
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

SOURCE = os.environ.get("TENDRIL_SOURCE") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BLOCK = re.compile(r"(New file|In) `([\w/.]+)`(?:, (before|after) `([^`\n]+)`)?:\n\n```c\n(.*?)```\n", re.DOTALL)
ENGINE_ROOT = "engine"
SERVER_PARTS = ["server/base/arena.c", "server/base/share/budget.c", "server/codec/json", "server/codec/document"]
FLAGS = ["-std=gnu11", "-O0", "-Wall", "-Wextra", "-Werror", "-Wno-psabi", "-D_GNU_SOURCE", '-DTENDRIL_VERSION="0"']

LIBRARIES = ["-lsundials_cvode", "-lsundials_ida", "-lsundials_nvecserial", "-lopenblas", "-lm"]


def blocks(text):
    return [match.groups() for match in BLOCK.finditer(text)]


def add(top, kind, path, where, anchor, code):
    """Does what one block says, in the copy at `top`."""
    path = os.path.join(top, ENGINE_ROOT, path)
    if kind == "New file":
        assert not os.path.exists(path), f"{path} is there already"
        assert anchor is None
        text = code
    else:
        with open(path, encoding="utf-8") as stream:
            lines = stream.read().splitlines(keepends=True)
        found = [i for i, line in enumerate(lines) if anchor in line]
        assert len(found) == 1, f"{len(found)} lines of {path} have `{anchor}`"
        at = found[0] + (where == "after")
        text = "".join(lines[:at]) + code + "".join(lines[at:])
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)


def sources(top):
    for part in [ENGINE_ROOT, *SERVER_PARTS]:
        if part.endswith(".c"):
            yield part
        for folder, _, names in os.walk(os.path.join(top, part)):
            yield from (os.path.relpath(os.path.join(folder, name), top) for name in sorted(names) if name.endswith(".c"))


def build(top):
    """The program, and what the compiler said where it failed."""
    compiler = ([shutil.which("ccache")] if shutil.which("ccache") else []) + ["cc"]
    libraries = shlex.split(subprocess.run(["pkg-config", "--cflags", "--libs", "jansson"], check=True, stdout=subprocess.PIPE, text=True).stdout)
    includes = ["-Iengine/include", "-Iengine", "-Iserver"]

    def compile_one(path):
        target = os.path.join(top, path.replace("/", "_") + ".o")
        done = subprocess.run([*compiler, *FLAGS, *includes, "-c", path, "-o", target], cwd=top, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        return target, done.stdout if done.returncode else ""

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        made = list(pool.map(compile_one, [*sources(top), "adding_things.c"]))
    said = "".join(text for _, text in made)
    if said:
        return None, said
    program = os.path.join(top, "adding_things")
    library = os.path.join(top, "libadded.a") # of which the linker takes what the program needs
    subprocess.run(["ar", "rcs", library, *(target for target, _ in made[:-1])], check=True)
    done = subprocess.run(["cc", made[-1][0], library, *libraries, *LIBRARIES, "-o", program], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    return (None, done.stdout) if done.returncode else (program, "")


class AddingThings(unittest.TestCase):
    def setUp(self):
        with open(os.path.join(SOURCE, ENGINE_ROOT, "adding.md"), encoding="utf-8") as stream:
            self.text = stream.read()

    def test_every_block_of_code_says_where_it_goes(self):
        self.assertEqual(len(blocks(self.text)), self.text.count("```c\n"))

    def test_the_kinds_that_the_page_adds_are_there_and_right(self):
        with tempfile.TemporaryDirectory() as top:
            for part in ["engine", "server/base", "server/codec", "api/c"]:
                shutil.copytree(os.path.join(SOURCE, part), os.path.join(top, part))
            shutil.copy(os.path.join(SOURCE, "tests/integration/adding_things.c"), top)
            for block in blocks(self.text):
                add(top, *block)
            program, said = build(top)
            self.assertIsNotNone(program, said[:4000])
            done = subprocess.run([program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
            self.assertEqual((done.returncode, done.stdout), (0, ""))


if __name__ == "__main__":
    unittest.main()
