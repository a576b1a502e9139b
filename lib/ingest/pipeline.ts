import { v7 as uuidV7 } from "uuid";
import type { Ingest } from "../accounts/ingest_lookup.ts";
import { findProject, settingsOf } from "../accounts/projects.ts";
import { maskKeys } from "../core/log.ts";
import { diskFull, Refusal, unavailable, wrongClock } from "../core/refusal.ts";
import { withTimeLimit } from "../core/waiting.ts";
import type { DecodeContext } from "../formats/decode_context.ts";
import { type Batch, countOf, NO_PROJECT } from "../records/mod.ts";
import { admit, limitSeries } from "./admit.ts";
import { commit, noteFirstEvent } from "./commit.ts";
import type { Credentials } from "./credentials.ts";
import { identify, originOf } from "./identify.ts";
import { policyOf } from "./policy.ts";
import type { AnyProtocol } from "./protocol.ts";
import { Body, bodySize } from "./receive.ts";
import { sample } from "./sample.ts";
import type { IngestServices } from "./services.ts";

/** What the router and the server know of a request, beside the request. */
export interface Arrival {
  readonly url: URL;
  /** The project in the address, or null where addresses name none. */
  readonly projectId: string | null;
  /** Address of the client, or null. */
  readonly clientAddress: string | null;
}

/** Clients of a KV server wait for ever while it is away; PHP's SDK holds up its page for 5 s at most. */
const CONTROL_LIMIT_MS = 3_000;

/**
 * Older than this software: a clock that says less was set back, or was never set since the machine has been switched
 * on. What is stored by such a clock lies years back, where no page looks and retention deletes it.
 */
const EARLIEST_MS = Date.UTC(2025, 0, 1);

/** The story of every ingest request, whatever its protocol. Never throws. */
export async function receive(
  req: Request,
  protocol: AnyProtocol,
  services: IngestServices,
  arrival: Arrival,
): Promise<Response> {
  const { config, kv, disk, stopping } = services;
  const limits = { ...bodySize(protocol.body, config.maxEventBytes), stopping };
  const body = new Body(req, limits, protocol.findWhole);
  let target: Ingest | null = null;
  let credentials: Credentials | null = null;
  try {
    credentials = await credentialsOf(req, protocol, arrival, body);
    const claim = {
      credentials,
      projectId: arrival.projectId,
      keyTypes: protocol.keyTypes,
      origin: originOf(req),
    };
    target = await withTimeLimit(identify(kv, claim), CONTROL_LIMIT_MS);
    protocol.refuseUnread?.(req);
    if (disk.isLow()) throw diskFull();
    if (Date.now() < EARLIEST_MS) throw clockBack(services.log);
    await withTimeLimit(admit(target, config.ingestRatePerSec, services.rates), CONTROL_LIMIT_MS);
    if (protocol.usesFamilies) await services.families.ready(target.project.id);
    const context = contextOf(req, target, credentials, arrival, services);
    const { sampleRate } = settingsOf(target.project);
    const sampled = sample(await protocol.decode(await body.decoded(), context), sampleRate);
    const batch = await limitSeries(sampled, target.project.id, services.seriesLimits);
    const { policy: _, families: __, ...facts } = context;
    const request = { ...facts, protocol: protocol.name, ...await body.asReceived() };
    await commit(batch, request, services);
    if (protocol.usesFamilies) await services.families.save(target.project.id);
    if (batch.records.length > 0) await noteFirstEvent(kv, target.project, context.receivedAt);
    if (body.cut !== null) throw withWhatWasKept(body.cut, batch);
    const { project, key } = target;
    services.writer.countRequest({
      projectId: project.id,
      keyId: key.id,
      isAccepted: true,
      at: new Date(),
    });
    return protocol.reply(batch, req);
  } catch (error) {
    const refusal = error instanceof Refusal ? error : failure(error, services);
    countRefusal(refusal, target, protocol, services);
    await noteRefusal(refusal, target, { req, arrival, credentials }, services);
    return protocol.refuse(refusal, req);
  }
}

/** The answer to a body of which a part was stored: nobody needs to send that again. */
function withWhatWasKept(
  { status, detail, outcome, headers }: Refusal,
  { records }: Batch,
): Refusal {
  const counts = new Map<string, number>();
  for (const { category, quantity } of records.map(countOf)) {
    if (quantity > 0) counts.set(category, (counts.get(category) ?? 0) + quantity);
  }
  const kept = [...counts].map(([category, quantity]) => `${category}: ${quantity}`).join(", ");
  const what = `what came whole before that was taken (${kept || "nothing to store"})`;
  return new Refusal(status, `${detail}; ${what}`, outcome, headers);
}

