"""Every code of a warning that the C sources can give is in the engine's table (api/kinds.json, which test_kinds holds to it), and in the
lists where one looks for it, and no other is."""
import json
import os
import re
import unittest

import yaml

SOURCE = os.environ.get("TENDRIL_SOURCE", os.path.join(os.path.dirname(__file__), "..", ".."))
# td_warn(list, "code", …, td_place_warn(&place, "code", …, warn_key(reader, "key", "code", …
CALL = re.compile(r'\b(?:(?:td_warn|td_place_warn)\([^";]*|warn_key\([^";]*"\w+",\s*)"([a-z_]+)"')
BY_THE_SERVER = {"jobs_warned", "more_warnings"}  # not by these functions; see test_those_of_the_server_are_there


def read(*path):
    with open(os.path.join(SOURCE, *path), encoding="utf8") as file:
        return file.read()


def sources(*parts):
    for part in parts:
        for folder, _, names in os.walk(os.path.join(SOURCE, part)):
            for name in names:
                if name.endswith((".c", ".sql")):
                    yield read(folder, name)


def ranks():
    return {row["name"]: row["rank"] for row in json.loads(read("api", "kinds.json"))["warnings"]}


def given():
    return {code for text in sources("engine", "server") for code in CALL.findall(text)}


class Codes(unittest.TestCase):
    def test_the_sources_are_read(self):
        self.assertLessEqual({"energy_error", "odd_angle", "small_motion", "unused_option", "idle_flow"}, given())

    def test_the_table_has_every_code_and_no_other(self):
        self.assertEqual(set(ranks()), given() | BY_THE_SERVER)

    def test_the_contract_lists_every_code_and_no_other(self):
        described = yaml.safe_load(read("api", "openapi.yaml"))["components"]["schemas"]["Warning"]["properties"]["code"]
        plain = "|".join(code for code in ranks() if "_" not in code)
        listed = set(re.findall(rf"\b([a-z]+(?:_[a-z]+)+|{plain})\b", described["description"]))
        self.assertEqual(listed, set(ranks()))

    def test_the_table_of_the_engine_lists_every_code_and_no_other(self):
        table = re.search(r"\| code \| of \| says \|\n(.*?)\n\n", read("engine", "README.md"), re.DOTALL).group(1)
        listed = {code for row in table.splitlines()[1:] for code in re.findall(r"`([a-z_]+)`", row.split("|")[1])}
        self.assertEqual(listed, set(ranks()))

    def test_the_table_for_users_lists_every_code_with_its_rank_and_what_to_do(self):
        table = re.search(r"\| code \| rank \| what it means \| what to do \|\n(.*?)\n\n", read("api", "warnings.md"), re.DOTALL).group(1)
        found, last = {}, 1
        for row in table.splitlines()[1:]:
            codes, rank, meaning, advice = (cell.strip() for cell in row.strip("|").split("|"))
            self.assertTrue(meaning and advice, row)
            self.assertGreaterEqual(int(rank), last, f"the worst stand first: {row}")
            last = int(rank)
            for code in re.findall(r"`([a-z_]+)`", codes):
                self.assertNotIn(code, found)
                found[code] = last
        self.assertEqual(found, ranks())

    def test_the_table_for_users_is_one_click_from_where_one_begins(self):
        for place in (("README.md",), ("clients", "README.md"), ("clients", "python", "README.md"), ("clients", "js", "README.md"), ("clients", "c", "README.md"),
                      ("clients", "dashboard", "README.md"), ("engine", "README.md")):
            links = re.findall(r"\]\(([^)]*warnings\.md)\)", read(*place))
            self.assertTrue(links, place)
            for link in links:
                self.assertTrue(os.path.exists(os.path.join(SOURCE, *place[:-1], link)), f"{place}: {link}")

    def test_those_of_the_server_are_there(self):
        text = "\n".join(sources("server", "migrations"))
        for code in BY_THE_SERVER:
            self.assertTrue(code in text, code)

    def test_every_word_of_a_summarys_integrator_is_described(self):
        code = read("server", "worker", "execute", "summary.c")
        part = code[code.index("static json_t *spectrum_part"):code.index("static json_t *warnings")]
        words = set(re.findall(r'json_object_set_new\(part,\s*"([a-z]+)"', part))
        self.assertLessEqual({"method", "reason", "cutoff", "highest"}, words)
        text = yaml.safe_load(read("api", "openapi.yaml"))["components"]["schemas"]["Result"]["properties"]["summary"]["description"]
        for word in words:
            self.assertRegex(text, rf"\b{word}\b")


if __name__ == "__main__":
    unittest.main()
