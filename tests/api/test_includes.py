"""The layering cannot rot: reads every #include of the project and fails on an arrow that points up, on one that leaves its
part for a part that it must not know, and on a cycle of files.

Tags, too: a struct, union or enum that a header defines has that one definition. Where a file saw the header of the one and
was handed a pointer to the other, the layout would be wrong and the compiler silent. Tags that only .c files define are
their own affair; an opaque type of a header may have a definition in each .c file that implements it.

    clients/  ->  api/c/
    server/   ->  engine's public headers, api/c/
    engine/   ->  itself
    api/c/    ->  itself: what server and C client share of the wire

Inside engine/ and server/ a folder may include itself and the folders that stand before it in LAYERS. The public headers
of the engine belong to the layer that implements them. Lower means: knows less.
"""
import collections
import os
import re
import sys
import tempfile
import unittest

SOURCE = os.environ.get("TENDRIL_SOURCE") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

# A file or a room named here stands elsewhere than its folder: the row type of bodies, which passes reach through the
# model; jobs of statics, which report what runs report, above the solver, which controllers need.
LAYERS = {
    "engine": ["base", "math", "fit", "design", "lie", "strain", "element", "spec", "model", "body/body.h", "force/force.h", "pass", "body", "force", "why", "constraint", "dynamics", "batch", "parameter", "build", "create", "estimate", "objective", "input", "closure", "statics", "control", "plant", "statics/job", "integrate", "step", "run", "gradient", "linearize", "tendril"],
    # worker and queue stand below service: service submits to the queue, the queue spawns workers, workers read
    # documents.
    "server": ["base", "store", "codec", "worker", "queue", "service", "http", "rpc", "app", "main"],
    "api": ["c"],
    # lib is the client library; the command above it sees its public header only.
    "clients": ["lib", "base", "plot", "export", "umbridge", "commands", "main"],
}
ROOMS = {  # the same order among the rooms of one folder; files beside the rooms see them all, those that are named stand where they are named
    ("engine", "element"): ["reduced"],
    ("engine", "spec"): ["place.h", "check", "odd"],
    ("engine", "force"): ["force.h", "world_map.h", "force_table.h", "contact", "water", "tendon"],
    ("server", "base"): ["clock.h", "id.h", "thread.h", "log", "share"],
    ("server", "codec"): ["json", "wire", "document", "import", "view", "evaluate", "result"],
    ("clients", "lib"): ["base", "http", "reply", "calls"],
}
PUBLIC = {  # include/tendril/<name>.h: the layer it speaks for
    "status": "base", "errors": "base", "warnings": "base", "se3": "lie", "spec": "strain", "model": "model", "dynamics": "pass", "batch": "pass", "parameters": "parameter", "fit": "math", "design": "fit", "objective": "objective",
    "input": "input", "control": "input", "integrate": "input", "run": "input", "linearize": "input", "statics": "input", "step": "input", "sensitivity": "input", "gradient": "input", "tendril": "tendril",
}
MAY_KNOW = {"api": {"api"}, "engine": {"engine"}, "server": {"server", "engine", "api"}, "clients": {"clients", "api"},
            "tests": {"tests", "server", "engine", "clients", "api"}}
ROOTS = {"api": ["api/c"], "engine": ["engine", "engine/include"], "server": ["server"],
         "clients": ["clients/c", "clients/c/include"], "tests": ["tests"]}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)
SYSTEM_TENDRIL = re.compile(r"^[ \t]*#[ \t]*include[ \t]*<tendril/", re.MULTILINE)
TAG = re.compile(r"\b(?:struct|union|enum)\s+([A-Za-z_]\w*)\s*\{")
NOT_CODE = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL)
# The seam of the store: what others see of it, and which of its rooms know a database (store.c has the table of kinds).
STORE_SEEN = {"store.h", "rows.h", "blobs.h", "status.h", "states.h", "folder/backup.h", "copy/copy.h"}
KNOW = {"sqlite": re.compile(r"server/store/(sqlite/|folder/|copy/|store\.c)|tests/"),
        "postgresql": re.compile(r"server/store/(postgresql/|copy/|store\.c)|tests/")}
