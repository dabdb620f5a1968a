// fetch with patience. What may be said twice is said again for at most `patience` seconds when a connection breaks or
// the server asks to wait (429, 503 with Retry-After). A server that was never reached is not waited for.
import { TendrilError, errorOf } from "./errors.js";
import { operations } from "./operations.js";

/** [method, path, query] of an operation of the contract: values that have no place in its path are the query. */
function requestOf(operation, values) {
  const [method, path] = operations[operation], query = { ...values };
  const filled = path.replace(/{(\w+)}/g, (_, name) => (delete query[name], encodeURIComponent(values[name])));
  return [method, filled, query];
}

/** Resolves after so many seconds; rejects when the signal is aborted meanwhile. */
export function pause(seconds, signal) {
  return new Promise((resolve, reject) => {
    const stop = () => (clearTimeout(timer), reject(signal.reason));
    const timer = setTimeout(() => (signal?.removeEventListener("abort", stop), resolve()), 1000 * seconds);
    if (signal?.aborted) stop();
    signal?.addEventListener("abort", stop, { once: true });
  });
}

/** Seconds to the next try: doubling from 0.1 to 2, at random between half and all of it. */
export const backoff = (attempt) => Math.min(0.1 * 2 ** attempt, 2) * (0.5 + Math.random() / 2);

export class Connection {
  constructor(url, { token, timeout = 120, patience = 30, fetch: given } = {}) {
    if (!/^https?:\/\/[^/?#]+[^?#]*$/.test(url)) throw new TypeError(`'${url}' is not the address of a server: http://HOST:PORT`);
    this.url = url.replace(/\/+$/, "");
    this.fetch = given ?? globalThis.fetch.bind(globalThis);
    Object.assign(this, { token, timeout, patience, reached: false });
  }

  /** The reply, of 2xx, with its body unread. `repeat`: it may be said twice. */
  async request(method, path, { query, body, type = "application/json", accept = "application/json", headers, repeat = true, signal } = {}) {
    const end = Date.now() + 1000 * this.patience;
    for (let attempt = 0; ; attempt += 1) {
      let wait = backoff(attempt);
      let failure;
      try {
        const reply = await this.once(method, this.address(path, query), body, this.headers(type, accept, body, headers), signal);
        this.reached = true;
        if (reply.ok) return reply;
        failure = await errorOf(reply);
        if (attempt > 0 && method === "DELETE" && failure.code === "not_found") return new Response(null, { status: 204 });
        wait = Math.max(wait, Number(reply.headers.get("Retry-After")) || 0);
        if (![429, 503].includes(reply.status)) repeat = false;
      } catch (cause) {
        if (signal?.aborted) throw cause;
        const detail = `no answer from ${this.url}: ${cause.cause?.message ?? cause.message}`;
        failure = new TendrilError(detail, { code: "unreachable", cause });
        repeat = repeat && this.reached;
      }
      if (!repeat || Date.now() + 1000 * wait > end) throw failure;
      await pause(wait, signal);
    }
  }

  /** As request, of an operation by its name in the contract. values: names in its path, parameters of its query. */
  ask(operation, values = {}, more = {}) {
    const [method, path, query] = requestOf(operation, values);
    return this.request(method, path, { query, ...more });
  }

  /** As ask, with a document as its body, and the reply's JSON. */
  async call(operation, values, document, more = {}) {
    const reply = await this.ask(operation, values, { body: document === undefined ? undefined : encode(document), ...more });
    const text = await reply.text();
    return text ? JSON.parse(text) : undefined;
  }

  /** Every row of a list, page after page. */
  async *list(operation, rows, values) {
    for (let cursor; ; ) {
      const page = await this.call(operation, { limit: 1000, ...values, cursor });
      yield* page[rows];
      cursor = page.next_cursor;
      if (!cursor) return;
    }
  }

  async once(method, address, body, headers, signal) {
    const stop = new AbortController();
    const forward = () => stop.abort(signal.reason);
    signal?.addEventListener("abort", forward, { once: true });
    const timer = setTimeout(() => stop.abort(new Error(`silent for ${this.timeout} s`)), 1000 * this.timeout);
    try {
      return await this.fetch(address, { method, body, headers, redirect: "error", signal: stop.signal });
    } finally {
      clearTimeout(timer); // a signal of the caller goes on to stop the reading of the body
    }
  }

  address(path, query = {}) {
    const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
    return this.url + path + (given.length ? `?${new URLSearchParams(given.map(([key, value]) => [key, String(value)]))}` : "");
  }

  headers(type, accept, body, more) {
    const headers = { Accept: accept, ...more };
    if (body !== undefined) headers["Content-Type"] = type;
    if (this.token) headers.Authorization = `Bearer ${this.token}`;
    return headers;
  }
}

/** JSON text. NaN and infinities, which JSON would turn into null, are refused; typed arrays become arrays. */
export function encode(document) {
  if (typeof document === "string") return document;
  return JSON.stringify(document, (key, value) => {
    if (typeof value === "number" && !Number.isFinite(value)) throw new RangeError(`${value} at '${key}' cannot be written as JSON`);
    return ArrayBuffer.isView(value) ? Array.from(value) : value;
  });
}
