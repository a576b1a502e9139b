/** What stock exporters of OpenTelemetry make of our refusals: no storm of repeats, and nothing lost that may be repeated. */
import assert from "node:assert/strict";
import { listKeys, reissueKey } from "../../lib/accounts/keys.ts";
import { updateSettings } from "../../lib/accounts/projects.ts";
import { setMonthlyQuota } from "../../lib/accounts/quotas.ts";
import { faultyLink } from "../support/faulty_link.ts";
import { type ListeningApp, listeningApp } from "../support/listening_app.ts";
import { waitFor } from "../support/wait_for.ts";
import { collector, startCollector } from "./clients/go_tools.ts";
import { otelEnv, type OtelFormat, postgresEnv, publicKeyOf } from "./clients/otel_env.ts";
import {
  denoService,
  goService,
  nodeService,
  type Program,
  pythonService,
  type Service,
  startService,
} from "./clients/services.ts";
import { countTransactions } from "./clients/stored.ts";
import { type Exchange, type WatchedLink, watchedLink } from "./clients/watched_link.ts";

const REQUESTS = 6;
/** Longer than spans and logs are gathered: several exports follow each other. */
const PAUSE_MS = 150;
const AWAY_MS = 1_500;
const ALL_STORED_WITHIN_MS = 60_000;
/** Of one export: within ten seconds, which is how long SDKs try, with a second between them. */
const MOST_ATTEMPTS = 11;

/** Codes of `google.rpc.Code`. */
const RPC = { unauthenticated: 16, permissionDenied: 7, exhausted: 8, unavailable: 14 };

const [node, python, go, deno, otelcol] = await Promise.all([
  nodeService("otel_node"),
  pythonService("otel_python", "opentelemetry-instrument"),
  goService("otel_go"),
  denoService("otel_deno"),
  collector(),
]);

interface Client {
  readonly program: Program | null;
  readonly format: OtelFormat;
  readonly exporter?: string;
  /** Stands between the program and the app. */
  readonly collector?: Program | null;
  /** Deno never repeats an export, whatever the answer. */
  readonly isPatient: boolean;
}

const PROTOBUF: OtelFormat = { protocol: "http/protobuf", isGzipped: false };
const JSON_PLAIN: OtelFormat = { protocol: "http/json", isGzipped: false };

const CLIENTS: Readonly<Record<string, Client>> = {
  Node: { program: node, format: JSON_PLAIN, isPatient: true },
  Python: { program: python, format: PROTOBUF, exporter: "otlp_proto_http", isPatient: true },
  Go: { program: go, format: PROTOBUF, isPatient: true },
  Deno: { program: deno, format: PROTOBUF, isPatient: false },
  "a collector": { program: node, format: PROTOBUF, collector: otelcol, isPatient: true },
};

for (const [name, client] of Object.entries(CLIENTS)) {
  const { program, collector: forwarder, isPatient } = client;
  const isInstalled = program !== null && forwarder !== null;
  const test = (what: string, fn: () => Promise<void>, ignore = false) =>
    Deno.test({ name: `${name} ${what}`, ignore: !isInstalled || ignore, fn });

  test("does not repeat an export that is refused with 401", async () => {
    const exchanges = await refusals(client, async ({ services: { kv }, projectId }) => {
      const key = (await listKeys(kv, projectId)).find(({ type }) => type === "server");
      await reissueKey(kv, key?.publicKey ?? "");
    });
    areRefused(exchanges, 401, RPC.unauthenticated, /^This key was reissued on /);
  });

  test("does not repeat an export that is refused with 403", async () => {
    const exchanges = await refusals(client, async () => {}, "browserDsn");
    areRefused(exchanges, 403, RPC.permissionDenied, /key/);
  });

  test("does not repeat an export once the month's quota is used up", async () => {
    const exchanges = await refusals(
      client,
      ({ services: { kv }, organization }) => setMonthlyQuota(kv, organization.id, 1),
    );
    const refused = exchanges.filter(({ status }) => status !== 200);
    areRefused(refused, 429, RPC.exhausted, /quota/);
  });

  test("repeats exports that are over the rate, no sooner than it is told to", async () => {
    const exchanges = await repeated(client, async (app, link) => {
      await updateSettings(app.services.kv, app.projectId, { ratePerSec: 2 });
      sendOn(app, link);
    });
    const refused = exchanges.filter(({ status }) => status !== 200);
    assert.ok(refused.length > 0 && refused.every(({ status }) => status === 429));
    areSpread(exchanges, 1_000);
  }, !isPatient);

  test("loses nothing while Watchpost cannot store", async () => {
    const exchanges = await repeated(client, (app, link) => Promise.resolve(goAway(app, link)));
    const refused = exchanges.filter(({ status }) => status !== 200);
    assert.ok(refused.length > 0 && refused.every(({ status }) => status === 503));
    assert.deepEqual(statusOf(refused[0]).code, RPC.unavailable);
    areSpread(exchanges, 1_000);
  }, !isPatient);
}

type Prepare = (app: ListeningApp, link: WatchedLink) => Promise<void>;

/** What a client's exports are answered by an app that somebody has prepared to refuse them for good. */
async function refusals(
  client: Client,
  prepare: Prepare,
  dsn: "serverDsn" | "browserDsn" = "serverDsn",
): Promise<readonly Exchange[]> {
  await using app = await listeningApp();
  await using link = watchedLink(app.url);
  await prepare(app, link);
  await using running = await start(client, app, link.url, publicKeyOf(app[dsn]));
  await serve(running.service.url);
  await running.stop();
  return exportsIn(link.exchanges);
}

