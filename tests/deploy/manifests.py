"""What deploy/kubernetes and deploy/compose.yaml start, read as a kubelet or compose reads it: programs with arguments,
environment, probes. Tests check these against the programs, and start them."""
import glob
import os
import re

import yaml

from harness import SOURCE

DEPLOY = os.path.join(os.path.abspath(SOURCE), "deploy")


def kubernetes():
    """{name of the file: [objects]}; the values of prometheus-adapter are none."""
    found = {}
    for path in sorted(glob.glob(os.path.join(DEPLOY, "kubernetes", "*.yaml"))):
        if not path.endswith("values.yaml"):
            with open(path, encoding="utf-8") as file:
                found[os.path.basename(path)] = list(yaml.safe_load_all(file))
    return found


def adapter():
    with open(os.path.join(DEPLOY, "kubernetes", "prometheus-adapter-values.yaml"), encoding="utf-8") as file:
        return yaml.safe_load(file)


def compose():
    with open(os.path.join(DEPLOY, "compose.yaml"), encoding="utf-8") as file:
        return yaml.safe_load(file)


def find(kind, name):
    found = [o for objects in kubernetes().values() for o in objects if (o["kind"], o["metadata"]["name"]) == (kind, name)]
    assert len(found) == 1, (kind, name)
    return found[0]


def pods():
    """[(name, labels, spec of the pod)] of whatever starts pods."""
    return [(o["metadata"]["name"], o["spec"]["template"]["metadata"]["labels"], o["spec"]["template"]["spec"])
            for objects in kubernetes().values() for o in objects if "template" in o.get("spec", {})]


def environment(pod, container):
    """Variables as the container would have them, of the secrets as they stand in store.yaml."""
    secrets = find("Secret", "tendril-store")["stringData"]
    values = {}
    for variable in container["env"]:
        source = variable.get("valueFrom", {})
        if "secretKeyRef" in source:
            assert source["secretKeyRef"]["name"] == "tendril-store", source
            values[variable["name"]] = secrets[source["secretKeyRef"]["key"]]
        elif "fieldRef" in source:
            assert source["fieldRef"]["fieldPath"] == "metadata.name", source
            values[variable["name"]] = pod + "-7c9d5f8b6-x2x4z"
        elif "resourceFieldRef" in source:
            group, name = source["resourceFieldRef"]["resource"].split(".")
            values[variable["name"]] = container["resources"][group][name]
        else:
            values[variable["name"]] = variable["value"]
    return values


def arguments(container, variables):
    """With $(NAME) filled in as Kubernetes does."""
    return [re.sub(r"\$\((\w+)\)", lambda name: variables[name[1]], word) for word in container["args"]]


def setting(words, name):
    """The value of --name=VALUE."""
    return next((word.split("=", 1)[1] for word in words if word.startswith(f"--{name}=")), None)
