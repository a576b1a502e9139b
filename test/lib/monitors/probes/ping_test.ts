import assert from "node:assert/strict";
import { readPing } from "@/lib/monitors/probes/ping.ts";
import { look } from "../../../support/probe_targets.ts";

Deno.test("readPing() tells silence from a system that allows no pings", () => {
  const kind = (code: number, text: string) => readPing({ code, text })?.kind;
  assert.equal(kind(0, "64 bytes from 192.0.2.1: icmp_seq=1 ttl=57 time=9.1 ms"), undefined);
  assert.equal(kind(1, "1 packets transmitted, 0 received, 100% packet loss"), "connection");
  assert.equal(kind(2, "ping: connect: Network is unreachable"), "connection");
  assert.equal(
    kind(2, "ping: socktype: SOCK_RAW\nping: socket: Operation not permitted"),
    "unsupported",
  );
  assert.equal(kind(2, "ping: Lacking privilege for icmp socket."), "unsupported");
});

Deno.test("probe() pings by the system's command, or says why it cannot", async () => {
  const { state, problem, address } = await look({ kind: "ping", host: "127.0.0.1" });
  assert.equal(address, "127.0.0.1");
  assert.ok(state === "up" || problem?.kind === "unsupported", problem?.sentence);
});
