import assert from "node:assert/strict";
import { guarded } from "@/lib/server/listen.ts";
import { silentLogger } from "@/test/support/silent_logger.ts";

/** What a server answers to a request with this `Host` and first line. */
async function answerTo(host: string, method = "GET", path = "/page"): Promise<string> {
  const handler = guarded(({ url }) => new Response(new URL(url).pathname), { log: silentLogger });
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, handler);
  using connection = await Deno.connect({ port: server.addr.port });
  const request = `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
  await connection.write(new TextEncoder().encode(request));
  return await new Response(connection.readable).text();
}

Deno.test("a Host header that is no host is the client's fault, and is told so", async () => {
  assert.match(await answerTo("shop.example"), /^HTTP\/1\.1 200 OK[^]*\/page/);
  for (const host of ["a b", "[::1", "a:99999", "a<b"]) {
    assert.match(await answerTo(host), /^HTTP\/1\.1 400 /, host);
  }
});

Deno.test("methods that nobody has a route for, and malformed addresses, get an answer that is closed to browsers", async () => {
  const odd: [method: string, path: string, status: number][] = [
    ["TRACE", "/page", 405],
    ["PROPFIND", "/page", 405],
    ["GET", "/projects/%E0%A4%A/issues", 400],
    ["GET", "/%", 400],
  ];
  for (const [method, path, status] of odd) {
    const answer = await answerTo("shop.example", method, path);
    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `), `${method} ${path}`);
    assert.match(answer, /^x-content-type-options: nosniff\r$/im);
    assert.match(answer, /^content-security-policy: default-src 'none'\r$/im);
  }
  for (const path of ["/page?query=100%", "/caf%C3%A9", "/a%2Fb"]) {
    assert.match(await answerTo("shop.example", "GET", path), /^HTTP\/1\.1 200 OK/, path);
  }
});
