import type { Credentials } from "./credentials.ts";
import { Refusal } from "../core/refusal.ts";
import { parseAuthHeader, parseAuthQuery } from "./auth.ts";
import { parseDsn } from "./dsn.ts";

/**
 * The key in the head of a request: `X-Sentry-Auth`, `Authorization: Sentry …` or the query, as the SDKs
 * send it. Sentry refuses a key that comes twice; here that is an error only when the two differ.
 *
 * @throws {Refusal} 401 when two keys are named
 */
export function credentialsInHead({ headers }: Request, { searchParams }: URL): Credentials | null {
  const found = [
    parseAuthHeader(headers.get("x-sentry-auth") ?? ""),
    parseAuthHeader(headers.get("authorization") ?? ""),
    parseAuthQuery(searchParams),
  ].filter((auth) => auth !== null);
  const [first] = found;
  if (first === undefined) return null;
  if (found.some(({ publicKey }) => publicKey !== first.publicKey)) throw twoKeys();
  return first;
}

/** The key in a DSN, as envelopes from behind a tunnel carry it. */
export function credentialsInDsn(dsn: string | null): Credentials | null {
  const parsed = dsn === null ? null : parseDsn(dsn);
  return parsed && { publicKey: parsed.publicKey, client: null };
}

/** @throws {Refusal} 401 when a DSN in the body names another key than the one that let the request in */
export function refuseOtherKey(dsn: string | null, publicKey: string): void {
  const named = credentialsInDsn(dsn);
  if (named !== null && named.publicKey !== publicKey) throw twoKeys();
}

function twoKeys(): Refusal {
  return new Refusal(401, "The request names two different keys", {
    kind: "refused",
    reason: "two_keys",
  });
}
