"""What the READMEs show runs as it stands there: the commands of README.md and api/import.md, the function for UM-Bridge of
clients/c/README.md. Every other block has a test elsewhere, of which there is a list."""
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

from command import BIN, TENDRIL, Place

SOURCE = os.environ.get("TENDRIL_SOURCE", os.path.join(os.path.dirname(__file__), "..", ".."))

# How many blocks between ``` a page has, and what runs them. One more than that wants a test first.
RUN_BY = {
    "README.md": {"python": (3, "test_python_client, the last test_grpc_stock")},
    "api/begin.md": {"sh": (1, "README.md has the same"), "json": (3, "test_reference_pages")},
    "api/fitting.md": {"sh": (5, "test_fitting_page"), "text": (5, "compared there"), "python": (3, "test_fitting_page"),
                       "json": (3, "test_fitting_page"), "csv": (1, "test_fitting_page")},
    "api/import.md": {"python": (2, "here")},
    "api/job.md": {"json": (2, "test_reference_pages")},
    "api/model.md": {"json": (1, "test_reference_pages")},
    "clients/c/README.md": {"c": (3, "test_client; the last is part of a loop, which test_client has"), "json": (1, "here"), "python": (1, "here")},
    "clients/js/README.md": {"js": (1, "test_js_client")},
    "clients/matlab/README.md": {"matlab": (1, "test_matlab")},
    "clients/python/README.md": {"python": (14, "test_python_client")},
    "engine/adding.md": {"c": (19, "test_adding_things")},
    "server/adding.md": {"yaml": (1, "test_adding_things"), "proto": (2, "test_adding_things"), "c": (8, "test_adding_things"),
                         "python": (3, "test_adding_things")},
}

# The client of UM-Bridge, as its protocol's text has it, for where the package umbridge is missing.
UMBRIDGE = '''
import json, urllib.request
class HTTPModel:
    def __init__(self, url, name):
        self.url, self.name = url, name
    def _post(self, what, **words):
        body = json.dumps({"name": self.name, "config": {}, **words}).encode()
        with urllib.request.urlopen(urllib.request.Request(f"{self.url}/{what}", body)) as reply:
            return json.load(reply)["output"]
    def __call__(self, parameters):
        return self._post("Evaluate", input=parameters)
    def gradient(self, out_wrt, in_wrt, parameters, sens):
        return self._post("Gradient", outWrt=out_wrt, inWrt=in_wrt, input=parameters, sens=sens)
'''


def page(*path):
    with open(os.path.join(SOURCE, *path), encoding="utf-8") as stream:
        return stream.read()


def fenced(text, kind):
    return re.findall(rf"^```{kind}\n(.*?)^```", text, re.M | re.S)


def indented(text):
    """Blocks of four blanks outside of ```, without them."""
    blocks = re.findall(r"(?:^    .*\n|^\n(?=    ))+", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), re.M)
    return [re.sub(r"^    ", "", block, flags=re.M).strip("\n") for block in blocks if block.strip()]


