// The JSON Schemas of the contract, for help in editors: the descriptions on the way to a value, the innermost first.
import { get } from "../api/client";

export interface Schema {
  description?: string;
  $ref?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
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

// All alternatives that a value may be.
function branches(root: Schema, s: Schema, depth = 0): Schema[] {
  const r = resolve(root, s);
  if (depth > 6) return [r];
  return [r, ...[...(r.oneOf ?? []), ...(r.anyOf ?? []), ...(r.allOf ?? [])].flatMap((b) => branches(root, b, depth + 1))];
}

function step(root: Schema, s: Schema, key: string): Schema[] {
  return branches(root, s).flatMap((b) => {
    const found = b.properties?.[key] ?? (/^\d+$/.test(key) ? b.items : undefined) ??
      (typeof b.additionalProperties === "object" ? b.additionalProperties : undefined);
    return found ? [found] : [];
  });
}

/** "length: Length L, m." of the value at a pointer, "" when the schema is silent. */
export function describe(root: Schema, pointer: string): string {
  let here = [root], text = "";
  for (const key of pointer.split("/").slice(1)) {
    here = here.flatMap((s) => step(root, s, key.replace(/~1/g, "/").replace(/~0/g, "~"))).slice(0, 40);
    const words = new Set(here.flatMap((s) => branches(root, s).map((b) => b.description)).filter((d): d is string => !!d));
    if (words.size && !/^\d+$/.test(key)) text = `${key}: ${[...words].slice(0, 3).join(" / ")}`;
  }
  return text;
}
