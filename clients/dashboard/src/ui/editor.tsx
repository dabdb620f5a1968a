// A JSON document to edit: errors of syntax and keys that nobody knows as one types, errors and warnings of the server at
// the places that they name, and the schema's words on the value under the cursor. Until the editor proper is loaded, or
// where it cannot be, there is a plain field.
import { Component, lazy, Suspense } from "preact/compat";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import type { ProblemBody } from "../api/client";
import type { Warning } from "../api/types";
import type { Mark } from "./code";
import { Warnings } from "./parts";
import { describe, unknownKeys, type Schema } from "./schema";
import { keyOf, lineOf, locate, pointerAt, scan } from "./pointer";

const Code = lazy(() => import("./code"));

export interface Complaint {
  pointer: string;
  detail: string;
  more?: Complaint[]; // what else is wrong
}

/** What a refusal says of a text: `place` makes the pointer into it, undefined where it is about something else. */
export function complaintOf(body: ProblemBody, place: (pointer: string) => string | undefined = (p) => p): Complaint | null {
  const [first, ...more] = (body.errors ?? [{ pointer: body.pointer ?? "", detail: body.detail }])
    .flatMap((e) => { const pointer = place(e.pointer); return pointer === undefined ? [] : [{ pointer, detail: e.detail }]; });
  return first ? { ...first, more } : null;
}

interface Props {
  label: string;
  text: string;
  change: (text: string) => void;
  complaint?: Complaint | null;
  quiet?: boolean; // the complaint came by itself: nothing is selected
  warnings?: Warning[]; // pointers into this text
  schema?: Schema | null;
  rows?: number;
  titled?: boolean; // false: what stands above it says what it is
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Line {
  pointer: string;
  text: string;
}

/** What is wrong with a text, each place once: what the server says, and beside it keys that the schema does not know. */
function errorsOf(complaint: Complaint | null | undefined, document: unknown, schema: Schema | null | undefined): Line[] {
  const lines = complaint ? [complaint, ...(complaint.more ?? [])].map((c) => ({ pointer: c.pointer, text: c.detail })) : [];
  const unknown = schema && document !== undefined ? unknownKeys(schema, document) : [];
  for (const { pointer, key, meant } of unknown)
    if (!lines.some((l) => l.pointer === pointer)) lines.push({ pointer, text: `“${key}” is not known here${meant ? `; did you mean “${meant}”?` : ""}` });
  return lines.filter((l, i) => lines.findIndex((o) => o.pointer === l.pointer && o.text === l.text) === i);
}

// A page that is cut off from its server has no editor to load.
class Or extends Component<{ plain: ComponentChildren; children: ComponentChildren }, { failed: boolean }> {
  state = { failed: false };
  static getDerivedStateFromError() { return { failed: true }; }
  render() { return this.state.failed ? this.props.plain : this.props.children; }
}

export function Editor({ label, text, change, complaint, quiet = false, warnings = [], schema, rows = 22, titled = true }: Props) {
  const [cursor, setCursor] = useState<number | null>(null);
  const places = useMemo(() => (text.trim() ? scan(text) : null), [text]), broken = places?.error ?? null, document = useMemo(() => parsed(text), [text]);
  const lines = useMemo(() => errorsOf(complaint, document, schema), [complaint, document, schema]);
  const marks = useMemo<Mark[]>(() => {
    if (broken) return [{ from: Math.min(broken.at, text.length), to: Math.min(broken.at + 1, text.length), severity: "error", message: broken.message }];
    const at = (pointer: string) => { const { start, end } = locate(text, pointer); return { from: start, to: Math.min(end, text.indexOf("\n", start) < 0 ? end : Math.max(start + 1, text.indexOf("\n", start))) }; };
    return [...lines.map((l): Mark => ({ ...keyOf(text, l.pointer, /is not known here|unknown key/.test(l.text)), severity: "error", message: l.text })),
      ...warnings.map((w): Mark => ({ ...at(w.pointer), severity: "warning", message: `${w.code.replace(/_/g, " ")}: ${w.detail}` }))];
  }, [text, lines, warnings, broken]);
  const reveal = useMemo(() => { if (!complaint || quiet) return null; const { start, end } = locate(text, complaint.pointer); return { from: start, to: end }; }, [complaint]);
  const [help, setHelp] = useState("");
  useEffect(() => {
    if (cursor === null || !schema || document === undefined) return;
    const timer = setTimeout(() => setHelp(describe(schema, document, pointerAt(text, cursor))), 60);
    return () => clearTimeout(timer);
  }, [cursor, document, schema]);
  const upload = async (event: Event) => {
    const file = (event.target as HTMLInputElement).files?.[0];
    if (file) change(await file.text());
  };
  const plain = <textarea aria-label={label} spellcheck={false} rows={rows} value={text} onInput={(e) => change((e.target as HTMLTextAreaElement).value)} />;
  return (
    <div class="editor" data-editor={label}>
      <div class="row">
        <span class="name">{titled && label}</span>
        <label class="button">
          Upload<input type="file" accept=".json,application/json" onChange={upload} aria-label={`upload ${label}`} />
        </label>
      </div>
      <Or plain={plain}>
        <Suspense fallback={plain}>
          <Code label={label} text={text} change={change} marks={marks} schema={schema ?? null} reveal={reveal} height={1.15 * rows} moved={setCursor} />
        </Suspense>
      </Or>
      {broken && <div class="problem" role="alert">line {lineOf(text, broken.at)}: {broken.message}</div>}
      {!broken && lines.length > 0 && (
        <div class="problem" role="alert">
          {lines.map((l) => (
            <div key={l.pointer + l.text}>line {lineOf(text, locate(text, l.pointer).start)}, <code>{l.pointer || "/"}</code>: {l.text}</div>
          ))}
        </div>
      )}
      <Warnings list={warnings} where={(pointer) => <>line {lineOf(text, locate(text, pointer).start)}, <code>{pointer}</code></>} />
      {help && <div class="help">{help}</div>}
    </div>
  );
}
