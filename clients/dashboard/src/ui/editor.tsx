// A JSON document to edit: errors of syntax as one types, errors and warnings of the server at the places that they
// name, and the schema's words on the value under the cursor.
import { useEffect, useRef, useState } from "preact/hooks";
import type { ProblemBody } from "../api/client";
import type { Warning } from "../api/types";
import { Warnings } from "./parts";
import { describe, type Schema } from "./schema";
import { lineOf, locate, pointerAt, scan } from "./pointer";

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
  warnings?: Warning[]; // pointers into this text
  schema?: Schema | null;
  rows?: number;
}

export function Editor({ label, text, change, complaint, warnings = [], schema, rows = 22 }: Props) {
  const area = useRef<HTMLTextAreaElement>(null);
  const [help, setHelp] = useState("");
  const broken = text.trim() ? scan(text).error : null;

  useEffect(() => {
    const box = area.current;
    if (!complaint || !box) return;
    const { start, end } = locate(text, complaint.pointer);
    box.focus();
    box.setSelectionRange(start, end);
    const height = box.scrollHeight / Math.max(1, text.split("\n").length);
    box.scrollTop = Math.max(0, (lineOf(text, start) - 4) * height);
  }, [complaint]);

  const look = () => {
    const box = area.current;
    if (box && schema) setHelp(describe(schema, pointerAt(text, box.selectionStart)));
  };
  const upload = async (event: Event) => {
    const file = (event.target as HTMLInputElement).files?.[0];
    if (file) change(await file.text());
  };
  return (
    <div class="editor">
      <div class="row">
        <label for={`editor-${label}`}>{label}</label>
        <label class="button">
          Upload<input type="file" accept=".json,application/json" onChange={upload} aria-label={`upload ${label}`} />
        </label>
      </div>
      <textarea id={`editor-${label}`} ref={area} spellcheck={false} rows={rows} value={text} aria-invalid={!!(broken || complaint)}
        onInput={(e) => change((e.target as HTMLTextAreaElement).value)} onKeyUp={look} onClick={look} />
      {broken && <div class="problem" role="alert">line {lineOf(text, broken.at)}: {broken.message}</div>}
      {complaint && (
        <div class="problem" role="alert">
          {[complaint, ...(complaint.more ?? [])].map((c) => (
            <div key={c.pointer + c.detail}>
              line {lineOf(text, locate(text, c.pointer).start)}, <code>{c.pointer || "/"}</code>: {c.detail}
            </div>
          ))}
        </div>
      )}
      <Warnings list={warnings} where={(pointer) => <>line {lineOf(text, locate(text, pointer).start)}, <code>{pointer}</code></>} />
      {help && <div class="help">{help}</div>}
    </div>
  );
}
