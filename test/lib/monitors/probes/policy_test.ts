import assert from "node:assert/strict";
import { readPlace } from "@/lib/core/addresses.ts";
import { readConfig } from "@/lib/core/config.ts";
import { addressPolicy } from "@/lib/monitors/probes/policy.ts";
import type { ProbeOptions } from "@/lib/monitors/probes/probe.ts";
import {
  answering,
  httpServer,
  LOCAL,
  look,
  NOWHERE,
  tcpServer,
} from "../../../support/probe_targets.ts";

type Policy = ProbeOptions["policy"];

function allowing(list: string, stores: Policy["stores"] = []): Policy {
  return { ...addressPolicy(readConfig({ SERVICE_MONITOR_ALLOW: list })), stores };
}

/** Whether a check of a host and port that leads to `address` is refused before anything is sent. */
async function isRefused(
  host: string,
  { address = host, port = 1, policy = NOWHERE }: {
    readonly address?: string;
    readonly port?: number;
    readonly policy?: Policy;
  } = {},
): Promise<boolean> {
  return await isRefusedBy({ host, port }, { policy, resolver: answering([address]) });
}

/** Nobody waits for a host that does not answer; on a busy machine it may not even have been judged by then. */
async function isRefusedBy(
  place: { readonly host: string; readonly port: number },
  options: Pick<ProbeOptions, "policy" | "resolver">,
): Promise<boolean> {
  while (true) {
    const signal = AbortSignal.timeout(50);
    const { problem, address } = await look({ kind: "tcp", ...place }, { ...options, signal });
    if (problem?.kind === "refused") return true;
    if (address !== null) return false;
  }
}

Deno.test("checks reach no private network and no machine of our own, however an address is written", async () => {
  await using server = await httpServer((_request, response) => response.end());
  const { port } = server;
  const refused = async (host: string) => {
    const url = `http://${host}:${port}/`;
    const { problem } = await look({ kind: "http", url }, { policy: NOWHERE });
    assert.equal(problem?.kind, "refused", url);
    assert.equal(await isRefused(host, { port }), true, host);
  };
  await refused("127.0.0.1");
  await refused("2130706433");
  await refused("0x7f.1");
  await refused("0177.0.0.1");
  await refused("0");
  await refused("[::1]");
  await refused("[::ffff:127.0.0.1]");
  await refused("[64:ff9b::7f00:1]");
  await refused("10.1.2.3");
  await refused("192.168.0.1");
  await refused("169.254.169.254");
  await refused("168.63.129.16");
  await refused("[fd00:ec2::254]");
  await refused("[fe80::1]");
  assert.equal(server.connections, 0);
});

Deno.test("a host is refused when one of its addresses is private", async () => {
  const resolver = answering(["93.184.216.34", "10.0.0.5"]);
  const { problem } = await look({ kind: "tcp", host: "mixed.test", port: 80 }, {
    policy: NOWHERE,
    resolver,
  });
  assert.equal(problem?.kind, "refused");
});

Deno.test("a name is asked for once, and connected to where it was judged to lead", async () => {
  await using server = await httpServer((_request, response) => response.end());
  // The second answer is what DNS rebinding would give to whoever asks again.
  const resolver = answering(["127.0.0.1"], ["10.0.0.9"]);
  const url = `http://rebind.test:${server.port}/`;
  const { state, address } = await look({ kind: "http", url }, { resolver });
  assert.deepEqual([state, address, resolver.asked], ["up", "127.0.0.1", ["rebind.test"]]);
});

Deno.test("each redirect is judged again", async () => {
  const to = async (location: string) => {
    await using server = await httpServer((_request, response) => {
      response.writeHead(302, { location }).end();
    });
    const url = `http://site.test:${server.port}/`;
    const resolver = answering(["127.0.0.1"], ["10.0.0.9"]);
    return (await look({ kind: "http", url }, { resolver })).problem?.kind;
  };
  assert.equal(await to("http://169.254.169.254/latest/meta-data/"), "refused");
  assert.equal(await to("http://0xa9fea9fe/"), "refused");
  assert.equal(await to("http://[::ffff:a9fe:a9fe]/"), "refused");
  // The same name may lead elsewhere the second time.
  assert.equal(await to("http://site.test/again"), "refused");
});

Deno.test("a network that the operator allows opens itself, and never this machine or metadata", async () => {
  const policy = allowing("10.0.0.0/8,0.0.0.0/0,::/0");
  assert.equal(await isRefused("10.1.2.3", { policy }), false);
  assert.equal(await isRefused("a.test", { address: "10.1.2.3", policy }), false);
  assert.equal(await isRefused("127.0.0.1", { policy }), true);
  assert.equal(await isRefused("0.0.0.0", { policy }), true);
  assert.equal(await isRefused("169.254.169.254", { policy }), true);
  assert.equal(await isRefused("168.63.129.16", { policy }), true);
  assert.equal(await isRefused("fd00:ec2::254", { policy }), true);
  assert.equal(await isRefused("::1", { policy }), true);
});

