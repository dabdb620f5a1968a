// Where bodies touch in a result: its member contact_place, and the friction of what touches.
import type { ModelDocument } from "../robot/document";
import type { Run } from "./results";

export const OF_PLACE = 10, AT = 1, FORCE = 4, NORMAL = 7; // number of the touch, place, force, normal

export interface Touches {
  data: Float64Array; // [samples][places][OF_PLACE]
  places: number;
  most: number; // N, the largest force
  longest: number; // N, which has the longest arrow, as have larger ones: an impact does not make what holds small
  friction: number[]; // of every touch
}

// Of "floor.ball" that, along and across where it is less, of the contact "floor"; a contact without a name is contacts[0].
function frictionOf(name: string, { contacts = [] }: ModelDocument): number {
  const own = contacts.map((c, i) => c.name ?? `contacts[${i}]`), fits = own.filter((n) => name.startsWith(`${n}.`)).sort((a, b) => b.length - a.length);
  const contact = contacts[own.indexOf(fits[0])];
  return (contact?.friction ?? 0) * Math.min(...(contact?.anisotropy ?? [1, 1]));
}

// Of arrows: 1.5 times what three quarters of the samples in touch stay below.
function scaleOf(data: Float64Array, places: number): { most: number; longest: number } {
  const largest: number[] = [];
  for (let from = 0; from < data.length; from += places * OF_PLACE) {
    let most = 0;
    for (let i = from; i < from + places * OF_PLACE; i += OF_PLACE) if (data[i] >= 0) most = Math.max(most, Math.hypot(data[i + FORCE], data[i + FORCE + 1], data[i + FORCE + 2]));
    if (most > 0) largest.push(most);
  }
  largest.sort((a, b) => a - b);
  const most = largest.at(-1) ?? 0;
  return { most, longest: Math.min(most, 1.5 * (largest[Math.floor(0.75 * (largest.length - 1))] ?? 0)) };
}

/** null: the result does not say where bodies touch. */
export async function touchesOf(run: Run): Promise<Touches | null> {
  if (!run.archive.has("contact_place") || run.summary.kind === "sweep") return null;
  const { data, shape } = await run.archive.array("contact_place");
  if (shape.length !== 3 || shape[1] === 0 || shape[2] !== OF_PLACE) return null;
  return { data, places: shape[1], ...scaleOf(data, shape[1]), friction: (run.summary.contacts ?? []).map((name) => frictionOf(name, run.summary.model.document)) };
}
