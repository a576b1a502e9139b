/** What can be asked of errors, spans and logs, under the names that Sentry's tools have for it. */
import type postgres from "postgres";
import type { Queryable } from "../store/database.ts";
import { allTagsOf, eventsWithShared, tagOf } from "../store/event_tags.ts";

/** Types of fields, as answers name them. */
export type FieldType = "string" | "number" | "integer" | "duration" | "date" | "percentage";

export interface Column {
  readonly type: FieldType;
  /** The column of a row `t`. */
  readonly of: (sql: Queryable) => postgres.Fragment;
  /** What comes out of it is shown otherwise: `project` is a slug. */
  readonly shows?: "project" | "issue";
}

export interface Dataset {
  readonly table: (sql: Queryable) => postgres.Fragment;
  readonly columns: Readonly<Record<string, Column>>;
  /** What has no column: a tag or an attribute, or null. */
  readonly tag: (sql: Queryable, key: string) => postgres.Fragment;
  /** What free words of a search are looked for in. */
  readonly text: (sql: Queryable) => postgres.Fragment;
  /** What tells rows apart; always answered where rows are listed. */
  readonly id: string;
  /** Kind of spans in Sentry's lists of attributes. */
  readonly tags: (sql: Queryable) => postgres.Fragment;
}

type Make = (sql: Queryable) => postgres.Fragment;
const string = (of: Make): Column => ({ type: "string", of });
const PROJECT: Column = { type: "string", of: (sql) => sql`t.project_id`, shows: "project" };
const PROJECT_ID: Column = { type: "integer", of: (sql) => sql`t.project_id` };
const TIMESTAMP: Column = { type: "date", of: (sql) => sql`t."timestamp"` };
const TRACE = string((sql) => sql`replace(t.trace_id::text, '-', '')`);
const USER = string((sql) => sql`t.user_key`);

/** In every dataset. */
const COMMON: Readonly<Record<string, Column>> = {
  project: PROJECT,
  "project.name": PROJECT,
  "project.id": PROJECT_ID,
  project_id: PROJECT_ID,
  timestamp: TIMESTAMP,
  environment: string((sql) => sql`t.environment`),
  release: string((sql) => sql`t.release`),
  trace: TRACE,
  trace_id: TRACE,
  span_id: string((sql) => sql`t.span_id`),
};

const EVENT_ID = string((sql) => sql`replace(t.event_id::text, '-', '')`);
const EVENT_TITLE = string((sql) => sql`t.title`);

export const errors: Dataset = {
  table: eventsWithShared,
  id: "id",
  tag: (sql, key) => tagOf(sql, "t", key),
  tags: (sql) => allTagsOf(sql, "t"),
  text: (sql) => sql`t.title`,
  columns: {
    ...COMMON,
    id: EVENT_ID,
    title: EVENT_TITLE,
    message: EVENT_TITLE,
    issue: { type: "string", of: (sql) => sql`t.issue_id`, shows: "issue" },
    "issue.id": { type: "integer", of: (sql) => sql`t.issue_id` },
    level: string((sql) => sql`t.level`),
    platform: string((sql) => sql`t.platform`),
    "event.type": string((sql) => sql`'error'::text`),
    transaction: string((sql) => sql`t.transaction`),
    culprit: string((sql) => sql`t.transaction`),
    user: USER,
    "user.display": USER,
  },
};

const SPAN_ID = string((sql) => sql`t.span_id`);
const DURATION: Column = { type: "duration", of: (sql) => sql`t.duration_ms` };
const NAME = string((sql) => sql`t.name`);