class Readmes(Place):
    def shell(self, text, **more):
        """What a shell says to a block, called where the files of the test are."""
        text = text.replace("http://127.0.0.1:8080", self.server.url).replace("./tendril", "tendril")
        text = text.replace("../../../api/", os.path.join(os.path.abspath(SOURCE), "api", ""))
        paths = {"PATH": os.path.abspath(BIN) + os.pathsep + os.environ["PATH"], "TENDRIL_URL": self.server.url, **more}
        done = subprocess.run(["bash", "-euc", text], cwd=self.place.name, env={**os.environ, **paths}, capture_output=True,
                              encoding="utf-8", timeout=300, check=False)
        self.assertEqual(done.returncode, 0, text + done.stdout + done.stderr)
        return done.stdout

    def python(self, program, *before, **more):
        paths = {"PYTHONPATH": os.pathsep.join([os.path.join(os.path.abspath(SOURCE), "clients", "python"), self.place.name]), **more}
        text = "\n".join([*before, program]).replace("http://127.0.0.1:8080", self.server.url)
        done = subprocess.run([sys.executable, "-B", "-W", "ignore", "-c", text], cwd=self.place.name, env={**os.environ, **paths},
                              capture_output=True, encoding="utf-8", timeout=300, check=False)
        self.assertEqual(done.returncode, 0, text + done.stderr)
        return done.stdout

    def test_every_block_of_every_page_is_run_by_a_test(self):
        found = {}
        for folder, _, files in os.walk(SOURCE):
            parts = os.path.relpath(folder, SOURCE).split(os.sep)
            if {"build", "node_modules"} & set(parts) or any(part.startswith(".") and part != "." for part in parts):
                continue
            for name in files:
                path = os.path.relpath(os.path.join(folder, name), SOURCE)
                if name.endswith(".md") and "```" in page(path):
                    words = [word for word, _ in re.findall(r"^```(\w*)(.*?)^```$", page(path), re.M | re.S)]
                    found[path] = {word: words.count(word) for word in words}
        self.assertEqual(found, {path: {word: count for word, (count, _) in rows.items()} for path, rows in RUN_BY.items()})

    def test_the_commands_of_the_readme_leave_what_they_say(self):
        for block in indented(page("README.md")):
            if "./tendril run" in block:
                block = block.replace("cd build/release/bin\n", "")
                if "no replay" in self.call("replay", "x.npz", status=2)[1]:
                    block = re.sub(r".*tendril replay.*\n?", "", block)
                self.shell(block)
                for name in ("cdm.model.json", "cdm.job.json", "cdm.npz", "cdm.png"):
                    self.assertGreater(os.path.getsize(self.path(name)), 100, name)
            elif "./tendril import" in block:
                self.shell(block)
                self.assertIn("one-finger", self.call("models", "list")[0])

    @unittest.skipUnless(shutil.which("curl"), "curl is missing")
    def test_requests_of_the_readme_are_answered_with_accelerations(self):
        said = [self.shell(re.sub(r"\bcurl\b", "curl -sS", block)) for block in indented(page("README.md")) if block.startswith("curl")]
        said, answers = "".join(said).strip(), []
        while said:
            answer, end = json.JSONDecoder().raw_decode(said)
            answers.append(answer)
            said = said[end:].strip()
        self.assertEqual([answers[0]["name"], answers[0]["ndof"]], ["pendulum", 2])
        (state,) = answers[1]["states"]
        self.assertEqual((sorted(state), len(state["fd"])), (["energy", "fd"], 2))

    def test_the_commands_and_programs_about_urdf_run(self):
        shutil.copy(os.path.join(SOURCE, "tests", "urdf", "arm6.urdf"), self.path("arm.urdf"))
        shutil.copy(os.path.join(SOURCE, "tests", "urdf", "reacher.xml"), self.path("reacher.xml"))
        shutil.copy(os.path.join(SOURCE, "tests", "urdf", "cables.usda"), self.path("cable.usda"))
        self.shell("tendril examples soft-finger && mv soft-finger.model.json finger.model.json")
        text = page("api", "import.md")
        commands = [block for block in indented(text) if block.startswith("tendril")]
        self.assertEqual(len(commands), 3)
        for block in commands:
            self.shell(block)
        for name, links in (("arm", 0), ("hand", 1), ("hand2", 2)):
            with open(self.path(f"{name}.model.json"), encoding="utf-8") as stream:
                names = [link["name"] for link in json.load(stream)["links"]]
            self.assertEqual(len({name.split("_")[0] for name in names if name.startswith(("finger_", "thumb_"))}), links)
        first, second = fenced(text, "python")
        self.assertIn("(6,)", self.python("print(fd.shape)", first))
        before = ("import json", first, 'arm, finger = model, json.load(open("finger.model.json"))')
        self.assertIn("thumb_", self.python("print([link['name'] for link in hand['links']])", *before, second))

    def test_the_function_for_umbridge_is_called_as_it_is_shown(self):
        text = page("clients", "c", "README.md")
        (document,), (program,) = fenced(text, "json"), fenced(text, "python")
        self.write("tip.umbridge.json", document)
        self.shell("tendril examples cdm && tendril models put cdm.model.json")
        try:
            __import__("umbridge")
        except ImportError:
            self.write("umbridge.py", UMBRIDGE)
        with subprocess.Popen([TENDRIL, "umbridge", "tip.umbridge.json", "--port", "0", "--url", self.server.url], cwd=self.place.name,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as bridge:
            self.addCleanup(bridge.kill)
            program = program.replace("http://127.0.0.1:4242", bridge.stdout.readline().strip())
            lines = [re.sub(r"^tip(\(|\.g)(.*?)\s*(#.*)?$", r"print(json.dumps(tip\1\2))", line) for line in program.splitlines()]
            (tip,), slope = map(json.loads, self.python("\n".join(lines), "import json").splitlines())
            h = 1e3
            pair = [json.loads(self.python(f"print(json.dumps(tip([[5.0], [{1e6 + step}]])))", "import json", *lines[:2]))[0][2] for step in (h, -h)]
            bridge.terminate()
            bridge.communicate(timeout=60)
        self.assertEqual(len(tip), 3)
        self.assertLess(tip[2], -0.4)  # it hangs
        self.assertAlmostEqual(slope[0] / ((pair[0] - pair[1]) / (2 * h)), 1, places=4)


if __name__ == "__main__":
    unittest.main()
