import assert from "node:assert/strict";
import { shareConnections } from "@/lib/server/listen.ts";

const INFO = {} as Deno.ServeHandlerInfo;

async function connectionOf(chance: number, answer: () => Response): Promise<string | null> {
  const handler = shareConnections(answer, () => chance);
  const response = await handler(new Request("http://localhost/"), INFO);
  return response.headers.get("connection");
}

Deno.test("one answer in a hundred closes its connection", async () => {
  const answer = () => new Response("{}");
  assert.equal(await connectionOf(0, answer), "close");
  assert.equal(await connectionOf(0.009, answer), "close");
  assert.equal(await connectionOf(0.01, answer), null);
  assert.equal(await connectionOf(0.99, answer), null);
});

Deno.test("an answer whose headers cannot be changed stays as it is", async () => {
  const answer = () => Response.redirect("http://localhost/projects");
  assert.equal(await connectionOf(0, answer), null);
});

Deno.test("a client is told to open another connection, and is served on it", async () => {
  const addresses = new Set<string>();
  const handler = shareConnections((_, { remoteAddr }) => {
    addresses.add(JSON.stringify(remoteAddr));
    return new Response("served");
  }, () => 0);
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, handler);
  for (let request = 0; request < 3; request++) {
    const response = await fetch(`http://127.0.0.1:${server.addr.port}/`);
    assert.equal(await response.text(), "served");
  }
  assert.equal(addresses.size, 3);
});
