# %% [markdown]
# # A soft arm, cell by cell
# Open this file in Jupyter, VS Code or Spyder (cells begin with %%), or run it as it is. A server listens on
# http://127.0.0.1:8080, or TENDRIL_URL says where.

# %% Connect, and take a robot
import numpy as np

import tendril

client = tendril.Client()
example = client.example("cdm")
model = client.models.put(example["model"])
print(model["ndof"], "coordinates:", ", ".join(model["coordinates"][:4]), "…; inputs:", ", ".join(model["channels"]))

# %% Jacobians at a state
q, u = 0.1 * np.ones(model["ndof"]), np.full(len(model["channels"]), 2.0)
now = client.evaluate("cdm", q, u=u, want=["fd", "dfd_dq", "jacobians", "energy"])
print({name: value.shape for name, value in now.items()})

# %% Stiffness against what the cables do: eigenvalues of the linear model at rest
rest = client.run(model="cdm", kind="statics", inputs={"cable1": 5})["q"][0]
at_rest = client.evaluate("cdm", rest, u=[5, 0, 0, 0, 0], want=["dfd_dq", "dfd_dqd"])
n = model["ndof"]
A = np.block([[np.zeros((n, n)), np.eye(n)], [at_rest["dfd_dq"], at_rest["dfd_dqd"]]])
print("slowest modes [1/s]:", np.sort(np.linalg.eigvals(A).real)[-4:])

# %% Ten seconds of motion on the server
job = client.submit(example["job"])
result = job.wait(progress=True).result()
print(result)

# %% In 3D
try:
    picture = result.plot("notebook.png")
    print("notebook.png")
except ImportError as missing:
    print(missing)

# %% Clean up
client.close()