SYSTEM = {"sqlite": re.compile(r"^[ \t]*#[ \t]*include[ \t]*<sqlite3", re.MULTILINE),
          "postgresql": re.compile(r"^[ \t]*#[ \t]*include[ \t]*<(libpq|postgresql)", re.MULTILINE)}
GENERATED = re.compile(r"(\.pb-c|embedded[a-z_]*|powers|_table)\.(h|inc)$")


def source_files(top):
    for part in ROOTS:
        for folder, _, names in os.walk(os.path.join(top, part)):
            for name in names:
                if name.endswith((".c", ".h")):
                    yield os.path.relpath(os.path.join(folder, name), top)


def resolve(top, path, written):
    """The project file that `written` names in an #include of `path`, or None."""
    part = path.split("/")[0]
    places = [os.path.dirname(path)] + [root for known in (part, *sorted(MAY_KNOW[part])) for root in ROOTS[known]]
    places += [root for roots in ROOTS.values() for root in roots] + [""]  # "api/c/npz.h" is written from the top
    for place in places:
        found = os.path.normpath(os.path.join(place, written))
        if os.path.isfile(os.path.join(top, found)):
            return found
    return None


def layer_of(path):
    """(part, layer): ("engine", "lie"). Files at the top of server/ and clients/c/ are app or main."""
    words = path.split("/")
    part = words[0]
    if part == "tests":
        return part, None
    if words[1:3] == ["include", "tendril"]:
        return part, PUBLIC.get(words[3][:-2])
    folders = words[2:] if part == "clients" else words[1:]
    for length in range(len(folders), 1, -1):
        if "/".join(folders[:length]) in LAYERS[part]:
            return part, "/".join(folders[:length])
    if part == "clients" and folders[0] == "include":
        return part, "lib"
    if part == "clients" and folders[0] == "examples":
        return part, "main"
    if len(folders) > 1:
        return part, folders[0]
    return part, "app" if folders[0].startswith("app.") else "main"


def arrows(top):
    for path in sorted(source_files(top)):
        with open(os.path.join(top, path), encoding="utf-8") as stream:
            text = stream.read()
        for written in INCLUDE.findall(text):
            yield path, written, resolve(top, path, written)


def judge(path, written, target):
    """A sentence about what is wrong with one #include, or None."""
    if target is None:
        return None if GENERATED.search(written) else f'{path} includes "{written}", which is no file of the project'
    if target.endswith(".c"):
        return f"{path} includes the source file {target}"
    (part, layer), (other, below) = layer_of(path), layer_of(target)
    if other not in MAY_KNOW[part]:
        return f"{path} includes {target}: {part}/ must not know {other}/"
    if part == "server" and other == "engine" and "/include/tendril/" not in target:
        return f"{path} includes {target}: the server sees the engine's public headers only"
    if part == other == "clients" and below == "lib" and layer not in ("lib", None) and "/include/" not in target:
        return f"{path} includes {target}: the command sees the library's public header only"
    if any(target.startswith(f"server/store/{kind}/") and not rooms.match(path) for kind, rooms in KNOW.items()):
        return f"{path} includes {target}: rows are known by server/store/rows.h, whatever keeps them"
    if part == other and below == "store" != layer and target[len("server/store/"):] not in STORE_SEEN:
        return f"{path} includes {target}: others see {sorted(STORE_SEEN)} of the store"
    if part != other or part == "tests":
        return None
    if layer == below and (part, layer) in ROOMS and "/include/" not in path + target:
        rooms, names = ROOMS[part, layer], [words.split(f"/{layer}/")[1].split("/")[0] for words in (path, target)]
        for i, (name, where) in enumerate(zip(names, (path, target))):
            if name not in rooms and where.endswith(f"/{layer}/{name}"):
                names[i] = ""
            elif name not in rooms:
                return f"{where}: '{name}' has no place among the rooms of {part}/{layer}/: {rooms}"
        height = [rooms.index(name) if name else len(rooms) for name in names]
        if height[1] > height[0]:
            return f"{path} includes {target}: {names[1] or 'what is beside the rooms'} lies above {names[0]}"
    order = LAYERS[part]
    for name, where in ((layer, path), (below, target)):
        if name not in order:
            return f"{where}: '{name}' has no place in the layers of {part}/: {order}"
    if order.index(below) > order.index(layer):
        return f"{path} includes {target}: {below} lies above {layer}"
    return None


