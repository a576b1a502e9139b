/** Questions about errors, spans and logs in Sentry's API: tables, series, and what can be asked. */
import { z } from "zod";
import type { ProjectAccess } from "../accounts/authorize.ts";
import { onProject, onProjectsOfQuery } from "../api/access.ts";
import {
  PAGE_QUERY,
  readInterval,
  readLimit,
  readOffset,
  TIME_QUERY,
  UNIT_MS,
} from "../api/lists.ts";
import {
  type ApiContext,
  ApiError,
  type ApiRoutes,
  inSearchTime,
  listReply,
} from "../api/route.ts";
import { storable } from "../core/errors.ts";
import { MINUTE_MS, SECOND_MS } from "../core/time.ts";
import { environmentsOf } from "../store/stats/series_names.ts";
import { type Dataset, DATASET_NAMES, datasetOf } from "./datasets.ts";
import { conditionOf } from "./filter.ts";
import { SessionsJson, SessionsQuery, sessionsReply } from "./sessions.ts";
import { StatsV2Json, StatsV2Query, statsV2Reply } from "./stats_v2.ts";
import { type Field, readField, readFields } from "./fields.ts";
import { type Question, readKeys, readRows, readSeries, type Row, type Sort } from "./queries.ts";

const SCOPE = {
  query: z.string().optional().describe("In Sentry's grammar"),
  dataset: z.string().optional().describe("errors, spans (transactions here) or logs"),
  project: z.array(z.string()).describe("Ids or slugs; -1 or none for all"),
  environment: z.array(z.string()),
  ...TIME_QUERY,
};

const FieldMeta = z.object({
  fields: z.record(z.string(), z.string()).describe("Types of the fields"),
  units: z.record(z.string(), z.string().nullable()),
  isMetricsData: z.boolean(),
  dataset: z.string(),
});
const RowsJson = z.object({
  data: z.array(z.record(z.string(), z.unknown())),
  meta: FieldMeta,
}).meta({ title: "Table" });
/** `[seconds, [{count}]]` */
const PointJson = z.tuple([z.number(), z.array(z.object({ count: z.number().nullable() }))]);
const SeriesJson = z.looseObject({ data: z.array(PointJson).optional() });

const Checked = z.object({ valid: z.boolean(), error: z.string().nullable() });
const CheckedField = Checked.extend({
  name: z.string(),
  attrType: z.enum(["string", "number", "boolean"]).nullable(),
});
const ValidationJson = z.object({
  valid: z.boolean(),
  projects: z.array(Checked),
  dataset: z.array(Checked.extend({ name: z.string() })),
  environment: z.array(Checked),
  field: z.array(CheckedField),
  query: Checked.extend({ fields: z.array(CheckedField) }),
  orderby: z.array(CheckedField),
}).meta({ title: "Validation" });

/** Sentry's metrics answer the same questions of sessions at an address of their own. */
const SESSIONS = onProjectsOfQuery("project:read", {
  summary: "Sessions and the people who had them, along the time",
  query: SessionsQuery,
  answer: SessionsJson,
}, sessionsReply);

const EnvironmentJson = z.object({
  id: z.string().describe("Its name: environments have no id of their own"),
  name: z.string(),
  isHidden: z.boolean().describe("Always false"),
});

async function environmentsReply(ctx: ApiContext, accesses: readonly ProjectAccess[]) {
  const { sql } = ctx.state.services;
  const found = await Promise.all(accesses.map(({ project }) => environmentsOf(sql, project.id)));
  const names = [...new Set(found.flat())].sort();
  return listReply(ctx, names.map((name) => ({ id: name, name, isHidden: false })));
}

