import assert from "node:assert/strict";
import { readTrace } from "@/lib/traces/read_trace.ts";
import type { ListeningApp } from "../../support/listening_app.ts";
import { waitFor } from "../../support/wait_for.ts";
import { RESOURCE } from "./otel_env.ts";
import { notStored } from "./stored.ts";

const ARRIVES_WITHIN_MS = 15_000;

/** What of a service's story depends on its language. */
export interface Story {
  readonly platform: string;
  /** As its framework writes it. */
  readonly route: string;
  readonly statement: string;
  /** Title of the issue. */
  readonly title: string;
}

/** Throws what is missing of two served requests and a failed one: transactions, the query, the log, the error. */
export async function isStored(app: ListeningApp, client: Story): Promise<void> {
  const entries = await waitFor("three transactions", async () => {
    const rows = await entriesOf(app);
    return rows.length >= 3 ? rows : null;
  }, ARRIVES_WITHIN_MS);
  const served = {
    ...RESOURCE,
    op: "http.server",
    method: "GET",
    platform: client.platform,
    name: `GET ${client.route}`,
    route: client.route,
    status: 200,
    isFailed: false,
  };
  const failed = { ...served, name: "GET /fail", route: "/fail", status: 500, isFailed: true };
  assert.deepEqual(entries.map(({ traceId: _, ...facts }) => facts), [served, served, failed]);
  for (const { traceId, isFailed } of entries) {
    if (isFailed) await errorIsInTrace(app, traceId, client);
    else await workIsInTrace(app, traceId, client);
  }
  assert.deepEqual(await notStored(app), [], "nothing was refused or could not be read");
}

async function entriesOf({ services: { sql }, projectId }: ListeningApp) {
  const rows = await sql<{
    traceId: string;
    name: string;
    op: string;
    method: string;
    route: string;
    status: number;
    isFailed: boolean;
    service: string;
    release: string;
    environment: string;
    platform: string;
  }[]>`
    select
      replace(trace_id::text, '-', '') as "traceId", name, op, http_method as method, route,
      http_status as status, is_failed as "isFailed", service, release, environment, platform
    from transactions where project_id = ${projectId} order by is_failed, started_at
  `;
  return [...rows];
}

/** The query is below the request, and the log belongs to one of its spans. */
async function workIsInTrace(
  { services: { sql }, projectId }: ListeningApp,
  traceId: string,
  { statement }: Story,
): Promise<void> {
  const trace = await waitFor("the trace's log", async () => {
    const found = await readTrace(sql, projectId, traceId);
    return found?.logs.length === 1 ? found : null;
  }, ARRIVES_WITHIN_MS);
  const ids = new Set(trace.spans.map(({ spanId }) => spanId));
  const query = trace.spans.find(({ title }) => title === statement);
  assert.deepEqual([query?.category, query?.kind, query?.op], ["db", "client", "db"]);
  const tops = trace.spans.filter(({ parentSpanId }) => !ids.has(parentSpanId ?? ""));
  assert.deepEqual(tops.map(({ isEntry, kind }) => [isEntry, kind]), [[true, "server"]]);
  assert.ok(
    trace.spans.every(({ service, release }) =>
      service === RESOURCE.service && release === RESOURCE.release
    ),
  );
  const [log] = trace.logs;
  assert.deepEqual([log?.body.trim(), log?.level], ["Stock is low", "warn"]);
  assert.ok(ids.has(log?.spanId ?? ""), "the log belongs to a span of the trace");
}

/** The error is told once, whether the span, a log or both tell of it. */
async function errorIsInTrace(
  { services: { sql }, projectId }: ListeningApp,
  traceId: string,
  { title }: Story,
): Promise<void> {
  const trace = await waitFor("the error", async () => {
    const found = await readTrace(sql, projectId, traceId);
    return (found?.errors.length ?? 0) > 0 ? found : null;
  }, ARRIVES_WITHIN_MS);
  assert.deepEqual(trace.errors.map((error) => error.title), [title]);
  assert.ok(trace.spans.some(({ spanId }) => spanId === trace.errors[0]?.spanId));
}
