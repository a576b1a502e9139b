import type { Batch, Outcome } from "../../records/mod.ts";
import type { Refusal } from "../../core/refusal.ts";
import { CORS_HEADERS } from "./cors.ts";

const JSON_HEADERS = { ...CORS_HEADERS, "content-type": "application/json" };

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
