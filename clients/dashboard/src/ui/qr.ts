// Eigenvalues of a real matrix: balanced by powers of two, brought to Hessenberg form by reflections, then by QR steps with
// two implicit shifts (Golub and Van Loan, Matrix Computations, 7.4 and 7.5), which keep pairs conjugate and reals real.

type Rows = Float64Array[];

const EPS = 2 ** -52, STEPS_MOST = 60, RARE = 10; // steps for one eigenvalue, and after how many of them shifts are others

// Rows and columns of one size: D^-1 A D.
function balance(a: Rows): void {
  const n = a.length;
  for (let changed = true, turns = 0; changed && turns < 100; turns++) {
    changed = false;
    for (let i = 0; i < n; i++) {
      let row = 0, column = 0, f = 1;
      for (let j = 0; j < n; j++) if (j !== i) (row += Math.abs(a[i][j])), (column += Math.abs(a[j][i]));
      if (!row || !column) continue;
      const before = row + column;
      while (column < row / 2) (column *= 2), (row /= 2), (f *= 2);
      while (column >= row * 2) (column /= 2), (row *= 2), (f /= 2);
      if (row + column >= 0.95 * before) continue;
      changed = true;
      for (let j = 0; j < n; j++) (a[i][j] /= f), (a[j][i] *= f);
    }
  }
}

// v with (1 - 2 v v^T) x along the first axis; null: it is there.
function reflector(x: number[]): number[] | null {
  const size = Math.hypot(...x), rest = Math.hypot(...x.slice(1));
  if (rest === 0) return null;
  const v = [x[0] + (x[0] < 0 ? -size : size), ...x.slice(1)], length = Math.hypot(...v);
  return v.map((e) => e / length);
}

// Rows first … of columns from … to, by 1 - 2 v v^T.
function reflectRows(a: Rows, v: number[], first: number, from: number, to: number): void {
  for (let j = from; j <= to; j++) {
    let s = 0;
    for (let i = 0; i < v.length; i++) s += v[i] * a[first + i][j];
    for (let i = 0; i < v.length; i++) a[first + i][j] -= 2 * s * v[i];
  }
}

function reflectColumns(a: Rows, v: number[], first: number, from: number, to: number): void {
  for (let i = from; i <= to; i++) {
    let s = 0;
    for (let j = 0; j < v.length; j++) s += v[j] * a[i][first + j];
    for (let j = 0; j < v.length; j++) a[i][first + j] -= 2 * s * v[j];
  }
}

function toHessenberg(a: Rows): void {
  const n = a.length;
  for (let k = 0; k + 2 < n; k++) {
    const v = reflector(a.slice(k + 1).map((row) => row[k]));
    if (!v) continue;
    reflectRows(a, v, k + 1, k, n - 1);
    reflectColumns(a, v, k + 1, 0, n - 1);
    for (let i = k + 2; i < n; i++) a[i][k] = 0;
  }
}

// One QR step on rows and columns [low, high], at least three; `odd`: with shifts that no cycle expects.
function step(h: Rows, low: number, high: number, odd: boolean): void {
  const far = Math.abs(h[high][high - 1]) + Math.abs(h[high - 1][high - 2]);
  const sum = odd ? 1.5 * far : h[high - 1][high - 1] + h[high][high];
  const product = odd ? far * far : h[high - 1][high - 1] * h[high][high] - h[high - 1][high] * h[high][high - 1];
  const a = h[low][low], b = h[low + 1][low];
  let x = [a * a + h[low][low + 1] * b - sum * a + product, b * (a + h[low + 1][low + 1] - sum), b * h[low + 2][low + 1]];
  for (let k = low; k < high; k++) {
    const v = reflector(x), before = Math.max(low, k - 1);
    if (v) {
      reflectRows(h, v, k, before, high);
      reflectColumns(h, v, k, low, Math.min(k + 3, high));
    }
    if (k > low) for (let i = k + 1; i < Math.min(k + 3, high + 1); i++) h[i][k - 1] = 0;
    x = [];
    for (let i = k + 1; i <= Math.min(k + 3, high); i++) x.push(h[i][k]);
  }
}

// Where the block that ends at `high` begins: above it stands next to nothing.
function beginOf(h: Rows, high: number): number {
  let low = high;
  for (; low > 0; low--) {
    const size = Math.abs(h[low - 1][low - 1]) + Math.abs(h[low][low]);
    if (Math.abs(h[low][low - 1]) <= EPS * (size || 1)) break;
  }
  if (low > 0) h[low][low - 1] = 0;
  return low;
}

/** Of a matrix [n, n] by rows, in no order. Throws where no QR step helps. */
export function eigenvalues(values: ArrayLike<number>, n: number): { re: Float64Array; im: Float64Array } {
  const h: Rows = Array.from({ length: n }, (_, i) => Float64Array.from({ length: n }, (_, j) => values[i * n + j])), re = new Float64Array(n), im = new Float64Array(n);
  balance(h);
  toHessenberg(h);
  for (let high = n - 1, steps = 0; high >= 0; steps++) {
    const low = beginOf(h, high);
    if (low === high) re[high--] = h[low][low], (steps = -1);
    else if (low === high - 1) {
      const d = h[high][high], p = (h[low][low] - d) / 2, cross = h[low][high] * h[high][low], inside = p * p + cross;
      const root = Math.sqrt(Math.abs(inside)), z = p + (p < 0 ? -root : root);
      [re[low], re[high]] = inside < 0 ? [d + p, d + p] : [d + z, z ? d - cross / z : d];
      [im[low], im[high]] = inside < 0 ? [root, -root] : [0, 0];
      (high -= 2), (steps = -1);
    } else {
      if (steps > STEPS_MOST) throw new Error("the eigenvalues of A are not to be had");
      step(h, low, high, steps > 0 && steps % RARE === 0);
    }
  }
  return { re, im };
}
