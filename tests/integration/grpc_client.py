"""Stubs made from the contract by protoc, for tests: what any user of grpcio does with the .proto files alone."""
import atexit
import glob
import importlib
import os
import shutil
import subprocess
import sys
import tempfile

from harness import SOURCE

API = os.path.join(SOURCE, "api")


def contract():
    """The files of the contract, as names under api/."""
    return sorted(os.path.relpath(path, API) for path in glob.glob(os.path.join(API, "**", "*.proto"), recursive=True))


def _make(protos):
    folder = tempfile.mkdtemp(prefix="tendril-stubs-")
    atexit.register(shutil.rmtree, folder)
    subprocess.run(["protoc", "-I", API, f"--python_out={folder}", f"--grpc_python_out={folder}",
                    "--plugin=protoc-gen-grpc_python=/usr/bin/grpc_python_plugin", *protos], check=True)
    sys.path.insert(0, folder)
    return folder


# The standard services would hide grpcio's own package `grpc`: their messages come through a pool of descriptors
# instead.
STUBS = _make([name for name in contract() if name.startswith("tendril/")])
models, dynamics, jobs = (importlib.import_module(f"tendril.v1.{name}_pb2") for name in ("models", "dynamics", "jobs"))
models_grpc, dynamics_grpc, jobs_grpc = (importlib.import_module(f"tendril.v1.{name}_pb2_grpc")
                                         for name in ("models", "dynamics", "jobs"))


def descriptor_set():
    with tempfile.NamedTemporaryFile() as file:
        subprocess.run(["protoc", "-I", API, "--include_imports", f"--descriptor_set_out={file.name}", *contract()],
                       check=True)
        return file.read()