const spans: Dataset = {
  table: (sql) => sql`transactions`,
  id: "id",
  tag: (sql, key) => sql`t.tags->>${key}::text`,
  tags: (sql) => sql`t.tags`,
  text: (sql) => sql`t.name`,
  columns: {
    ...COMMON,
    id: SPAN_ID,
    "transaction.event_id": EVENT_ID,
    "transaction.span_id": SPAN_ID,
    parent_span: string((sql) => sql`t.parent_span_id`),
    transaction: NAME,
    title: NAME,
    "span.description": NAME,
    "span.name": NAME,
    "span.op": string((sql) => sql`t.op`),
    "transaction.op": string((sql) => sql`t.op`),
    "span.status": string((sql) => sql`t.status`),
    "transaction.status": string((sql) => sql`t.status`),
    "span.duration": DURATION,
    "span.self_time": DURATION,
    "transaction.duration": DURATION,
    is_transaction: string((sql) => sql`'true'::text`),
    "http.method": string((sql) => sql`t.http_method`),
    "http.request.method": string((sql) => sql`t.http_method`),
    "http.route": string((sql) => sql`t.route`),
    "http.status_code": { type: "integer", of: (sql) => sql`t.http_status` },
    "http.response.status_code": { type: "integer", of: (sql) => sql`t.http_status` },
    service: string((sql) => sql`t.service`),
    "service.name": string((sql) => sql`t.service`),
    platform: string((sql) => sql`t.platform`),
    user: USER,
    "user.display": USER,
  },
};

const LOG_ID = string((sql) => sql`replace(t.log_id::text, '-', '')`);
const BODY = string((sql) => sql`t.body`);

const logs: Dataset = {
  table: (sql) => sql`logs`,
  id: "id",
  tag: (sql, key) => sql`t.attributes->>${key}::text`,
  tags: (sql) => sql`t.attributes`,
  text: (sql) => sql`t.body`,
  columns: {
    ...COMMON,
    id: LOG_ID,
    "sentry.item_id": LOG_ID,
    message: BODY,
    body: BODY,
    severity: string((sql) => sql`t.level`),
    level: string((sql) => sql`t.level`),
    timestamp_precise: TIMESTAMP,
    logger: string((sql) => sql`t.logger`),
    "server.address": string((sql) => sql`t.server`),
    "sdk.name": string((sql) => sql`t.sdk`),
  },
};

const DATASETS: Readonly<Record<string, Dataset>> = {
  errors,
  events: errors,
  discover: errors,
  issuePlatform: errors,
  spans,
  transactions: spans,
  metricsEnhanced: spans,
  spansMetrics: spans,
  spansIndexed: spans,
  logs,
  ourlogs: logs,
};

/** Names of what can be asked. */
export const DATASET_NAMES: readonly string[] = Object.keys(DATASETS);

/** The dataset of a name; errors when nobody says. Null for what we do not have. */
export function datasetOf(name: string | undefined): Dataset | null {
  if (!name) return errors;
  return Object.hasOwn(DATASETS, name) ? DATASETS[name] ?? null : null;
}

/** The column of a name, or the tag of it: `tags[key]`, `tags[key,number]` and bare keys. */
export function columnOf(dataset: Dataset, name: string): Column {
  const [, quoted, type] =
    /^(?:tags|flags)\[([^\],]+)(?:, *(number|string|boolean))?\]$/.exec(name) ??
      [];
  const own = quoted === undefined && Object.hasOwn(dataset.columns, name);
  const column = own ? dataset.columns[name] : undefined;
  if (column !== undefined) return column;
  const text = (sql: Queryable) => dataset.tag(sql, quoted ?? name);
  return type === "number"
    ? { type: "number", of: (sql) => numberOf(sql, text(sql)) }
    : string(text);
}

/** What is no number is none. */
function numberOf(sql: Queryable, text: postgres.Fragment): postgres.Fragment {
  return sql`case when ${text} ~ '^-?[0-9]{1,15}([.][0-9]{1,9})?$' then (${text})::double precision end`;
}

/** The column as a number, for aggregates of tags. */
export function numeric(sql: Queryable, { type, of }: Column): postgres.Fragment {
  return type === "string" ? numberOf(sql, of(sql)) : of(sql);
}
