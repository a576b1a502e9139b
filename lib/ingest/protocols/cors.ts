/**
 * CORS for the addresses that SDKs post to. The headers belong on every answer, errors and 429 too: a
 * browser SDK that may not read an answer takes it for a network failure and never learns its rate limit.
 * No credentials: they exclude `*`, which the origin `null` of file pages needs.
 */
export const CORS_HEADERS: Readonly<Record<string, string>> = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "x-sentry-error, x-sentry-rate-limits, retry-after",
  "cross-origin-resource-policy": "cross-origin",
};

/** An hour: preflights cost the visitor a round trip each. */
const PREFLIGHT_MAX_AGE_SEC = 3600;

const ALLOWED_REQUEST_HEADERS = [
  "x-sentry-auth",
  "x-requested-with",
  "x-forwarded-for",
  "origin",
  "referer",
  "accept",
  "content-type",
  "authentication",
  "authorization",
  "content-encoding",
  "transfer-encoding",
].join(", ");

/** Answers the question that a browser asks before a request with headers of its own. */
export function preflight(): Response {
  return new Response(null, {
    status: 204,
    headers: {
      ...CORS_HEADERS,
      "access-control-allow-methods": "GET, POST, OPTIONS",
      "access-control-allow-headers": ALLOWED_REQUEST_HEADERS,
      "access-control-max-age": String(PREFLIGHT_MAX_AGE_SEC),
    },
  });
}
