import assert from "node:assert/strict";
import { App } from "fresh";
import { rootState, type State } from "@/lib/server/define.ts";
import { testServices } from "@/test/support/services.ts";

Deno.test("an answer to HEAD lets go of what its body would have been read from", async () => {
  await using opened = await testServices();
  let isOpen = true;
  const app = new App<State>().use(rootState(opened.services)).get("/", () => {
    const body = new ReadableStream({ cancel: () => void (isOpen = false) });
    return new Response(body, { status: 203, headers: { "x-kind": "stream" } });
  });

  const answer = await app.handler()(new Request("http://localhost/", { method: "HEAD" }));

  assert.equal(isOpen, false);
  assert.equal(answer.status, 203);
  assert.equal(answer.headers.get("x-kind"), "stream");
  assert.equal(answer.body, null);
});
