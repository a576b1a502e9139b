import type { FlameData } from "./flame_data.ts";
import type { FlameChart } from "./flame_tree.ts";
import type { FlamePath } from "./path.ts";

/**
 * Reads the whole graph, or what is below a path.
 *
 * @throws {Error} when the server does not answer with a graph
 */
export async function loadFlameData(
  href: string,
  path: FlamePath,
  signal?: AbortSignal,
): Promise<FlameData> {
  const url = new URL(href, location.href);
  if (path.length > 0) url.searchParams.set("path", path.join(","));
  return await readGraph(url, signal) as FlameData;
}

/**
 * Reads the chart of a thread in order of time.
 *
 * @throws {Error} when the server does not answer with a graph
 */
export async function loadFlameChart(
  template: string,
  thread: string,
  signal?: AbortSignal,
): Promise<FlameChart> {
  const href = template.replace("{thread}", encodeURIComponent(thread));
  const chart = await readGraph(new URL(href, location.href), signal);
  if (!("starts" in chart)) throw new Error("The server did not answer with a chart");
  return chart as FlameChart;
}

async function readGraph(url: URL, signal?: AbortSignal): Promise<object> {
  const response = await fetch(url, {
    headers: { accept: "application/json" },
    signal: signal ?? null,
  });
  // Somebody whose session has ended is sent to the sign-in page, which is no JSON.
  if (!response.ok || response.redirected) throw new Error(`Cannot read ${url.pathname}`);
  const graph: unknown = await response.json();
  if (typeof graph !== "object" || graph === null || !("depths" in graph)) {
    throw new Error("The server did not answer with a graph");
  }
  return graph;
}