def find_cycle(graph):
    """A list of files that include one another in a circle, or None. Iterative depth-first search."""
    state = {}
    for start in sorted(graph):
        if start in state:
            continue
        trail, stack = [], [(start, iter(sorted(graph[start])))]
        state[start] = "open"
        trail.append(start)
        while stack:
            node, following = stack[-1]
            step = next(following, None)
            if step is None:
                state[node] = "done"
                stack.pop()
                trail.pop()
            elif state.get(step) == "open":
                return trail[trail.index(step):] + [step]
            elif step not in state:
                state[step] = "open"
                trail.append(step)
                stack.append((step, iter(sorted(graph.get(step, ())))))
    return None


def tags(top):
    """{tag: files that define it}"""
    found = collections.defaultdict(list)
    for path in sorted(source_files(top)):
        with open(os.path.join(top, path), encoding="utf-8") as stream:
            for tag in TAG.findall(NOT_CODE.sub(" ", stream.read())):
                found[tag].append(path)
    return found


def may_meet(header, path):
    """Whether `path` may see `header`: both are of one part, or the header is public."""
    part, other = path.split("/")[0], header.split("/")[0]
    return part == other or ("/include/" in header and other in MAY_KNOW[part])


def judge_tags(top):
    """Sentences about tags of headers that are defined again."""
    for tag, paths in sorted(tags(top).items()):
        for header in (path for path in paths if path.endswith(".h")):
            for path in paths[paths.index(header) + 1:] + paths[:paths.index(header)]:
                if (path > header or not path.endswith(".h")) and may_meet(header, path):
                    yield f"'{tag}' is defined in {header} and again in {path}"
            if paths.count(header) > 1:
                yield f"'{tag}' is defined twice in {header}"


def findings(top):
    wrong, graph = list(judge_tags(top)), {}
    for path, written, target in arrows(top):
        sentence = judge(path, written, target)
        if sentence:
            wrong.append(sentence)
        if target:
            graph.setdefault(path, set()).add(target)
    cycle = find_cycle(graph)
    if cycle:
        wrong.append("files include one another in a circle: " + " -> ".join(cycle))
    return wrong


class Includes(unittest.TestCase):
    def test_every_include_points_down_and_no_files_include_one_another(self):
        wrong = findings(SOURCE)
        self.assertFalse(wrong, "\n" + "\n".join(wrong))

    def test_the_reader_sees_the_whole_project(self):
        seen = {path.split("/")[0] for path, _, target in arrows(SOURCE) if target}
        self.assertEqual(seen, set(ROOTS), "a part of the project has no #include that was understood")

    def test_only_its_rooms_of_the_store_know_a_database(self):
        for path in source_files(SOURCE):
            with open(os.path.join(SOURCE, path), encoding="utf-8") as stream:
                text = stream.read()
            for kind, rooms in KNOW.items():
                self.assertTrue(rooms.match(path) or not SYSTEM[kind].search(text), path)

    def test_public_headers_are_included_with_quotes_so_that_they_are_checked(self):
        for path in source_files(SOURCE):
            with open(os.path.join(SOURCE, path), encoding="utf-8") as stream:
                self.assertIsNone(SYSTEM_TENDRIL.search(stream.read()), path)


