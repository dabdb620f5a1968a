// A file from the server, handed over to the browser. A link cannot say what it accepts, nor carry a token: the file is
// fetched.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { send, type Problem } from "../api/client";
import { problemOf } from "./hooks";
import { ProblemBox } from "./parts";

interface What {
  path: string;
  accept: string;
  file: string; // its name on the disk
  plain?: boolean;
  children: ComponentChildren;
}

export function Download({ path, accept, file, plain, children }: What) {
  const [problem, setProblem] = useState<Problem | null>(null);
  const [busy, setBusy] = useState(false);
  const fetchIt = async () => {
    setBusy(true);
    try {
      const url = URL.createObjectURL(await (await send(path, { headers: { Accept: accept } })).blob());
      Object.assign(document.createElement("a"), { href: url, download: file }).click();
      setTimeout(() => URL.revokeObjectURL(url), 60000);
      setProblem(null);
    } catch (error) {
      setProblem(problemOf(error));
    }
    setBusy(false);
  };
  return (
    <span>
      <button class={plain ? "plain" : undefined} disabled={busy} onClick={fetchIt}>{busy ? "Fetching…" : children}</button>
      <ProblemBox problem={problem} />
    </span>
  );
}
