// Loading with errors, and repeating: what every page does with the server.
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Problem, token } from "../api/client";

export interface Loaded<T> {
  value: T | null;
  problem: Problem | null;
  reload: () => void;
}

export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem({ status: 0, code: "page_error", detail: error instanceof Error ? error.message : String(error) });
}

/** What a page says of a request that is repeated anyhow: that no server answers, the shell says once for all. */
export function toSay(problem: Problem): Problem | null {
  return problem.code === "unreachable" ? null : problem;
}

/** Rises with every token that is entered: what was refused is worth another try. */
export function useTokenTurn(): number {
  const [turn, setTurn] = useState(0);
  useLayoutEffect(() => token.watch(() => setTurn((t) => t + 1)), []);
  return turn;
}

/**
 * Loads now, whenever `keys` change, and again every `every(value)` ms while the page is visible (0: not again). A failure keeps
 * the last value, shows the problem (unless no server answers), and is tried again; so is what went missing while nobody looked, when somebody looks.
 */
export function useLoaded<T>(load: (signal: AbortSignal) => Promise<T>, keys: unknown[], every: (value: T | null) => number = () => 0): Loaded<T> {
  const [state, set] = useState<{ value: T | null; problem: Problem | null }>({ value: null, problem: null });
  const [turn, setTurn] = useState(0);
  const entered = useTokenTurn();
  const interval = useRef(every);
  const known = useRef<unknown[]>(keys);
  interval.current = every;
  useEffect(() => {
    const stop = new AbortController();
    let timer = 0;
    if (known.current.some((k, i) => k !== keys[i])) set({ value: null, problem: null });
    known.current = keys;
    let last: T | null = null;
    const run = async () => {
      let wait = 0;
      timer = 0;
      try {
        if (!document.hidden || last === null) {
          last = await load(stop.signal);
          if (stop.signal.aborted) return;
          set({ value: last, problem: null });
        }
        wait = interval.current(last);
      } catch (error) {
        if (stop.signal.aborted) return;
        const problem = problemOf(error);
        set((s) => ({ value: problem.status === 404 ? null : s.value, problem: toSay(problem) }));
        wait = problem.code === "unreachable" || problem.code === "not_ready" || problem.status >= 500 ? 2000 : interval.current(last);
      }
      if (wait > 0) timer = window.setTimeout(run, wait);
    };
    void run();
    const looked = () => {
      if (document.hidden || !timer) return;
      clearTimeout(timer);
      timer = 0;
      void run();
    };
    document.addEventListener("visibilitychange", looked);
    return () => (stop.abort(), clearTimeout(timer), document.removeEventListener("visibilitychange", looked));
  }, [...keys, turn, entered]);
  return { ...state, reload: useCallback(() => setTurn((t) => t + 1), []) };
}

/** A value kept between visits. */
export function useStored(key: string, initial: string): [string, (v: string) => void] {
  const [value, set] = useState(() => localStorage.getItem(key) ?? initial);
  return [value, (v) => (localStorage.setItem(key, v), set(v))];
}

/** Whether the page is as narrow as on a telephone. */
export function useNarrow(): boolean {
  const query = matchMedia("(max-width: 700px)"), [narrow, set] = useState(query.matches);
  useEffect(() => {
    const changed = () => set(query.matches);
    query.addEventListener("change", changed);
    return () => query.removeEventListener("change", changed);
  }, []);
  return narrow;
}

/** Changes with the colours of the page: what is drawn by hand is drawn again. */
export function useTheme(): string {
  const query = matchMedia("(prefers-color-scheme: dark)"), now = () => document.documentElement.dataset.theme ?? (query.matches ? "dark" : "light");
  const [theme, set] = useState(now);
  useEffect(() => {
    const changed = () => set(now()), watch = new MutationObserver(changed);
    watch.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    query.addEventListener("change", changed);
    return () => (watch.disconnect(), query.removeEventListener("change", changed));
  }, []);
  return theme;
}
