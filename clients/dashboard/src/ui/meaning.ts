// What JSON says, whatever its spaces, the order of its keys and the way its numbers are written. Order in lists means
// something.

export function sameMeaning(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || !a || !b || Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a), of = (o: object, key: string) => (o as Record<string, unknown>)[key];
  return keys.length === Object.keys(b).length && keys.every((k) => Object.hasOwn(b, k) && sameMeaning(of(a, k), of(b, k)));
}

/** True when a text that is typed says what a document does; false while it is no JSON. */
export function says(text: string, document: unknown): boolean {
  try {
    return sameMeaning(JSON.parse(text), document);
  } catch {
    return false;
  }
}
