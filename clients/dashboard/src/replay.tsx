// A result as a page of its own, in one file: the dashboard's replay beside its curves. The archive stands in the page as
// base64; nothing is asked of anybody.
import { render } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { Archive } from "./api/npz";
import Player from "./scene/player";
import "uplot/dist/uPlot.min.css";
import "./style.css";
import { Clock } from "./ui/clock";
import { Curves } from "./ui/curves";
import { problemOf } from "./ui/hooks";
import { motionOf, type Motion } from "./ui/motion";
import { Panel, ProblemBox, Warnings } from "./ui/parts";
import { rowsOf, runOf, type Run } from "./ui/results";

interface Shown {
  run: Run;
  motion: Motion | null;
}

function bytesOf(text: string): Uint8Array {
  const raw = atob(text.trim()), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

async function open(): Promise<Shown> {
  const run = await runOf("result", Archive.of(bytesOf(document.getElementById("result")!.textContent!)));
  return { run, motion: run.summary.fit ? null : await motionOf(run) };
}

// "401 samples over 8 s"
function extent({ run, motion }: Shown): string {
  if (!motion) return run.summary.kind;
  const { t } = motion;
  return rowsOf(run) === "time" ? `${t.length} samples over ${Number((t[t.length - 1] - t[0]).toPrecision(4))} s` : `${t.length} problems`;
}

function Replay() {
  const [shown, setShown] = useState<Shown | null>(null), [problem, setProblem] = useState<unknown>(null), [time, setTime] = useState<number | null>(null), clock = useMemo(() => new Clock(), []);
  useEffect(() => { open().then(setShown, setProblem); }, []);
  const runs = useMemo(() => (shown ? [shown.run] : []), [shown]);
  if (problem) return <main><ProblemBox problem={problemOf(problem)} /></main>;
  if (!shown) return <main><p class="quiet">Loading…</p></main>;
  const { run, motion } = shown, model = run.summary.model.document as { name?: string; description?: string };
  return (
    <main class="replay">
      <div class="row"><h1>{model.name} <span class="quiet">{extent(shown)}</span></h1></div>
      {model.description && <p class="quiet">{model.description}</p>}
      <Warnings list={run.summary.warnings ?? []} />
      <div class="two wide">
        <Panel title="Robot">{motion ? <Player motions={[motion]} time={time} clock={clock} /> : <p class="quiet">The result has no q to show a robot by.</p>}</Panel>
        <Panel title="Curves"><Curves runs={runs} onPick={setTime} clock={motion ? clock : undefined} /></Panel>
      </div>
    </main>
  );
}

render(<Replay />, document.getElementById("app")!);
