import type { Refusal } from "../../core/refusal.ts";
import type { Batch, Outcome } from "../../records/mod.ts";

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

const JSON_HEADERS = {
  ...CORS_HEADERS,
  "content-type": "application/json",
  "x-content-type-options": "nosniff",
  "cache-control": "private, no-store",
};

/**
 * Sentry's answer to a request that is stored: 200 exactly, since some SDKs take 201 for a failure. What there is no
 * place for need not come again.
 */
export function accepted({ eventId, outcomes }: Pick<Batch, "eventId" | "outcomes">): Response {
  return new Response(eventId === null ? "{}" : `{"id":"${eventId}"}`, {
    headers: { ...JSON_HEADERS, ...stopHeaders(outcomes) },
  });
}

/** Categories of which nothing is ever stored: Sentry's replays, and the metrics of SDKs of 2023. */
const UNWANTED: readonly string[] = ["replay", "metric_bucket"];
/** Long enough to send next to nothing, short enough to be taken soon after an update that has a place for them. */
const UNWANTED_FOR_SEC = 24 * 60 * 60;

/**
 * Tells SDKs to stop sending what is thrown away: those of browsers then record no replays until the page is loaded
 * again. No blanks: PHP's SDK would not understand the number.
 */
function stopHeaders(outcomes: readonly Outcome[]): Record<string, string> {
  const sent = UNWANTED.filter((each) =>
    outcomes.some(({ category, kind }) => kind === "unsupported" && category === each)
  );
  if (sent.length === 0) return {};
  const limit = `${UNWANTED_FOR_SEC}:${sent.join(";")}:project:unsupported`;
  return { "x-sentry-rate-limits": limit };
}

/** Sentry's answer to a request that is not taken: the reason in the body and in `X-Sentry-Error`. */
export function refused({ status, detail, headers }: Refusal): Response {
  return new Response(JSON.stringify({ detail }), {
    status,
    headers: { ...JSON_HEADERS, "x-sentry-error": detail, ...headers },
  });
}

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
