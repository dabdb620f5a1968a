"""Comments and READMEs name files of the project: those that they name are there.

A name is a path or a bare file name that ends like a source file. A path may be written from the top of the project, from the folder where
it stands or one above it, or from a root of its part; a bare name is any file of that name in the same part, in one that it may know, or
among the tests. Names of functions of the engine (td_…) are those of code, too. OTHERS has what is elsewhere.
"""
import collections
import os
import re
import sys
import tempfile
import unittest

SOURCE = os.environ.get("TENDRIL_SOURCE") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PARTS = ("api", "clients", "deploy", "engine", "migrations", "server", "tests")
SKIPPED = {"node_modules", "build", "dist", ".git", "__pycache__"}
NAME = re.compile(r"(?<![\w./*<{$@-])((?:\.\./)*(?:[\w-]+/)*[\w-]{2,}(?:\.[\w-]+)*\.(?:c|h|py|md|mjs|tsx?|yaml|proto|sql|sh|inc))(?![\w/*(-]|\.\w)")
C_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')
HASH_COMMENT = re.compile(r"(?m)(?:^|(?<=\s))#[^\n]*")
DOCSTRING = re.compile(r'"""(.*?)"""', re.DOTALL)
FUNCTION = re.compile(r"(?<![\w$])td_[a-z0-9_]*[a-z0-9](?![\w(]*[…*<{_])")
KNOWN = {"server": {"engine", "api"}, "clients": {"api", "engine"}, "deploy": {"server", "api"}, "engine": {"api"}, "api": {"engine", "server", "clients"}}
ROOTS = {"engine": ["engine", "engine/include"], "server": ["server", "server/store", "engine", "engine/include"], "clients": ["clients/c", "clients/c/include", "clients/dashboard", "clients/dashboard/src", "clients/js", "api"],
         "api": ["api", "tests/textbook"], "tests": ["tests", "engine", "server", "clients/c", "clients/c/include"]}
OTHERS = {
    "google/protobuf/descriptor.proto": "comes with protobuf",
    "NNNN_name.sql": "how migrations are called",
}


def project_files(top):
    for folder, folders, names in os.walk(top):
        folders[:] = sorted(name for name in folders if name not in SKIPPED or (name == "build" and folder == os.path.join(top, "engine")))
        for name in sorted(names):
            yield os.path.relpath(os.path.join(folder, name), top)


def comments(path, text):
    """The prose of a file: all of a page, comments of code."""
    if path.endswith(".md"):
        return re.sub(r"New file `[^`]*`", "", re.sub(r"(?m)^```.*?^```", "", text, flags=re.DOTALL))  # engine/adding.md makes some
    if path.endswith((".c", ".h", ".proto")):
        return "\n".join(C_COMMENT.findall(STRING.sub('""', text)))
    if path.endswith(".py"):
        return "\n".join(DOCSTRING.findall(text) + HASH_COMMENT.findall(STRING.sub('""', DOCSTRING.sub("", text))))
    if os.path.basename(path) == "CMakeLists.txt":
        return "\n".join(HASH_COMMENT.findall(text))
    return ""


def exists(name, path, files, by_name):
    part = path.split("/")[0]
    if "/" not in name:
        near = {part, "tests"} | KNOWN.get(part, set())
        return any(one.split("/")[0] in near or part not in PARTS or part == "tests" or "/" not in one for one in by_name[name])
    folders, folder = ["", *ROOTS.get(part, PARTS)], os.path.dirname(path)
    while folder:
        folders.append(folder)
        folder = os.path.dirname(folder)
    return any(os.path.normpath(os.path.join(one, name)) in files for one in folders)


def findings(top, others):
    files, by_name, prose, code = set(project_files(top)), collections.defaultdict(list), {}, set()
    for one in files:
        by_name[os.path.basename(one)].append(one)
    for path in sorted(files):
        if not path.endswith((".c", ".h", ".md", ".py", ".proto", "CMakeLists.txt")):
            continue
        with open(os.path.join(top, path), encoding="utf-8") as stream:
            text = stream.read()
        prose[path] = comments(path, text)
        if path.endswith((".c", ".h")):
            code.update(re.findall(r"td_\w+", C_COMMENT.sub("", text)))
    for path, text in prose.items():
        for name in sorted(set(NAME.findall(text))):
            if name not in others and not exists(name, path, files, by_name):
                yield f"{path} names {name}, which is no file of the project"
        for name in sorted(set(FUNCTION.findall(text)) - code):
            if path.endswith((".c", ".h", ".md")) and not any(one.startswith(name) for one in code):
                yield f"{path} names {name}, which no code has"


class References(unittest.TestCase):
    def test_files_that_comments_name_are_there(self):
        wrong = list(findings(SOURCE, OTHERS))
        self.assertFalse(wrong, "\n" + "\n".join(wrong))

    def test_mistakes_made_on_purpose_are_found(self):
        for path, text, expected in (
                ("engine/room/a.c", "// see room/gone.c\n", "room/gone.c"), ("engine/room/a.c", "int x; /* gone.h says why */\n", "gone.h"),
                ("engine/README.md", "`room/gone.c` has it", "room/gone.c"), ("tests/a.py", "# as in gone.py\n", "gone.py"),
                ("server/a.c", "// td_gone_away\n", "td_gone_away")):
            with tempfile.TemporaryDirectory() as top:
                os.makedirs(os.path.join(top, os.path.dirname(path)))
                with open(os.path.join(top, path), "w", encoding="utf-8") as stream:
                    stream.write(text)
                self.assertIn(f"names {expected},", "".join(findings(top, {})))

    def test_names_that_are_there_are_not_found(self):
        with tempfile.TemporaryDirectory() as top:
            os.makedirs(os.path.join(top, "engine/room/below"))
            for path, text in (("engine/room/here.h", "int td_here(void);\n"),
                               ("engine/room/below/a.c", "// room/here.h, here.h, engine/room/here.h: td_here\nchar *s = \"gone.c\";\n")):
                with open(os.path.join(top, path), "w", encoding="utf-8") as stream:
                    stream.write(text)
            self.assertEqual(list(findings(top, {})), [])


if __name__ == "__main__":
    sys.exit(unittest.main())
