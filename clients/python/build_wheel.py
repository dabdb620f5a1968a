"""Makes the wheel that pip installs, out of what pyproject.toml says and with nothing but Python: so `pip install` needs no
setuptools, which it would fetch. PEP 517 and 660; the archive is the one of PEP 427."""
import base64
import hashlib
import os
import tarfile
import zipfile

try:
    import tomllib
except ImportError:  # before Python 3.11; pyproject.toml asks for it there
    import tomli as tomllib

PACKAGE = "tendril"
DATE = (1980, 1, 1, 0, 0, 0)  # same sources, same bytes


def _project():
    with open("pyproject.toml", "rb") as stream:
        return tomllib.load(stream)["project"]


def _metadata(project):
    lines = ["Metadata-Version: 2.1", f"Name: {project['name']}", f"Version: {project['version']}", f"Summary: {project['description']}",
             f"Requires-Python: {project['requires-python']}", *(f"Classifier: {c}" for c in project["classifiers"]),
             *(f"Requires-Dist: {d}" for d in project["dependencies"])]
    for extra, needs in project["optional-dependencies"].items():
        lines += [f"Provides-Extra: {extra}", *(f'Requires-Dist: {d}; extra == "{extra}"' for d in needs)]
    with open(project["readme"], encoding="utf-8") as stream:
        return "\n".join([*lines, "Description-Content-Type: text/markdown", "", stream.read()])


def _sources():
    for folder, folders, files in os.walk(PACKAGE):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(files):
            yield os.path.join(folder, name).replace(os.sep, "/")


def _write_wheel(directory, files):
    project = _project()
    name = f"{project['name']}-{project['version']}"
    info = f"{name}.dist-info"
    files = {**files, f"{info}/METADATA": _metadata(project).encode(),
             f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: tendril\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
    sums = {path: base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode() for path, data in files.items()}
    record = [f"{path},sha256={sums[path]},{len(data)}" for path, data in files.items()] + [f"{info}/RECORD,,"]
    files[f"{info}/RECORD"] = ("\n".join(record) + "\n").encode()
    wheel = f"{name}-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(directory, wheel), "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, DATE)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return wheel


def _read(path):
    with open(path, "rb") as stream:
        return stream.read()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    return _write_wheel(wheel_directory, {path: _read(path) for path in _sources()})


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    return _write_wheel(wheel_directory, {f"__editable__{PACKAGE}.pth": (os.getcwd() + "\n").encode()})


def build_sdist(sdist_directory, config_settings=None):
    project = _project()
    name = f"{project['name']}-{project['version']}"
    with tarfile.open(os.path.join(sdist_directory, f"{name}.tar.gz"), "w:gz") as archive:
        for path in ["pyproject.toml", project["readme"], "build_wheel.py", *_sources()]:
            archive.add(path, f"{name}/{path}")
    return f"{name}.tar.gz"
