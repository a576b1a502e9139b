import { KEY_TYPES } from "../../accounts/keys.ts";
import { bearerKey, credentialsInHead } from "../credentials.ts";
import type { Protocol } from "../protocol.ts";
import { Refusal } from "../../core/refusal.ts";
import { withDecodedBearer } from "./otlp.ts";

/** `UNIMPLEMENTED`: exporters give up at once and write the message to their log. */
const UNIMPLEMENTED = "12";

/** Whether a client speaks gRPC, whatever the address: `application/grpc`, `application/grpc+proto`. */
export function isGrpc({ headers }: Request): boolean {
  return /^application\/grpc\s*(?:[+;]|$)/i.test(headers.get("content-type") ?? "");
}

/**
 * What gRPC clients get at every address: how to send instead, in an answer that their libraries understand, which is
 * 200 with the status among the headers and no body.
 *
 * @param baseUrl of the service, which exporters are to be given
 */
export function grpcRefusal(baseUrl: string): Protocol {
  const detail = "OpenTelemetry is taken over HTTP and not over gRPC: set " +
    `OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf and OTEL_EXPORTER_OTLP_ENDPOINT=${baseUrl}`;
  const refuseUnread = () => {
    throw new Refusal(415, detail, { kind: "invalid", reason: "grpc" });
  };
  const refuse = () =>
    new Response(null, {
      headers: {
        "content-type": "application/grpc",
        "grpc-status": UNIMPLEMENTED,
        "grpc-message": percentEncoded(detail),
      },
    });
  return {
    name: "grpc",
    category: "unknown",
    keyTypes: KEY_TYPES,
    credentials: (req, url) => bearerKey(withDecodedBearer(req)) ?? credentialsInHead(req, url),
    refuseUnread,
    decode: refuseUnread,
    reply: refuse,
    refuse,
  };
}

/** As gRPC has `grpc-message`: printable ASCII but for the percent sign stays. */
function percentEncoded(text: string): string {
  return text.toWellFormed().replace(/[^\x20-\x24\x26-\x7e]+/g, encodeURIComponent);
}
