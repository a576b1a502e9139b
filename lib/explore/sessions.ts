/** Sessions along the time, as Sentry's release health and its metrics tell them. */
import { z } from "zod";
import type { ProjectAccess } from "../accounts/authorize.ts";
import { readInterval, readLimit, TIME_QUERY, UNIT_MS } from "../api/lists.ts";
import { type ApiContext, ApiError, inSearchTime } from "../api/route.ts";
import { storable } from "../core/errors.ts";
import { DAY_MS, HOUR_MS } from "../core/time.ts";
import type { Sql } from "../store/database.ts";
import { dayOf, inScope } from "../store/query_limits.ts";
import {
  SESSION_FIELDS,
  type SessionField,
  sessionField,
  type SessionFigures,
  STATUS_VALUES,
} from "./session_fields.ts";

const GROUPS = ["project", "release", "environment", "session.status"] as const;
type Group = (typeof GROUPS)[number];

export const SessionsQuery = z.object({
  field: z.array(z.string()).describe(`Of ${SESSION_FIELDS.join(", ")}; sum(session) for none`),
  groupBy: z.array(z.string()).describe(GROUPS.join(", ")),
  orderBy: z.array(z.string()).describe("A field; with - before it the greatest first"),
  project: z.array(z.string()).describe("Ids or slugs; -1 or none for all"),
  environment: z.array(z.string()),
  release: z.array(z.string()),
  interval: z.string().optional().describe("As 1h, 6h, 1d; whole hours"),
  includeSeries: z.string().optional().describe("0 leaves the series away"),
  includeTotals: z.string().optional().describe("0 leaves the totals away"),
  per_page: z.string().optional().describe("Groups, up to 100"),
  ...TIME_QUERY,
});

const figures = z.record(z.string(), z.number().nullable());
export const SessionsJson = z.object({
  start: z.iso.datetime(),
  end: z.iso.datetime(),
  query: z.string(),
  intervals: z.array(z.iso.datetime()),
  groups: z.array(z.object({
    by: z.record(z.string(), z.union([z.string(), z.number()])),
    totals: figures.optional(),
    series: z.record(z.string(), z.array(z.number().nullable())).optional(),
  })),
}).meta({ title: "Sessions" });

interface Asked {
  readonly query: z.output<typeof SessionsQuery>;
}

const MAX_STEPS = 1_000;
const NOTHING: SessionFigures = { all: 0, crashed: 0, errored: 0, abnormal: 0 };

/** A group of the answer, as the store tells it apart. */
interface Row extends SessionFigures {
  /** Null: of the whole time. */
  readonly at: Date | null;
  readonly project: number | null;
  readonly release: string | null;
  readonly environment: string | null;
}

/**
 * Answers with sessions, and the people who had them, by group and step. Who a person is is known by the day: of shorter
 * steps those of their day are told.
 *
 * @throws {ApiError} 400 for fields and groups that there are none of
 */
