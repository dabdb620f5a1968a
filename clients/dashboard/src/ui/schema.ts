// The JSON Schemas of the contract, for help in editors: what a value means, which keys and words may stand at a place,
// which keys nobody knows there. Of alternatives those count that agree with what the document says already (`type`,
// `kind`, `method` …).
import { get } from "../api/client";
import { valueAt } from "./sweep";

export interface Schema {
  description?: string;
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  items?: Schema;
  prefixItems?: Schema[];
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
  enum?: unknown[];
  $defs?: Record<string, Schema>;
  root?: Schema;
}

let contract: Promise<Record<string, Schema>> | null = null;

/** ModelDocument or JobDocument of the served contract; null when it cannot be had. */
export async function schemaOf(name: "ModelDocument" | "JobDocument"): Promise<Schema | null> {
  contract ??= get<{ components: { schemas: Record<string, Schema> } }>("/openapi.json").then((c) => c.components.schemas);
  try {
    return (await contract)[name] ?? null;
  } catch {
    contract = null;
    return null;
  }
}

function resolve(root: Schema, s: Schema): Schema {
  const name = s.$ref?.split("/").pop();
  const found = name ? root.$defs?.[name] : undefined;
  return found ? { ...found, ...(s.description ? { description: s.description } : {}) } : s;
}

const isObject = (v: unknown): v is Record<string, unknown> => typeof v === "object" && v !== null && !Array.isArray(v);

// Whether a value may be meant by an alternative: of its kind, and no word of it says otherwise.
function fits(s: Schema, value: unknown): boolean {
  if (value === undefined) return true;
  const types = s.type === undefined ? [] : [s.type].flat(), type = Array.isArray(value) ? "array" : value === null ? "null" : typeof value;
  if (types.length && !types.includes(type) && !(type === "number" && types.includes("integer"))) return false;
  if (!isObject(value)) return true;
  return Object.entries(s.properties ?? {}).every(([key, p]) => {
    const said = value[key];
    if (typeof said !== "string") return true;
    return p.const !== undefined ? p.const === said : !p.enum || p.enum.includes(said);
  });
}

// All alternatives that a value may be.
function branches(root: Schema, s: Schema, value: unknown, depth = 0): Schema[] {
  const r = resolve(root, s);
  if (!fits(r, value)) return [];
  if (depth > 6) return [r];
  return [r, ...[...(r.oneOf ?? []), ...(r.anyOf ?? []), ...(r.allOf ?? [])].flatMap((b) => branches(root, b, value, depth + 1))];
}

const keysOf = (pointer: string) => pointer.split("/").slice(1).map((key) => key.replace(/~1/g, "/").replace(/~0/g, "~"));

// What may stand at a place of a document.
function schemasAt(root: Schema, document: unknown, pointer: string): Schema[] {
  let here = branches(root, root, document), value = document;
  for (const key of keysOf(pointer)) {
    value = isObject(value) ? value[key] : Array.isArray(value) ? value[Number(key)] : undefined;
    here = here.flatMap((b) => {
      const found = b.properties?.[key] ?? (/^\d+$/.test(key) ? b.prefixItems?.[Number(key)] ?? b.items : undefined) ??
        (typeof b.additionalProperties === "object" ? b.additionalProperties : undefined);
      return found ? branches(root, found, value) : [];
    }).slice(0, 200);
  }
  return here;
}

/** "length: Length L, m." of the value at a pointer, "" when the schema is silent. */
export function describe(root: Schema, document: unknown, pointer: string): string {
  const keys = pointer.split("/").slice(1);
  while (keys.length && /^\d+$/.test(keys[keys.length - 1])) keys.pop();
  for (; keys.length; keys.pop()) {
    const words = new Set(schemasAt(root, document, `/${keys.join("/")}`).map((s) => s.description).filter((d): d is string => !!d));
    if (words.size) return `${keysOf(`/${keys[keys.length - 1]}`)[0]}: ${[...words].slice(0, 3).join(" / ")}`;
  }
  return "";
}

export interface Choice {
  word: unknown;
  about?: string;
  required?: boolean;
}

