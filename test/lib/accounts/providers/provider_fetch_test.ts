import assert from "node:assert/strict";
import { readPlace } from "@/lib/core/addresses.ts";
import { isNamed, providerFetch } from "@/lib/accounts/providers/provider_fetch.ts";

function allow(...texts: string[]) {
  const signInAllow = texts.map(readPlace).filter((place) => place !== null);
  return { signInAllow };
}

Deno.test("a provider in a private network is asked only where the operator names its host or its network", async () => {
  const asked: string[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, ({ headers }) => {
    asked.push(headers.get("host") ?? "");
    return new Response("here");
  });
  const { port } = server.addr;
  const resolver = () => Promise.resolve(["127.0.0.1"]);
  const url = `http://id.example:${port}/`;
  const answer = async (...texts: string[]) =>
    await (await providerFetch(allow(...texts), resolver)(url)).text();

  assert.equal(await answer("id.example"), "here");
  assert.equal(await answer(`id.example:${port}`), "here");
  await assert.rejects(
    answer(),
    /Plain http:\/\/ is allowed for hosts that SERVICE_SIGN_IN_ALLOW names/,
  );
  await assert.rejects(answer("127.0.0.0/8"), /Plain http/);
  await assert.rejects(answer("other.example", "id.example:1"), /Plain http/);
  const secure = (...texts: string[]) =>
    providerFetch(allow(...texts), resolver)(`https://id.example:${port}/`);
  await assert.rejects(secure(), /private or reserved network.*SERVICE_SIGN_IN_ALLOW/);
  await assert.rejects(secure("10.0.0.0/8"), /private or reserved network/);
  // It is let through to the connection, where there is no TLS.
  await assert.rejects(
    secure("127.0.0.0/8"),
    /No secure connection|connection broke|takes no connection/,
  );
  assert.equal(asked.length, 2);
  await server.shutdown();
  await assert.rejects(answer("id.example"), /takes no connection/);
});

Deno.test("a name whose address changes between judging and connecting reaches what was judged", async () => {
  let asked = 0;
  const resolver = () => Promise.resolve([asked++ === 0 ? "203.0.113.7" : "127.0.0.1"]);
  const fetch = providerFetch(allow("10.0.0.0/8"), resolver);
  const late = AbortSignal.timeout(50);
  await assert.rejects(
    fetch("https://id.example/", { signal: late }),
    /stopped|takes no connection|private/,
  );
  assert.equal(asked, 1);
});

Deno.test("a host is named however its address is written", () => {
  const { signInAllow } = allow("127.0.0.1", "[fd00::1]:8443", "Keycloak.internal");
  const named = (url: string) => isNamed(new URL(url), signInAllow);
  assert.equal(named("http://127.0.0.1:99"), true);
  assert.equal(named("http://0x7f.1/"), true);
  assert.equal(named("https://[fd00::1]:8443/"), true);
  assert.equal(named("https://[fd00::1]/"), false);
  assert.equal(named("https://keycloak.internal./realms/x"), true);
  assert.equal(named("https://keycloak.internal.evil.example/"), false);
});
