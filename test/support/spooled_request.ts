import type { SpooledRequest } from "../../lib/ingest/spool_objects.ts";

/** A request as the spool keeps it. @param text its body, which is no envelope */
export function spooledRequest(
  text: string,
  fields: Partial<SpooledRequest> = {},
): SpooledRequest {
  return {
    requestId: "0192f3c4-0000-7000-8000-000000000001",
    protocol: "sentry_envelope",
    projectId: "7",
    publicKey: "0123456789abcdef0123456789abcdef",
    receivedAt: new Date("2026-01-02T03:04:05.678Z"),
    clientAddress: "10.0.0.1",
    userAgent: null,
    address: "/api/7/envelope/",
    contentType: "application/x-sentry-envelope",
    client: null,
    encoding: "gzip",
    body: new TextEncoder().encode(text),
    ...fields,
  };
}
