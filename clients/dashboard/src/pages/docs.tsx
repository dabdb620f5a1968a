// What the documents say: quantities, warnings, clients, operating. They come with the server, and are loaded when somebody looks.
import { useEffect, useRef } from "preact/hooks";
import { useLoaded } from "../ui/hooks";
import { ProblemBox } from "../ui/parts";
import { href } from "../ui/router";

export function DocsPage({ name, query }: { name: string; query: URLSearchParams }) {
  const all = useLoaded(async () => (await import("virtual:docs")).default, []);
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
        <ul>
          {all.value.map((d) => (
            <li key={d.name}>
              <a href={href(["docs", d.name])} aria-current={d === shown ? "page" : undefined}>{d.title}</a>
              {d === shown && <ul>{d.parts.map(([id, heading]) => <li key={id}><a href={href(["docs", name], { at: id })}>{heading}</a></li>)}</ul>}
            </li>
          ))}
        </ul>
      </nav>
      {shown ? <article ref={article} dangerouslySetInnerHTML={{ __html: shown.html }} /> : <p>There is no document of this name.</p>}
    </div>
  );
}
