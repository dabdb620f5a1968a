"""No files call one another in a circle: the symbols that each object file defines and wants (nm) are arrows from file to
file, and the files of a strongly connected set are one file in pieces, or need a third one below them.

KNOWN holds the circles that are left, a line each, by the files' names: "part: a.c b.c". It may only shrink. A circle that is
not in it fails, and so does a line of it that is no longer true: take a mended circle out.
"""
import collections
import json
import os
import re
import subprocess
import sys
import unittest

SOURCE = os.environ.get("TENDRIL_SOURCE") or os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.dirname(os.environ.get("TENDRIL_BIN") or os.path.join(SOURCE, "build", "release", "bin"))

KNOWN = """
"""

# Folders whose files are linked together, and the target whose objects are read where several compile one file.
PARTS = {"engine": ["engine/"], "server": ["server/", "api/c/"], "clients": ["clients/c/", "api/c/"]}
FIRST = {"engine": "tendril", "server": "tendril_server"}
OUTPUT = re.compile(r" -o (\S+\.o) ")


def objects(part):
    """{file of the project: its object} of one part, as the build was told to compile them."""
    with open(os.path.join(BUILD, "compile_commands.json"), encoding="utf-8") as stream:
        commands = json.load(stream)
    found = {}
    for entry in commands:
        path = os.path.relpath(entry["file"], SOURCE)
        output = OUTPUT.search(entry["command"])
        if not output or not path.startswith(tuple(PARTS[part])):
            continue
        preferred = f"/{FIRST.get(part)}.dir/" in "/" + output.group(1)
        if path not in found or preferred:
            found[path] = os.path.join(entry["directory"], output.group(1))
    return found


def symbols(paths):
    """{object: (defined, wanted)} of global symbols."""
    found = {path: (set(), set()) for path in paths}
    if not paths:
        return found
    listing = subprocess.run(["nm", "-P", "-A", "-g", *sorted(paths)], capture_output=True, text=True, check=True).stdout
    for line in listing.splitlines():
        path, name, kind = line.split()[:3]
        found[path.rstrip(":")][kind == "U"].add(name)
    return found


def calls(files):
    """{file: {file: symbols that the first wants of the second}}; `files` as objects() gives them."""
    by_object = symbols(files.values())
    where = {name: path for path, compiled in files.items() for name in by_object[compiled][0]}
    graph = {}
    for path, compiled in files.items():
        arrows = graph.setdefault(path, collections.defaultdict(set))
        for name in by_object[compiled][1]:
            if where.get(name, path) != path:
                arrows[where[name]].add(name)
    return graph


def circles(graph):
    """The strongly connected sets of more than one file, each sorted (Tarjan, iterative)."""
    index, low, stack, on, found = {}, {}, [], set(), []
    for start in sorted(graph):
        if start in index:
            continue
        work = [(start, iter(sorted(graph[start])))]
        index[start] = low[start] = len(index)
        stack.append(start)
        on.add(start)
        while work:
            node, following = work[-1]
            step = next(following, None)
            if step is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    at = stack.index(node)
                    members, stack[at:] = stack[at:], []
                    on.difference_update(members)
                    if len(members) > 1:
                        found.append(sorted(members))
            elif step not in index:
                index[step] = low[step] = len(index)
                stack.append(step)
                on.add(step)
                work.append((step, iter(sorted(graph.get(step, ())))))
            elif step in on:
                low[node] = min(low[node], index[step])
    return sorted(found)


def line_of(part, members):
    return part + ": " + " ".join(sorted(map(os.path.basename, members)))


def arrows_within(graph, members):
    return [f"    {a} -> {b}: {', '.join(sorted(graph[a][b])[:4])}" for a in members for b in members if graph[a].get(b)]


def judge(found, known):
    """Sentences about circles that nobody knows and known ones that are gone. `found`: {line: its arrows}."""
    wrong = [f"a circle that is not in KNOWN: {line}\n" + "\n".join(found[line]) for line in sorted(set(found) - known)]
    return wrong + [f"take out of KNOWN what is mended: {line}" for line in sorted(known - set(found))]


class CallCircles(unittest.TestCase):
    def test_no_files_call_one_another_in_a_circle(self):
        found = {}
        for part in PARTS:
            graph = calls(objects(part))
            found.update({line_of(part, members): arrows_within(graph, members) for members in circles(graph)})
        wrong = judge(found, {line.strip() for line in KNOWN.splitlines() if line.strip()})
        if wrong:
            self.fail("\n" + "\n".join(wrong))

    def test_the_reader_sees_every_file_of_each_part(self):
        for part, folder in (("engine", "engine"), ("server", "server"), ("clients", "clients/c")):
            seen, there = set(objects(part)), set()
            for place, _, names in os.walk(os.path.join(SOURCE, folder)):
                there.update(os.path.relpath(os.path.join(place, name), SOURCE) for name in names if name.endswith(".c"))
            there = {path for path in there if "/examples/" not in path}
            self.assertFalse(there - seen, "not in the build that was looked at")
            self.assertTrue(any(calls(objects(part)).values()), "nobody calls anybody")


class TheTestItself(unittest.TestCase):
    def test_a_circle_of_three_and_one_of_two_are_found_and_a_chain_is_not(self):
        graph = {"a": {"b": {"f"}}, "b": {"c": {"g"}}, "c": {"a": {"h"}, "d": {"x"}}, "d": {"e": {"y"}}, "e": {"d": {"z"}},
                 "f": {"a": {"w"}}, "g": {}}
        self.assertEqual(circles(graph), [["a", "b", "c"], ["d", "e"]])
        self.assertEqual(arrows_within(graph, ["d", "e"]), ["    d -> e: y", "    e -> d: z"])

    def test_a_new_circle_and_one_that_is_gone_are_told(self):
        self.assertEqual(judge({"engine: a.c b.c": ["    a -> b: f"]}, {"engine: c.c d.c"}),
                         ["a circle that is not in KNOWN: engine: a.c b.c\n    a -> b: f",
                          "take out of KNOWN what is mended: engine: c.c d.c"])
        self.assertEqual(judge({"engine: a.c b.c": []}, {"engine: a.c b.c"}), [])


if __name__ == "__main__":
    sys.exit(unittest.main())
