import assert from "node:assert/strict";
import type { Project } from "@/lib/accounts/projects.ts";
import { loadPanels, type PanelLimits } from "@/lib/dashboards/load_dashboard.ts";
import type { Sql } from "@/lib/store/database.ts";
import { loadPageScope } from "@/lib/releases/request_scope.ts";
import { testKv } from "@/test/support/kv.ts";
import { testDatabase } from "../../support/database.ts";
import { silentLogger } from "../../support/silent_logger.ts";
import { contentOf, metricsPanel, place, query, textPanel } from "./panels.ts";

const PROJECT: Project = {
  id: "1",
  organizationId: "acme",
  slug: "shop",
  name: "Shop",
  platform: "node",
  createdAt: new Date(),
  firstEventAt: null,
};
const BROKEN = metricsPanel({
  queries: [query({ filter: [{ label: "a", operator: "=~", value: "(" }] })],
  formulas: [],
  hidden: [],
});
const CONTENT = contentOf([
  BROKEN,
  { kind: "errors", id: "p2", title: "", place: place(6, 0, 6, 7), search: "" },
  textPanel("p3", place(0, 7, 12, 2)),
]);

/** What became of each panel: its kind, or why it is not there. */
async function load(sql: Sql, limits?: PanelLimits): Promise<string[]> {
  await using stores = await testKv();
  const pageScope = await loadPageScope(sql, PROJECT, new URLSearchParams("range=1h"));
  const services = { kv: stores.kv, sql, log: silentLogger };
  const found = await loadPanels(services, pageScope, CONTENT, new Map(), limits);
  return CONTENT.panels.map(({ id }) => {
    const data = found.get(id);
    return data?.kind === "failed" ? data.sentence : data?.kind ?? "";
  });
}

Deno.test("a panel that cannot be read says why; the others are read", async () => {
  await using database = await testDatabase();
  const [broken, ...others] = await load(database.sql);
  assert.match(broken ?? "", /regular expression/);
  assert.deepEqual(others, ["errors", "text"]);
});

Deno.test("panels that would begin too late say so", async () => {
  await using database = await testDatabase();
  const late = await load(database.sql, { panelMs: 3_000, pageMs: -1 });
  assert.equal(late.length, 3);
  for (const sentence of late) assert.match(sentence, /took too long, so this one was not read/);
});

Deno.test("a panel that takes too long says so, and the page does not wait for it", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using stores = await testKv();
  const pageScope = await loadPageScope(sql, PROJECT, new URLSearchParams("range=1h"));
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const { promise: locked, resolve: whenLocked } = Promise.withResolvers<void>();
  const holding = database.connect().begin(async (tx) => {
    await tx`lock table events, issue_hours`;
    whenLocked();
    await held;
  });
  await locked;

  const limits = { panelMs: 50, pageMs: 6_000 };
  const services = { kv: stores.kv, sql, log: silentLogger };
  const found = await loadPanels(services, pageScope, CONTENT, new Map(), limits);
  release();
  await holding;

  const errors = found.get("p2");
  assert.equal(errors?.kind, "failed");
  assert.match(errors.sentence, /^This took longer than 0\.05 s\. Choose a shorter time/);
  // What was given up ends by itself, before the test does.
  await sql`select 1`;
});
