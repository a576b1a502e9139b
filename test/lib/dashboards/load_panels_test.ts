import assert from "node:assert/strict";
import type { Project } from "@/lib/accounts/projects.ts";
import { loadPanels, type PanelLimits } from "@/lib/dashboards/load_dashboard.ts";
import { loadTracing } from "@/lib/releases/request_scope.ts";
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
async function loaded(limits?: PanelLimits): Promise<string[]> {
  await using database = await testDatabase();
  const { sql } = database;
  const tracing = await loadTracing(sql, PROJECT, new URLSearchParams("range=1h"));
  const services = { sql, log: silentLogger };
  const found = await loadPanels(services, tracing, CONTENT, new Map(), limits);
  return CONTENT.panels.map(({ id }) => {
    const data = found.get(id);
    return data?.kind === "failed" ? data.sentence : data?.kind ?? "";
  });
}

Deno.test("a panel that cannot be read says why; the others are read", async () => {
  const [broken, ...others] = await loaded();
  assert.match(broken ?? "", /regular expression/);
  assert.deepEqual(others, ["errors", "text"]);
});

Deno.test("panels that would begin too late say so", async () => {
  const late = await loaded({ panelMs: 3_000, pageMs: -1 });
  assert.equal(late.length, 3);
  for (const sentence of late) assert.match(sentence, /took too long, so this one was not read/);
});

Deno.test("a panel that takes too long says so, and the page does not wait for it", async () => {
  const [, errors] = await loaded({ panelMs: 0, pageMs: 6_000 });
  assert.match(errors ?? "", /^This took longer than 0 s\. Choose a shorter time/);
});
