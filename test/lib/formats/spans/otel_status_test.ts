import assert from "node:assert/strict";
import { otelStatus, sentryStatus } from "@/lib/formats/spans/status.ts";

const UNSET = 0;
const OK = 1;
const ERROR = 2;

const http = (code: number | string) => ({ "http.response.status_code": code });
const grpc = (code: string) => ({ "rpc.status_code": code });

Deno.test("an explicit ok outweighs every sign of an error", () => {
  assert.equal(otelStatus(OK, "server", { ...http(500), "error.type": "x" }), "ok");
});

Deno.test("an error is named after its code", () => {
  assert.equal(otelStatus(ERROR, "client", http(404)), "not_found");
  assert.equal(otelStatus(ERROR, "client", http("503")), "unavailable");
  assert.equal(otelStatus(ERROR, "client", http(418)), "invalid_argument");
  assert.equal(otelStatus(ERROR, "server", http(599)), "internal_error");
  assert.equal(otelStatus(ERROR, "client", grpc("DEADLINE_EXCEEDED")), "deadline_exceeded");
  assert.equal(otelStatus(ERROR, "client", grpc("CANCELLED")), "cancelled");
  assert.equal(otelStatus(ERROR, "internal", {}), "internal_error");
});

Deno.test("an error stays one even if its code says otherwise", () => {
  assert.equal(otelStatus(ERROR, "server", http(200)), "internal_error");
  assert.equal(otelStatus(ERROR, "server", grpc("UNKNOWN")), "internal_error");
});

Deno.test("a span without status failed if its attributes say so", () => {
  assert.equal(otelStatus(UNSET, "server", http(404)), "");
  assert.equal(otelStatus(UNSET, "client", http(404)), "not_found");
  assert.equal(otelStatus(UNSET, "server", http(500)), "internal_error");
  assert.equal(otelStatus(UNSET, "internal", { "error.type": "TypeError" }), "internal_error");
  assert.equal(otelStatus(UNSET, "internal", { "exception.type": "E" }), "internal_error");
  assert.equal(otelStatus(UNSET, "server", grpc("NOT_FOUND")), "");
  assert.equal(otelStatus(UNSET, "client", grpc("NOT_FOUND")), "not_found");
  assert.equal(otelStatus(UNSET, "server", grpc("INTERNAL")), "internal_error");
  assert.equal(otelStatus(UNSET, "client", {}), "");
});

Deno.test("Sentry's statuses come in one spelling", () => {
  assert.equal(sentryStatus("error", http(404)), "not_found");
  assert.equal(sentryStatus("error", {}), "internal_error");
  assert.equal(sentryStatus("canceled", {}), "cancelled");
  assert.equal(sentryStatus("unknown_error", {}), "unknown");
  assert.equal(sentryStatus("13", {}), "internal_error");
  assert.equal(sentryStatus("boom", {}), "boom");
  assert.equal(sentryStatus("", {}), "");
});
