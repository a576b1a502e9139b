import { z } from "zod";
import { onProject, onProjectsOfQuery } from "../api/access.ts";
import { flag, nameText, PAGE_QUERY, SCOPE_QUERY, wordOf } from "../api/lists.ts";
import type { ApiRoutes } from "../api/route.ts";
import {
  endpointListReply,
  TRACE_QUERY,
  traceListReply,
  transactionListReply,
  vitalListReply,
} from "./api_lists.ts";
import {
  SentryTraceJson,
  sentryTraceReply,
  TraceMetaJson,
  traceMetaReply,
} from "./api_sentry_trace.ts";
import { traceReply } from "./api_trace.ts";
import { transactionSummaryReply } from "./api_transaction_summary.ts";
import { SAMPLE_ORDERS } from "./transactions/transaction_samples.tsx";

const time = z.iso.datetime();
/** Null where nothing happened. */
const figure = z.number().nullable();

/** Parameters of a list of figures. */
const LIST_QUERY = {
  query: nameText.describe("Part of the name"),
  sort: z.string().optional().describe("A field, as p95 or -p95"),
  ...SCOPE_QUERY,
  ...PAGE_QUERY,
};

const TransactionJson = z.object({
  name: z.string(),
  op: z.string(),
  count: z.number(),
  tpm: z.number(),
  p50: figure,
  p75: figure,
  p95: figure,
  p99: figure,
  failureRate: figure,
  users: z.number(),
  totalTime: z.number(),
  share: figure,
}).meta({ title: "Transaction" });

const statuses = z.record(z.string(), z.number());

const EndpointJson = z.object({
  endpoint: z.string(),
  method: z.string(),
  route: z.string(),
  routes: z.array(z.string()),
  services: z.array(z.string()),
  protocols: z.array(z.string()),
  requests: z.number(),
  rpm: z.number(),
  statuses,
  errorRate: figure,
  p50: figure,
  p95: figure,
  p99: figure,
  apdex: figure,
  lastSeen: time.nullable(),
}).meta({ title: "Endpoint" });

const PageJson = z.object({
  page: z.string(),
  loads: z.number(),
  score: figure,
  vitals: z.record(
    z.string(),
    z.object({ p75: figure, count: z.number(), rating: z.string().nullable() }).nullable(),
  ),
}).meta({ title: "Page" });

const TraceJson = z.object({
  id: z.string(),
  name: z.string(),
  op: z.string(),
  status: z.string(),
  httpStatus: figure,
  start: time,
  duration: z.number(),
  entries: z.int(),
  failures: z.int(),
  errors: z.int(),
  services: z.array(z.string()),
  environments: z.array(z.string()),
}).meta({ title: "Trace" });

/** Times are milliseconds since 1970, those as sent nanoseconds as a text. */
const WholeTraceJson = z.object({
  id: z.string(),
  isCut: z.boolean(),
  projects: z.array(z.object({ id: z.string(), slug: z.string(), name: z.string() })),
  hidden: z.object({ projects: z.int(), spans: z.int() }),
  start: figure,
  duration: figure,
  spans: z.array(z.looseObject({
    projectId: z.string(),
    spanId: z.string(),
    parentSpanId: z.string().nullable(),
    start: z.number(),
    end: z.number(),
    startNanos: z.string(),
    endNanos: z.string(),
    duration: z.number(),
    title: z.string(),
    op: z.string(),
    status: z.string(),
    isFailed: z.boolean(),
    service: z.string(),
    attributes: z.record(z.string(), z.unknown()).optional(),
  })),
  resources: z.array(z.record(z.string(), z.unknown())).optional(),
  areAttributesCut: z.boolean().optional(),
  errors: z.array(z.looseObject({ projectId: z.string(), eventId: z.string() })),
  logs: z.array(z.looseObject({ projectId: z.string(), logId: z.string() })),
  profiles: z.array(z.looseObject({ projectId: z.string(), profileId: z.string() })),
}).meta({ title: "Whole trace" });

