// Where the value that a JSON pointer names stands in a text, and what stands at a place: for showing errors where they
// are and for the schema's help. Texts may be broken; then the nearest place before is found.

export interface Span {
  start: number;
  end: number;
}

interface Scan {
  spans: Map<string, Span>;
  error: { at: number; message: string } | null;
}

const escape = (key: string) => key.replace(/~/g, "~0").replace(/\//g, "~1");

/** Spans of all values of a JSON text by their pointers. */
export function scan(text: string): Scan {
  const spans = new Map<string, Span>();
  let at = 0;
  const fail = (message: string): never => {
    throw { at, message };
  };
  const space = () => {
    while (at < text.length && " \t\r\n".includes(text[at])) at++;
  };
  const string = (): string => {
    const start = at++;
    while (at < text.length && text[at] !== '"' && text[at] !== "\n") at += text[at] === "\\" ? 2 : 1;
    if (text[at] !== '"') fail("a string does not end");
    at++;
    try {
      return JSON.parse(text.slice(start, at)) as string;
    } catch {
      at = start;
      return fail("a string with a bad escape");
    }
  };
  const list = (pointer: string, close: string, element: (i: number) => void) => {
    at++;
    space();
    if (text[at] === close) return void at++;
    for (let i = 0; ; i++) {
      space();
      element(i);
      space();
      if (text[at] === close) return void at++;
      if (text[at] !== ",") fail(`"," or "${close}" expected${pointer ? ` in ${pointer}` : ""}`);
      at++;
    }
  };
  const value = (pointer: string, depth: number) => {
    space();
    const start = at;
    spans.set(pointer, { start, end: text.length });
    if (depth > 200) fail("nested too deeply");
    if (text[at] === "{")
      list(pointer, "}", () => {
        if (text[at] !== '"') fail("a key in quotes expected");
        const key = string();
        space();
        if (text[at] !== ":") fail('":" expected');
        at++;
        value(`${pointer}/${escape(key)}`, depth + 1);
      });
    else if (text[at] === "[") list(pointer, "]", (i) => value(`${pointer}/${i}`, depth + 1));
    else if (text[at] === '"') string();
    else {
      const word = /^(true|false|null|-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?)(?![\w.+-])/.exec(text.slice(at, at + 400));
      if (!word) fail("a value expected");
      at += word![0].length;
    }
    spans.set(pointer, { start, end: at });
  };
  try {
    value("", 0);
    space();
    if (at < text.length) fail("more text after the end");
    return { spans, error: null };
  } catch (error) {
    if (typeof (error as { at?: number }).at === "number") return { spans, error: error as { at: number; message: string } };
    throw error;
  }
}

/** The span of a pointer, or of the nearest parent that is there. */
export function locate(text: string, pointer: string): Span {
  const { spans } = scan(text);
  for (let p = pointer; ; p = p.slice(0, p.lastIndexOf("/"))) {
    const found = spans.get(p);
    if (found) return found;
    if (!p) return { start: 0, end: text.length };
  }
}

/** Where to mark what is wrong at a pointer: the first line of its value, or the key before it. */
export function keyOf(text: string, pointer: string, key: boolean): { from: number; to: number } {
  const { start, end } = locate(text, pointer), line = text.indexOf("\n", start);
  if (!key) return { from: start, to: line < 0 ? end : Math.min(end, Math.max(start + 1, line)) };
  const before = /"(?:[^"\\\n]|\\.)*"\s*:\s*$/.exec(text.slice(0, start));
  return before ? { from: before.index, to: before.index + before[0].lastIndexOf('"') + 1 } : { from: start, to: Math.min(end, start + 1) };
}

/** The pointer of the innermost value around a place. */
export function pointerAt(text: string, place: number): string {
  let best = "", size = Infinity;
  for (const [pointer, span] of scan(text).spans)
    if (span.start <= place && place <= span.end && span.end - span.start <= size) (best = pointer), (size = span.end - span.start);
  return best;
}

export function lineOf(text: string, place: number): number {
  return text.slice(0, place).split("\n").length;
}
