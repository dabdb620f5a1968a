"""Functions of one abscissa: splines, section sizes, strain bases, tendon routings, Gauss-Legendre rules, all in 80 bits."""

import numpy as np

from taylor import REAL

PI = REAL("3.14159265358979323846264338327950288")
COMPONENTS = ("torsion", "bending_y", "bending_z", "elongation", "shear_y", "shear_z")
ELEMENT_DEGREE = {"linear": 1, "quadratic": 2, "cubic": 3, "hermite": 3}


def real(value):
    return np.asarray(value, REAL)


def solve(a, b):
    """Gaussian elimination with partial pivoting and one refinement (numpy.linalg stops at 64 bits)."""
    x = _eliminate(a, b)
    return x + _eliminate(a, b - a @ x)


def _eliminate(a, b):
    a, b = a.astype(REAL).copy(), b.astype(REAL).copy()
    n = len(a)
    for k in range(n):
        p = k + int(np.argmax(np.abs(a[k:, k])))
        a[[k, p]], b[[k, p]] = a[[p, k]], b[[p, k]]
        for i in range(k + 1, n):
            f = a[i, k] / a[k, k]
            a[i, k:] -= f * a[k, k:]
            b[i] -= f * b[k]
    for k in range(n - 1, -1, -1):
        b[k] = (b[k] - a[k, k + 1:] @ b[k + 1:]) / a[k, k]
    return b


class Spline:
    """Natural cubic spline through (s, value): S and S' at any s. value is [knots, ...]."""

    def __init__(self, s, value):
        self.s, self.value = real(s), real(value)
        n = len(self.s)
        h = np.diff(self.s)
        a, b = np.eye(n, dtype=REAL), np.zeros_like(self.value)
        for i in range(1, n - 1):
            a[i, i - 1:i + 2] = h[i - 1], 2 * (h[i - 1] + h[i]), h[i]
            b[i] = 6 * ((self.value[i + 1] - self.value[i]) / h[i] - (self.value[i] - self.value[i - 1]) / h[i - 1])
        self.curvature = solve(a, b.reshape(n, -1)).reshape(self.value.shape)

    def __call__(self, s):
        i = min(max(int(np.searchsorted(self.s, s, side="right")) - 1, 0), len(self.s) - 2)
        h = self.s[i + 1] - self.s[i]
        t = s - self.s[i]
        y, m = self.value, self.curvature
        slope = (y[i + 1] - y[i]) / h - h * (2 * m[i] + m[i + 1]) / 6
        cubic = (m[i + 1] - m[i]) / (6 * h)
        return (y[i] + t * (slope + t * (m[i] / 2 + t * cubic)), slope + t * (m[i] + t * 3 * cubic))


def size_profile(value):
    """A section's size: number, [base, tip], or {"s", "value"}."""
    if isinstance(value, dict):
        spline = Spline(value["s"], value["value"])
        return lambda s: spline(s)[0]
    ends = real(value if isinstance(value, list) else [value, value])
    return lambda s: ends[0] + s * (ends[1] - ends[0])


SIZES = {"circle": ("radius",), "rectangle": ("height", "width"), "ellipse": ("semi_y", "semi_z")}
STIFFNESS = ("GJ", "EI_y", "EI_z", "EA", "GA_y", "GA_z")


def _moments(shape, values):
    sizes = [size_profile(v) for v in values]

    def moments(s):
        a, b = sizes[0](s), sizes[-1](s)
        if shape == "rectangle":
            return real([a * b, a * b**3 / 12, a**3 * b / 12])
        return real([PI * a * b, PI * a * b**3 / 4, PI * a**3 * b / 4])

    return moments


def outline_moments(section):
    """s -> (A, Iy, Iz) within the outline; of a section given by its stiffness that of its radius."""
    if section["shape"] == "stiffness":
        return _moments("circle", [section.get("radius", 0)])
    return _moments(section["shape"], [section[k] for k in SIZES[section["shape"]]])


def section_moments(section):
    """s -> (A, Iy, Iz): integrals of 1, z^2, y^2 over the section's material."""
    whole, keys = outline_moments(section), ["inner_" + k for k in SIZES.get(section["shape"], ())]
    if not any(k in section for k in keys):
        return whole
    hole = _moments(section["shape"], [section[k] for k in keys])
    return lambda s: whole(s) - hole(s)


def wide_profile(value, shape):
    """Arrays of that shape along the rod: one, [base, tip] or {s, value}."""
    if isinstance(value, dict):
        spline = Spline(value["s"], value["value"])
        return lambda s: spline(s)[0]
    numbers = real(value)
    if numbers.shape == shape:
        return lambda s: numbers
    return lambda s: numbers[0] + s * (numbers[1] - numbers[0])


