// The documents of the repository as pages of the dashboard: Markdown to HTML when the bundle is made. `virtual:docs`
// exports [{name, title, html, parts}], parts being [id, heading] of its sections.
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { Marked, type Tokens } from "marked";
import type { Plugin } from "vite";

/** Address of the page and file, in the order of the list of pages. */
export const DOCUMENTS: [name: string, path: string][] = [
  ["quantities", "api/quantities.md"],
  ["warnings", "api/warnings.md"],
  ["fitting", "api/fitting.md"],
  ["import", "api/import.md"],
  ["examples", "api/examples/README.md"],
  ["python", "clients/python/README.md"],
  ["javascript", "clients/js/README.md"],
  ["c", "clients/c/README.md"],
  ["operating", "deploy/README.md"],
];

const escaped = (text: string) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
/** As GitHub makes anchors of headings, so that links hold in both places. */
const slug = (text: string) => text.toLowerCase().replace(/<[^>]*>/g, "").replace(/[^\p{L}\p{N} _-]/gu, "").trim().replace(/ /g, "-");

// Links between these documents become links between their pages. Of other files of the repository the words are left.
function target(from: string, href: string): string | null {
  if (/^https?:/.test(href)) return href;
  const [file, part] = href.split("#"), path = file ? normalize(join(dirname(from), file)) : from;
  const page = DOCUMENTS.find(([, p]) => p === path);
  return page ? `#/docs/${page[0]}${part ? `?at=${encodeURIComponent(part)}` : ""}` : null;
}

function page(root: string, [name, path]: [string, string]) {
  const parts: [string, string][] = [];
  let title = name;
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading) {
        if (depth === 1) title = text;
        if (depth === 2) parts.push([slug(text), text.replace(/`/g, "")]);
        return `<h${depth} id="${escaped(slug(text))}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const to = target(path, href), words = this.parser.parseInline(tokens);
        return to ? `<a href="${escaped(to)}"${to.startsWith("#") ? "" : ' rel="noreferrer"'}>${words}</a>` : words;
      },
      image({ text }: Tokens.Image) {
        return `<em>(picture: ${escaped(text)})</em>`;
      },
      tablecell({ tokens, header }: Tokens.TableCell) {
        const word = !header && /^`([\w.:@-]+)`$/.exec(tokens.map((t) => t.raw).join(""));
        return header ? `<th>${this.parser.parseInline(tokens)}</th>` : `<td${word ? ` id="${escaped(word[1])}"` : ""}>${this.parser.parseInline(tokens)}</td>`;
      },
    },
  });
  const html = marked.parse(readFileSync(join(root, path), "utf8"), { async: false });
  return { name, title, html, parts };
}

export function docs(): Plugin {
  const root = [process.cwd(), join(process.cwd(), "../..")].find((folder) => existsSync(join(folder, DOCUMENTS[0][1])));
  return {
    name: "docs",
    resolveId: (id) => (id === "virtual:docs" ? "\0docs" : undefined),
    load: (id) => (id === "\0docs" ? `export default ${JSON.stringify(root ? DOCUMENTS.map((d) => page(root, d)) : [])};` : undefined),
  };
}
