import { type Message, message } from "../../core/language/translate.ts";
import { endpointKey } from "../../formats/spans/entry_keys.ts";
import { type PageScope, selectionOf } from "../../releases/request_scope.ts";
import type { Sql } from "../../store/database.ts";
import { type Grouped, MAX_GROUPS, readStats } from "../../store/stats/read_stats.ts";
import { Sketch } from "../../store/stats/sketch.ts";
import { apdex, sampledOf, type Stats } from "../../store/stats/stats.ts";
import { minutesOf } from "../../store/stats/steps.ts";
import type { ChartColor } from "../../ui/charts/mod.ts";
import { pageOf, readSorting, type SortColumn, sorted } from "../../ui/sorted_list.tsx";
import type { StatList } from "../list_parts.tsx";

export interface EndpointList extends StatList<EndpointRow> {
  /** Chosen, or `""` for all. */
  readonly method: string;
  /** Methods to choose from. */
  readonly methods: readonly string[];
}

export const ENDPOINT_COLUMNS: readonly SortColumn<EndpointRow>[] = [
  {
    key: "endpoint",
    label: message("Endpoint"),
    value: ({ route, method }) => `${route} ${method}`,
    cellClass: "w-full max-w-0 min-w-40",
  },
  { key: "requests", label: message("Requests"), value: (row) => row.requests },
  { key: "rpm", label: message("Rate"), value: (row) => row.perMinute, class: "max-lg:hidden" },
  { key: "answers", label: message("Responses"), class: "max-md:hidden" },
  { key: "errors", label: message("Errors"), value: (row) => row.failureRate },
  { key: "p50", label: "p50", value: ({ p50 }) => p50, class: "max-lg:hidden" },
  { key: "p95", label: "p95", value: ({ p95 }) => p95 },
  { key: "p99", label: "p99", value: ({ p99 }) => p99, class: "max-lg:hidden" },
  { key: "apdex", label: "Apdex", value: (row) => row.apdex, class: "max-lg:hidden" },
  {
    key: "seen",
    label: message("Last seen"),
    value: (row) => row.lastSeen?.getTime() ?? null,
    class: "max-xl:hidden",
  },
];

const MAX_TEXT = 200;

/** Reads the list of HTTP endpoints. */
export async function loadEndpointList(
  sql: Sql,
  pageScope: PageScope,
  search: URLSearchParams,
): Promise<EndpointList> {
  const query = (search.get("query") ?? "").trim().slice(0, MAX_TEXT);
  const method = (search.get("method") ?? "").slice(0, MAX_TEXT).toUpperCase();
  const parts = await readStats(
    sql,
    selectionOf(pageScope, "transaction"),
    ["httpMethod", "route", "service", "protocol"],
    ["users"],
  );
  const minutes = minutesOf(pageScope.interval, pageScope.now);
  const all = endpointRows(parts, minutes, pageScope.apdexMs);
  const found = all.filter((row) =>
    (method === "" || row.method === method) &&
    (query === "" || row.routes.some((route) => hasText(`${row.method} ${route}`, query)))
  );
  const sorting = readSorting(search.get("sort"), ENDPOINT_COLUMNS, {
    key: "requests",
    isDescending: true,
  });
  return {
    list: pageOf(sorted(found, ENDPOINT_COLUMNS, sorting), search.get("page")),
    sorting,
    query,
    method,
    methods: [...new Set(all.map((row) => row.method))].sort(),
    isCut: parts.length === MAX_GROUPS,
    sampled: sampledOf(found.map(({ stored, requests }) => ({ count: stored, weight: requests }))),
  };
}

/** Counts of one route as one service and protocol tell it. */
export type EndpointPart = Grouped<"httpMethod" | "route" | "service" | "protocol", "users">;

/** What the list shows of one endpoint. */
export interface EndpointRow {
  /** See `endpointKey()`. */
  readonly key: string;
  readonly method: string;
  /** The template of the framework with most requests. */
  readonly route: string;
  /** All templates, most requests first. */
  readonly routes: readonly string[];
  /** Those that have a name, most requests first. */
  readonly services: readonly string[];
  /** `sentry`, `otlp`. */
  readonly protocols: readonly string[];
  /** With what was sampled away. */
  readonly requests: number;
  /** Without it. */
  readonly stored: number;
  readonly perMinute: number;
  /** By `STATUS_CLASSES`, with what was sampled away. */
  readonly answers: readonly number[];
  readonly failureRate: number | null;
  readonly p50: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  readonly apdex: number | null;
  readonly lastSeen: Date | null;
}

/**
 * Puts together what is one endpoint, whichever framework, service or protocol tells of it; what is no HTTP endpoint is
 * left out.
 *
 * @param minutes that the counts cover
 * @param apdexMs what satisfies
 */
