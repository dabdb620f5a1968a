// Events of a job as they come: a stream of server-sent events read with fetch (EventSource cannot carry a token), from
// the last event known after every break; where streams do not pass, long polls.
import { get, Problem, send } from "./client";
import type { JobEvent } from "./types";

const PATIENCE_MS = [500, 1000, 2000, 4000];

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });

/** Splits a text stream into the data of its events. */
export function eventsOf(text: string): { data: string[]; rest: string } {
  const blocks = text.split("\n\n"), rest = blocks.pop() ?? "";
  const data = blocks.map((b) => b.split("\n").filter((l) => l.startsWith("data:")).map((l) => l.slice(5).trim()).join("\n"));
  return { data: data.filter(Boolean), rest };
}

async function stream(id: string, since: number, signal: AbortSignal, take: (e: JobEvent) => void): Promise<void> {
  const reply = await send(`/v1/jobs/${id}/events?since=${since}`, { headers: { Accept: "text/event-stream" }, signal });
  const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const found = eventsOf(text + value);
    text = found.rest;
    for (const data of found.data) take(JSON.parse(data) as JobEvent);
  }
}

/** Calls `take` with every event until the job has ended; returns what stops it. */
export function follow(id: string, take: (e: JobEvent) => void, gone: (p: Problem) => void): () => void {
  const stop = new AbortController(), signal = stop.signal;
  let since = 0, over = false, failures = 0;
  const accept = (e: JobEvent) => {
    failures = 0;
    since = e.seq;
    over ||= e.event === "state" && (e.state === "succeeded" || e.state === "failed" || e.state === "cancelled");
    take(e);
  };
  const poll = async () => {
    const page = await get<{ events: JobEvent[]; next: number }>(`/v1/jobs/${id}/events?since=${since}&wait=20`, signal);
    page.events.forEach(accept);
  };
  void (async () => {
    while (!over && !signal.aborted) {
      try {
        await (failures > 2 ? poll() : stream(id, since, signal, accept));
        if (!over) failures++;
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof Problem && (error.status === 404 || error.status === 401)) return gone(error);
        failures++;
      }
      if (!over) await pause(PATIENCE_MS[Math.min(failures, PATIENCE_MS.length - 1)], signal);
    }
  })();
  return () => stop.abort();
}
