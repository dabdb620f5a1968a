// The editor proper: CodeMirror with line numbers, colours, folding, search, undo, completion and help from a schema, marks
// where something is wrong. It stands in a shadow root, because there it can have styles of its own under a policy that
// allows none within the page.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, type Completion, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { bracketMatching, foldGutter, foldKeymap, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { search, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import { crosshairCursor, drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, hoverTooltip, keymap, lineNumbers, rectangularSelection } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "preact/hooks";
import { completionsAt } from "./complete";
import { pointerAt } from "./pointer";
import { describe, type Schema } from "./schema";

export interface Mark {
  from: number;
  to: number;
  severity: "error" | "warning";
  message: string;
}

export interface CodeProps {
  label: string;
  text: string;
  change: (text: string) => void;
  marks: Mark[];
  schema: Schema | null;
  reveal: { from: number; to: number } | null; // to be selected and seen
  height: number; // rem at most
  moved: (place: number) => void; // the cursor
}

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--key)" }, { tag: tags.string, color: "var(--word)" }, { tag: tags.number, color: "var(--number)" },
  { tag: [tags.bool, tags.null], color: "var(--constant)", fontWeight: "600" }, { tag: [tags.separator, tags.brace, tags.squareBracket], color: "var(--quiet)" },
]);

const look = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--panel)", fontSize: "12.5px", border: "1px solid var(--line)", borderRadius: "6px" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "1px" },
  ".cm-scroller": { fontFamily: 'ui-monospace, "DejaVu Sans Mono", monospace', lineHeight: "1.45" },
  ".cm-content": { caretColor: "var(--ink)", padding: "6px 0" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--ground)", color: "var(--quiet)", borderRight: "1px solid var(--line)", borderRadius: "6px 0 0 6px" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--accent) 9%, transparent)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "color-mix(in srgb, var(--accent) 30%, transparent) !important" },
  ".cm-selectionMatch": { backgroundColor: "color-mix(in srgb, var(--accent) 18%, transparent)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "color-mix(in srgb, var(--accent) 25%, transparent)" },
  ".cm-panels, .cm-tooltip": { backgroundColor: "var(--panel)", color: "var(--ink)", borderColor: "var(--line)" },
  ".cm-tooltip": { maxWidth: "520px", borderRadius: "6px", boxShadow: "0 4px 14px #0003" },
  ".cm-about": { padding: "6px 10px", whiteSpace: "normal" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": { backgroundColor: "var(--accent)", color: "var(--accent-ink)" },
  ".cm-tooltip.cm-completionInfo": { padding: "6px 10px", maxWidth: "340px" },
  ".cm-completionDetail": { fontStyle: "normal", opacity: "0.75" },
  ".cm-diagnostic": { whiteSpace: "pre-wrap", overflowWrap: "anywhere" },
  ".cm-textfield, .cm-button": { backgroundColor: "var(--ground)", backgroundImage: "none", color: "var(--ink)", border: "1px solid var(--line)", borderRadius: "5px" },
  ".cm-foldPlaceholder": { backgroundColor: "var(--line)", color: "var(--ink)", border: "none" },
});

/** An element that tells tests and scripts what is written in it. */
export interface CodeHost extends HTMLDivElement {
  text: () => string;
  selected: () => string;
}

export default function Code({ label, text, change, marks, schema, reveal, height, moved }: CodeProps) {
  const host = useRef<HTMLDivElement>(null), view = useRef<EditorView | null>(null), now = useRef({ change, schema, moved });
  const own = useRef(new Set<string>()); // texts that were typed here and come back: by then more may have been typed
  now.current = { change, schema, moved };

  useEffect(() => {
    const root = host.current!.shadowRoot ?? host.current!.attachShadow({ mode: "open" });
    const complete = (context: CompletionContext): CompletionResult | null => {
      const { schema: known } = now.current, found = known && completionsAt(known, context.state.doc.toString(), context.pos, context.explicit);
      return found && { from: found.from, to: found.to, options: found.choices.map((c): Completion => ({ label: c.label, detail: c.detail, info: c.about, apply: c.apply, type: c.type, boost: c.first ? 1 : 0 })), validFor: /^"?[\w@.:-]*$/ };
    };
    const about = hoverTooltip((v, place) => {
      const source = v.state.doc.toString(), { schema: known } = now.current;
      let document: unknown;
      try { document = JSON.parse(source); } catch { return null; }
      const words = known && describe(known, document, pointerAt(source, place)), at = v.state.wordAt(place);
      if (!words) return null;
      return { pos: at?.from ?? place, end: at?.to, above: true, create: () => { const dom = window.document.createElement("div"); dom.className = "cm-about"; dom.textContent = words; return { dom }; } };
    });
    const made = new EditorView({
      root, parent: root, state: EditorState.create({
        doc: text, extensions: [
          lineNumbers(), highlightActiveLineGutter(), foldGutter(), lintGutter(), history(), drawSelection(), rectangularSelection(), crosshairCursor(), indentOnInput(), indentUnit.of("  "),
          bracketMatching(), closeBrackets(), autocompletion({ override: [complete], icons: false }), highlightActiveLine(), search({ top: true }), json(),
          syntaxHighlighting(colours), look, about, EditorView.theme({ ".cm-scroller": { maxHeight: `${height}rem`, minHeight: "9rem" } }), EditorView.contentAttributes.of({ "aria-label": label, spellcheck: "false" }),
          keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...foldKeymap, ...completionKeymap, indentWithTab]),
          EditorView.domEventHandlers({ beforeinput: (event, v) => { // written over several lines: browsers would put styles into what they join
            const { from, to } = v.state.selection.main;
            if (event.inputType !== "insertText" || event.data === null || v.state.doc.lineAt(from).to >= to) return false;
            v.dispatch(v.state.replaceSelection(event.data), { userEvent: "input.type" });
            return true;
          } }),
          EditorView.updateListener.of((u) => {
            if (u.docChanged && !u.transactions.some((t) => t.isUserEvent("given"))) {
              const typed = u.state.doc.toString();
              own.current.add(typed);
              now.current.change(typed);
            }
            if (u.selectionSet || u.docChanged) now.current.moved(u.state.selection.main.head);
          }),
        ],
      }),
    });
    view.current = made;
    Object.assign(host.current!, { text: () => made.state.doc.toString(), selected: () => made.state.sliceDoc(made.state.selection.main.from, made.state.selection.main.to) });
    return () => made.destroy();
  }, []);

  useEffect(() => {
    const v = view.current!, same = v.state.doc.toString() === text, typed = own.current.delete(text);
    if (same) own.current.clear();
    else if (!typed) v.dispatch({ changes: { from: 0, to: v.state.doc.length, insert: text }, userEvent: "given" });
  }, [text]);

  useEffect(() => {
    const v = view.current!, end = v.state.doc.length;
    v.dispatch(setDiagnostics(v.state, marks.filter((m) => m.from <= end).map((m): Diagnostic => ({ ...m, to: Math.min(end, Math.max(m.to, m.from)) }))));
  }, [text, JSON.stringify(marks)]);

  useEffect(() => {
    const v = view.current!;
    if (!reveal || reveal.to > v.state.doc.length) return;
    v.dispatch({ selection: { anchor: reveal.from, head: reveal.to }, effects: EditorView.scrollIntoView(reveal.from, { y: "center" }) });
    v.focus();
  }, [reveal]);

  return <div class="code" ref={host} data-label={label} />;
}