class TheTestItself(unittest.TestCase):
    """Each kind of mistake, made on purpose in a small project, must be found."""

    def check(self, files, expected):
        with tempfile.TemporaryDirectory() as top:
            for path, text in files.items():
                os.makedirs(os.path.join(top, os.path.dirname(path)), exist_ok=True)
                with open(os.path.join(top, path), "w", encoding="utf-8") as stream:
                    stream.write(text)
            self.assertIn(expected, "\n".join(findings(top)))

    def test_an_upward_arrow_is_found(self):
        self.check({"engine/lie/a.c": '#include "model/b.h"\n', "engine/model/b.h": ""}, "model lies above lie")

    def test_a_cycle_is_found(self):
        self.check({"engine/lie/a.h": '#include "lie/b.h"\n', "engine/lie/b.h": '#include "lie/a.h"\n'}, "in a circle")

    def test_a_client_that_knows_the_engine_is_found(self):
        self.check({"clients/c/base/a.c": '#include "tendril/se3.h"\n', "engine/include/tendril/se3.h": ""}, "must not know engine/")

    def test_a_server_file_that_reaches_into_the_engine_is_found(self):
        self.check({"server/base/a.c": '#include "../../engine/lie/b.h"\n', "engine/lie/b.h": ""}, "public headers only")

    def test_a_server_file_that_reaches_into_the_client_library_is_found(self):
        self.check({"server/base/a.c": '#include "../../clients/c/lib/b.h"\n', "clients/c/lib/b.h": ""}, "must not know clients/")

    def test_what_server_and_client_share_and_knows_one_of_them_is_found(self):
        self.check({"api/c/a.c": '#include "base/b.h"\n', "server/base/b.h": ""}, "must not know server/")

    def test_a_room_of_the_codec_that_knows_one_behind_it_is_found(self):
        self.check({"server/codec/json/a.c": '#include "codec/document/b.h"\n', "server/codec/document/b.h": ""}, "document lies above json")

    def test_a_room_that_knows_what_stands_beside_all_rooms_is_found(self):
        self.check({"engine/spec/odd/a.c": '#include "spec/b.h"\n', "engine/spec/b.h": ""}, "what is beside the rooms lies above odd")

    def test_a_command_that_reaches_into_the_client_library_is_found(self):
        self.check({"clients/c/commands/a.c": '#include "lib/b.h"\n', "clients/c/lib/b.h": ""}, "public header only")

    def test_two_headers_that_define_one_tag_are_found(self):
        self.check({"engine/lie/a.h": "typedef struct td_a {\n  int x;\n} td_a;\n", "engine/model/b.h": "struct td_a { double y; };\n"},
                   "'td_a' is defined in engine/lie/a.h and again in engine/model/b.h")

    def test_a_source_file_that_defines_the_tag_of_a_header_is_found(self):
        for kind in ("struct", "union", "enum"):
            self.check({"engine/lie/a.c": kind + " td_a\n{ X };\n", "engine/model/b.h": kind + " td_a { X };\n"},
                       "'td_a' is defined in engine/model/b.h and again in engine/lie/a.c")

    def test_a_tag_of_a_public_header_that_another_part_defines_is_found(self):
        self.check({"engine/include/tendril/se3.h": "struct td_a { int x; };\n", "server/base/a.c": "struct td_a { int y; };\n"},
                   "'td_a' is defined in engine/include/tendril/se3.h and again in server/base/a.c")

    def test_declarations_comments_and_private_tags_are_no_second_definition(self):
        with tempfile.TemporaryDirectory() as top:
            for path, text in {
                    "engine/lie/a.h": "typedef struct td_a td_a;\nstruct td_b { int x; };\n",
                    "engine/lie/a.c": "struct td_a { int x; };\nstruct own { int x; };\n",
                    "engine/lie/b.c": "struct td_a { int y; };\nstruct own { int y; };\n// struct td_b { int z; };\n"
                                      "/* struct td_b { */ const char *s = \"struct td_b {\"; static struct td_b b = {0};\n"
                                      "struct td_b f(void) {\n}\n",
                    "clients/c/base/a.c": "struct td_b { int y; };\n"}.items():
                os.makedirs(os.path.join(top, os.path.dirname(path)), exist_ok=True)
                with open(os.path.join(top, path), "w", encoding="utf-8") as stream:
                    stream.write(text)
            self.assertEqual(list(judge_tags(top)), [])

    def test_one_who_looks_behind_the_seam_of_the_store_is_found(self):
        self.check({"server/service/a.c": '#include "store/parts.h"\n', "server/store/parts.h": ""}, "others see")
        self.check({"server/store/a.c": '#include "store/sqlite/b.h"\n', "server/store/sqlite/b.h": ""}, "whatever keeps them")
        self.check({"server/store/sqlite/a.c": '#include "store/postgresql/b.h"\n', "server/store/postgresql/b.h": ""}, "whatever keeps them")

    def test_a_test_that_includes_a_source_file_is_found(self):
        self.check({"tests/unit/a.c": '#include "lie/b.c"\n', "engine/lie/b.c": ""}, "includes the source file")


if __name__ == "__main__":
    sys.exit(unittest.main())
