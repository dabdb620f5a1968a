"""Packages from npm for tests: those of a folder's package-lock.json, installed once into the build folder."""
import hashlib
import os
import shutil
import subprocess


def install(source, target):
    """`source` has package.json and package-lock.json; `target` has node_modules afterwards."""
    with open(os.path.join(source, "package-lock.json"), "rb") as file:
        lock = hashlib.sha256(file.read()).hexdigest()
    mark = os.path.join(target, "installed")
    if os.path.exists(mark):
        with open(mark, encoding="ascii") as file:
            if file.read() == lock:
                return
    shutil.rmtree(target, ignore_errors=True)
    os.mkdir(target)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(os.path.join(source, name), target)
    done = subprocess.run(["npm", "ci", "--no-fund", "--no-audit", "--ignore-scripts", "--loglevel=error"], cwd=target,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"npm cannot install what {source}/package-lock.json says: {done.stdout}{done.stderr}"
    with open(mark, "w", encoding="ascii") as file:
        file.write(lock)
