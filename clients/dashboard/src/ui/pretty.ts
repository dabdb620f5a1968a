// JSON for people: what fits on a line stays on one.
const WIDTH = 100;

export function pretty(value: unknown, indent = ""): string {
  const flat = inline(value);
  if (flat.length + indent.length <= WIDTH || typeof value !== "object" || value === null) return flat;
  const deeper = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((v) => deeper + pretty(v, deeper))
    : Object.entries(value).filter(([, v]) => v !== undefined).map(([k, v]) => `${deeper}${JSON.stringify(k)}: ${pretty(v, deeper)}`);
  const numbers = Array.isArray(value) && value.every((v) => typeof v !== "object");
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return `${open}\n${numbers ? fill(value as unknown[], deeper) : parts.join(",\n")}\n${indent}${close}`;
}

function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (typeof value === "object" && value !== null)
    return `{${Object.entries(value).filter(([, v]) => v !== undefined).map(([k, v]) => `${JSON.stringify(k)}: ${inline(v)}`).join(", ")}}`;
  return JSON.stringify(value) ?? "null";
}

// Long lists of scalars: as many on a line as fit.
function fill(values: unknown[], indent: string): string {
  const lines: string[] = [];
  let line = indent;
  values.forEach((v, i) => {
    const word = inline(v) + (i + 1 < values.length ? "," : "");
    if (line.length + word.length + 1 > WIDTH && line.trim()) {
      lines.push(line);
      line = indent;
    }
    line += line.trim() ? ` ${word}` : word;
  });
  return [...lines, line].join("\n");
}