/** Addresses below `/api/0` of questions across projects. */
export const exploreRoutes: ApiRoutes = {
  "/organizations/:organization/events": {
    GET: onProjectsOfQuery("project:read", {
      summary: "A table of errors, spans or logs by fields, which aggregates group",
      query: z.object({
        ...SCOPE,
        field: z.array(z.string()).describe("As title, count(), p95(span.duration)"),
        sort: z.string().optional().describe("A field, with - before it the greatest first"),
        ...PAGE_QUERY,
      }),
      answer: RowsJson,
    }, eventsReply),
  },
  "/organizations/:organization/events-stats": {
    GET: onProjectsOfQuery("project:read", {
      summary: "Aggregates along the time, of all or of the top groups",
      query: z.object({
        ...SCOPE,
        field: z.array(z.string()).describe("Columns of groups, with topEvents"),
        yAxis: z.array(z.string()).describe("Aggregates; count() when there is none"),
        topEvents: z.string().optional().describe("How many groups, up to 10"),
        interval: z.string().optional().describe("As 5m, 1h, 1d"),
        sort: z.string().optional(),
      }),
      answer: SeriesJson,
    }, statsReply),
  },
  "/organizations/:organization/tags": {
    GET: onProjectsOfQuery("project:read", {
      summary: "Keys of tags or attributes of the newest rows",
      query: z.object(SCOPE),
      answer: z.array(z.object({ key: z.string(), name: z.string(), totalValues: z.number() })),
    }, async (ctx, accesses) => {
      const keys = await inSearchTime(
        readKeys(ctx.state.services.sql, questionOf(ctx, accesses, "")),
      );
      return listReply(ctx, keys.map(({ key, count }) => ({ key, name: key, totalValues: count })));
    }),
  },
  "/organizations/:organization/trace-items/attributes": {
    GET: onProjectsOfQuery("project:read", {
      summary: "Fields and attributes of spans or logs",
      query: z.object({
        ...SCOPE,
        itemType: z.string().optional().describe("spans or logs"),
        attributeType: z.array(z.string()).describe("string, number or boolean"),
        substringMatch: z.string().optional(),
      }),
      answer: z.array(z.object({
        key: z.string(),
        name: z.string(),
        attributeType: z.string(),
        attributeSource: z.object({ source_type: z.string() }),
      })),
    }, attributesReply),
  },
  "/organizations/:organization/events/validate": {
    GET: onProjectsOfQuery("project:read", {
      summary:
        "Whether fields, order and search of a table make sense, and what is wrong with them",
      query: z.object({ ...SCOPE, field: z.array(z.string()), orderby: z.array(z.string()) }),
      answer: ValidationJson,
    }, validateReply),
  },
  "/organizations/:organization/sessions": { GET: SESSIONS },
  "/organizations/:organization/metrics/data": { GET: SESSIONS },
  "/organizations/:organization/environments": {
    GET: onProjectsOfQuery("project:read", {
      summary: "The environments of projects, of the last 90 days",
      query: z.object({
        project: z.array(z.string()).describe("Ids or slugs; -1 or none for all"),
      }),
      answer: z.array(EnvironmentJson),
    }, environmentsReply),
  },
  "/projects/:organization/:project/environments": {
    GET: onProject("project:read", {
      summary: "The environments of projects, of the last 90 days",
      answer: z.array(EnvironmentJson),
    }, (ctx, access) => environmentsReply(ctx, [access])),
  },
  "/organizations/:organization/replays": {
    GET: onProjectsOfQuery("project:read", {
      summary: "Always empty: replays are not kept",
      answer: z.object({ data: z.array(z.unknown()) }),
    }, () => ({ data: [] })),
  },
  "/organizations/:organization/stats_v2": {
    GET: onProjectsOfQuery("project:read", {
      summary:
        "What came and what became of it, by category, outcome, reason or project, along the time",
      query: StatsV2Query,
      answer: StatsV2Json,
    }, statsV2Reply),
  },
};

interface ValidateInput {
  readonly query: {
    readonly dataset?: string | undefined;
    readonly query?: string | undefined;
    readonly field: string[];
    readonly orderby: string[];
  };
}

function validateReply(
  ctx: ApiContext,
  accesses: readonly ProjectAccess[],
  { query: { dataset: name = "spans", query = "", field, orderby } }: ValidateInput,
): z.input<typeof ValidationJson> {
  const question = questionOf(ctx, accesses, name);
  const { dataset } = question;
  const checked = (names: readonly string[]) =>
    names.map((name) => {
      const problem = problemOf(() => readField(dataset, name.replace(/^-/, ""), 1));
      const type = problem === null ? readField(dataset, name.replace(/^-/, ""), 1).type : "string";
      const attrType = type === "string" || type === "date" ? "string" : "number";
      return { name, valid: problem === null, attrType, error: problem } as const;
    });
  const problem = problemOf(() => conditionOf(ctx.state.services.sql, dataset, query, question));
  const [fields, order] = [checked(field), checked(orderby)];
  return {
    valid: problem === null && [...fields, ...order].every(({ valid }) => valid),
    projects: accesses.map(() => ({ valid: true, error: null })),
    dataset: [{ name, valid: true, error: null }],
    environment: question.environments.map(() => ({ valid: true, error: null })),
    field: fields,
    query: { valid: problem === null, error: problem, fields: [] },
    orderby: order,
  };
}

/** Why a part of a question is refused, or null. */
function problemOf(read: () => unknown): string | null {
  try {
    read();
    return null;
  } catch (error) {
    if (error instanceof ApiError) return String(error.body.detail ?? "");
    throw error;
  }
}