export async function sessionsReply(
  ctx: ApiContext,
  accesses: readonly ProjectAccess[],
  { query }: Asked,
): Promise<z.input<typeof SessionsJson>> {
  const names = query.field.length > 0 ? query.field : ["sum(session)"];
  const fields = names.map((name) => ({ name, ...requireField(name) }));
  const groupBy = query.groupBy.map(requireGroup);
  const byStatus = groupBy.includes("session.status");
  if (byStatus && fields.some(({ of, name }) => of === "users" || name.includes("rate"))) {
    throw ApiError.detail(400, "session.status groups numbers of sessions only");
  }
  const time = readSteps(ctx, query.interval);
  const question: Question = {
    ...time,
    projectIds: accesses.map(({ project }) => project.id),
    groupBy,
    environments: query.environment.filter((name) => name !== "").map(storable),
    releases: query.release.filter((name) => name !== "").map(storable),
  };
  const { sql } = ctx.state.services;
  const [sessions, users] = await inSearchTime(Promise.all([
    fields.some(({ of }) => of === "sessions") ? readSessions(sql, question) : [],
    fields.some(({ of }) => of === "users") ? readUsers(sql, question) : [],
  ]));
  const keyOf = ({ project, release, environment }: Row) =>
    JSON.stringify([project, release, environment]);
  const found = new Map([...sessions, ...users].map((row) => [keyOf(row), row]));
  const rowsOf = { sessions: Map.groupBy(sessions, keyOf), users: Map.groupBy(users, keyOf) };
  const groups = [...found].flatMap(([key, row]) => {
    const groupFigures = {
      sessions: figuresOf(rowsOf.sessions.get(key) ?? [], time),
      users: figuresOf(rowsOf.users.get(key) ?? [], time),
    };
    const statuses = byStatus ? Object.entries(STATUS_VALUES) : [[null, null] as const];
    return statuses.map(([status, valueOfStatus]) => {
      const valued = fields.map(({ name, of, value }) => {
        const { total, steps } = groupFigures[of];
        const valueOf = valueOfStatus ?? value;
        return { name, total: valueOf(total), series: steps.map(valueOf) };
      });
      return { by: byOf(row, groupBy, status), valued };
    });
  });
  return {
    start: time.start.toISOString(),
    end: time.end.toISOString(),
    query: "",
    intervals: time.times.map((at) => new Date(at).toISOString()),
    groups: inOrder(groups, query.orderBy[0]).slice(0, readLimit(query.per_page ?? "100"))
      .map(({ by, valued }) => ({
        by,
        ...query.includeTotals !== "0" &&
          { totals: Object.fromEntries(valued.map(({ name, total }) => [name, total])) },
        ...query.includeSeries !== "0" &&
          { series: Object.fromEntries(valued.map(({ name, series }) => [name, series])) },
      })),
  };
}

function requireField(name: string): SessionField {
  const field = sessionField(name);
  if (field !== null) return field;
  throw ApiError.detail(400, `Invalid field: write ${SESSION_FIELDS.join(", ")}`);
}

function requireGroup(name: string): Group {
  const group = GROUPS.find((each) => each === name);
  if (group !== undefined) return group;
  throw ApiError.detail(400, `Invalid groupBy: write ${GROUPS.join(", ")}`);
}

interface Steps {
  readonly start: Date;
  readonly end: Date;
  readonly stepMs: number;
  /** Where steps begin, in ms. */
  readonly times: readonly number[];
}

/** Steps of whole hours; a day unless told, and wider than asked where there would be too many. */
function readSteps(ctx: ApiContext, interval: string | undefined): Steps {
  const asked = readInterval(ctx.url.searchParams, ctx.state.services.config.retentionDays);
  const now = new Date();
  const end = asked.end > now && asked.start < now ? now : asked.end;
  const [, count, unit = ""] = /^(\d{1,4})([smhdw])$/.exec(interval ?? "1d") ?? [];
  const wanted = Number(count) * (UNIT_MS[unit] ?? NaN);
  if (!(wanted > 0)) throw ApiError.detail(400, "Invalid interval: write 1h, 6h or 1d");
  const least = (end.getTime() - asked.start.getTime()) / MAX_STEPS;
  const stepMs = Math.ceil(Math.max(wanted, least) / HOUR_MS) * HOUR_MS;
  const first = Math.floor(asked.start.getTime() / stepMs) * stepMs;
  const steps = Math.ceil((end.getTime() - first) / stepMs);
  return {
    start: new Date(first),
    end,
    stepMs,
    times: Array.from({ length: steps }, (_, index) => first + index * stepMs),
  };
}

interface Question extends Steps {
  readonly projectIds: readonly string[];
  readonly groupBy: readonly Group[];
  readonly environments: readonly string[];
  readonly releases: readonly string[];
}

/** What rows are told apart by, and null for what they are not. */
function groupColumns(sql: Sql, groupBy: readonly Group[]) {
  const column = (group: Group, column: ReturnType<Sql>) =>
    groupBy.includes(group) ? column : sql`null`;
  return sql`
    ${column("project", sql`project_id::float8`)} as project,
    ${column("release", sql`release::text`)} as release,
    ${column("environment", sql`environment::text`)} as environment
  `;
}

