"""clients/python/tendril/contract.binpb is what protoc makes of api/tendril/v1."""
import glob
import os
import shutil
import subprocess
import tempfile
import unittest

SOURCE = os.environ.get("TENDRIL_SOURCE", os.path.join(os.path.dirname(__file__), "..", ".."))
API = os.path.join(SOURCE, "api")
PROTOS = sorted(os.path.relpath(path, API) for path in glob.glob(os.path.join(API, "tendril", "v1", "*.proto")))


@unittest.skipUnless(PROTOS, "this source has no api/tendril/v1")
@unittest.skipUnless(shutil.which("protoc"), "there is no protoc")
class Contract(unittest.TestCase):
    def test_the_client_in_python_speaks_the_contract_of_today(self):
        from google.protobuf import descriptor_pb2
        with tempfile.NamedTemporaryFile() as made:
            subprocess.run(["protoc", "-I", API, "--include_imports", f"--descriptor_set_out={made.name}", *PROTOS], check=True)
            today = descriptor_pb2.FileDescriptorSet.FromString(made.read())
        with open(os.path.join(SOURCE, "clients", "python", "tendril", "contract.binpb"), "rb") as file:
            kept = descriptor_pb2.FileDescriptorSet.FromString(file.read())
        self.assertEqual({one.name: one for one in kept.file}, {one.name: one for one in today.file},
                         "clients/python/tendril/rpc.py says how to write it again")


if __name__ == "__main__":
    unittest.main()