type EventsInput = {
  readonly query: {
    readonly dataset?: string | undefined;
    readonly field: string[];
    readonly sort?: string | undefined;
    readonly per_page?: string | undefined;
    readonly cursor?: string | undefined;
  };
};

async function eventsReply(
  ctx: ApiContext,
  accesses: readonly ProjectAccess[],
  { query: { dataset: name, field, sort, per_page, cursor } }: EventsInput,
) {
  const question = questionOf(ctx, accesses, name);
  const { dataset } = question;
  const asked = readFields(dataset, field.length > 0 ? field : [dataset.id], secondsOf(question));
  const fields = withIds(dataset, asked, secondsOf(question));
  const limit = readLimit(per_page ?? null);
  const offset = readOffset(cursor ?? null);
  const rows = await inSearchTime(
    readRows(ctx.state.services.sql, question, fields, {
      sort: readSort(sort),
      limit: limit + 1,
      offset,
    }),
  );
  const page = listReply(ctx, rows.slice(0, limit), {
    previousCursor: offset > 0 ? `0:${Math.max(0, offset - limit)}:1` : null,
    nextCursor: rows.length > limit ? `0:${offset + limit}:0` : null,
  });
  const body = { data: rows.slice(0, limit), meta: metaOf(fields, name) };
  return Response.json(body, { headers: { link: page.headers.get("link") ?? "" } });
}

/** Rows of the store come with what tells them apart, as Sentry's do. */
function withIds(dataset: Dataset, fields: readonly Field[], seconds: number): Field[] {
  if (fields.some(({ isAggregate }) => isAggregate)) return [...fields];
  const ids = [dataset.id, "project.name"].filter((id) => !fields.some(({ name }) => name === id));
  return [...fields, ...ids.map((id) => readField(dataset, id, seconds))];
}

type StatsInput = {
  readonly query: {
    readonly dataset?: string | undefined;
    readonly field: string[];
    readonly yAxis: string[];
    readonly topEvents?: string | undefined;
    readonly interval?: string | undefined;
    readonly sort?: string | undefined;
  };
};

const MAX_TOP = 10;

async function statsReply(
  ctx: ApiContext,
  accesses: readonly ProjectAccess[],
  { query: { dataset: name, field, yAxis, topEvents, interval, sort } }: StatsInput,
) {
  const { sql } = ctx.state.services;
  const question = untilNow(questionOf(ctx, accesses, name));
  const stepSec = readStep(interval, question);
  const asked = yAxis.filter((axis) => axis.trim() !== "");
  const axes = readFields(question.dataset, asked.length > 0 ? asked : ["count()"], stepSec);
  if (axes.some(({ isAggregate }) => !isAggregate)) {
    throw ApiError.detail(400, "yAxis takes aggregates only, as count()");
  }
  const top = Math.min(MAX_TOP, Math.trunc(Number(topEvents ?? 0)));
  const columns = readFields(question.dataset, field, stepSec)
    .filter(({ isAggregate }) => !isAggregate);
  if (!(top > 0) || columns.length === 0) {
    const points = await inSearchTime(readSeries(sql, question, axes, stepSec));
    return seriesOf(axes, points, question, stepSec, name, 0);
  }
  const fields = [...columns, ...axes];
  const [groups, points] = await Promise.all([
    inSearchTime(readRows(sql, question, fields, { sort: readSort(sort), limit: top, offset: 0 })),
    inSearchTime(readSeries(sql, question, fields, stepSec)),
  ]);
  const keyOf = (row: Row) => columns.map((column) => String(row[column.name] ?? "")).join(",");
  const byKey = Map.groupBy(points, ({ row }) => keyOf(row));
  return Object.fromEntries(groups.map((row, order) => {
    const key = keyOf(row);
    return [key, seriesOf(axes, byKey.get(key) ?? [], question, stepSec, name, order)];
  }));
}

/** One axis is the series itself; several are series by their names. */
function seriesOf(
  axes: readonly Field[],
  points: readonly { readonly at: number; readonly row: Row }[],
  question: Question,
  stepSec: number,
  dataset: string | undefined,
  order: number,
) {
  const at = new Map(points.map(({ at, row }) => [at, row]));
  const times = bucketsOf(question, stepSec);
  const series = ({ name, type }: Field, order: number) => ({
    data: times.map((time) => {
      const value = at.get(time)?.[name];
      const none = type === "integer" ? 0 : null;
      return [time, [{ count: typeof value === "number" ? value : none }]];
    }),
    order,
    start: question.start.getTime() / SECOND_MS,
    end: question.end.getTime() / SECOND_MS,
    isMetricsData: false,
    meta: metaOf(axes, dataset),
  });
  const [only, ...others] = axes;
  if (only !== undefined && others.length === 0) return series(only, order);
  return {
    ...Object.fromEntries(axes.map((axis, index) => [axis.name, series(axis, index)])),
    order,
  };
}

