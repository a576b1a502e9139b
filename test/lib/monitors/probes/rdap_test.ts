import assert from "node:assert/strict";
import { domainExpiry, registeredDomain } from "@/lib/monitors/probes/rdap.ts";
import { webhookReceiver } from "../../../support/webhook_receiver.ts";

/** A registry of `.test` and `.uk`, and the list that leads to it. */
function registry(domains: Readonly<Record<string, unknown>>) {
  const server = webhookReceiver();
  server.answerWith(({ path }) => {
    if (path === "/dns.json") {
      return Response.json({ services: [[["test", "uk"], [`${server.origin}/rdap`]]] });
    }
    if (path === "/rdap/domain/moved.test") {
      return new Response(null, { status: 302, headers: { location: "/rdap/domain/shop.test" } });
    }
    const found = domains[path.replace("/rdap/domain/", "")];
    return found === undefined ? new Response(null, { status: 404 }) : Response.json(found);
  });
  const options = { bootstrapUrl: `${server.origin}/dns.json`, allowsPrivate: true };
  return { server, options };
}

const expiring = (eventDate: string) => ({ events: [{ eventAction: "expiration", eventDate }] });

Deno.test("domainExpiry() asks the registry of the top-level domain", async () => {
  const { server, options } = registry({
    "shop.test": expiring("2027-03-01T00:00:00Z"),
    "shop.co.uk": expiring("2028-01-02T03:04:05Z"),
    "odd.test": expiring("soon"),
  });
  await using _ = server;
  const expiry = async (host: string) => (await domainExpiry(host, options))?.toISOString();
  assert.equal(await expiry("www.shop.test"), "2027-03-01T00:00:00.000Z");
  assert.equal(await expiry("www.shop.co.uk"), "2028-01-02T03:04:05.000Z");
  assert.equal(await expiry("moved.test"), "2027-03-01T00:00:00.000Z");
  assert.equal(await expiry("none.test"), undefined);
  assert.equal(await expiry("odd.test"), undefined);
  assert.equal(await expiry("shop.unknown"), undefined);
  assert.equal(await expiry("192.0.2.1"), undefined);
  assert.equal(server.received.filter(({ path }) => path === "/dns.json").length, 1);
  assert.equal(server.received.some(({ path }) => path === "/rdap/domain/co.uk"), false);
});

Deno.test("registeredDomain() is what somebody pays for", () => {
  const hosts = ["a.b.shop.co.uk", "shop.com.", "me.github.io", "localhost", "uk", "192.0.2.1"];
  assert.deepEqual(hosts.map(registeredDomain), [
    "shop.co.uk",
    "shop.com",
    null,
    null,
    null,
    null,
  ]);
});

Deno.test("domainExpiry() does not reach private networks, and answers without a registry", async () => {
  const { server, options } = registry({ "shop.test": expiring("2027-03-01T00:00:00Z") });
  assert.equal(await domainExpiry("shop.test", { ...options, allowsPrivate: false }), null);
  assert.equal(server.received.length, 0);
  await server[Symbol.asyncDispose]();
  assert.equal(await domainExpiry("shop.test", options), null);
});
