/** A profile that is uploaded with the trace of a request which Sentry's SDK traced opens from the request's waterfall. */
import assert from "node:assert/strict";
import { type ListeningApp, listeningApp } from "../support/listening_app.ts";
import { pprofBytes } from "../support/pprof.ts";
import { faultyLink } from "../support/faulty_link.ts";
import { waitFor } from "../support/wait_for.ts";
import { postgresEnv } from "./clients/otel_env.ts";
import { nodeService, type Program, startService } from "./clients/services.ts";
import { curlUpload } from "./profiling/curl.ts";

const ARRIVES_WITHIN_MS = 15_000;
const NAMES = { service: "shop-api", environment: "production" };

const program = await nodeService("traces_sentry_node");

Deno.test({
  name: "a profile with the trace of a request that Sentry traced opens from its waterfall",
  ignore: program === null,
  async fn() {
    if (program === null) return;
    await using app = await listeningApp();
    const { traceId, spanId } = await traced(app, program);
    const profile = pprofBytes([
      { stack: ["main.main", "main.priceOf"], values: [12n, 120_000_000n] },
    ]);
    const ids = { trace_id: traceId, span_id: spanId };
    const { id } = await curlUpload(app, profile, { ...NAMES, ...ids });
    const html = await opens(app, traceId, spanId, id);
    assert.match(html, new RegExp(`/traces/${traceId}`), "it leads back to the trace");
  },
});

Deno.test({
  name: "a profile whose samples name the trace opens from its waterfall with these samples",
  ignore: program === null,
  async fn() {
    if (program === null) return;
    await using app = await listeningApp();
    const { traceId, spanId } = await traced(app, program);
    const labels = [{ key: "trace_id", text: traceId }, { key: "span_id", text: spanId }];
    const profile = pprofBytes([
      { stack: ["main.main", "main.priceOf"], values: [12n, 120_000_000n], labels },
      { stack: ["main.main", "main.sleep"], values: [90n, 900_000_000n] },
    ]);
    const { id } = await curlUpload(app, profile, NAMES);
    const html = await opens(app, traceId, spanId, id);
    assert.doesNotMatch(html, /main\.sleep/, "what others did is left out");
  },
});

/** Serves a request that Sentry's SDK traces. */
async function traced(
  { services: { sql }, projectId, serverDsn }: ListeningApp,
  service: Program,
): Promise<{ traceId: string; spanId: string }> {
  await using postgres = faultyLink(sql);
  const env = { SENTRY_DSN: serverDsn, ...postgresEnv(postgres) };
  await using running = await startService(service, env);
  const response = await fetch(`${running.url}/users/7`);
  assert.equal(response.status, 200, await response.text());
  await running.stop();
  return await waitFor("the request's trace", async () => {
    const [row] = await sql<{ traceId: string; spanId: string }[]>`
      select replace(trace_id::text, '-', '') as "traceId", span_id as "spanId" from transactions
      where project_id = ${projectId}
    `;
    return row ?? null;
  }, ARRIVES_WITHIN_MS);
}

/** From the waterfall to the profile. @returns the profile's page */
async function opens(
  { owner, projectId }: ListeningApp,
  traceId: string,
  spanId: string,
  profileId: string,
): Promise<string> {
  const waterfall = await owner.get(`/projects/${projectId}/traces/${traceId}`);
  assert.match(waterfall.html, new RegExp(`profiling/${profileId}`), "it is listed below");
  const panel = await owner.get(`/projects/${projectId}/traces/${traceId}?span=${spanId}`);
  assert.match(panel.html, /main\.priceOf/, "the span's panel has its flame graph");
  const [, href = ""] = new RegExp(`href="([^"]*/profiling/${profileId}[^"]*)"`).exec(panel.html) ??
    [];
  const { status, html } = await owner.get(href.replaceAll("&amp;", "&"));
  assert.equal(status, 200);
  assert.match(html, /main\.priceOf/);
  return html;
}
