import type { Batch } from "../../telemetry/records.ts";
import type { Refusal } from "../refusal.ts";
import { CORS_HEADERS } from "./cors.ts";

const JSON_HEADERS = { ...CORS_HEADERS, "content-type": "application/json" };

/** Sentry's answer to a request that is stored: 200 exactly, since some SDKs take 201 for a failure. */
export function accepted({ eventId }: Pick<Batch, "eventId">): Response {
  return new Response(eventId === null ? "{}" : `{"id":"${eventId}"}`, { headers: JSON_HEADERS });
}

/** Sentry's answer to a request that is not taken: the reason in the body and in `X-Sentry-Error`. */
export function refused({ status, detail, headers }: Refusal): Response {
  return new Response(JSON.stringify({ detail }), {
    status,
    headers: { ...JSON_HEADERS, "x-sentry-error": detail, ...headers },
  });
}