export function endpointRows(
  parts: readonly EndpointPart[],
  minutes: number,
  apdexMs: number,
): EndpointRow[] {
  const byKey = Map.groupBy(parts, ({ httpMethod, route }) => endpointKey(httpMethod, route));
  byKey.delete("");
  return [...byKey].map(([key, group]) => rowOf(key, group, minutes, apdexMs));
}

function rowOf(
  key: string,
  parts: readonly EndpointPart[],
  minutes: number,
  apdexMs: number,
): EndpointRow {
  const sum = (of: (part: EndpointPart) => number) =>
    parts.reduce((total, part) => total + of(part), 0);
  const sketch = new Sketch();
  for (const part of parts) sketch.merge(part.sketch);
  const [requests, count] = [sum(({ weight }) => weight), sum((part) => part.count)];
  const routes = byWeight(parts, ({ route }) => route);
  const seen = parts.flatMap(({ lastSeen }) => lastSeen === null ? [] : [lastSeen.getTime()]);
  return {
    key,
    method: key.slice(0, key.indexOf(" ")),
    route: routes[0] ?? "",
    routes,
    services: byWeight(parts, ({ service }) => service).filter((service) => service !== ""),
    protocols: byWeight(parts, ({ protocol }) => protocol),
    requests,
    stored: count,
    perMinute: requests / minutes,
    answers: STATUS_CLASSES.map((_, place) => sum((part) => answersOf(part)[place] ?? 0)),
    failureRate: count === 0 ? null : sum(({ failures }) => failures) / count,
    // Of the rows of a page alone, but for that by which all are sorted.
    get p50() {
      return sketch.quantile(0.5);
    },
    get p95() {
      return sketch.quantile(0.95);
    },
    get p99() {
      return sketch.quantile(0.99);
    },
    get apdex() {
      return apdex(sketch, apdexMs);
    },
    lastSeen: seen.length === 0 ? null : new Date(Math.max(...seen)),
  };
}

/** Values of a column, those of most requests first. */
export function byWeight<P extends { readonly weight: number }>(
  parts: readonly P[],
  column: (part: P) => string,
): string[] {
  const weights = new Map<string, number>();
  for (const part of parts) {
    weights.set(column(part), (weights.get(column(part)) ?? 0) + part.weight);
  }
  return [...weights].sort(([, a], [, b]) => b - a).map(([value]) => value);
}

/**
 * Whether a text has a pattern in it, without regard to case; `*` stands for anything. By searching part after part:
 * an expression of many stars would try every way to divide the text among them.
 */
export function hasText(text: string, pattern: string): boolean {
  const within = text.toLowerCase();
  let at = 0;
  for (const part of pattern.toLowerCase().split("*")) {
    const found = within.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return true;
}

interface StatusClass {
  readonly label: string;
  /** What responses of the class mean, with how many there are. */
  readonly words: Message;
  readonly color: ChartColor;
}

/** Classes of HTTP responses in the order of `statuses` of counts, then those without a status. */
export const STATUS_CLASSES: readonly StatusClass[] = [
  { label: "2xx", words: message("{n} succeeded (2xx), {share}"), color: 3 },
  { label: "3xx", words: message("{n} redirected (3xx), {share}"), color: 6 },
  { label: "4xx", words: message("{n} refused (4xx), {share}"), color: 2 },
  { label: "5xx", words: message("{n} failed (5xx), {share}"), color: "danger" },
  { label: "none", words: message("{n} without a status, {share}"), color: "muted" },
];

/** How many requests ended in each of {@linkcode STATUS_CLASSES}, with what was sampled away. */
export function answersOf(
  { statuses, count, weight }: Pick<Stats, "statuses" | "count" | "weight">,
): number[] {
  if (count === 0) return STATUS_CLASSES.map(() => 0);
  const told = statuses.reduce((sum, each) => sum + each, 0);
  // Only stored requests have a status: those that were sampled away are taken to be like them.
  return [...statuses, Math.max(0, count - told)].map((each) => each * weight / count);
}

/** How many requests ended with which class of HTTP status, as `{"2xx": 7, …, "none": 0}`. */
export function statusesJson(stats: Pick<Stats, "statuses" | "count" | "weight">) {
  return answersJson(answersOf(stats));
}

/** The same of answers that are counted already, in the order of `STATUS_CLASSES`. */
export function answersJson(answers: readonly number[]): Record<string, number> {
  return Object.fromEntries(
    STATUS_CLASSES.map(({ label }, place) => [label, Math.round(answers[place] ?? 0)]),
  );
}

/** What people call the protocols that transactions come by. */
export const PROTOCOL_WORDS: Readonly<Record<string, string>> = {
  sentry: "Sentry SDK",
  otlp: "OpenTelemetry",
};