/** Clocks of clients may be ahead; charts end now. */
function untilNow(question: Question, now: Date = new Date()): Question {
  return question.end > now && question.start < now ? { ...question, end: now } : question;
}

function bucketsOf({ start, end }: Question, stepSec: number): number[] {
  const first = Math.floor(start.getTime() / SECOND_MS / stepSec) * stepSec;
  const count = Math.ceil((end.getTime() / SECOND_MS - first) / stepSec);
  return Array.from({ length: count }, (_, index) => first + index * stepSec);
}

const MAX_BUCKETS = 1_500;
const DEFAULT_BUCKETS = 100;

/** Width of a bucket, in seconds; wider than asked where there would be too many. */
function readStep(interval: string | undefined, question: Question): number {
  const [, count, unit = ""] = /^(\d{1,4})([smhdw])$/.exec(interval ?? "") ?? [];
  const least = Math.ceil(secondsOf(question) / MAX_BUCKETS);
  const asked = Number(count) * (UNIT_MS[unit] ?? NaN) / SECOND_MS;
  const usual = Math.max(60, Math.round(secondsOf(question) / DEFAULT_BUCKETS / 60) * 60);
  return Math.max(asked > 0 ? asked : usual, least);
}

async function attributesReply(
  ctx: ApiContext,
  accesses: readonly ProjectAccess[],
  { query: { itemType, attributeType, substringMatch = "" } }: {
    readonly query: {
      readonly itemType?: string | undefined;
      readonly attributeType: string[];
      readonly substringMatch?: string | undefined;
    };
  },
) {
  const name = itemType === undefined || itemType === "span" ? "spans" : itemType;
  const question = questionOf(ctx, accesses, name);
  const wanted = attributeType.length > 0 ? attributeType : ["string", "number"];
  const own = Object.entries(question.dataset.columns).map(([key, { type }]) => ({
    key,
    type: type === "string" || type === "date" ? "string" : "number",
    source: "sentry",
  }));
  const tags = wanted.includes("string")
    ? (await inSearchTime(readKeys(ctx.state.services.sql, question)))
      .filter(({ key }) => !Object.hasOwn(question.dataset.columns, key))
      .map(({ key }) => ({ key, type: "string", source: "user" }))
    : [];
  const found = [...own, ...tags].filter(({ key, type }) =>
    wanted.includes(type) && key.toLowerCase().includes(substringMatch.toLowerCase())
  );
  return listReply(
    ctx,
    found.map(({ key, type, source }) => ({
      key,
      name: key,
      attributeType: type,
      attributeSource: { source_type: source },
    })),
  );
}

/** What a request asks about. @throws {ApiError} 400 */
function questionOf(
  ctx: ApiContext,
  accesses: readonly ProjectAccess[],
  dataset: string | undefined,
): Question {
  const search = ctx.url.searchParams;
  return {
    dataset: requireDataset(dataset || search.get("dataset") || undefined),
    projects: accesses.map(({ project: { id, slug } }) => ({ id, slug })),
    environments: search.getAll("environment").filter((name) => name !== "").map(storable),
    query: search.get("query") ?? "",
    ...readInterval(search, ctx.state.services.config.retentionDays),
  };
}

function requireDataset(name: string | undefined): Dataset {
  const dataset = datasetOf(name);
  if (dataset !== null) return dataset;
  throw ApiError.detail(400, `dataset must be one of: ${DATASET_NAMES.join(", ")}`);
}

function secondsOf({ start, end }: Question): number {
  return Math.max((end.getTime() - start.getTime()) / SECOND_MS, MINUTE_MS / SECOND_MS);
}

function readSort(text: string | undefined): Sort | null {
  if (!text) return null;
  const isDescending = text.startsWith("-");
  return { name: isDescending ? text.slice(1) : text, isDescending };
}

function metaOf(fields: readonly Field[], dataset: string | undefined): z.input<typeof FieldMeta> {
  return {
    fields: Object.fromEntries(fields.map(({ name, type }) => [name, type])),
    units: Object.fromEntries(
      fields.map(({ name, type }) => [name, type === "duration" ? "millisecond" : null]),
    ),
    isMetricsData: false,
    dataset: dataset ?? "errors",
  };
}
