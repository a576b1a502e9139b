/** Addresses that browsers post reports to by themselves, with the key in the query. */
import { KEY_TYPES } from "../../accounts/keys.ts";
import type { Batch } from "../../records/mod.ts";
import type { DecodeContext, Protocol } from "../protocol.ts";
import { Refusal } from "../../core/refusal.ts";
import { CORS_HEADERS } from "./cors.ts";
import { credentialsInHead } from "../sentry_credentials.ts";
import { refused } from "./reply.ts";
import { decodeSingleItem } from "../../formats/sentry/single_item.ts";

/** `POST /api/<project>/security/`: content security policy and its relatives. */
export const sentrySecurity: Protocol = {
  name: "sentry_security",
  category: "security",
  keyTypes: KEY_TYPES,
  credentials: credentialsInHead,
  decode: (body, context) => decodeReports("raw_security", body, context),
  reply: done,
  refuse: refused,
};

/** `POST /api/<project>/nel/`: failed requests, as browsers saw them. */
export const sentryNel: Protocol = {
  ...sentrySecurity,
  name: "sentry_nel",
  category: "log_item",
  decode: (body, context) => decodeReports("nel", body, context),
};

function decodeReports(type: string, body: Uint8Array, context: DecodeContext): Batch {
  const batch = decodeSingleItem(type, body, context);
  const [dropped] = batch.outcomes;
  if (batch.records.length > 0 || dropped?.kind !== "invalid") return batch;
  throw new Refusal(400, "The body is no report that a browser sends", dropped);
}

/** Browsers look at the status only. */
function done(): Response {
  return new Response(null, { status: 200, headers: CORS_HEADERS });
}
