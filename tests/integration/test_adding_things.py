"""engine/adding.md and server/adding.md are true: copies to which their code blocks are added, as they say, have the new things.

Each block stands below a paragraph that ends with "New file `PATH`:", "In `PATH`, before `TEXT`:" or "…, after `TEXT`:". For the
first page the engine and the part of the server that reads documents are built without optimisation, and adding_things.c is linked
to them and run. For the second what its blocks change is compiled with the commands of the build and linked with the rest of the
server, which then is asked over both faces.
"""
import concurrent.futures
import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

SOURCE = os.environ.get("TENDRIL_SOURCE") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.dirname(os.environ.get("TENDRIL_BIN") or os.path.join(SOURCE, "build", "release", "bin"))
BLOCK = re.compile(r"(New file|In) `([\w/.]+)`(?:, (before|after) `([^`\n]+)`)?:\n\n```\w+\n(.*?)```\n", re.DOTALL)
ENGINE_ROOT = "engine"
SERVER_PARTS = ["api/c/json_reason.c", "server/base/arena.c", "server/base/share/budget.c", "server/codec/json", "server/codec/document"]
# Without optimisation the compiler does not know how long texts are.
FLAGS = ["-std=gnu11", "-O0", "-Wall", "-Wextra", "-Werror", "-Wno-psabi", "-Wno-format-truncation", "-D_GNU_SOURCE", '-DTENDRIL_VERSION="0"']

LIBRARIES = ["-lsundials_cvode", "-lsundials_ida", "-lsundials_nvecserial", "-lnlopt", "-lopenblas", "-lm"]


def blocks(text):
    return [match.groups() for match in BLOCK.finditer(text)]


