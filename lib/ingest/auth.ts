/** What a client says about itself in `X-Sentry-Auth`, `Authorization: Sentry …` or the query. */
export interface SentryAuth {
  readonly publicKey: string;
  /** `name/version` of the SDK, or null. */
  readonly client: string | null;
  /** Version of the protocol, 7 today, or null. */
  readonly version: string | null;
}

const MAX_LENGTH = 4_096;
const SCHEME = /^\s*sentry(?:\s+|$)/i;

/**
 * Reads `Sentry sentry_key=…, sentry_version=7, …`: the scheme in any case, blanks anywhere around `,` and `=`,
 * values plain or percent-encoded. Null when the scheme is another or there is no usable key.
 */
export function parseAuthHeader(text: string): SentryAuth | null {
  if (text.length > MAX_LENGTH || !SCHEME.test(text)) return null;
  const fields = text.replace(SCHEME, "").split(",").map((field): [string, string] => {
    const equals = field.indexOf("=");
    return equals < 0
      ? [field.trim(), ""]
      : [field.slice(0, equals).trim().toLowerCase(), decode(field.slice(equals + 1).trim())];
  });
  return readAuth(new Map(fields));
}

/** The same fields out of a URL's query, where JS SDKs put them; null when there is no usable key. */
export function parseAuthQuery(query: URLSearchParams): SentryAuth | null {
  return readAuth(query);
}

function readAuth(fields: { get(name: string): string | null | undefined }): SentryAuth | null {
  const publicKey = readPublicKey(fields.get("sentry_key") ?? "");
  if (!publicKey) return null;
  return {
    publicKey,
    client: fields.get("sentry_client") || null,
    version: fields.get("sentry_version") || null,
  };
}

const PUBLIC_KEY = /^[A-Za-z0-9_-]{1,64}$/;

/** A public key without the flags that may follow it, as in `key.no-cache`; null when it cannot be one. */
export function readPublicKey(text: string): string | null {
  const [key = ""] = text.trim().split(".", 1);
  return PUBLIC_KEY.test(key) ? key : null;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a stray % does not make the other fields unreadable
  }
}
