import assert from "node:assert/strict";
import { guarded } from "@/lib/server/listen.ts";
import { silentLogger } from "@/test/support/silent_logger.ts";

/** What a server answers to a request with this `Host`. */
async function answerTo(host: string): Promise<string> {
  const handler = guarded(({ url }) => new Response(new URL(url).pathname), { log: silentLogger });
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, handler);
  using connection = await Deno.connect({ port: server.addr.port });
  const request = `GET /page HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
  await connection.write(new TextEncoder().encode(request));
  return await new Response(connection.readable).text();
}

Deno.test("a Host header that is no host is the client's fault, and is told so", async () => {
  assert.match(await answerTo("shop.example"), /^HTTP\/1\.1 200 OK[^]*\/page/);
  for (const host of ["a b", "[::1", "a:99999", "a<b"]) {
    assert.match(await answerTo(host), /^HTTP\/1\.1 400 /, host);
  }
});