/** Looks into the body only when the head has no key. */
async function credentialsOf(
  req: Request,
  protocol: AnyProtocol,
  { url }: Arrival,
  body: Body,
): Promise<Credentials | null> {
  const inHead = protocol.credentials(req, url);
  if (inHead !== null || protocol.credentialsInBody === undefined) return inHead;
  return protocol.credentialsInBody(await body.decoded());
}

function contextOf(
  { headers }: Request,
  { project, key }: Ingest,
  credentials: Credentials | null,
  { url, clientAddress }: Arrival,
  { config: { retentionDays, maxEventBytes }, families }: Pick<
    IngestServices,
    "config" | "families"
  >,
): DecodeContext {
  return {
    requestId: uuidV7(),
    projectId: project.id,
    publicKey: key.publicKey,
    client: credentials?.client ?? null,
    clientAddress,
    userAgent: headers.get("user-agent"),
    address: addressOf(url),
    contentType: headers.get("content-type") ?? "",
    policy: policyOf(settingsOf(project)),
    families: families.memory,
    receivedAt: new Date(),
    retentionDays,
    maxEventBytes,
  };
}

/** What decoders may read of the address; the key has done its work. */
function addressOf({ pathname, searchParams }: URL): string {
  const query = new URLSearchParams(searchParams);
  query.delete("sentry_key");
  query.delete("sentry_data");
  return query.size === 0 ? pathname : `${pathname}?${query}`;
}

/** One of our stores is away, or we have a bug: the client is told to come again, the operator why. */
function failure(error: unknown, { log }: IngestServices): Refusal {
  log.error("cannot take a request", { error });
  return unavailable();
}

function countRefusal(
  { outcome }: Refusal,
  target: Ingest | null,
  { category }: AnyProtocol,
  { writer }: IngestServices,
): void {
  const { kind, reason, quantity = 1 } = outcome;
  const projectId = outcome.projectId ?? target?.project.id ?? NO_PROJECT;
  const keyId = outcome.keyId ?? target?.key.id;
  if (keyId !== undefined && projectId !== NO_PROJECT) {
    writer.countRequest({ projectId, keyId, isAccepted: false, at: new Date() });
  }
  writer.count(projectId, [{ category: outcome.category ?? category, kind, reason, quantity }]);
}

function clockBack(log: IngestServices["log"]): Refusal {
  log.error("the clock of this machine is wrong: nothing is taken until it is set", {
    now: new Date(),
  });
  return wrongClock();
}

interface Refused {
  readonly req: Request;
  readonly arrival: Arrival;
  readonly credentials: Credentials | null;
}

/** Keeps what the DSN doctor shows. Never throws. */
async function noteRefusal(
  { status, detail, outcome }: Refusal,
  target: Ingest | null,
  { req, arrival, credentials }: Refused,
  { refusals, kv }: IngestServices,
): Promise<void> {
  const own = outcome.projectId ?? target?.project.id;
  // A store is away: no second question to it.
  if (own === undefined && status === 503) return;
  const projectId = own ?? await projectInAddress(kv, arrival);
  if (projectId === null) return;
  refusals.note({
    projectId,
    isOwnKey: own !== undefined,
    keyId: outcome.keyId ?? target?.key.id ?? "",
    keyHint: credentials?.publicKey.slice(0, 8) ?? "",
    time: new Date(),
    status,
    reason: outcome.reason,
    detail,
    method: req.method,
    path: withoutKeys(arrival.url.pathname),
    sdk: credentials?.client ?? "",
    origin: originOf(req) ?? "",
    userAgent: req.headers.get("user-agent") ?? "",
  });
}

/** A project that exists: strangers shall not fill the lists of numbers that nobody has. */
async function projectInAddress(kv: Deno.Kv, { projectId }: Arrival): Promise<string | null> {
  if (projectId === null || !/^\d{1,18}$/.test(projectId)) return null;
  try {
    const project = await withTimeLimit(findProject(kv, projectId), CONTROL_LIMIT_MS);
    return project?.id ?? null;
  } catch {
    return null;
  }
}

/** Some addresses carry the key, and people put it where it does not belong. */
function withoutKeys(pathname: string): string {
  return maskKeys(pathname).replace(/[0-9a-f]{32}/g, (key) => `${key.slice(0, 8)}…`);
}
