import assert from "node:assert/strict";
import { databaseKind } from "../../support/database.ts";
import { failure, shop } from "../../support/shop.ts";
import { textOf } from "../../support/ui_app.ts";

Deno.test({
  name: "a search of issues that takes too long ends, and the page and the API say so",
  // The embedded database has no timers.
  ignore: databaseKind === "embedded",
  async fn() {
    await using app = await shop({ adminToken: "admin-token-0123456789" });
    await app.store(failure("one"));
    const api = "/api/0/projects/acme/shop/issues/";
    const headers = { authorization: "Bearer admin-token-0123456789" };
    const { page, list } = await app.services.sql.begin(async (tx) => {
      // Whoever reads issues waits for this transaction to end.
      // A query without a limit fails the test instead of waiting for ever.
      await tx`set local idle_in_transaction_session_timeout = '60s'`;
      await tx`lock table issues in access exclusive mode`;
      const [page, list] = await Promise.all([
        app.owner.get(`${app.path}?query=one`),
        app.handle(new Request(`http://localhost:8000${api}?query=one`, { headers })),
      ]);
      return { page, list };
    });
    assert.equal(page.status, 200);
    assert.match(textOf(page.html), /The search took too long.*Choose a shorter time/);
    assert.equal(list.status, 400);
    assert.match((await list.json()).detail, /took too long/);

    const afterwards = await app.owner.get(`${app.path}?query=one`);
    assert.match(textOf(afterwards.html), /Showing 1–1 of 1/);
  },
});
