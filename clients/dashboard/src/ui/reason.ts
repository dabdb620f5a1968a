// What the server's sentence on a failure says, as fields: when, in which link, at which coordinate, how large the
// residual was. The sentences are those of engine/plant/plant.c and engine/why/.

export interface Reason {
  time?: number;
  link?: string;
  coordinate?: string;
  place?: number; // m along the link
  residual?: number;
}

const NUMBER = "([-+]?(?:\\d+\\.?\\d*(?:e[-+]?\\d+)?|inf|nan))";

function numberAfter(words: string, text: string): number | undefined {
  const found = new RegExp(`${words} ${NUMBER}`, "i").exec(text)?.[1];
  return found === undefined ? undefined : /^[-+]?inf$/i.test(found) ? Infinity : Number(found);
}

export function reasonOf(detail: string): Reason {
  const coordinate = /worst at ([\w.-]+\.[\w]+\[\d+\])/.exec(detail)?.[1], body = /body "([^"]+)" at s = /.exec(detail)?.[1];
  const all: Reason = {
    time: numberAfter("\\bat t =", detail),
    link: body ?? coordinate?.replace(/\.\w+\[\d+\]$/, ""),
    coordinate,
    place: body ? numberAfter('" at s =', detail) : undefined,
    residual: numberAfter("residual(?: stays at)?", detail),
  };
  return Object.fromEntries(Object.entries(all).filter(([, v]) => v !== undefined));
}

/** The time, s, that a job had which was up: nothing is won by as much again. NaN of other failures. */
export function tooShort(error: { detail: string; pointer?: string } | null): number {
  return error?.pointer === "/max_wall_s" ? (numberAfter("time of", error.detail) ?? NaN) : NaN;
}
