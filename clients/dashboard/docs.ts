// The documents of the repository as pages of the dashboard: Markdown to HTML when the bundle is made. `virtual:docs`
// exports [{name, title, html, parts}], parts being [id, heading] of its sections. The same documents one after the other
// are docs.html, a page without scripts, which the server has at /docs.
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

/** Long ones for looking up, which the one page has and the dashboard only leads to. */
const REFERENCE: typeof DOCUMENTS = [
  ["model", "api/model.md"],
  ["job", "api/job.md"],
];

const escaped = (text: string) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");
/** As GitHub makes anchors of headings, so that links hold in both places. */
const slug = (text: string) => text.toLowerCase().replace(/<[^>]*>/g, "").replace(/[^\p{L}\p{N} _-]/gu, "").trim().replace(/ /g, "-");

/** Address of a document, or of a part of it. */
type Address = (name: string, part?: string) => string;
const inDashboard: Address = (name, part) =>
  REFERENCE.some(([own]) => own === name) ? `/docs${inOnePage(name, part)}` : `#/docs/${name}${part ? `?at=${encodeURIComponent(part)}` : ""}`;
const inOnePage: Address = (name, part) => `#${part ? idInOnePage(name, part) : name}`;
const idInDashboard = (_: string, id: string) => id;
const idInOnePage = (name: string, id: string) => `${name}:${id}`;

// Links between these documents become links between their pages. Of other files of the repository the words are left.
function target(from: string, href: string, address: Address): string | null {
  if (/^https?:/.test(href)) return href;
  const [file, part] = href.split("#"), path = file ? normalize(join(dirname(from), file)) : from;
  const page = [...REFERENCE, ...DOCUMENTS].find(([, p]) => p === path);
  return page ? address(page[0], part) : null;
}

function page(root: string, [name, path]: [string, string], address: Address, id: (name: string, id: string) => string) {
  const parts: [string, string][] = [];
  let title = name;
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading) {
        if (depth === 1) title = text;
        if (depth === 2) parts.push([slug(text), text.replace(/`/g, "")]);
        return `<h${depth} id="${escaped(id(name, slug(text)))}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const to = target(path, href, address), words = this.parser.parseInline(tokens);
        return to ? `<a href="${escaped(to)}"${to.startsWith("#") ? "" : ' rel="noreferrer"'}>${words}</a>` : words;
      },
      image({ text }: Tokens.Image) {
        return `<em>(picture: ${escaped(text)})</em>`;
      },
      tablecell({ tokens, header }: Tokens.TableCell) {
        const word = !header && /^`([\w.:@-]+)`$/.exec(tokens.map((t) => t.raw).join(""));
        return header ? `<th>${this.parser.parseInline(tokens)}</th>` : `<td${word ? ` id="${escaped(id(name, word[1]))}"` : ""}>${this.parser.parseInline(tokens)}</td>`;
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

// Where somebody begins who knows nothing yet.
const BEGIN = `<section>
<h2 id="begin">Where to begin</h2>
<ol>
<li>The <a href="#examples">examples</a>: robots that run as they are. <code>tendril examples</code> lists them, <code>tendril run</code> runs one, <code>tendril plot</code> draws it.</li>
<li>A robot of your own is a JSON document: <a href="#model">every key of a model</a>. What it shall do is another: <a href="#job">every key of a job</a>.</li>
<li>By program: <a href="#python">Python</a>, <a href="#javascript">JavaScript</a>, <a href="#c">C and the command</a>. A robot from elsewhere: <a href="#import">URDF, MJCF, USD</a>.</li>
<li>To look up: <a href="#quantities">quantities that can be asked for</a>, <a href="#warnings">what warnings mean</a>, <a href="#fitting">fits to measurements</a>, <a href="#operating">running the server</a>.</li>
</ol>
</section>
`;

function onePage(root: string, style: string): string {
  const all = [...REFERENCE, ...DOCUMENTS].map((d) => page(root, d, inOnePage, idInOnePage));
  const sections = ({ name, parts }: (typeof all)[number]) =>
    parts.map(([id, heading]) => `<li><a href="#${escaped(idInOnePage(name, id))}">${escaped(heading)}</a></li>`).join("\n");
  const contents = all.map((d) => `<li><a href="#${d.name}">${escaped(d.title)}</a>\n<ul>\n${sections(d)}\n</ul></li>`).join("\n");
  const bodies = all.map((d) => `<article id="${d.name}">\n${d.html}</article>`).join("\n<hr>\n");
  return (
    `<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width">\n<meta name="color-scheme" content="light dark">\n` +
    `<link rel="stylesheet" href="/${style}">\n<title>Tendril: documents</title>\n</head>\n<body>\n<h1>Tendril: documents</h1>\n` +
    `<p>The same in the dashboard: <a href="/#/docs">/#/docs</a>. The contract: <a href="/openapi.json">/openapi.json</a>.</p>\n` +
    BEGIN +
    `<nav aria-label="Documents">\n<ul>\n${contents}\n</ul>\n</nav>\n${bodies}\n</body>\n</html>\n`
  );
}

export function docs(): Plugin {
  const root = [process.cwd(), join(process.cwd(), "../..")].find((folder) => existsSync(join(folder, DOCUMENTS[0][1])));
  return {
    name: "docs",
    resolveId: (id) => (id === "virtual:docs" ? "\0docs" : undefined),
    load: (id) => (id === "\0docs" ? `export default ${JSON.stringify(root ? DOCUMENTS.map((d) => page(root, d, inDashboard, idInDashboard)) : [])};` : undefined),
    generateBundle() {
      if (!root) return;
      const style = this.emitFile({ type: "asset", name: "docs.css", source: STYLE });
      this.emitFile({ type: "asset", fileName: "docs.html", source: onePage(root, this.getFileName(style)) });
    },
  };
}
