// Where bodies touch in a result: its member contact_place, and the friction of what touches.
import type { ModelDocument } from "../robot/document";
import type { Run } from "./results";

export const OF_PLACE = 10, AT = 1, FORCE = 4, NORMAL = 7; // number of the touch, place, force, normal

export interface Touches {
  data: Float64Array; // [samples][places][OF_PLACE]
  places: number;
  most: number; // N, the largest force
  friction: number[]; // of every touch
}

// Of "floor.ball" that of the contact "floor"; a contact without a name is contacts[0].
function frictionOf(name: string, { contacts = [] }: ModelDocument): number {
  const own = contacts.map((c, i) => c.name ?? `contacts[${i}]`), fits = own.filter((n) => name.startsWith(`${n}.`)).sort((a, b) => b.length - a.length);
  return contacts[own.indexOf(fits[0])]?.friction ?? 0;
}

/** null: the result does not say where bodies touch. */
export async function touchesOf(run: Run): Promise<Touches | null> {
  if (!run.archive.has("contact_place") || run.summary.kind === "sweep") return null;
  const { data, shape } = await run.archive.array("contact_place");
  if (shape.length !== 3 || shape[1] === 0 || shape[2] !== OF_PLACE) return null;
  let most = 0;
  for (let i = 0; i < data.length; i += OF_PLACE) if (data[i] >= 0) most = Math.max(most, Math.hypot(data[i + FORCE], data[i + FORCE + 1], data[i + FORCE + 2]));
  return { data, places: shape[1], most, friction: (run.summary.contacts ?? []).map((name) => frictionOf(name, run.summary.model.document)) };
}
