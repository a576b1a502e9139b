import { KV_LIMIT_MS } from "../accounts/kv.ts";
import { type IngestKey, listKeys } from "../accounts/keys.ts";
import { openSigner } from "../accounts/secrets.ts";
import { Refusal, unavailable } from "../core/refusal.ts";
import { withTimeLimit } from "../core/waiting.ts";
import { receive } from "../ingest/pipeline.ts";
import { sentryPing } from "../ingest/protocols/sentry.ts";
import { preflight, refused } from "../ingest/protocols/sentry_reply.ts";
import { isPingKnown, pingParams, type PingTarget, readPingToken } from "../monitors/cron/ping.ts";
import { define } from "./define.ts";
import type { Services } from "./services.ts";

/** Pings a second of one address; twice that in a burst. A run is three of them at most. */
const RATE_PER_SEC = 5;
/** While Postgres is away a ping is taken by its signature alone, and spooled. */
const LOOK_UP_MS = 1_000;
const METHODS = ["GET", "HEAD", "POST"];

/**
 * The handler of `/ping/<token>[/<action>]`: turns a ping into a check-in with a key of its project, and hands it to
 * the pipeline. Unknown addresses get 404, too many pings 429.
 */
export const pingHandler = define.handlers(async ({ req, params, url, state }) => {
  if (req.method === "OPTIONS") return preflight();
  const { services, clientAddress } = state;
  try {
    if (!METHODS.includes(req.method)) throw wrongMethod(req.method);
    const target = await knownTarget(services, params.token ?? "");
    const query = pingParams(params.action, url.searchParams);
    if (target === null || query === null) throw unknownPing();
    const key = await admitPing(services, target);
    const address = new URL(`/api/${target.projectId}/cron/${target.slug}/?${query}`, url);
    const arrival = { url: address, projectId: target.projectId, clientAddress };
    return await receive(asPost(req, address), sentryPing(key.publicKey), services, arrival);
  } catch (error) {
    if (error instanceof Refusal) return refused(error);
    services.log.error("cannot take a ping", { error });
    return refused(unavailable());
  }
});

async function knownTarget(
  { kv, sql, config, log }: Services,
  token: string,
): Promise<PingTarget | null> {
  const signer = await withTimeLimit(openSigner(kv, config), KV_LIMIT_MS);
  const target = await readPingToken(signer, token);
  if (target === null) return null;
  try {
    return await withTimeLimit(isPingKnown(sql, target), LOOK_UP_MS) ? target : null;
  } catch (error) {
    log.warn("takes a ping without a look at its monitor", { error });
    return target;
  }
}

/** Spends a permit of the address. @returns the key that the ping is counted for @throws {Refusal} */
async function admitPing(
  { kv, rates, writer }: Services,
  { projectId, slug }: PingTarget,
): Promise<IngestKey> {
  const permit = await withTimeLimit(
    rates.take(`${projectId}:ping:${slug}`, RATE_PER_SEC),
    KV_LIMIT_MS,
  );
  if (!permit.ok) {
    const outcome = { kind: "rate_limited", reason: "ping_rate" } as const;
    writer.count(projectId, [{ category: "monitor", ...outcome, quantity: 1 }]);
    throw new Refusal(429, "This address is pinged more often than it may be", outcome, {
      "retry-after": String(permit.retryAfterSec),
    });
  }
  const keys = await withTimeLimit(listKeys(kv, projectId), KV_LIMIT_MS);
  // Pages' keys have origins, which no job sends.
  const key = keys.find(({ isActive, type }) => isActive && type === "server") ??
    keys.find(({ isActive, type }) => isActive && type === "site");
  if (key !== undefined) return key;
  throw new Refusal(403, "The project has no key for servers that is enabled", {
    kind: "refused",
    reason: "disabled_key",
  });
}

/** HEAD and GET have no body; what they were let in with before means nothing here. */
function asPost(req: Request, url: URL): Request {
  const headers = new Headers();
  for (const name of ["content-type", "content-encoding", "user-agent"]) {
    const value = req.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  return new Request(url, { method: "POST", headers, body: req.body });
}

function unknownPing(): Refusal {
  return new Refusal(404, "No job has this address for pings", {
    kind: "refused",
    reason: "unknown_address",
  });
}

function wrongMethod(method: string): Refusal {
  const outcome = { kind: "refused", reason: "wrong_method" } as const;
  return new Refusal(405, `This address does not take ${method}`, outcome, {
    allow: [...METHODS, "OPTIONS"].join(", "),
  });
}
