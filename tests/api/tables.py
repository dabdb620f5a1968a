"""The server's tables of operations, routes and methods, as the built program has them (tests/tools/list_operations.c)."""
import functools
import json
import os
import subprocess

SOURCE = os.environ.get("TENDRIL_SOURCE", os.path.join(os.path.dirname(__file__), "..", ".."))
LIST = os.path.join(os.environ.get("TENDRIL_BIN", os.path.join(SOURCE, "build", "dev", "bin")), "..", "tests", "list_operations")


@functools.lru_cache(maxsize=None)
def tables():
    return json.loads(subprocess.run([LIST], check=True, stdout=subprocess.PIPE).stdout)


def operations():
    return {operation["name"]: operation for operation in tables()["operations"]}
