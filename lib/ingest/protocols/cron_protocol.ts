import { isPublicKey, KEY_TYPES } from "../../accounts/keys.ts";
import type { Batch } from "../../records/mod.ts";
import type { Credentials } from "../credentials.ts";
import type { DecodeContext, Protocol } from "../protocol.ts";
import { Refusal } from "../../core/refusal.ts";
import { CORS_HEADERS } from "./cors.ts";
import { credentialsInHead } from "../sentry_credentials.ts";
import { asObject, type Raw } from "../../formats/fields.ts";
import { type Json, parseJson, put } from "../../formats/json.ts";
import { refused } from "./reply.ts";
import { decodeSingleItem } from "../../formats/sentry/single_item.ts";

/**
 * `GET` or `POST /api/<project>/cron/<slug>/<key>`: a check-in for crontabs and `curl`, its fields in the query or
 * as a JSON body.
 */
export const sentryCron: Protocol = {
  name: "sentry_cron",
  category: "monitor",
  keyTypes: KEY_TYPES,
  credentials: (req, url) => credentialsInHead(req, url) ?? keyInPath(url),
  decode,
  reply: () => new Response(null, { status: 202, headers: CORS_HEADERS }),
  refuse: refused,
};

const FIELDS = ["status", "check_in_id", "environment", "release", "duration"] as const;

function keyInPath({ pathname }: URL): Credentials | null {
  const [, key = ""] = partsOf(pathname);
  return isPublicKey(key) ? { publicKey: key, client: null } : null;
}

/** What follows `/cron/`: the slug, and the key where it stands there. */
function partsOf(pathname: string): string[] {
  return pathname.split("/cron/", 2)[1]?.split("/").filter((part) => part !== "") ?? [];
}

function decode(body: Uint8Array, context: DecodeContext): Batch {
  const { pathname, searchParams } = new URL(context.address, "http://local.invalid");
  const checkIn: Raw = { ...bodyOf(body) };
  for (const field of FIELDS) {
    const value = searchParams.get(field);
    if (value !== null) put(checkIn, field, value);
  }
  const [slug = ""] = partsOf(pathname);
  checkIn.monitor_slug = decodeURIComponentSafely(slug);
  const payload = new TextEncoder().encode(JSON.stringify(checkIn));
  const batch = decodeSingleItem("check_in", payload, context);
  const [dropped] = batch.outcomes;
  if (dropped?.kind !== "invalid") return batch;
  throw new Refusal(400, "The address names no monitor", dropped);
}

function bodyOf(body: Uint8Array): Raw {
  if (body.length === 0) return {};
  let parsed: Json;
  try {
    parsed = parseJson(body);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // Forms and the like: what counts is in the query.
    return {};
  }
  return asObject(parsed) ?? {};
}

function decodeURIComponentSafely(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
