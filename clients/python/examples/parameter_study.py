#!/usr/bin/env python3
"""A study over stiffness and cable tension by one sweep: 24 jobs on the server, one result with all of them.

    parameter_study.py [--url http://127.0.0.1:8080]
"""
import argparse

import numpy as np

import tendril

YOUNG, TENSION = np.array([0.5e6, 1e6, 2e6, 4e6]), np.linspace(0, 10, 6)  # Pa, N


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--url")
    with tendril.Client(arguments.parse_args().url) as client:
        model = client.example("cdm")["model"]
        client.models.put(model)
        job = client.sweep({"model": "cdm", "kind": "statics", "inputs": {"cable1": 0}},
                           {"/model/links/0/body/material/young": YOUNG, "/job/inputs/cable1": TENSION},
                           labels={"study": "stiffness"})
        result = job.wait(progress=True).result()
        q = result["q"].reshape(len(YOUNG), len(TENSION), -1)
        print("reach of the tip, mm, by tension (columns, N) and Young's modulus (rows, MPa)")
        print("        " + "".join(f"{tension:8.1f}" for tension in TENSION))
        for row, young in enumerate(YOUNG):
            stiff = {**model, "links": [{**model["links"][0]}]}
            stiff["links"][0]["body"] = {**model["links"][0]["body"], "material": {**model["links"][0]["body"]["material"], "young": young}}
            tip = client.evaluate(stiff, q[row], want="poses")["poses/arm"][:, -1, :2, 3]
            print(f"{young / 1e6:8.1f}" + "".join(f"{1e3 * reach:8.1f}" for reach in np.linalg.norm(tip, axis=1)))


if __name__ == "__main__":
    main()
