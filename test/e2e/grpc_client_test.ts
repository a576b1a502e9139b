/** What a gRPC client of OpenTelemetry sees over HTTP/2 without TLS: a real process, and a client that knows its rules. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:http2";
import { signIn } from "../support/browserless.ts";
import { startServer } from "../support/server.ts";
import { publicKeyOf } from "./clients/otel_env.ts";
import { waitFor } from "../support/wait_for.ts";

const EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
/** One message of gRPC: not compressed, no bytes. */
const EMPTY_MESSAGE = new Uint8Array(5);

Deno.test("a gRPC exporter is told at every address how to send over HTTP, and so is the DSN doctor", async () => {
  await using server = await startServer();
  const project = await server.createProject("Shop");
  const key = publicKeyOf(project.serverDsn);
  for (const path of [EXPORT, "/v1/traces", "/", "/nowhere"]) {
    const { status, trailers, body } = await call(server.url, path, `Bearer ${key}`);
    assert.deepEqual([status, trailers["content-type"], trailers["grpc-status"], body], [
      200,
      "application/grpc",
      "12",
      "",
    ], path);
    const message = decodeURIComponent(String(trailers["grpc-message"]));
    assert.match(message, /OTEL_EXPORTER_OTLP_PROTOCOL=http\/protobuf/);
    assert.ok(message.includes(`OTEL_EXPORTER_OTLP_ENDPOINT=${server.url}`), message);
  }
  const stranger = await call(server.url, EXPORT, "");
  assert.equal(stranger.trailers["grpc-status"], "12", "without a key as well");
  const admin = await signIn(server.url);
  await waitFor("the doctor", async () => {
    const { text } = await admin.get(`/projects/${project.id}/settings/keys`);
    return (text.includes("OpenTelemetry over gRPC") && text.includes(EXPORT)) || undefined;
  });
});

/** A unary call with prior knowledge of HTTP/2, as gRPC has it. */
async function call(url: string, path: string, authorization: string) {
  const session = connect(url);
  try {
    const stream = session.request({
      ":method": "POST",
      ":path": path,
      "content-type": "application/grpc",
      te: "trailers",
      authorization,
    });
    stream.end(EMPTY_MESSAGE);
    const [trailers] = await once(stream, "response");
    let body = "";
    for await (const chunk of stream) body += chunk;
    return { status: trailers[":status"], trailers, body };
  } finally {
    session.close();
  }
}