async function readSessions(sql: Sql, question: Question): Promise<Row[]> {
  const { start, end, stepMs, projectIds, groupBy } = question;
  return await sql<Row[]>`
    select date_bin(${`${stepMs} milliseconds`}, hour, ${start}) as at,
      ${groupColumns(sql, groupBy)},
      sum(total)::float8 as all, sum(crashed)::float8 as crashed,
      sum(errored + unhandled)::float8 as errored, sum(abnormal)::float8 as abnormal
    from session_hours
    where project_id = any (${[...projectIds]}::bigint[]) and hour >= ${start} and hour < ${end}
      ${inScope(sql, question)}
    group by 1, 2, 3, 4
  `;
}

/** By step and, without one, of the whole time: the same person is in many steps. */
async function readUsers(sql: Sql, question: Question): Promise<Row[]> {
  const { start, end, stepMs, projectIds, groupBy } = question;
  const step = `${Math.max(stepMs, DAY_MS)} milliseconds`;
  const first = new Date(Math.floor(start.getTime() / DAY_MS) * DAY_MS);
  const rows = await sql<Row[]>`
    -- Materialized: Citus groups in sets what it has read, not while it reads on many nodes.
    with people as materialized (
      select date_bin(${step}, day::timestamp at time zone 'UTC', ${first}) as at,
        ${groupColumns(sql, groupBy)}, is_crashed, is_errored,
        -- One text is told apart sooner than a pair.
        (project_id::text || user_hash) collate "C" as person
      from session_users
      where project_id = any (${[...projectIds]}::bigint[]) and day >= ${dayOf(start)}::date
        and day <= ${dayOf(new Date(end.getTime() - 1))}::date ${inScope(sql, question)}
    )
    select at, project, release, environment,
      count(distinct person)::float8 as all,
      (count(distinct person) filter (where is_crashed))::float8 as crashed,
      (count(distinct person) filter (where is_errored and not is_crashed))::float8
        as errored,
      0::float8 as abnormal
    from people
    group by grouping sets ((at, project, release, environment), (project, release, environment))
  `;
  return rows;
}

/** The figures of a group, of the whole time and by step. */
function figuresOf(rows: readonly Row[], { times, stepMs }: Steps) {
  const whole = rows.find(({ at }) => at === null);
  const byTime = new Map(
    rows.flatMap((row) => row.at === null ? [] : [[row.at.getTime(), row] as const]),
  );
  // People are told by the day, or by the step where that is wider.
  const wideMs = whole === undefined ? stepMs : Math.max(stepMs, DAY_MS);
  const [first = 0] = times;
  const origin = whole === undefined ? first : Math.floor(first / DAY_MS) * DAY_MS;
  const steps = times.map((time) =>
    byTime.get(origin + Math.floor((time - origin) / wideMs) * wideMs) ?? NOTHING
  );
  return { total: whole ?? sumOf(rows), steps };
}

function sumOf(rows: readonly Row[]): SessionFigures {
  return rows.reduce<SessionFigures>((sum, row) => ({
    all: sum.all + row.all,
    crashed: sum.crashed + row.crashed,
    errored: sum.errored + row.errored,
    abnormal: sum.abnormal + row.abnormal,
  }), NOTHING);
}

function byOf(row: Row, groupBy: readonly Group[], status: string | null) {
  return Object.fromEntries(groupBy.map((name) => [
    name,
    name === "session.status" ? status ?? "" : row[name] ?? "",
  ]));
}

interface ValuedGroup {
  readonly valued: readonly { readonly name: string; readonly total: number | null }[];
}

/** The greatest of the first field first, unless told. @throws {ApiError} 400 for what is not asked for */
function inOrder<G extends ValuedGroup>(groups: readonly G[], orderBy: string | undefined): G[] {
  const asked = orderBy || `-${groups[0]?.valued[0]?.name ?? ""}`;
  const name = asked.replace(/^-/, "");
  if (groups.length > 0 && !groups[0]?.valued.some((each) => each.name === name)) {
    throw ApiError.detail(400, "Invalid orderBy: write one of the fields, with - before it or not");
  }
  const direction = asked.startsWith("-") ? -1 : 1;
  const valueOf = ({ valued }: G) => valued.find((each) => each.name === name)?.total ?? -1;
  return groups.toSorted((a, b) => direction * (valueOf(a) - valueOf(b)));
}
