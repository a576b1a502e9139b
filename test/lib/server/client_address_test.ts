import assert from "node:assert/strict";
import { clientAddress } from "@/lib/server/define.ts";

const peer: Deno.NetAddr = { transport: "tcp", hostname: "10.0.0.9", port: 1 };
const headers = new Headers({ "x-forwarded-for": "1.1.1.1, 203.0.113.7" });

Deno.test("clientAddress() ignores X-Forwarded-For unless a proxy is trusted", () => {
  assert.equal(clientAddress(headers, peer, 0), "10.0.0.9");
});

Deno.test("clientAddress() takes what the trusted proxy saw, not what the client claims before it", () => {
  assert.equal(clientAddress(headers, peer, 1), "203.0.113.7");
});

Deno.test("clientAddress() falls back to the peer when the proxy adds nothing", () => {
  assert.equal(clientAddress(new Headers(), peer, 1), "10.0.0.9");
});