Deno.test("a host that the operator allows opens its port alone, and by name nothing of this machine", async () => {
  const policy = allowing("db.internal:5432,127.0.0.1:8080");
  const db = { address: "10.0.0.7", policy };
  assert.equal(await isRefused("db.internal", { ...db, port: 5432 }), false);
  assert.equal(await isRefused("db.internal", { ...db, port: 22 }), true);
  assert.equal(await isRefused("other.internal", { ...db, port: 5432 }), true);
  assert.equal(await isRefused("db.internal", { address: "127.0.0.1", port: 5432, policy }), true);
  assert.equal(await isRefused("127.0.0.1", { port: 8080, policy }), false);
  assert.equal(await isRefused("127.0.0.1", { port: 8081, policy }), true);
});

Deno.test("the stores of the service are refused within an allowed network, unless named", async () => {
  const stores = addressPolicy(readConfig({
    DATABASE_URL: "postgres://u:p@10.0.0.5/db",
    S3_ENDPOINT: "http://10.0.0.6:9000",
    S3_BUCKET: "b",
    AWS_ACCESS_KEY_ID: "k",
    AWS_SECRET_ACCESS_KEY: "s",
  })).stores;
  const policy = allowing("10.0.0.0/8", stores);
  const named = allowing("10.0.0.0/8,10.0.0.5:5432", stores);
  assert.equal(await isRefused("10.0.0.5", { port: 5432, policy }), true);
  assert.equal(await isRefused("alias.test", { address: "10.0.0.5", port: 5432, policy }), true);
  assert.equal(await isRefused("10.0.0.6", { port: 9000, policy }), true);
  assert.equal(await isRefused("10.0.0.5", { port: 80, policy }), false);
  assert.equal(await isRefused("10.0.0.5", { port: 5432, policy: named }), false);
});

Deno.test("a store is refused by wherever its name leads, except to a public web server", async () => {
  const stores = [{ host: "db.internal", port: 5432 }, { host: "s3.test", port: 443 }];
  const refusedAs = async (port: number, checked: string, store: string) => {
    const resolver = (host: string) => Promise.resolve([host === "a.test" ? checked : store]);
    const policy = allowing("10.0.0.0/8", stores);
    return await isRefusedBy({ host: "a.test", port }, { policy, resolver });
  };
  assert.equal(await refusedAs(5432, "10.0.0.5", "10.0.0.5"), true);
  assert.equal(await refusedAs(5432, "93.184.216.34", "93.184.216.34"), true);
  assert.equal(await refusedAs(5432, "10.0.0.5", "10.0.0.6"), false);
  assert.equal(await refusedAs(443, "93.184.216.34", "93.184.216.34"), false);
  assert.equal(await refusedAs(443, "10.0.0.5", "10.0.0.5"), true);
});

Deno.test("mail ports of public hosts are refused, those of allowed ones are not", async () => {
  const policy = allowing("10.0.0.0/8");
  for (const port of [25, 465, 587]) {
    assert.equal(await isRefused("mx.test", { address: "93.184.216.34", port }), true);
    assert.equal(await isRefused("10.0.0.9", { port, policy }), false);
  }
});

Deno.test("name servers are judged as hosts are", async () => {
  const input = { kind: "dns", name: "a.test", nameServer: "10.0.0.53" };
  assert.equal((await look(input, { policy: NOWHERE })).problem?.kind, "refused");
});

Deno.test("a name server that does not answer ends a check at its time limit", async () => {
  const resolver = () => new Promise<never>(() => {});
  const { problem } = await look({ kind: "tcp", host: "a.test", port: 1, timeoutMs: 1_000 }, {
    resolver,
  });
  assert.equal(problem?.kind, "timeout");
  const unknown = () => Promise.reject(new Error("ENOTFOUND"));
  const seen = await look({ kind: "tcp", host: "a.test", port: 1 }, { resolver: unknown });
  assert.equal(seen.problem?.kind, "dns");
});

Deno.test("SERVICE_MONITOR_ALLOW is a list of networks and hosts, and nothing else", async () => {
  assert.deepEqual(readPlace("10.0.0.0/8"), { network: "10.0.0.0/8" });
  assert.deepEqual(readPlace("DB.internal:5432"), { host: "db.internal", port: 5432 });
  assert.deepEqual(readPlace("192.168.1.5"), { host: "192.168.1.5", port: null });
  assert.deepEqual(readPlace("[fd00::1]:80"), { host: "fd00::1", port: 80 });
  assert.deepEqual(readPlace("fd00::1"), { host: "fd00::1", port: null });
  for (const wrong of ["10.0.0.0/99", "a b", "host:0", "host:70000", "http://host/"]) {
    assert.equal(readPlace(wrong), null, wrong);
  }
  assert.throws(() => readConfig({ SERVICE_MONITOR_ALLOW: "host:x" }), /SERVICE_MONITOR_ALLOW/);
  await using server = await tcpServer(() => {});
  const { state } = await look({ kind: "tcp", host: "127.0.0.1", port: server.port }, {
    policy: LOCAL,
  });
  assert.equal(state, "up");
});
