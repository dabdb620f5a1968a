// Calls to the server that this page came from. Every failure is a Problem: those of the server as they are (RFC 9457),
// and `unreachable` when there is none. The token, if one was entered, lives as long as the tab.

export interface ProblemBody {
  status: number;
  code: string;
  detail: string;
  pointer?: string;
  errors?: { pointer: string; detail: string }[]; // several at once, the first is the one above
}

export class Problem extends Error {
  constructor(readonly body: ProblemBody) {
    super(body.detail);
  }
  get code(): string {
    return this.body.code;
  }
  get status(): number {
    return this.body.status;
  }
}

const TOKEN = "tendril.token";

const takers = new Set<() => void>();

export const token = {
  get: (): string | null => sessionStorage.getItem(TOKEN),
  set(value: string): void {
    if (value) sessionStorage.setItem(TOKEN, value);
    else sessionStorage.removeItem(TOKEN);
    takers.forEach((take) => take());
  },
  /** Calls `take` whenever another token is entered, so that what was refused is asked for again. */
  watch(take: () => void): () => void {
    takers.add(take);
    return () => takers.delete(take);
  },
};

/** What the shell shows of the connection: told to listeners whenever it changes. */
export type Connection = "ok" | "unreachable" | "token" | "refused"; // it wants a token; it does not take ours
type Listener = (c: Connection) => void;
const listeners = new Set<Listener>();
let connection: Connection = "ok";

export function watchConnection(listener: Listener): () => void {
  listeners.add(listener);
  listener(connection);
  return () => listeners.delete(listener);
}

function tell(now: Connection): void {
  if (now === connection) return;
  connection = now;
  listeners.forEach((l) => l(now));
}

const PUBLIC = /^\/(readyz|docs|openapi\.json|v1\/version)/;

export interface Call {
  method?: string;
  body?: unknown; // a string is sent as it is
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

async function problemOf(reply: Response): Promise<Problem> {
  const text = await reply.text().catch(() => "");
  try {
    const body = JSON.parse(text) as ProblemBody;
    return new Problem({ ...body, status: reply.status, code: body.code ?? "internal", detail: body.detail ?? text });
  } catch {
    return new Problem({ status: reply.status, code: "internal", detail: `${reply.status}: ${text.slice(0, 200)}` });
  }
}

/** A reply that succeeded; everything else is thrown as a Problem. */
export async function send(path: string, call: Call = {}): Promise<Response> {
  const headers: Record<string, string> = { Accept: "application/json", ...call.headers };
  const mine = token.get();
  if (mine) headers.Authorization = `Bearer ${mine}`;
  if (call.body !== undefined) headers["Content-Type"] = "application/json";
  let reply: Response;
  try {
    reply = await fetch(path, {
      method: call.method ?? "GET",
      headers,
      body: call.body === undefined ? undefined : typeof call.body === "string" ? call.body : JSON.stringify(call.body),
      signal: call.signal,
      cache: "no-store",
    });
  } catch (error) {
    if (call.signal?.aborted) throw error;
    tell("unreachable");
    throw new Problem({ status: 0, code: "unreachable", detail: `The server does not answer.${call.method ? "" : " This page tries again every few seconds."}` });
  }
  if (reply.status === 401) tell(mine ? "refused" : "token");
  else if (connection === "unreachable" || !PUBLIC.test(path)) tell("ok"); // what everybody may ask says nothing of the token
  if (!reply.ok) throw await problemOf(reply);
  return reply;
}

export async function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return (await send(path, { signal })).json() as Promise<T>;
}

export async function post<T>(path: string, body?: unknown): Promise<T> {
  return (await send(path, { method: "POST", body })).json() as Promise<T>;
}

/** "a=1&b=2" of what is not empty. */
export function query(values: Record<string, string | number | undefined | null>): string {
  const q = new URLSearchParams();
  for (const [key, value] of Object.entries(values)) if (value !== undefined && value !== null && value !== "") q.set(key, String(value));
  const text = q.toString();
  return text ? `?${text}` : "";
}
