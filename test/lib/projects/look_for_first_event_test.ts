import assert from "node:assert/strict";
import { createProject, markFirstEvent } from "@/lib/accounts/projects.ts";
import type { TelemetryRecord } from "@/lib/records/mod.ts";
import { parseFirstEvent } from "@/lib/projects/first_event.tsx";
import { lookForFirstEvent } from "@/lib/projects/setup.tsx";
import { errorEvent } from "../../support/error_event.ts";
import { logRecord, spanBatchRecord, transactionRecord } from "../../support/records.ts";
import { acme, textOf } from "../../support/ui_app.ts";
import { pageLoad } from "../../support/watched_site.ts";

async function world() {
  const app = await acme();
  const { kv, writer } = app.services;
  const organizationId = app.organization.id;
  const { id } = await createProject(kv, { organizationId, name: "Shop", platform: "node" });
  return {
    id,
    app,
    look: () => lookForFirstEvent(app.services, id),
    store: (...records: TelemetryRecord[]) => writer.commit(id, { records, outcomes: [] }),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

Deno.test("the first data are found whichever protocol brought them, errors before the others", async () => {
  await using shop = await world();
  assert.equal(await shop.look(), null);

  await shop.store(logRecord());
  assert.deepEqual(await shop.look().then((view) => [view?.what, view?.href]), [
    "a log",
    `/projects/${shop.id}/logs`,
  ]);

  const spans = spanBatchRecord();
  await shop.store(spans);
  assert.equal((await shop.look())?.href, `/projects/${shop.id}/traces/${spans.traceId}`);

  const transaction = transactionRecord();
  await shop.store(transaction);
  const view = await shop.look();
  assert.equal(view?.what, "a transaction");
  assert.equal(view?.href, `/projects/${shop.id}/traces/${transaction.traceId}`);

  await shop.store(errorEvent());
  assert.equal((await shop.look())?.what, "an error");
});

Deno.test("data without a page of their own turn the status green as well", async () => {
  await using shop = await world();
  const at = new Date("2026-11-20T10:00:00Z");
  await markFirstEvent(shop.app.services.kv, shop.id, at);
  assert.deepEqual(await shop.look(), { what: "", href: null, at: at.toISOString() });
});

Deno.test("another project's data are not this one's", async () => {
  await using shop = await world();
  const batch = { records: [transactionRecord(), logRecord()], outcomes: [], eventId: null };
  await shop.app.services.writer.commit("4711", batch);
  assert.equal(await shop.look(), null);
});

Deno.test("the site that pages name is offered for a monitor, which nobody makes but people", async () => {
  await using shop = await world();
  const { sql } = shop.app.services;
  await shop.store(logRecord());
  assert.equal((await shop.look())?.site, undefined);
  await shop.store(pageLoad("/cart", 900));
  assert.deepEqual((await shop.look())?.site, {
    host: "shop.example",
    href: `/projects/${shop.id}/monitors/new?url=https%3A%2F%2Fshop.example%2F`,
  });
  const path = `/projects/${shop.id}/setup`;
  const offer = /Your pages are at shop\.example\..*Add monitor/;
  assert.match(textOf((await shop.app.owner.get(path)).html), offer);
  const { visitor } = await shop.app.member("viewer");
  assert.doesNotMatch(textOf((await visitor.get(path)).html), offer);
  assert.deepEqual([...await sql`select 1 from uptime_monitors`], []);
});

Deno.test("the first data are told even when the site cannot be looked for", async () => {
  await using shop = await world();
  await shop.store(pageLoad("/cart", 900));
  await shop.app.services.sql`alter table uptime_monitors rename to uptime_monitors_away`;
  const view = await shop.look();
  assert.deepEqual([view?.what, view?.site], ["a transaction", undefined]);
});

Deno.test("parseFirstEvent() takes what the server writes and nothing else", () => {
  const view = { what: "a trace", href: "/projects/1/traces/ab", at: "2026-11-20T10:00:00.000Z" };
  assert.deepEqual(parseFirstEvent(JSON.stringify(view)), view);
  const site = { host: "shop.example", href: "/projects/1/monitors/new" };
  assert.deepEqual(parseFirstEvent(JSON.stringify({ ...view, site })), { ...view, site });
  assert.deepEqual(parseFirstEvent(JSON.stringify({ ...view, site: { host: 7 } })), view);
  assert.deepEqual(parseFirstEvent(JSON.stringify({ ...view, href: null }))?.href, null);
  for (const other of [null, 7, {}, { ...view, href: 7 }, { ...view, what: null }]) {
    assert.equal(parseFirstEvent(JSON.stringify(other)), null);
  }
});
