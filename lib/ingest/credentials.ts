import { isPublicKey } from "../accounts/keys.ts";
import { Refusal } from "../core/refusal.ts";

/** Who a request says it is. */
export interface Credentials {
  readonly publicKey: string;
  /** `name/version` of the client, as in `sentry.javascript.node/11.12.0`, or null. */
  readonly client: string | null;
}

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
    readAuth(searchParams),
  ].filter((auth) => auth !== null);
  const [first] = found;
  if (first === undefined) return null;
  if (found.some(({ publicKey }) => publicKey !== first.publicKey)) throw twoKeys();
  return first;
}

const MAX_DSN_LENGTH = 2_048;
/** `https://<publicKey>[:<secret>]@<host>[/<path>]/<projectId>` */
const DSN =
  /^[a-z][a-z0-9+.-]*:\/\/([^:@/\s]+)(?::[^@/\s]*)?@[^@/\s]+(?:\/[^?#\s]*)?\/\d{1,20}\/?$/i;

/** The key in a DSN of whatever host and path, as envelopes from behind a tunnel carry it; null when it is none. */
export function credentialsInDsn(dsn: string | null): Credentials | null {
  if (dsn === null || dsn.length > MAX_DSN_LENGTH) return null;
  const [, key = ""] = DSN.exec(dsn.trim()) ?? [];
  const publicKey = readPublicKey(key);
  return publicKey === null ? null : { publicKey, client: null };
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

/** The key in `Authorization: Bearer <PUBLIC_KEY>`; null when there is none. */
export function bearerKey({ headers }: Request): Credentials | null {
  const [, token = ""] = /^Bearer +([^\s,]+)\s*$/i.exec(headers.get("authorization") ?? "") ?? [];
  if (token === "") return null;
  // What has another form is an unknown key, not a missing one.
  return { publicKey: isPublicKey(token) ? token : token.slice(0, 100), client: null };
}

const MAX_HEADER_LENGTH = 4_096;
const SCHEME = /^\s*sentry(?:\s+|$)/i;

/**
 * Reads `Sentry sentry_key=…, sentry_version=7, …`: the scheme in any case, blanks anywhere around `,` and `=`,
 * values plain or percent-encoded. Null when the scheme is another or there is no usable key.
 */
export function parseAuthHeader(text: string): Credentials | null {
  if (text.length > MAX_HEADER_LENGTH || !SCHEME.test(text)) return null;
  const fields = text.replace(SCHEME, "").split(",").map((field): [string, string] => {
    const equals = field.indexOf("=");
    return equals < 0 ? [field.trim(), ""] : [
      field.slice(0, equals).trim().toLowerCase(),
      decodePercent(field.slice(equals + 1).trim()),
    ];
  });
  return readAuth(new Map(fields));
}

/** What the fields of a header, or a URL's query, where JS SDKs put them, say; null when there is no usable key. */
export function readAuth(
  fields: { get(name: string): string | null | undefined },
): Credentials | null {
  const publicKey = readPublicKey(fields.get("sentry_key") ?? "");
  if (!publicKey) return null;
  return { publicKey, client: fields.get("sentry_client") || null };
}

const PUBLIC_KEY = /^[A-Za-z0-9_-]{1,64}$/;

/** A public key without the flags that may follow it, as in `key.no-cache`; null when it cannot be one. */
function readPublicKey(text: string): string | null {
  const [key = ""] = text.trim().split(".", 1);
  return PUBLIC_KEY.test(key) ? key : null;
}

/** Undoes percent-encoding. A stray % does not make a text unreadable: it stays as it is. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
