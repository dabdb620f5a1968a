// What the documents say: where to begin, models, jobs, quantities, warnings, clients, operating. They are taken from the
// server's page without scripts when somebody looks.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { send } from "../api/client";
import { useLoaded } from "../ui/hooks";
import { ProblemBox } from "../ui/parts";
import { href } from "../ui/router";
import { documentsOf, sectionsOf, seek } from "../ui/seek";

export function DocsPage({ name, query }: { name: string; query: URLSearchParams }) {
  const all = useLoaded(async (signal) => documentsOf(await (await send("/docs", { signal, headers: { Accept: "text/html" } })).text()), []);
  const [sought, setSought] = useState(""), wanted = sought.trim() !== "";
  const sections = useMemo(() => (all.value ?? []).flatMap(sectionsOf), [all.value]), hits = useMemo(() => seek(sections, sought), [sections, sought]);
  const article = useRef<HTMLElement>(null), at = query.get("at"), shown = all.value?.find((d) => d.name === name);
  useEffect(() => {
    const place = at && [...(article.current?.querySelectorAll("[id]") ?? [])].find((e) => e.id === at);
    if (place) place.scrollIntoView();
    else scrollTo(0, 0);
  }, [shown, at]);
  if (!all.value) return <ProblemBox problem={all.problem} retry={all.reload} />;
  return (
    <div class="docs">
      <nav aria-label="Documents">
        <input type="search" placeholder="search the documents" aria-label="search the documents" value={sought} onInput={(e) => setSought((e.target as HTMLInputElement).value)} />
        <ul>
          {all.value.map((d) => (
            <li key={d.name}>
              <a href={href(["docs", d.name])} aria-current={d === shown ? "page" : undefined}>{d.title}</a>
              {d === shown && <ul>{d.parts.map(([id, heading]) => <li key={id}><a href={href(["docs", name], { at: id })}>{heading}</a></li>)}</ul>}
            </li>
          ))}
        </ul>
      </nav>
      {wanted ? (
        <section class="hits" aria-live="polite">
          <p class="quiet">{hits.length === 0 ? "No section has all of these words." : hits.length === 1 ? "One section." : `${hits.length} sections, the best first.`}</p>
          {hits.map((h) => (
            <p key={h.document.name + h.id}>
              <a href={href(["docs", h.document.name], h.id ? { at: h.id } : {})} onClick={() => setSought("")}>{h.heading}</a> <span class="quiet">{h.document.title}</span><br />
              {h.before}<mark>{h.found}</mark>{h.behind}
            </p>
          ))}
        </section>
      ) : shown ? <article ref={article} dangerouslySetInnerHTML={{ __html: shown.html }} /> : <p>There is no document of this name.</p>}
    </div>
  );
}
