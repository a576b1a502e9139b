import assert from "node:assert/strict";
import { listTransfers } from "@/lib/transfers/transfers.ts";
import { shop } from "../../support/shop.ts";
import { textOf } from "../../support/ui_app.ts";

Deno.test("a file is imported with its settings or without, as one chooses on the page", async () => {
  await using app = await shop();
  const path = `/projects/${app.projectId}/settings/export`;
  const { html } = await app.owner.get(path);
  assert.match(textOf(html), /Nothing asked for yet/);
  const [, action = ""] = /formaction="([^"]+)"/.exec(html) ?? [];
  const cookie = [...app.owner.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  for (const address of [path, action]) {
    const body = new FormData();
    body.set("file", new File(["{}"], "data.json"));
    const answer = await app.handle(
      new Request(new URL(address, "http://localhost:8000"), {
        method: "POST",
        body,
        headers: { cookie, "sec-fetch-site": "same-origin" },
      }),
    );
    await answer.body?.cancel();
    assert.deepEqual([answer.status, answer.headers.get("location")], [303, path]);
  }
  const transfers = await listTransfers(app.services.sql, app.projectId);
  assert.deepEqual(transfers.map(({ takesSettings }) => takesSettings).sort(), [false, true]);
});
