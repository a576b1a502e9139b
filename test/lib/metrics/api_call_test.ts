import assert from "node:assert/strict";
import type { MetricQuery } from "@/lib/metrics/query_types.ts";
import { apiCall } from "@/lib/metrics/explore/explore_page.tsx";
import { EVERYTHING } from "@/lib/ui/scope.ts";
import { QUERY_BODY } from "@/lib/metrics/api.ts";

const QUERY: MetricQuery = {
  id: "a",
  metric: "request.duration",
  kind: "histogram",
  unit: "s",
  aggregation: "p95",
  filter: [{ label: "user", operator: "=", value: "o'hara" }],
  groupBy: ["host", "zone"],
  top: 5,
};
const PAGE = {
  project: {
    id: "7",
    organizationId: "3",
    slug: "shop",
    name: "Shop",
    platform: "node",
    createdAt: new Date(0),
    firstEventAt: null,
  },
  scope: { ...EVERYTHING, environments: ["lab"] },
  interval: { start: new Date("2026-11-20T00:00:00Z"), end: new Date("2026-11-21T00:00:00.5Z") },
};

Deno.test("one query is asked for by its address", () => {
  const command = apiCall("https://w.example", PAGE, {
    queries: [QUERY],
    formulas: [],
    stepMs: 60_000,
    comparesPrevious: true,
  });
  const address = new URL(/'(https:[^']*)'/.exec(command)?.[1] ?? "");
  assert.equal(address.pathname, "/api/0/projects/3/7/metrics/query/");
  assert.deepEqual([...address.searchParams], [
    ["metric", "request.duration"],
    ["kind", "histogram"],
    ["unit", "s"],
    ["aggregation", "p95"],
    ["filter", `user="o'hara"`],
    ["groupBy", "host"],
    ["groupBy", "zone"],
    ["top", "5"],
    ["environment", "lab"],
    ["start", "2026-11-20T00:00:00Z"],
    ["end", "2026-11-21T00:00:00Z"],
    ["step", "60"],
    ["compare", "1"],
  ]);
});

Deno.test("several queries and formulas are JSON that the API takes, quoted for a shell", () => {
  const command = apiCall("https://w.example", PAGE, {
    queries: [QUERY, { ...QUERY, id: "b", kind: null, unit: null }],
    formulas: [{ id: "f1", expression: "a / b", unit: "%" }],
    stepMs: null,
    comparesPrevious: false,
  });
  const json = /-d '(.*)' \\\n/s.exec(command)?.[1]?.replaceAll("'\\''", "'") ?? "";
  const body = QUERY_BODY.parse(JSON.parse(json));
  assert.deepEqual(body.queries.map(({ id, filter }) => [id, filter]), [
    ["a", `user="o'hara"`],
    ["b", `user="o'hara"`],
  ]);
  assert.deepEqual(body.environment, ["lab"]);
  assert.equal(body.formulas[0]?.expression, "a / b");
});