/** Keys that the object at a place may still get, those that it needs first. */
export function keysFor(root: Schema, document: unknown, pointer: string): Choice[] {
  const found = new Map<string, Choice>(), there = valueAt(document, pointer);
  for (const s of schemasAt(root, document, pointer))
    for (const [key, p] of Object.entries(s.properties ?? {})) {
      if (isObject(there) && key in there) continue;
      const of = resolve(root, p), one = found.get(key);
      found.set(key, { word: key, about: one?.about ?? p.description ?? of.description, required: one?.required || s.required?.includes(key) });
    }
  return [...found.values()].sort((a, b) => Number(!!b.required) - Number(!!a.required));
}

/** Words that may stand at a place. */
export function wordsFor(root: Schema, document: unknown, pointer: string): Choice[] {
  const at = pointer.lastIndexOf("/"), open = pointer === "" ? document : withoutValue(document, pointer, at), found = new Map<unknown, Choice>();
  for (const s of schemasAt(root, open, pointer)) {
    const types = [s.type ?? []].flat();
    for (const word of s.const !== undefined ? [s.const] : s.enum ?? (types.includes("boolean") ? [true, false] : [])) if (!found.has(word)) found.set(word, { word, about: s.description });
  }
  return [...found.values()];
}

// The document as if nothing stood at the place: what is there must not rule out what else could be.
function withoutValue(document: unknown, pointer: string, at: number): unknown {
  const parent = valueAt(document, pointer.slice(0, at)), [key] = keysOf(pointer.slice(at));
  if (!isObject(parent)) return document;
  const { [key]: _, ...rest } = parent;
  return replaced(document, keysOf(pointer.slice(0, at)), rest);
}

function replaced(document: unknown, [key, ...rest]: string[], value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(document)) return document.map((v, i) => (String(i) === key ? replaced(v, rest, value) : v));
  return isObject(document) ? { ...document, [key]: replaced(document[key], rest, value) } : document;
}

export interface Unknown {
  pointer: string; // of the key's value
  key: string;
  known: string[];
  meant?: string;
}

const MOST_UNKNOWN = 50;
const escape = (key: string) => key.replace(/~/g, "~0").replace(/\//g, "~1");

/** Keys that no alternative knows at their place. */
export function unknownKeys(root: Schema, document: unknown): Unknown[] {
  const found: Unknown[] = [];
  const look = (here: Schema[], value: unknown, pointer: string) => {
    if (found.length >= MOST_UNKNOWN || here.length === 0) return;
    if (Array.isArray(value)) value.slice(0, 2000).forEach((v, i) => look(here.flatMap((b) => { const s = b.prefixItems?.[i] ?? b.items; return s && isContainer(v) ? branches(root, s, v) : []; }), v, `${pointer}/${i}`));
    if (!isObject(value)) return;
    const closed = here.filter((b) => b.properties), open = here.some((b) => b.properties === undefined ? b.type === "object" || b.additionalProperties !== undefined : b.additionalProperties !== false && !b.oneOf && !b.anyOf && !b.allOf);
    const known = [...new Set(closed.flatMap((b) => Object.keys(b.properties!)))];
    for (const [key, v] of Object.entries(value)) {
      const at = `${pointer}/${escape(key)}`, own = here.flatMap((b) => { const s = b.properties?.[key] ?? (typeof b.additionalProperties === "object" ? b.additionalProperties : undefined); return s ? [s] : []; });
      if (own.length === 0 && !open && known.length) found.push({ pointer: at, key, known, meant: nearestTo(key, known.filter((k) => !(k in value))) ?? nearestTo(key, known) });
      else if (isContainer(v)) look(own.flatMap((s) => branches(root, s, v)), v, at);
    }
  };
  look(branches(root, root, document), document, "");
  return found;
}

const isContainer = (v: unknown) => typeof v === "object" && v !== null;

// Changes of single letters between two words, or of neighbours.
function distance(a: string, b: string): number {
  let two: number[] = [], one = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const now = [i];
    for (let j = 1; j <= b.length; j++) {
      now[j] = Math.min(now[j - 1] + 1, one[j] + 1, one[j - 1] + Number(a[i - 1] !== b[j - 1]));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) now[j] = Math.min(now[j], two[j - 2] + 1);
    }
    [two, one] = [one, now];
  }
  return one[b.length];
}

function nearestTo(key: string, known: string[]): string | undefined {
  const near = known.map((k) => ({ k, d: distance(key.toLowerCase(), k.toLowerCase()) })).sort((a, b) => a.d - b.d)[0];
  return near && near.d <= Math.max(1, Math.floor(key.length / 3)) ? near.k : undefined;
}
