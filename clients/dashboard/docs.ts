// The documents of the repository as a page without scripts, docs.html, which the server has at /docs: Markdown to HTML when
// the bundle is made. The dashboard takes the same page apart (src/ui/seek.ts).
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { Marked, type Tokens } from "marked";
import type { Plugin } from "vite";

/** Name and file, in the order of the list of pages. */
const DOCUMENTS: [name: string, path: string][] = [
  ["begin", "api/begin.md"],
  ["model", "api/model.md"],
  ["job", "api/job.md"],
  ["quantities", "api/quantities.md"],
  ["warnings", "api/warnings.md"],
  ["fitting", "api/fitting.md"],
  ["import", "api/import.md"],
  ["examples", "api/examples/README.md"],
  ["clients", "clients/README.md"],
  ["python", "clients/python/README.md"],
  ["javascript", "clients/js/README.md"],
  ["c", "clients/c/README.md"],
  ["operating", "deploy/README.md"],
];

const escaped = (text: string) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
/** As GitHub makes anchors of headings, so that links hold in both places. */
const slug = (text: string) => text.toLowerCase().replace(/<[^>]*>/g, "").replace(/[^\p{L}\p{N} _-]/gu, "").trim().replace(/ /g, "-");

const idOf = (name: string, part: string) => `${name}:${part}`;
const address = (name: string, part?: string) => `#${part ? idOf(name, part) : name}`;

// Links between these documents become links between their pages. Of other files of the repository the words are left.
function target(from: string, href: string): string | null {
  if (/^https?:/.test(href)) return href;
  const [file, part] = href.split("#"), path = file ? normalize(join(dirname(from), file)) : from;
  if (path === "api/openapi.yaml") return "/openapi.json"; // as the server has it
  const page = DOCUMENTS.find(([, p]) => p === path);
  return page ? address(page[0], part) : null;
}

function page(root: string, [name, path]: [string, string]) {
  const parts: [string, string][] = [];
  let title = name;
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading) {
        if (depth === 1) title = text;
        if (depth === 2) parts.push([slug(text), text.replace(/`/g, "")]);
        return `<h${depth} id="${escaped(idOf(name, slug(text)))}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
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
        return header ? `<th>${this.parser.parseInline(tokens)}</th>` : `<td${word ? ` id="${escaped(idOf(name, word[1]))}"` : ""}>${this.parser.parseInline(tokens)}</td>`;
      },
    },
  });
  const html = marked.parse(readFileSync(join(root, path), "utf8"), { async: false });
  return { name, title, html, parts };
}

// As wide as is read well, and on a phone no wider than that: tables and code scroll by themselves, long words break.
const STYLE = `body { max-width: 50rem; margin: 0 auto; padding: 0 1rem; font: 1rem/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
pre, table { display: block; max-width: 100%; overflow-x: auto; overflow-wrap: normal; }
pre { padding: 0.5rem; border: 1px solid; border-radius: 4px; font-size: 0.85rem; line-height: 1.35; }
table { border-collapse: collapse; font-size: 0.9rem; }
th, td { padding: 0.2rem 0.6rem 0.2rem 0; text-align: left; vertical-align: top; min-width: 5rem; overflow-wrap: break-word; }
nav ul ul { columns: 16rem; }
img { max-width: 100%; }
`;

function onePage(root: string, style: string): string {
  const all = DOCUMENTS.map((d) => page(root, d));
  const sections = ({ name, parts }: (typeof all)[number]) =>
    parts.map(([id, heading]) => `<li><a href="#${escaped(idOf(name, id))}">${escaped(heading)}</a></li>`).join("\n");
  const contents = all.map((d) => `<li><a href="#${d.name}">${escaped(d.title)}</a>\n<ul>\n${sections(d)}\n</ul></li>`).join("\n");
  const [begin, ...bodies] = all.map((d) => `<article id="${d.name}">\n${d.html}</article>\n`);
  return (
    `<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">\n<meta name="color-scheme" content="light dark">\n` +
    `<link rel="stylesheet" href="/${style}">\n<title>Tendril: documents</title>\n</head>\n<body>\n` +
    `<p>The same in the dashboard: <a href="/#/docs">/#/docs</a>. The contract: <a href="/openapi.json">/openapi.json</a>.</p>\n` +
    begin +
    `<nav aria-label="Documents">\n<ul>\n${contents}\n</ul>\n</nav>\n${bodies.join("<hr>\n")}</body>\n</html>\n`
  );
}

export function docs(): Plugin {
  const root = [process.cwd(), join(process.cwd(), "../..")].find((folder) => existsSync(join(folder, DOCUMENTS[0][1])));
  return {
    name: "docs",
    generateBundle() {
      if (!root) return;
      const style = this.emitFile({ type: "asset", name: "docs.css", source: STYLE });
      this.emitFile({ type: "asset", fileName: "docs.html", source: onePage(root, this.getFileName(style)) });
    },
  };
}
