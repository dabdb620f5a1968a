// The documents of the server's page without scripts, and words sought in them: sections that have all of them, those first
// that have them in their heading.
export interface Document {
  name: string;
  title: string;
  html: string;
  parts: [id: string, heading: string][];
}

interface Section {
  document: Document;
  id: string; // "" of what stands before the first heading
  heading: string;
  text: string;
}

export interface Hit {
  document: Document;
  id: string;
  heading: string;
  before: string; // of what was found: some words, the found one, and some more
  found: string;
  behind: string;
}

const NAMED: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
const plain = (html: string) => html.replace(/<[^>]*>/g, " ").replace(/&(#?\w+);/g, (all, name: string) => NAMED[name] ?? all).replace(/\s+/g, " ").trim();

/** The sections of a document: from heading to heading, and the rows of tables that have a name. */
export function sectionsOf(document: Document): Section[] {
  const parts = document.html.split(/(?=<h[1-6][ >]|<tr>\s*<td id=")/);
  return parts.map((html) => {
    const head = /^(?:<tr>\s*<td id="([^"]*)"[^>]*>(.*?)<\/td>|<h[1-6](?: id="([^"]*)")?[^>]*>(.*?)<\/h[1-6]>)/s.exec(html);
    return { document, id: head?.[1] ?? head?.[3] ?? "", heading: plain(head?.[2] ?? head?.[4] ?? document.title), text: plain(head ? html.slice(head[0].length) : html) };
  });
}

// "#job:dynamics" and "#job" of the page lead to pages here; what it calls "job:dynamics" is "dynamics" on its own page.
const own = (html: string) =>
  html.replace(/ href="#(\w+)(?::([^"]*))?"/g, (_, name: string, part?: string) => ` href="#/docs/${name}${part ? `?at=${encodeURIComponent(part)}` : ""}"`).replace(/ id="\w+:/g, ' id="');

/** What stands between the tags of its articles, in their order. */
export function documentsOf(page: string): Document[] {
  return [...page.matchAll(/<article id="([^"]+)">(.*?)<\/article>/gs)].map(([, name, text]) => {
    const html = own(text), parts = [...html.matchAll(/<h2 id="([^"]*)">(.*?)<\/h2>/gs)].map(([, id, heading]): [string, string] => [id, plain(heading)]);
    return { name, html, parts, title: plain(/<h1[^>]*>(.*?)<\/h1>/s.exec(html)?.[1] ?? name) };
  });
}

const STOP = new Set("a an and are as at be by can do does for from how i in is it my of on or that the this to what when where which with".split(" "));

// Where a word begins that is sought, -1: nowhere. The last one may be half typed; others may have a plural's s.
function placeOf(word: string, text: string, last: boolean): number {
  const one = word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return text.search(new RegExp(`(?<![\\p{L}\\p{N}])${one}${last ? "" : "s?(?![\\p{L}\\p{N}])"}`, "u"));
}

const MOST = 40, AROUND = 70; // hits, letters beside what was found

/** Sections in which every word stands that says something, at most MOST. */
export function seek(sections: Section[], sought: string): Hit[] {
  const typed = sought.toLowerCase().split(/\s+/).filter(Boolean), telling = typed.filter((w) => !STOP.has(w)), words = telling.length ? telling : typed;
  if (!words.length) return [];
  const whole = words.join(" "), stands = (w: string, text: string) => placeOf(w, text, w === words[words.length - 1]) >= 0;
  const worth = ({ heading, text }: Section): number => {
    const [h, t] = [heading.toLowerCase(), text.toLowerCase()];
    if (!words.every((w) => stands(w, h) || stands(w, t))) return 0;
    return 1 + 10 * words.filter((w) => stands(w, h)).length + (h === whole ? 20 : 0) + (words.length > 1 && t.includes(whole) ? 8 : 0) + Math.min(5, t.split(words[0]).length - 1) / 10;
  };
  const found = sections.map((s) => ({ s, worth: worth(s) })).filter((f) => f.worth > 0).sort((a, b) => b.worth - a.worth).slice(0, MOST);
  return found.map(({ s: { document, id, heading, text } }) => {
    const low = text.toLowerCase(), word = [whole, ...words].find((w) => stands(w, low)) ?? "", at = word ? placeOf(word, low, word === whole || word === words[words.length - 1]) : 0, start = Math.max(0, at - AROUND), end = at + word.length + AROUND;
    return {
      document, id, heading, before: (start > 0 ? "…" : "") + text.slice(start, at), found: text.slice(at, at + word.length), behind: text.slice(at + word.length, end) + (end < text.length ? "…" : ""),
    };
  });
}
