// The shell: navigation, connection, token, theme; a page by the first word of the address. 3D and plots are loaded
// when a page first needs them.
import { render } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { token, watchConnection, type Connection } from "./api/client";
import { DocsPage } from "./pages/docs";
import { JobPage } from "./pages/job";
import { JobsPage } from "./pages/jobs";
import { ModelPage, ModelsPage } from "./pages/models";
import { ServerPage } from "./pages/server";
import { SubmitPage } from "./pages/submit";
import { useStored } from "./ui/hooks";
import { href, usePlace, type Place } from "./ui/router";
import "./style.css";

const NAVIGATION = [["jobs", "Jobs"], ["submit", "New job"], ["models", "Models"], ["server", "Server"], ["docs", "Docs"]] as const;
const MESSAGES: Record<Connection, string> = {
  ok: "",
  unreachable: "The server does not answer. Trying again…",
  token: "This server wants a token.",
  refused: "This server does not accept the token that was entered. It may have been deleted.",
};

function Page({ place }: { place: Place }) {
  const [word = "jobs", name] = place.path;
  if (word === "jobs") return name ? <JobPage key={name} id={name} query={place.query} /> : <JobsPage query={place.query} />;
  if (word === "submit") return <SubmitPage query={place.query} />;
  if (word === "models") return name ? <ModelPage key={name} name={name} query={place.query} /> : <ModelsPage query={place.query} />;
  if (word === "server") return <ServerPage />;
  if (word === "docs") return <DocsPage name={name ?? "begin"} query={place.query} />;
  return <p>There is no page at this address. <a href="#/jobs">Jobs</a></p>;
}

function TokenEntry({ close }: { close: () => void }) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const save = (event: Event) => {
    event.preventDefault();
    token.set(input.current!.value.trim());
    close();
  };
  return (
    <form class="token" onSubmit={save}>
      <label>
        Token <input ref={input} type="password" autocomplete="off" placeholder={token.get() ? "one is set; leave empty to forget it" : "none"} />
      </label>
      <button type="submit">Use until this tab closes</button>
      <button type="button" onClick={close}>Cancel</button>
    </form>
  );
}

function App() {
  const place = usePlace();
  const [connection, setConnection] = useState<Connection>("ok");
  const [asking, setAsking] = useState(false);
  const [theme, setTheme] = useStored("tendril.theme", "");
  useEffect(() => watchConnection(setConnection), []);
  useEffect(() => {
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
  }, [theme]);
  const here = place.path[0] ?? "jobs", dark = theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  return (
    <>
      <a class="skip" href="#main" onClick={(e) => (e.preventDefault(), document.getElementById("main")?.focus())}>Skip to the page</a>
      <header class="top">
        <a class="brand" href="#/jobs">Tendril</a>
        <nav aria-label="Pages">
          {NAVIGATION.map(([word, text]) => (
            <a key={word} href={href([word])} aria-current={here === word ? "page" : undefined}>{text}</a>
          ))}
        </nav>
        <span class="spacer" />
        <button class="plain" title="Colours of the page" onClick={() => setTheme(dark ? "light" : "dark")}>{dark ? "Light" : "Dark"}</button>
        <button class="plain" onClick={() => setAsking(!asking)}>Token</button>
      </header>
      {connection !== "ok" && <div class="banner" role="status">{MESSAGES[connection]}</div>}
      {(asking || connection === "token" || connection === "refused") && <TokenEntry close={() => setAsking(false)} />}
      <main id="main" tabIndex={-1}>
        <Page place={place} />
      </main>
    </>
  );
}

render(<App />, document.getElementById("app")!);