def add(top, kind, path, where, anchor, code):
    """Does what one block says, in the copy at `top`."""
    path = os.path.join(top, path)
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
    includes = ["-Iengine/include", "-Iengine", "-Iserver", "-I."]

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
        self.assertEqual(len(blocks(self.text)), self.text.count("```") // 2)

    def test_the_kinds_that_the_page_adds_are_there_and_right(self):
        with tempfile.TemporaryDirectory() as top:
            for part in ["engine", "server/base", "server/codec", "api/c"]:
                shutil.copytree(os.path.join(SOURCE, part), os.path.join(top, part))
            shutil.copy(os.path.join(SOURCE, "tests/integration/adding_things.c"), top)
            for block in blocks(self.text):
                add(os.path.join(top, ENGINE_ROOT), *block)
            program, said = build(top)
            self.assertIsNotNone(program, said[:4000])
            done = subprocess.run([program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
            self.assertEqual((done.returncode, done.stdout), (0, ""))


# Files that what the page changes is compiled into, besides those that it changes.
COMPILED = ["server/service/operations.c", "server/http/routes.c", "server/rpc/methods.c"]
ASK = """
import os, sys
sys.path.insert(0, os.path.join(os.environ["TENDRIL_SOURCE"], "tests", "integration"))
from harness import Server, pendulum
from tendril import Client, NotFound
server = Server()
try:
    for url in (f"http://{server.ready['http']}", f"grpc://{server.ready['grpc']}"):
        with Client(url) as client:
            client.models.put(pendulum())
            assert client.models.size("pendulum") == {"ndof": 1, "links": 1, "channels": 1}, client.models.size("pendulum")
            try:
                raise AssertionError(f"absent is there: {client.models.size('absent')}")
            except NotFound:
                pass
finally:
    server.close()
"""


def protos(top):
    return sorted("tendril/v1/" + name for name in os.listdir(os.path.join(top, "api", "tendril", "v1")))


class AddingAnOperation(unittest.TestCase):
    """A copy of what server/adding.md changes; the rest comes from the source and the build."""

    @classmethod
    def setUpClass(cls):
        with open(os.path.join(SOURCE, "server", "adding.md"), encoding="utf-8") as stream:
            cls.text = stream.read()
        cls.own = tempfile.TemporaryDirectory()
        cls.top = cls.own.name
        for path in ["api", "clients/python", "clients/js/src", "clients/c/lib/http", "server/http/routes.py", "server/codec/wire/problem.c", "tests/api", *COMPILED]:
            source, target = os.path.join(SOURCE, path), os.path.join(cls.top, path)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copytree(source, target) if os.path.isdir(source) else shutil.copy(source, target)
        for kind, path, where, anchor, code in blocks(cls.text):
            target = os.path.join(cls.top, path)
            if kind == "In" and not os.path.exists(target):
                os.makedirs(os.path.dirname(target), exist_ok=True)
                shutil.copy(os.path.join(SOURCE, path), target)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            add(cls.top, kind, path, where, anchor, code)

    @classmethod
    def tearDownClass(cls):
        cls.own.cleanup()

    def run_here(self, *command, **options):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120, **options)
        self.assertEqual(done.returncode, 0, done.stdout[-4000:])
        return done.stdout

    def compile(self):
        """The objects of what the page changes, the copy's headers before those of the source."""
        with open(os.path.join(BUILD, "compile_commands.json"), encoding="utf-8") as stream:
            commands = {os.path.relpath(entry["file"], SOURCE): entry["command"] for entry in json.load(stream)}
        command = shlex.split(commands["server/http/routes.c"])
        command = [word for word in command[:command.index("-o")] if not word.startswith(("-M", "server/"))]
        generated = os.path.join(self.top, "generated")
        first = next(i for i, word in enumerate(command) if word.startswith("-I"))
        command[first:first] = [f"-I{self.top}/server", f"-I{generated}"]
        os.makedirs(os.path.join(generated, "http"))
        self.run_here("/usr/bin/python3", "server/http/routes.py", "api", "generated/http/routes_table.h", cwd=self.top)
        self.run_here("protoc-c", "--c_out=" + generated, "-I", "api", "api/tendril/v1/models.proto", cwd=self.top)
        changed = [*COMPILED, *(block[1] for block in blocks(self.text) if block[1].endswith(".c")), "generated/tendril/v1/models.pb-c.c"]

        def one(path):
            target = os.path.join(self.top, path.replace("/", "_") + ".o")
            self.run_here(*command, "-O1", "-c", path, "-o", target, cwd=self.top)
            return target

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            lister, *objects = pool.map(one, [os.path.join(SOURCE, "tests/tools/list_operations.c"), *changed])
        return lister, objects

    def link(self, target, objects, old="", new=""):
        """A program of the build, with other objects before its libraries and `new` for its `old` one."""
        command = self.run_here("ninja", "-C", BUILD, "-t", "commands", target).splitlines()[-1]
        here = os.path.join(self.top, target)
        os.makedirs(os.path.dirname(here), exist_ok=True)
        self.assertIn(f" -o {target} ", command)
        self.run_here("sh", "-c", command.replace(old, new).replace(f" -o {target} ", f" {' '.join(objects)} -o {here} "), cwd=BUILD)

    def test_every_block_says_where_it_goes(self):
        self.assertEqual(len(blocks(self.text)), self.text.count("```") // 2)

    def test_the_operation_that_the_page_adds_is_there_over_both_faces(self):
        lister, objects = self.compile()
        self.link("bin/tendrild", objects)
        self.link("tests/list_operations", objects, "tests/CMakeFiles/list_operations.dir/tools/list_operations.c.o", lister)
        os.symlink(os.path.join(BUILD, "lib"), os.path.join(self.top, "lib"))
        os.symlink(os.path.join(BUILD, "bin", "tendril-worker"), os.path.join(self.top, "bin", "tendril-worker"))
        added = {**os.environ, "TENDRIL_BIN": os.path.join(self.top, "bin"), "TENDRIL_SOURCE": self.top}
        for name in ("test_openapi.Contract", "test_proto", "test_operations"):
            self.run_here("/usr/bin/python3", "-m", "unittest", name, cwd=os.path.join(self.top, "tests", "api"), env=added)
        self.run_here("/usr/bin/python3", "api/write_operations.py", cwd=self.top)
        with open(os.path.join(self.top, "clients/python/tendril/contract.binpb"), "wb") as out:
            subprocess.run(["protoc", "-I.", "--include_imports", "--descriptor_set_out=/dev/stdout", *protos(self.top)], check=True,
                           cwd=os.path.join(self.top, "api"), stdout=out)
        self.run_here("/usr/bin/python3", "-c", ASK, env={**added, "TENDRIL_SOURCE": SOURCE,
                                                          "PYTHONPATH": os.path.join(self.top, "clients", "python")})


if __name__ == "__main__":
    unittest.main()
