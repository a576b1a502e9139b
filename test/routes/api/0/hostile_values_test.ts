/** Requests to the API with values that pass a first look, and that no store or calendar takes. */
import assert from "node:assert/strict";
import type { ApiMethod } from "@/lib/api/route.ts";
import { API_ROUTES } from "@/lib/server/api_table.ts";
import { type TestApi, testApi } from "@/test/support/api_people.ts";
import { errorEvent } from "@/test/support/error_event.ts";
import { CURSORS, DATES, TEXTS } from "@/test/support/hostile_values.ts";
import { gaugeSeries, metricBatch } from "@/test/support/metric_series.ts";
import { changedAnywhere, sampleBody } from "@/test/support/sample_body.ts";
import { checkInRecord } from "@/test/support/records.ts";

/** What an address must have beside the parameter that is tried. */
const NEEDED: Readonly<Record<string, string>> = {
  "/events": "dataset=errors&field=count()&",
  "/events-stats": "dataset=errors&",
  "/labels": "metric=cpu.load&",
  "/labels/:key/values": "metric=cpu.load&",
  "/monitors-schedule-data": "schedule_type=crontab&",
  "/metrics/query": "metric=cpu.load&",
  "/stats_v2": "field=sum(quantity)&groupBy=category&",
  "/transactions/summary": "name=GET&",
};
const SORTS: Readonly<Record<string, readonly string[]>> = {
  "/profiles": ["sort=largest&", "sort=longest&"],
};
/** Other names of the same addresses. */
const ALIAS = /^\/groups\/|^\/organizations\/:organization\/issues\/:issue\b/;

Deno.test("whatever a parameter of the API says, it ends in no error of ours", async (t) => {
  await using api = await testApi();
  const names = await namesIn(api);
  for (const [pattern, { GET }] of Object.entries(API_ROUTES)) {
    if (GET?.query === undefined || ALIAS.test(pattern)) continue;
    const path = pattern.replaceAll(/:(\w+)/g, (_, name: string) => names[name] ?? "1");
    await t.step(pattern, async () => {
      for (const search of searchesOf(pattern, GET)) {
        const { status } = await api.call("owner", `${path}?${search}`);
        assert.ok(status < 500, `${path}?${search}: ${status}`);
      }
    });
  }
});

const BODIES: readonly (readonly [method: string, path: string, body: unknown])[] = [
  ...DATES.flatMap((date) => [
    ["POST", "/projects/acme/acme-shop/exports/", { start: date }] as const,
    ["POST", "/projects/acme/acme-shop/exports/", { end: date }] as const,
  ]),
  ...["a\0", "\ud800", "constructor"].flatMap((text) => [
    ["POST", "/organizations/acme/repos/", { name: text, url: text }] as const,
    ["POST", "/projects/acme/acme-shop/files/difs/assemble/", { [text]: 1 }] as const,
    ["PUT", "/organizations/acme/monitors/backup/", {
      config: { schedule_type: "crontab", schedule: text, timezone: text },
    }] as const,
  ]),
];

Deno.test("whatever a field of a body says, it ends in no error of ours", async () => {
  await using api = await testApi();
  await namesIn(api);
  for (const [method, path, body] of BODIES) {
    const { status } = await api.call("owner", path, { method, body });
    assert.ok(status < 500, `${method} ${path} ${JSON.stringify(body)}: ${status}`);
  }
});

/** Beside the sample of each type, what a field may say. */
const FIELD_VALUES: readonly unknown[] = [
  "a\0b",
  "\ud800",
  "",
  "0000-01-01T00:00:00Z",
  "9".repeat(25),
  "constructor",
  -1,
  2 ** 31,
  9e24,
  1.5,
  null,
  [],
  {},
  [["a\0"]],
  { "a\0": "\ud800" },
];

Deno.test("whatever the body of a change says, it ends in no error of ours", async (t) => {
  await using api = await testApi();
  const names = await namesIn(api);
  for (const [pattern, methods] of Object.entries(API_ROUTES)) {
    if (ALIAS.test(pattern)) continue;
    const path = pattern.replaceAll(/:(\w+)/g, (_, name: string) => names[name] ?? "1");
    for (const [method, { body }] of Object.entries(methods)) {
      if (body === undefined) continue;
      await t.step(`${method} ${pattern}`, async () => {
        const sample = sampleBody(body);
        for (const value of FIELD_VALUES) {
          for (const changed of changedAnywhere(sample, value)) {
            const { status } = await api.call("owner", `${path}/`, { method, body: changed });
            assert.ok(status < 500, `${method} ${path} ${JSON.stringify(changed)}: ${status}`);
          }
        }
      });
    }
  }
});

function searchesOf(pattern: string, { query }: ApiMethod): string[] {
  const [, needed = ""] = Object.entries(NEEDED).find(([end]) => pattern.endsWith(end)) ?? [];
  const [, sorts = [""]] = Object.entries(SORTS).find(([end]) => pattern.endsWith(end)) ?? [];
  return Object.keys(query?.shape ?? {}).flatMap((name) => {
    if (/cursor/i.test(name)) {
      return sorts.flatMap((sort) => CURSORS.map((cursor) => `${needed}${sort}cursor=${cursor}`));
    }
    const values = /start|end$|since|until/i.test(name) ? DATES : TEXTS;
    const beside = name === "end" ? "start=2026-11-20&" : "";
    return values.map((value) => `${needed}${beside}${name}=${encodeURIComponent(value)}`);
  });
}

/** What stands for the parts of addresses; of other parts there is nothing. */
async function namesIn(api: TestApi): Promise<Readonly<Record<string, string>>> {
  const now = Date.now();
  const metrics = metricBatch([gaugeSeries("cpu.load", {}, [[now - 120_000, 1], [now, 2]])]);
  const records = [errorEvent(), checkInRecord({ monitorSlug: "backup" }), metrics];
  await api.services.writer.commit(api.project.id, { records, outcomes: [] });
  const issues = await api.call<{ id: string }[]>("owner", "/organizations/acme/issues/");
  return {
    organization: "acme",
    project: "acme-shop",
    issue: issues.body[0]?.id ?? "",
    monitor: "backup",
    event: "latest",
    tag: "level",
    key: "host",
    profile: "0".repeat(32),
    trace: "0".repeat(32),
  };
}
