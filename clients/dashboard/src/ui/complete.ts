// What may be typed at a place of a JSON text, by its schema: keys that are missing yet, words and names that fit. The text
// may be broken there, as texts are while they are typed: it is mended up to the place, and read.
import { keysFor, wordsFor, type Choice, type Schema } from "./schema";
import { valueAt } from "./sweep";

export interface Completions {
  from: number;
  to: number;
  choices: { label: string; apply: string; about?: string; detail?: string; type: string; first?: boolean }[];
}

interface Level {
  close: "}" | "]";
  key: string | null; // that was read last
  index: number;
  wants: "key" | "value";
}

interface Place {
  pointer: string; // of the innermost object or list
  level: Level;
  from: number; // where the word at the place begins
  mended: string;
}

const escape = (key: string) => key.replace(/~/g, "~0").replace(/\//g, "~1");

// Reads a text up to a place, knowing nothing of what stands behind it.
function placeOf(text: string, pos: number): Place | null {
  const levels: Level[] = [];
  let at = 0, from = pos;
  while (at < pos) {
    const c = text[at], top = levels[levels.length - 1];
    if (c === '"') {
      let end = at + 1;
      while (end < text.length && text[end] !== '"' && text[end] !== "\n") end += text[end] === "\\" ? 2 : 1;
      if (end >= pos) { from = at; break; } // the place is within this word
      if (top?.close === "}" && top.wants === "key") top.key = text.slice(at + 1, end);
      at = end + 1;
    } else if (/[\w.+-]/.test(c)) {
      let end = at;
      while (end < text.length && /[\w.+-]/.test(text[end])) end++;
      if (end >= pos) { from = at; break; }
      at = end;
    } else {
      if (c === "{") levels.push({ close: "}", key: null, index: 0, wants: "key" });
      if (c === "[") levels.push({ close: "]", key: null, index: 0, wants: "value" });
      if ((c === "}" || c === "]") && levels.pop()?.close !== c) return null;
      if (c === ":" && top) top.wants = "value";
      if (c === "," && top) (top.index++, (top.wants = top.close === "}" ? "key" : "value"));
      at++;
    }
  }
  const level = levels[levels.length - 1];
  if (!level) return null;
  const pointer = levels.slice(0, -1).map((l) => `/${l.close === "}" ? escape(l.key ?? "") : l.index}`).join("");
  return { pointer, level, from, mended: mend(text, from, level, levels) };
}

// The text up to the word at the place, then what stands behind that word where it makes a whole, else only brackets.
function mend(text: string, from: number, level: Level, levels: Level[]): string {
  const before = text.slice(0, from), dropped = level.wants === "key" ? before.replace(/,\s*$/, "") : `${before}null`;
  const word = /^("(?:[^"\\\n]|\\.)*"?|[\w.+-]*)/.exec(text.slice(from))![0], behind = text.slice(from + word.length);
  const rest = level.wants === "key" ? behind.replace(/^\s*:\s*("(?:[^"\\\n]|\\.)*"|[\w.+-]+)?/, "").replace(/^\s*,?/, /,\s*$/.test(before) && /^\s*,?\s*"/.test(behind) ? "," : "") : behind;
  for (const whole of [dropped + rest, dropped + (/^\s*"/.test(rest) ? `,${rest}` : rest), dropped + [...levels].reverse().map((l) => l.close).join("")]) {
    try {
      JSON.parse(whole);
      return whole;
    } catch { /* the next one */ }
  }
  return "null";
}

// Where a document names what it has: links, actuators, channels.
const NAMES: Record<string, (document: unknown) => string[]> = {
  parent: (d) => ["world", ...namesIn(d, "/links")], link: (d) => namesIn(d, "/links"), link_a: (d) => namesIn(d, "/links"), link_b: (d) => namesIn(d, "/links"),
};

function namesIn(document: unknown, list: string): string[] {
  const found = valueAt(document, list);
  return Array.isArray(found) ? found.map((e) => (e as { name?: unknown } | null)?.name).filter((n): n is string => typeof n === "string") : [];
}

const short = (about?: string) => { const first = about?.split(/(?<=\.)\s/)[0]; return first && first.length > 60 ? `${first.slice(0, 58)}…` : first; };

export function completionsAt(schema: Schema, text: string, pos: number, asked: boolean): Completions | null {
  const place = placeOf(text, pos);
  if (!place) return null;
  const { level, from, pointer } = place, typed = text.slice(from, pos);
  if (!asked && typed === "") return null;
  const document = JSON.parse(place.mended) as unknown;
  const end = text[from] === '"' ? (/^"(?:[^"\\\n]|\\.)*"?/.exec(text.slice(from))![0].length + from) : pos, to = Math.max(pos, end);
  if (level.close === "}" && level.wants === "key") {
    const colon = /^\s*:/.test(text.slice(to));
    return { from, to, choices: keysFor(schema, document, pointer).map(({ word, about, required }) => ({ label: `"${word}"`, apply: `"${word}"${colon ? "" : ": "}`, about, detail: required ? "needed" : short(about), type: "property", first: required })) };
  }
  const own = `${pointer}/${level.close === "}" ? escape(level.key ?? "") : level.index}`;
  const names: Choice[] = level.close === "}" && level.key ? (NAMES[level.key]?.(document) ?? []).map((word) => ({ word })) : [];
  const choices = [...wordsFor(schema, document, own), ...names].map(({ word, about }) => ({ label: JSON.stringify(word), apply: JSON.stringify(word), about, detail: short(about), type: "constant" }));
  return choices.length ? { from, to, choices } : null;
}