/** The same of one that refuses for a while only: all has to be stored in the end, and once. */
async function repeated(client: Client, prepare: Prepare): Promise<readonly Exchange[]> {
  await using app = await listeningApp();
  await using link = watchedLink(app.url);
  await prepare(app, link);
  await using running = await start(client, app, link.url, publicKeyOf(app.serverDsn));
  await serve(running.service.url);
  await waitFor("all transactions and logs", async () => {
    const isAll = await countTransactions(app) >= REQUESTS && await countLogs(app) >= REQUESTS;
    return isAll || null;
  }, ALL_STORED_WITHIN_MS);
  await running.stop();
  assert.deepEqual([await countTransactions(app), await countLogs(app)], [REQUESTS, REQUESTS]);
  return exportsIn(link.exchanges);
}

interface Running extends AsyncDisposable {
  readonly service: Service;
  /** Lets everybody send what they still have. */
  stop(): Promise<void>;
}

async function start(
  { program, format, exporter, collector: forwarder }: Client,
  app: ListeningApp,
  url: string,
  publicKey: string,
): Promise<Running> {
  if (program === null || forwarder === null) throw new Error("The client is not installed");
  await using made = new AsyncDisposableStack();
  const postgres = made.use(faultyLink(app.services.sql));
  const passing = forwarder === undefined
    ? null
    : made.use(await startCollector(forwarder, { url, publicKey, encoding: "proto" }));
  const target = passing === null
    ? { ...format, endpoint: url, publicKey }
    : { ...format, endpoint: passing.url, publicKey: "" };
  const env = otelEnv(exporter === undefined ? target : { ...target, exporter });
  const service = made.use(await startService(program, { ...env, ...postgresEnv(postgres) }));
  const all = made.move();
  return {
    service,
    async stop() {
      await service.stop();
      await passing?.stop();
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

async function serve(url: string): Promise<void> {
  for (let index = 0; index < REQUESTS; index++) {
    const response = await fetch(`${url}/users/${index}`);
    assert.equal(response.status, 200, await response.text());
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

/** Sends on until an export of the client was refused: some clients are slower than any rate. */
function sendOn({ url, serverDsn }: ListeningApp, { exchanges }: WatchedLink): void {
  const headers = {
    authorization: `Bearer ${publicKeyOf(serverDsn)}`,
    "content-type": "application/json",
  };
  const timer = setInterval(async () => {
    if (exportsIn(exchanges).some(({ status }) => status !== 200)) return clearInterval(timer);
    const response = await fetch(`${url}/v1/logs`, { method: "POST", headers, body: "{}" });
    await response.body?.cancel();
  }, 50);
}

/** Takes the store of keys away until a while after the first export was refused: some clients start slowly. */
function goAway({ services: { kv } }: ListeningApp, { exchanges }: WatchedLink): void {
  const away = () => Promise.reject(new Error("The store is away"));
  Object.assign(kv, { get: away, getMany: away });
  const timer = setInterval(() => {
    const first = exportsIn(exchanges)[0];
    if (first === undefined || Date.now() - first.at < AWAY_MS) return;
    clearInterval(timer);
    Reflect.deleteProperty(kv, "get");
    Reflect.deleteProperty(kv, "getMany");
  }, 20);
}

/** Without metrics, which Deno exports whatever it is told. */
function exportsIn(exchanges: readonly Exchange[]): Exchange[] {
  return exchanges.filter(({ path }) => path === "/v1/traces" || path === "/v1/logs");
}

async function countLogs({ services: { sql }, projectId }: ListeningApp): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int as count from logs
    where project_id = ${projectId} and body like 'Stock is low%'
  `;
  return row?.count ?? 0;
}

/** Each was sent once, and its answer says why it was refused. */
function areRefused(
  exchanges: readonly Exchange[],
  status: number,
  code: number,
  message: RegExp,
): void {
  assert.ok(exchanges.length >= 2, `${exchanges.length} exports`);
  for (const exchange of exchanges) {
    assert.equal(exchange.status, status);
    const answer = statusOf(exchange);
    assert.equal(answer.code, code);
    assert.match(answer.message, message);
  }
  const bodies = new Set(exchanges.map(({ digest }) => digest));
  assert.equal(bodies.size, exchanges.length, "none was repeated");
}

/** Attempts at one export are few, and so far apart. */
function areSpread(exchanges: readonly Exchange[], apartMs: number): void {
  for (const attempts of Map.groupBy(exchanges, ({ digest }) => digest).values()) {
    assert.ok(attempts.length <= MOST_ATTEMPTS, `${attempts.length} attempts at one export`);
    const times = attempts.map(({ at }) => at).sort((a, b) => a - b);
    const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    assert.ok(pauses.every((pause) => pause >= apartMs), `${pauses} ms between attempts`);
  }
}

/** The `google.rpc.Status` of a refusal, in the encoding of the request. */
function statusOf(exchange: Exchange | undefined): { code: number; message: string } {
  assert.ok(exchange);
  const { answer, answerType, contentType } = exchange;
  assert.equal(answerType, contentType);
  if (answerType === "application/json") return JSON.parse(new TextDecoder().decode(answer));
  // Field 1 is the code, field 2 the message; both are short.
  const [codeTag, code = 0, messageTag, length = 0] = answer;
  assert.deepEqual([codeTag, messageTag], [0x08, 0x12]);
  return { code, message: new TextDecoder().decode(answer.subarray(4, 4 + length)) };
}
