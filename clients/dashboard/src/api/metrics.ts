// The server's figures (GET /metrics, OpenMetrics) as numbers by name and labels.
import { send } from "./client";

export class Metrics {
  constructor(private readonly values: Map<string, number>) {}

  /** The value of a series; undefined when the server has none. Labels are matched as they are written: {state="queued"}. */
  value(name: string, labels = ""): number | undefined {
    return this.values.get(name + labels);
  }

  /** The sum over all labels. */
  total(name: string): number | undefined {
    const all = [...this.values].filter(([key]) => key === name || key.startsWith(`${name}{`));
    return all.length ? all.reduce((sum, [, v]) => sum + v, 0) : undefined;
  }
}

export function metricsOf(text: string): Metrics {
  const values = new Map<string, number>();
  for (const line of text.split("\n")) {
    const found = /^([\w:]+(?:\{.*\})?) (\S+)/.exec(line);
    if (found) values.set(found[1], Number(found[2]));
  }
  return new Metrics(values);
}

export async function loadMetrics(signal?: AbortSignal): Promise<Metrics> {
  return metricsOf(await (await send("/metrics", { headers: { Accept: "application/openmetrics-text" }, signal })).text());
}
