import { KEY_TYPES } from "../../accounts/keys.ts";
import type { Credentials } from "../credentials.ts";
import type { Protocol } from "../protocol.ts";
import { isPublicKey } from "../../accounts/keys.ts";
import { CORS_HEADERS } from "./cors.ts";
import { credentialsInHead } from "../sentry_credentials.ts";
import { refused } from "./reply.ts";

/**
 * `POST /api/<project>/minidump/` and `/unreal/<key>/`: crash dumps of native programs. They are taken, so that the
 * client does not send them again and again, and counted as unsupported.
 */
export const sentryCrash: Protocol = {
  name: "sentry_crash",
  category: "attachment",
  keyTypes: KEY_TYPES,
  credentials: (req, url) => credentialsInHead(req, url) ?? keyInPath(url),
  decode: (_, { address }) => ({
    records: [],
    outcomes: [{
      category: "attachment",
      kind: "unsupported",
      reason: address.includes("/unreal/") ? "unreal_report" : "minidump",
      quantity: 1,
    }],
    eventId: null,
  }),
  /** Crash reporters read the id as text, with hyphens. */
  reply: () =>
    new Response(crypto.randomUUID(), {
      headers: { ...CORS_HEADERS, "content-type": "text/plain" },
    }),
  refuse: refused,
};

function keyInPath({ pathname }: URL): Credentials | null {
  const last = pathname.replace(/\/+$/, "").split("/").pop() ?? "";
  return isPublicKey(last) ? { publicKey: last, client: null } : null;
}
