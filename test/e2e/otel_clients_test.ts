/**
 * Stock SDKs of OpenTelemetry watch a service that serves two requests and fails at a third. What they export, in each
 * encoding they know, is compared with what is stored: transactions, spans, logs, the error, and how they hang together.
 */
import assert from "node:assert/strict";
import { faultyLink } from "../support/faulty_link.ts";
import { type ListeningApp, listeningApp } from "../support/listening_app.ts";
import { collector, startCollector, telemetrygen } from "./clients/go_tools.ts";
import { otelEnv, type OtelFormat, postgresEnv, publicKeyOf } from "./clients/otel_env.ts";
import {
  denoService,
  goService,
  nodeService,
  type Program,
  pythonService,
  runProgram,
  startService,
} from "./clients/services.ts";
import { isStored, type Story } from "./clients/otel_story.ts";
import { notStored } from "./clients/stored.ts";
import { type Exchange, watchedLink } from "./clients/watched_link.ts";

const PROTOBUF: OtelFormat = { protocol: "http/protobuf", isGzipped: false };
const PROTOBUF_GZIP: OtelFormat = { protocol: "http/protobuf", isGzipped: true };
const JSON_PLAIN: OtelFormat = { protocol: "http/json", isGzipped: false };
const JSON_GZIP: OtelFormat = { protocol: "http/json", isGzipped: true };

const [node, python, go, deno, otelcol, generator] = await Promise.all([
  nodeService("otel_node"),
  pythonService("otel_python", "opentelemetry-instrument"),
  goService("otel_go"),
  denoService("otel_deno"),
  collector(),
  telemetrygen(),
]);

interface Client extends Story {
  readonly name: string;
  readonly program: Program | null;
  readonly formats: readonly OtelFormat[];
  exporter?(format: OtelFormat): string;
}

const CLIENTS: readonly Client[] = [
  {
    name: "Node",
    program: node,
    formats: [PROTOBUF, PROTOBUF_GZIP, JSON_PLAIN, JSON_GZIP],
    platform: "node",
    route: "/users/:id",
    statement: "select $1::int as id, 'Ann' as name",
    title: "Error: Cannot charge order 4711",
  },
  {
    name: "Python",
    program: python,
    formats: [PROTOBUF, PROTOBUF_GZIP, JSON_GZIP],
    platform: "python",
    route: "/users/<int:user_id>",
    statement: "select ? as id, 'Ann' as name",
    title: "RuntimeError: Cannot charge order 4711",
    exporter: ({ protocol }) => protocol === "http/json" ? "otlp_json_http" : "otlp_proto_http",
  },
  {
    name: "Go",
    program: go,
    formats: [PROTOBUF, PROTOBUF_GZIP],
    platform: "go",
    route: "/users/{id}",
    statement: "select $1::int as id, 'Ann' as name",
    title: "*errors.errorString: Cannot charge order 4711",
  },
  {
    name: "Deno",
    program: deno,
    formats: [PROTOBUF, JSON_PLAIN],
    platform: "javascript",
    route: "/users/:id",
    statement: "select $1::int as id, 'Ann' as name",
    title: "Error: Cannot charge order 4711",
  },
];

for (const client of CLIENTS) {
  for (const format of client.formats) {
    Deno.test({
      name: `what OpenTelemetry in ${client.name} exports as ${nameOf(format)} is stored whole`,
      ignore: client.program === null,
      async fn() {
        if (client.program === null) return;
        await using app = await listeningApp();
        await using link = watchedLink(app.url);
        const exporter = client.exporter?.(format);
        const publicKey = publicKeyOf(app.serverDsn);
        const target = { ...format, endpoint: link.url, publicKey };
        const env = otelEnv(exporter === undefined ? target : { ...target, exporter });
        await serveRequests(app, client.program, env);
        await isStored(app, client);
        areSentAs(link.exchanges, format);
      },
    });
  }
}

for (const encoding of ["proto", "json"] as const) {
  Deno.test({
    name: `what a collector passes on as ${encoding} is stored whole`,
    ignore: otelcol === null || node === null,
    async fn() {
      const [client] = CLIENTS;
      if (otelcol === null || node === null || client === undefined) return;
      await using app = await listeningApp();
      await using link = watchedLink(app.url);
      await using forwarder = await startCollector(otelcol, {
        url: link.url,
        publicKey: publicKeyOf(app.serverDsn),
        encoding,
      });
      const env = otelEnv({ ...PROTOBUF_GZIP, endpoint: forwarder.url, publicKey: "" });
      await serveRequests(app, node, env);
      await forwarder.stop();
      await isStored(app, client);
      areSentAs(link.exchanges, encoding === "json" ? JSON_GZIP : PROTOBUF_GZIP);
    },
  });
}

Deno.test({
  name: "every trace and log of telemetrygen is stored",
  ignore: generator === null,
  async fn() {
    if (generator === null) return;
    await using app = await listeningApp();
    const to = [
      ...["--otlp-http", "--otlp-insecure", "--rate", "0", "--service", "generated"],
      ...["--otlp-endpoint", new URL(app.url).host],
      ...["--otlp-header", `Authorization="Bearer ${publicKeyOf(app.serverDsn)}"`],
    ];
    const run = (args: string[]) => runProgram({ ...generator, args: [...args, ...to] });
    await run(["traces", "--traces", "50", "--child-spans", "3", "--status-code", "Error"]);
    await run(["logs", "--logs", "50", "--body", "generated line"]);
    await app.services.writer.close();
    const { sql } = app.services;
    const [spans] = await sql`select sum(span_count)::int as count from span_batches`;
    assert.equal(spans?.count, 50 * 4);
    const [entries] = await sql`
      select count(distinct trace_id)::int as traces, count(*)::int as count from transactions
      where service = 'generated'
    `;
    // All its child spans are of servers.
    assert.deepEqual({ ...entries }, { traces: 50, count: 200 });
    const [logs] = await sql`select count(*)::int as count from logs where body = 'generated line'`;
    assert.equal(logs?.count, 50);
    assert.deepEqual(await notStored(app), []);
  },
});

function nameOf({ protocol, isGzipped }: OtelFormat): string {
  return protocol + (isGzipped ? " with gzip" : "");
}

/** Runs a service for two requests that succeed and one that does not. */
async function serveRequests(
  { services }: ListeningApp,
  program: Program,
  env: Record<string, string>,
): Promise<void> {
  await using postgres = faultyLink(services.sql);
  await using service = await startService(program, { ...env, ...postgresEnv(postgres) });
  for (const [path, status] of [["/users/7", 200], ["/users/8", 200], ["/fail", 500]] as const) {
    const response = await fetch(service.url + path);
    assert.equal(response.status, status, await response.text());
  }
  await service.stop();
}

function areSentAs(exchanges: readonly Exchange[], { protocol, isGzipped }: OtelFormat): void {
  const isJson = protocol === "http/json";
  const type = isJson ? "application/json" : "application/x-protobuf";
  for (const path of ["/v1/traces", "/v1/logs"]) {
    const sent = exchanges.filter((exchange) => exchange.path === path);
    assert.ok(sent.length > 0, `nothing came to ${path}`);
    for (const { contentType, encoding, status, answer, answerType } of sent) {
      assert.deepEqual([contentType, encoding], [type, isGzipped ? "gzip" : ""]);
      assert.deepEqual([status, answerType], [200, type]);
      assert.equal(new TextDecoder().decode(answer), isJson ? "{}" : "", "all of it was taken");
    }
  }
}