def section_radius(section):
    """s -> radius of the circle of the outline's size: water and contact see the rod by it."""
    moments = outline_moments(section)
    if section["shape"] == "rectangle":
        return lambda s: np.sqrt(moments(s)[0]) / 2
    return lambda s: np.sqrt(moments(s)[0] / PI)


def _legendre(k, x):
    p, q = REAL(1), REAL(x)
    for i in range(1, k + 1):
        p, q = q, ((2 * i + 1) * x * q - i * p) / (i + 1)
    return p


def _chebyshev(k, x):
    p, q = REAL(1), REAL(x)
    for _ in range(k):
        p, q = q, 2 * x * q - p
    return p


def _fourier(k, s):
    angle = 2 * PI * ((k + 1) // 2) * s
    return np.sin(angle) if k % 2 == 0 and k else np.cos(angle)


def _bell(basis, k, s, order):
    if order == 0:
        return REAL(1)
    w = 1 / REAL(order)
    r2 = (s - k * w)**2 / w**2
    return np.exp(-4 * np.log(REAL(2)) * r2) if basis == "gaussian" else 1 / np.sqrt(1 + 12 * r2)


def _element(s, count):
    """Element of s and the place in it on [0, 1]."""
    e = min(int(np.floor(s * count)), count - 1)
    return e, s * count - e


def _lagrange(s, count, degree):
    e, t = _element(s, count)
    nodes = [REAL(i) / degree for i in range(degree + 1)]
    out = np.zeros(count * degree + 1, REAL)
    for i, a in enumerate(nodes):
        out[e * degree + i] = np.prod([(t - b) / (a - b) for j, b in enumerate(nodes) if j != i])
    return out


def _hermite(s, count):
    e, t = _element(s, count)
    out = np.zeros(2 * (count + 1), REAL)
    out[2 * e:2 * e + 4] = (1 - 3 * t**2 + 2 * t**3, t - 2 * t**2 + t**3, 3 * t**2 - 2 * t**3, t**3 - t**2)
    return out


def basis_row(basis, order, s):
    """Values at s of all the functions of one strain component."""
    s = REAL(s)
    if basis == "hermite":
        return _hermite(s, order)
    if basis in ELEMENT_DEGREE:
        return _lagrange(s, order, ELEMENT_DEGREE[basis])
    one = {"legendre": lambda k: _legendre(k, 2 * s - 1), "chebyshev": lambda k: _chebyshev(k, 2 * s - 1),
           "monomial": lambda k: s**k if k else REAL(1), "fourier": lambda k: _fourier(k, s)}
    function = one.get(basis, lambda k: _bell(basis, k, s, order))
    return real([function(k) for k in range(2 * order + 1 if basis == "fourier" else order + 1)])


def gauss_rule(points):
    """Nodes and weights on [0, 1], Newton on the Legendre polynomial."""
    nodes, weights = [], []
    for i in range(points):
        x = -np.cos(PI * (i + REAL("0.75")) / (points + REAL("0.5")))
        for _ in range(8):
            slope = points * (_legendre(points - 1, x) - x * _legendre(points, x)) / (1 - x * x)
            x -= _legendre(points, x) / slope
        slope = points * (_legendre(points - 1, x) - x * _legendre(points, x)) / (1 - x * x)
        nodes.append((1 + x) / 2)
        weights.append(1 / ((1 - x * x) * slope**2))
    return nodes, weights


def routing(document):
    """s -> (d, d') with d = (0, y, z) and d' = dd/ds."""
    kind = document["type"]
    if kind == "linear":
        base = real([0] + list(document["base"]))
        tip = real([0] + list(document.get("tip", document["base"])))
        return lambda s: (base + s * (tip - base), tip - base)
    if kind == "helix":
        return lambda s: _helix(document, s)
    if kind == "table":
        spline = Spline(document["s"], np.stack([np.zeros(len(document["s"])), document["y"], document["z"]], axis=1))
        return spline
    parts = [routing(d) for d in document["of"]]
    return lambda s: tuple(sum(x) for x in zip(*(p(s) for p in parts)))


def _helix(document, s):
    rate = 2 * PI * REAL(document["turns"])
    angle = rate * s + REAL(document.get("phase", 0))
    radius, zero = REAL(document["radius"]), REAL(0)
    return (real([zero, radius * np.cos(angle), radius * np.sin(angle)]),
            real([zero, -radius * rate * np.sin(angle), radius * rate * np.cos(angle)]))
