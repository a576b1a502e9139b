import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type TLSSocket } from "node:tls";
import { serveCrowd } from "@/lib/server/crowd.ts";
import { isSameOrigin } from "@/lib/server/session.ts";
import { silentLogger } from "@/test/support/silent_logger.ts";
import { hasOpenssl, type TestAuthority, testAuthority } from "@/test/support/test_authority.ts";
import { trustingFetch } from "@/test/support/trusting_fetch.ts";
import { timeBudget } from "@/test/support/time_budget.ts";

const ignore = !hasOpenssl();
const LIMITS = { total: 20, perAddress: 20 };

type Handler = Parameters<typeof serveCrowd>[1];

/** A server with the certificate for `good.test`. */
function served({ good }: TestAuthority, handler: Handler) {
  const options = { hostname: "127.0.0.1", port: 0, identity: good };
  const server = serveCrowd(options, handler, LIMITS, silentLogger);
  return { server, [Symbol.asyncDispose]: () => server.shutdown() };
}

async function socketTo(port: number, ca: string, protocols: string[] = []): Promise<TLSSocket> {
  const socket = connect({
    host: "127.0.0.1",
    port,
    ca,
    servername: "",
    checkServerIdentity: () => undefined,
    ALPNProtocols: protocols,
  });
  await once(socket, "secureConnect");
  return socket;
}

async function nameOf(port: number, ca: string): Promise<string> {
  const socket = await socketTo(port, ca);
  const { subject } = socket.getPeerCertificate();
  socket.destroy();
  return String(subject.CN);
}

async function ask(socket: TLSSocket): Promise<string> {
  socket.write("GET / HTTP/1.1\r\nhost: good.test\r\n\r\n");
  const [answer] = await once(socket, "data");
  return String(answer);
}

Deno.test("TLS serves HTTP/1.1 and HTTP/2, with the client's address and the https scheme", {
  ignore,
}, async () => {
  const authority = await testAuthority();
  await using each = served(authority, (request, { remoteAddr }) => {
    const { protocol, host } = new URL(request.url);
    assert.equal(host, `127.0.0.1:${each.server.addr.port}`);
    return Response.json([
      protocol,
      isSameOrigin(request),
      "hostname" in remoteAddr && remoteAddr.hostname,
    ]);
  });
  const { port } = each.server.addr;
  const url = `https://127.0.0.1:${port}/`;
  for (const http2 of [false, true]) {
    using ask = trustingFetch(authority.ca, http2);
    const answer = await (await ask(url, { headers: { origin: new URL(url).origin } })).json();
    assert.deepEqual(answer, ["https:", true, "127.0.0.1"], `http2 ${http2}`);
  }
  const socket = await socketTo(port, authority.ca, ["h2", "http/1.1"]);
  assert.equal(socket.alpnProtocol, "h2");
  socket.destroy();
});

Deno.test(
  "a new certificate greets new connections, and those that are there go on",
  { ignore },
  async () => {
    const authority = await testAuthority();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await using each = served(authority, async (request) => {
      if (new URL(request.url).pathname === "/slow") await released;
      return new Response("served");
    });
    const { server } = each;
    const { port } = server.addr;
    const kept = await socketTo(port, authority.ca);
    assert.match(await ask(kept), /200 OK[^]*served/);
    using askAside = trustingFetch(authority.ca);
    const slow = askAside(`https://127.0.0.1:${port}/slow`);
    assert.equal(await nameOf(port, authority.ca), "good.test");

    await server.renew(authority.chain);
    for (let index = 0; index < 10; index++) {
      assert.equal(await nameOf(port, authority.ca), "chain.test");
    }
    assert.match(await ask(kept), /200 OK[^]*served/);
    release();
    assert.equal(await (await slow).text(), "served");
    kept.destroy();
  },
);

Deno.test("a certificate that cannot be used leaves the former one", { ignore }, async () => {
  const authority = await testAuthority();
  await using each = served(authority, () => new Response("served"));
  const { port } = each.server.addr;
  const { good, chain, ca } = authority;
  await assert.rejects(each.server.renew({ cert: good.cert, key: chain.key }));
  assert.equal(await nameOf(port, ca), "good.test");
});

Deno.test("who speaks no TLS, or nothing, keeps nobody from being served", { ignore }, async () => {
  const authority = await testAuthority();
  await using each = served(authority, () => new Response("served"));
  const { port } = each.server.addr;
  using silent = await Deno.connect({ hostname: "127.0.0.1", port });
  using plain = await Deno.connect({ hostname: "127.0.0.1", port });
  await plain.write(new TextEncoder().encode("GET / HTTP/1.1\r\nhost: x\r\n\r\n"));
  const socket = await socketTo(port, authority.ca);
  assert.match(await ask(socket), /200 OK/);
  socket.destroy();
  assert.ok(silent);
});

Deno.test(
  "a shutdown answers what is under way over HTTP/2, and waits for no connection that rests or says nothing",
  { ignore },
  async () => {
    const authority = await testAuthority();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: asked, resolve: tellAsked } = Promise.withResolvers<void>();
    const each = served(authority, async (request) => {
      if (new URL(request.url).pathname !== "/slow") return new Response("served");
      tellAsked();
      await released;
      return new Response("served");
    });
    const { port } = each.server.addr;
    const url = `https://127.0.0.1:${port}`;
    using ask = trustingFetch(authority.ca, true);
    using askAside = trustingFetch(authority.ca, true);
    using silent = await Deno.connect({ hostname: "127.0.0.1", port });
    assert.equal(await (await ask(url)).text(), "served");
    const slow = askAside(`${url}/slow`);
    await asked;
    const began = performance.now();
    const shutdown = each.server.shutdown();
    release();
    assert.equal(await (await slow).text(), "served");
    await shutdown;
    assert.ok(performance.now() - began < timeBudget(5_000));
    assert.ok(silent);
  },
);