const figures = {
  count: z.number(),
  tpm: z.number(),
  failureRate: figure,
  apdex: figure,
  p50: figure,
  p75: figure,
  p95: figure,
  p99: figure,
};

const SummaryQuery = z.object({
  name: z.string().trim().min(1).max(200, "write at most 200 characters"),
  samples: wordOf(SAMPLE_ORDERS).default("slowest"),
  ...SCOPE_QUERY,
});

const SummaryJson = z.object({
  name: z.string(),
  ops: z.array(z.string()),
  protocols: z.array(z.string()),
  start: time,
  end: time,
  stats: z.object({
    ...figures,
    apdexThreshold: z.number(),
    stored: z.number(),
    average: figure,
    totalTime: z.number(),
    users: z.number(),
    statuses,
  }),
  histogram: z.array(z.object({ from: z.number(), to: z.number(), count: z.number() })),
  series: z.object({
    step: z.number(),
    points: z.array(z.object({ start: time, ...figures })),
  }),
  samples: z.array(z.looseObject({ traceId: z.string(), start: time, duration: z.number() })),
}).meta({ title: "Transaction summary" });

const PROJECT = "/projects/:organization/:project";
const ORGANIZATION = "/organizations/:organization";
/** As Sentry's clients ask: the project that is read first. */
const TRACE_QUERY_OF_SENTRY = z.object({
  project: z.array(z.string()).describe("Ids or slugs; -1 or none for all"),
});

/** What the addresses below `/api/0` do that are about traces, by method. */
export const traceRoutes: ApiRoutes = {
  [`${ORGANIZATION}/trace/:trace`]: {
    GET: onProjectsOfQuery("project:read", {
      summary: "One trace as spans within spans, with their errors",
      query: TRACE_QUERY_OF_SENTRY,
      answer: SentryTraceJson,
    }, sentryTraceReply),
  },
  [`${ORGANIZATION}/trace-meta/:trace`]: {
    GET: onProjectsOfQuery("project:read", {
      summary: "What there is of a trace, in numbers",
      query: TRACE_QUERY_OF_SENTRY,
      answer: TraceMetaJson,
    }, traceMetaReply),
  },
  [`${PROJECT}/endpoints`]: {
    GET: onProject("project:read", {
      summary: "Requests, answers and durations by method and route",
      query: z.object({ ...LIST_QUERY, method: nameText }),
      answer: z.array(EndpointJson),
    }, endpointListReply),
  },
  [`${PROJECT}/traces`]: {
    GET: onProject("project:read", {
      summary: "The newest traces; `query` as on the page",
      query: z.object({ query: TRACE_QUERY, ...SCOPE_QUERY, ...PAGE_QUERY }),
      answer: z.array(TraceJson),
    }, traceListReply),
  },
  [`${PROJECT}/traces/:trace`]: {
    GET: onProject("project:read", {
      summary: "One trace with its spans, errors, logs and profiles",
      query: z.object({ attributes: flag.describe("1 for all that spans carry") }),
      answer: WholeTraceJson,
    }, traceReply),
  },
  [`${PROJECT}/transactions`]: {
    GET: onProject("project:read", {
      summary: "The transactions of a project by name and operation",
      query: z.object({ ...LIST_QUERY, op: nameText }),
      answer: z.array(TransactionJson),
    }, transactionListReply),
  },
  [`${PROJECT}/transactions/summary`]: {
    GET: onProject("project:read", {
      summary: "One transaction: figures, histogram, series along the time, samples",
      query: SummaryQuery,
      answer: SummaryJson,
    }, transactionSummaryReply),
  },
  [`${PROJECT}/web-vitals`]: {
    GET: onProject("project:read", {
      summary: "The pages of a site with their web vitals",
      query: z.object(LIST_QUERY),
      answer: z.array(PageJson),
    }, vitalListReply),
  },
};
