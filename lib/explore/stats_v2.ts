/** What came and what became of it, as Sentry's usage statistics tell it. */
import { z } from "zod";
import type { ProjectAccess } from "../accounts/authorize.ts";
import { readInterval, TIME_QUERY } from "../api/lists.ts";
import { type ApiContext, ApiError } from "../api/route.ts";
import { DAY_MS, HOUR_MS } from "../core/time.ts";

export const StatsV2Query = z.object({
  project: z.array(z.string()),
  category: z.array(z.string()).describe("As error, transaction, log_item; all without"),
  outcome: z.array(z.string()).describe("As accepted, filtered, rate_limited; all without"),
  reason: z.array(z.string()),
  groupBy: z.array(z.string()).describe("category, outcome, reason, project"),
  field: z.array(z.string()).describe("sum(quantity)"),
  interval: z.string().optional().describe("1h or 1d"),
  ...TIME_QUERY,
});

export const StatsV2Json = z.object({
  start: z.iso.datetime(),
  end: z.iso.datetime(),
  intervals: z.array(z.iso.datetime()),
  groups: z.array(z.object({
    by: z.record(z.string(), z.union([z.string(), z.number()])),
    totals: z.record(z.string(), z.number()),
    series: z.record(z.string(), z.array(z.number())),
  })),
}).meta({ title: "Outcomes" });

const BY = { category: true, outcome: true, reason: true, project: true } as const;
type By = keyof typeof BY;
const SUM = "sum(quantity)";
/** With hours, more than a month is no chart. */
const MAX_HOURS_MS = 31 * DAY_MS;

interface Asked {
  readonly query: z.output<typeof StatsV2Query>;
}

interface Counted {
  readonly at: Date;
  readonly category: string;
  readonly outcome: string;
  readonly reason: string;
  readonly project: number;
  readonly quantity: number;
}

/** Answers with quantities by time. @throws {ApiError} 400 for groups that there are none of */
export async function statsV2Reply(
  ctx: ApiContext,
  accesses: readonly ProjectAccess[],
  { query: { category, outcome, reason, groupBy, field, interval } }: Asked,
): Promise<z.input<typeof StatsV2Json>> {
  const by = groupBy.filter((name): name is By => Object.hasOwn(BY, name));
  const unknown = [
    ...groupBy.filter((name) => !Object.hasOwn(BY, name)),
    ...field.filter((name) => name !== SUM && name !== "sum(times_seen)"),
  ];
  if (unknown.length > 0) {
    throw ApiError.detail(
      400,
      `Invalid: ${unknown[0]}. Write ${SUM}, by ${Object.keys(BY).join(", ")}`,
    );
  }
  const { sql, config } = ctx.state.services;
  const asked = readInterval(ctx.url.searchParams, config.retentionDays);
  const now = new Date();
  const end = asked.end > now && asked.start < now ? now : asked.end;
  const isHourly = interval !== "1d" && end.getTime() - asked.start.getTime() <= MAX_HOURS_MS;
  const stepMs = isHourly ? HOUR_MS : DAY_MS;
  const start = new Date(Math.floor(asked.start.getTime() / stepMs) * stepMs);
  const named = (names: readonly string[]) => names.filter((name) => name !== "");
  const rows = await sql<Counted[]>`
    select ${isHourly ? sql`hour` : sql`date_trunc('day', hour, 'UTC')`} as at, category,
      kind as outcome, reason, project_id::float8 as project, sum(quantity)::float8 as quantity
    from outcomes
    where project_id = any (${accesses.map(({ project }) => project.id)}::bigint[])
      and hour >= ${start} and hour < ${end}
    group by 1, 2, 3, 4, 5
  `;
  const wanted = rows.filter((row) =>
    isAmong(named(category), row.category) && isAmong(named(outcome), row.outcome) &&
    isAmong(named(reason), row.reason)
  );
  const times = timesOf(start, end, stepMs);
  const name = field[0] ?? SUM;
  const groups = Map.groupBy(wanted, (row) => JSON.stringify(by.map((key) => row[key])));
  return {
    start: start.toISOString(),
    end: end.toISOString(),
    intervals: times.map((time) => new Date(time).toISOString()),
    groups: [...groups.values()].map((group) => {
      const series = times.map(() => 0);
      for (const { at, quantity } of group) {
        const index = (at.getTime() - start.getTime()) / stepMs;
        series[index] = (series[index] ?? 0) + quantity;
      }
      const [first] = group;
      return {
        by: Object.fromEntries(by.map((key) => [key, first?.[key] ?? ""])),
        totals: { [name]: series.reduce((sum, each) => sum + each, 0) },
        series: { [name]: series },
      };
    }),
  };
}

function isAmong(names: readonly string[], name: string): boolean {
  return names.length === 0 || names.includes(name);
}

function timesOf(start: Date, end: Date, stepMs: number): number[] {
  const count = Math.ceil((end.getTime() - start.getTime()) / stepMs);
  return Array.from({ length: count }, (_, index) => start.getTime() + index * stepMs);
}
