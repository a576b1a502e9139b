import { v7 as uuidV7 } from "uuid";
import type { Config } from "../config.ts";
import type { Ingest } from "../control/ingest_lookup.ts";
import { settingsOf } from "../control/project_settings.ts";
import type { Services } from "../services.ts";
import { NO_PROJECT } from "../telemetry/records.ts";
import { withTimeLimit } from "../time_limit.ts";
import { admit } from "./admit.ts";
import { commit } from "./commit.ts";
import type { Credentials } from "./credentials.ts";
import { noteFirstEvent } from "./first_event.ts";
import { identify } from "./identify.ts";
import { policyOf } from "./policy.ts";
import type { DecodeContext, Protocol } from "./protocol.ts";
import { Body } from "./receive.ts";
import { Refusal, unavailable } from "./refusal.ts";
import { sample } from "./sample.ts";

/** What the router and the server know of a request, beside the request. */
export interface Arrival {
  readonly url: URL;
  /** The project in the address, or null where addresses name none. */
  readonly projectId: string | null;
  /** Address of the client, or null. */
  readonly clientAddress: string | null;
}

/** Organizations have no setting for it yet. */
const UNLIMITED = 0;

/** Clients of a KV server wait for ever while it is away; PHP's SDK holds up its page for 5 s at most. */
const CONTROL_LIMIT_MS = 3_000;

/** The story of every ingest request, whatever its protocol. Never throws. */
export async function receive(
  req: Request,
  protocol: Protocol,
  services: Services,
  arrival: Arrival,
): Promise<Response> {
  const { config, kv } = services;
  const body = new Body(req, { maxBytes: config.maxEventBytes });
  let target: Ingest | null = null;
  try {
    const credentials = await credentialsOf(req, protocol, arrival, body);
    target = await withTimeLimit(letIn(credentials, arrival, services), CONTROL_LIMIT_MS);
    const context = contextOf(req, target, credentials, arrival, config);
    const { sampleRate } = settingsOf(target.project);
    const batch = sample(protocol.decode(await body.decoded(), context), sampleRate);
    const { policy: _, ...facts } = context;
    const request = { ...facts, protocol: protocol.name, ...await body.asReceived() };
    await commit(batch, request, services);
    if (batch.records.length > 0) await noteFirstEvent(kv, target.project, context.receivedAt);
    return protocol.reply(batch);
  } catch (error) {
    const refusal = error instanceof Refusal ? error : failure(error, services);
    countRefusal(refusal, target, protocol, services);
    return protocol.refuse(refusal);
  }
}

/** Looks into the body only when the head has no key. */
async function credentialsOf(
  req: Request,
  protocol: Protocol,
  { url }: Arrival,
  body: Body,
): Promise<Credentials | null> {
  const inHead = protocol.credentials(req, url);
  if (inHead !== null || protocol.credentialsInBody === undefined) return inHead;
  return protocol.credentialsInBody(await body.decoded());
}

async function letIn(
  credentials: Credentials | null,
  { projectId }: Arrival,
  { kv, rates, config }: Services,
): Promise<Ingest> {
  const limits = { ratePerSec: config.ingestRatePerSec, monthlyQuota: UNLIMITED };
  const target = await identify(kv, credentials, projectId);
  await admit(target, limits, rates);
  return target;
}

function contextOf(
  { headers }: Request,
  { project, key }: Ingest,
  credentials: Credentials | null,
  { url, clientAddress }: Arrival,
  { retentionDays, maxEventBytes }: Config,
): DecodeContext {
  return {
    requestId: uuidV7(),
    projectId: project.id,
    publicKey: key.publicKey,
    client: credentials?.client ?? null,
    clientAddress,
    userAgent: headers.get("user-agent"),
    address: addressOf(url),
    policy: policyOf(settingsOf(project)),
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
function failure(error: unknown, { log }: Services): Refusal {
  log.error("cannot take a request", { error });
  return unavailable();
}

function countRefusal(
  { outcome }: Refusal,
  target: Ingest | null,
  { category }: Protocol,
  { writer }: Services,
): void {
  const { kind, reason } = outcome;
  const projectId = outcome.projectId ?? target?.project.id ?? NO_PROJECT;
  writer.count(projectId, [{ category: outcome.category ?? category, kind, reason, quantity: 1 }]);
}
