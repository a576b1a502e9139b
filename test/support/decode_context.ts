import { DEFAULT_SETTINGS } from "../../lib/accounts/projects.ts";
import { policyOf } from "../../lib/ingest/policy.ts";
import type { DecodeContext } from "../../lib/formats/decode_context.ts";

/** What decoders need beside the bytes. */
export function decodeContext(fields: Partial<DecodeContext> = {}): DecodeContext {
  return {
    requestId: "0192f3c4-0000-7000-8000-000000000001",
    projectId: "1",
    publicKey: "0".repeat(32),
    receivedAt: new Date(),
    clientAddress: null,
    userAgent: null,
    address: "/api/1/envelope/",
    contentType: "",
    client: null,
    retentionDays: 90,
    maxEventBytes: 1_000_000,
    policy: policyOf(DEFAULT_SETTINGS),
    ...fields,
  };
}
