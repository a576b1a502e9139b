import { v7 as uuidV7 } from "uuid";
import type { Ingest } from "../accounts/ingest_lookup.ts";
import { findProject, type Project, settingsOf } from "../accounts/projects.ts";
import { maskKeys } from "../core/log.ts";
import { MEASURES, type RequestOutcome } from "../core/measures/measures.ts";
import { diskFull, Refusal, unavailable, wrongClock } from "../core/refusal.ts";
import { withTimeLimit } from "../core/waiting.ts";
import type { Policy } from "../formats/decode_context.ts";
import { type Batch, countOf, NO_PROJECT } from "../records/mod.ts";
import { admit, admitBytes, type SpentRates } from "./admit.ts";
import { decodeTurns } from "./decode_turns.ts";
import { type Credentials, identify, originOf } from "./identify.ts";
import { policyOf } from "./policy.ts";
import type { AnyProtocol } from "./protocol.ts";
import { CORS_HEADERS } from "./protocols/sentry_reply.ts";
import { Body, bodySize } from "./receive.ts";
import type { Refusals } from "../usage/mod.ts";
import type { RateLimiter } from "../accounts/rates.ts";
import type { DiskSpace } from "../core/disk_space.ts";
import { take, type TakeContext, type TakeServices } from "./take.ts";

/** What the pipeline works with. */
export interface IngestServices extends TakeServices {
  readonly rates: RateLimiter;
  readonly spentRates: SpentRates;
  /** Refused requests, for whoever wonders why nothing arrives. */
  readonly refusals: Refusals;
  /** Room for the embedded stores. */
  readonly disk: DiskSpace;
}

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
  const began = performance.now();
  const limits = { ...bodySize(protocol.body, config.maxEventBytes), stopping };
  let target: Ingest | null = null;
  const turn = (bytes: number) => decodeTurns.take(target?.project.id ?? "", bytes);
  const body = new Body(req, limits, protocol.findWhole, turn);
  let credentials: Credentials | null = null;
  /** What a request shows before anything is asked; those that show the same are refused for the same rate. */
  let way = "";
  try {
    credentials = await credentialsOf(req, protocol, arrival, body);
    const claim = {
      credentials,
      projectId: arrival.projectId,
      keyTypes: protocol.keyTypes,
      origin: originOf(req),
    };
    way = `${protocol.name} ${credentials?.publicKey} ${claim.projectId} ${claim.origin}`;
    const spent = services.spentRates.find(way);
    target = spent?.target ?? await withTimeLimit(identify(kv, claim), CONTROL_LIMIT_MS);
    if (spent !== null) throw spent.refusal;
    protocol.refuseUnread?.(req);
    if (disk.isLow()) throw diskFull();
    if (Date.now() < EARLIEST_MS) throw clockBack(services.log);
    await withTimeLimit(admit(target, config.ingestRatePerSec, services.rates), CONTROL_LIMIT_MS);
    if (target.monthlyBytes !== undefined) {
      const { length } = (await body.asReceived()).body;
      await withTimeLimit(admitBytes(target, length, services.rates), CONTROL_LIMIT_MS);
    }
    const context = contextOf(req, target, credentials, arrival, services);
    const { batch, isStored } = await take(protocol, body, context, target.project, services);
    if (body.cut !== null) throw withWhatWasKept(body.cut, batch?.records ?? []);
    const { project, key } = target;
    services.writer.countRequest({
      projectId: project.id,
      keyId: key.id,
      isAccepted: true,
      bytes: (await body.asReceived()).body.length,
      at: new Date(),
    });
    MEASURES.requests.add(1, protocol.name, isStored ? "stored" : "spooled");
    return batch === null ? kept() : protocol.reply(batch, req);
  } catch (error) {
    const refusal = error instanceof Refusal ? error : failure(error, services);
    if (target !== null) services.spentRates.note(way, target, refusal);
    MEASURES.requests.add(1, protocol.name, outcomeOf(refusal));
    countRefusal(refusal, target, protocol, services);
    await noteRefusal(refusal, target, { req, arrival, credentials }, services);
    body.leave();
    return protocol.refuse(refusal, req);
  } finally {
    MEASURES.requestDuration.observe((performance.now() - began) / 1_000);
  }
}

function outcomeOf({ status, outcome }: Refusal): RequestOutcome {
  if (outcome.kind === "rate_limited" || outcome.kind === "over_quota") return outcome.kind;
  if (status === 401 || status === 403) return "unauthorized";
  if (status === 413) return "too_large";
  return status >= 500 ? "unavailable" : "invalid";
}

/** The answer to a request that is kept until a decoder is mended. Some SDKs take anything but 200 for a failure. */
function kept(): Response {
  return new Response(null, { status: 200, headers: CORS_HEADERS });
}

/** The answer to a body of which a part was stored: nobody needs to send that again. */
function withWhatWasKept(
  { status, detail, outcome, headers }: Refusal,
  records: Batch["records"],
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
): TakeContext {
  return {
    requestId: uuidV7(),
    projectId: project.id,
    publicKey: key.publicKey,
    client: credentials?.client ?? null,
    clientAddress,
    userAgent: headers.get("user-agent"),
    address: addressOf(url),
    contentType: headers.get("content-type") ?? "",
    policy: policyFor(project),
    families: families.memory,
    drafts: new Map(),
    receivedAt: new Date(),
    retentionDays,
    maxEventBytes,
  };
}

/** By project as it was read: lookups give the same as long as nothing of it changes. */
const policies = new WeakMap<Project, Policy>();

function policyFor(project: Project): Policy {
  let policy = policies.get(project);
  if (policy === undefined) policies.set(project, policy = policyOf(settingsOf(project)));
  return policy;
}

/** By address as sent: clients send the same one with every request. */
const addresses = new Map<string, string>();
const MAX_ADDRESSES = 1_000;
/** Longer ones hold more than a key, and differ. */
const MAX_ADDRESS_LENGTH = 300;

/** What decoders may read of the address; the key has done its work. */
function addressOf(url: URL): string {
  const sent = url.pathname + url.search;
  let address = addresses.get(sent);
  if (address === undefined) {
    address = withoutKey(url);
    if (sent.length > MAX_ADDRESS_LENGTH) return address;
    if (addresses.size === MAX_ADDRESSES) addresses.clear();
    addresses.set(sent, address);
  }
  return address;
}

function withoutKey({ pathname, searchParams }: URL): string {
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

/** Every request is refused then: one line a minute says why. */
const CLOCK_LOG_EVERY_MS = 60_000;
/** When each log was told last, by a clock that nobody sets. */
const clockLogged = new WeakMap<IngestServices["log"], number>();

function clockBack(log: IngestServices["log"]): Refusal {
  const last = clockLogged.get(log);
  if (last === undefined || performance.now() - last >= CLOCK_LOG_EVERY_MS) {
    clockLogged.set(log, performance.now());
    log.error("the clock of this machine is wrong: nothing is taken until it is set", {
      now: new Date(),
    });
  }
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
