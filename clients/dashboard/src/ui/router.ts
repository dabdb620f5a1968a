// Where the page is: #/jobs/ID?key=value. Filters and choices live in the query, so an address can be sent to somebody.
import { useLayoutEffect, useState } from "preact/hooks";

export interface Place {
  path: string[];
  query: URLSearchParams;
}

// What somebody typed may be no encoding of anything: then it is the name.
function decoded(word: string): string {
  try {
    return decodeURIComponent(word);
  } catch {
    return word;
  }
}

export function placeNow(): Place {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  return { path: path.split("/").filter(Boolean).map(decoded), query: new URLSearchParams(query ?? "") };
}

export function usePlace(): Place {
  const [place, set] = useState(placeNow);
  useLayoutEffect(() => { // before the browser can do anything else: an address that changes while the page starts is seen
    const changed = () => set(placeNow());
    addEventListener("hashchange", changed);
    return () => removeEventListener("hashchange", changed);
  }, []);
  return place;
}

export function href(path: (string | number)[], query: Record<string, string | undefined> = {}): string {
  const q = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) if (value) q.set(key, value);
  const text = q.toString();
  return `#/${path.map((p) => encodeURIComponent(String(p))).join("/")}${text ? `?${text}` : ""}`;
}

/** The page of a model, whosever it is: a name alone means one's own first. */
export function modelHref(name: string, owner: string | null | undefined, revision?: number | null): string {
  return href(["models", name], { revision: revision ? String(revision) : undefined, owner: owner ?? "none" });
}

export function go(path: (string | number)[], query: Record<string, string | undefined> = {}): void {
  location.hash = href(path, query);
}

/** Changes keys of the query where we are; undefined removes one. `replace`: no new entry in the history. */
export function change(keys: Record<string, string | undefined>, replace = false): void {
  const { path, query } = placeNow();
  const all = { ...Object.fromEntries(query), ...keys };
  const to = href(path, all);
  if (to === location.hash) return;
  if (replace) {
    history.replaceState(null, "", to);
    dispatchEvent(new HashChangeEvent("hashchange"));
  } else location.hash = to;
}
