/** Requests to the API with values that pass a first look, and that no store or calendar takes. */
import assert from "node:assert/strict";
import type { ApiMethod } from "@/lib/api/route.ts";
import { API_ROUTES } from "@/lib/server/api_table.ts";
import { type TestApi, testApi } from "@/test/support/api_people.ts";
import { errorEvent } from "@/test/support/error_event.ts";
import { CURSORS, DATES, FIELD_VALUES, TEXTS } from "@/test/support/hostile_values.ts";
import { gaugeSeries, metricBatch } from "@/test/support/metric_series.ts";
import { changedAnywhere, sampleBody } from "@/test/support/sample_body.ts";
import { checkInRecord } from "@/test/support/records.ts";
import { ALERTS, CRONS, DASHBOARDS, UPTIMES } from "@/test/support/whole_settings.ts";

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

/** Longer than any key of Deno KV, and what is of another kind than it seems. */
const PARTS = ["x".repeat(3_000), "a%00b", "%ED%A0%80", "9".repeat(25), "__proto__", "%", "-1"];

Deno.test("whatever a part of an address of the API says, it ends in no error of ours", async (t) => {
  await using api = await testApi();
  const names = await namesIn(api);
  for (const [pattern, methods] of Object.entries(API_ROUTES)) {
    if (ALIAS.test(pattern) || methods.GET === undefined) continue;
    const [, needed = ""] = Object.entries(NEEDED).find(([end]) => pattern.endsWith(end)) ?? [];
    for (const [, name = ""] of pattern.matchAll(/:(\w+)/g)) {
      await t.step(`${pattern}, ${name}`, async () => {
        for (const part of PARTS) {
          const path = filled(pattern, { ...names, [name]: part });
          const { status } = await api.call("owner", `${path}/?${needed}`);
          assert.ok(status < 500, `${path.slice(0, 200)}: ${status}`);
        }
      });
    }
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

/** Bodies of which their schemas leave the rest to checks of their own. */
const WHOLE: Readonly<Record<string, readonly unknown[]>> = {
  "POST /projects/:organization/:project/alerts": ALERTS,
  "PUT /projects/:organization/:project/alerts/:alert": ALERTS.slice(0, 1),
  "POST /projects/:organization/:project/uptime": UPTIMES,
  "PUT /projects/:organization/:project/uptime/:uptime": UPTIMES.slice(0, 1),
  "POST /projects/:organization/:project/dashboards": DASHBOARDS.map((dashboard) => (
    { dashboard }
  )),
  "POST /organizations/:organization/monitors": CRONS.map((cron) => (
    { ...cron, project: "acme-shop" }
  )),
  "PUT /organizations/:organization/monitors/:monitor": CRONS.map(({ slug: _, ...cron }) => cron),
};

Deno.test("whatever any place of an alert, a monitor or a dashboard says, it ends in no error of ours", async (t) => {
  await using api = await testApi();
  const names = { ...await namesIn(api), ...await madeIn(api) };
  for (const [address, bodies] of Object.entries(WHOLE)) {
    const [method = "", pattern = ""] = address.split(" ");
    const path = filled(pattern, names);
    await t.step(address, async () => {
      for (const body of bodies) {
        const { status } = await api.call("owner", `${path}/`, { method, body });
        assert.ok(status < 300, `${method} ${path} ${JSON.stringify(body)}: ${status}`);
        for (const value of FIELD_VALUES) {
          for (const changed of changedAnywhere(body, value)) {
            const { status } = await api.call("owner", `${path}/`, { method, body: changed });
            assert.ok(status < 500, `${method} ${path} ${JSON.stringify(changed)}: ${status}`);
          }
        }
      }
    });
  }
});

Deno.test("every body of a change has fields that are tried", () => {
  const opaque = Object.entries(API_ROUTES).flatMap(([pattern, methods]) =>
    Object.entries(methods).flatMap(([method, { body }]) => {
      const address = `${method} ${pattern}`;
      if (body === undefined || Object.hasOwn(WHOLE, address)) return [];
      const sample = sampleBody(body);
      return typeof sample === "object" && sample !== null && Object.keys(sample).length > 0
        ? []
        : [address];
    })
  );
  assert.deepEqual(opaque, ["POST /projects/:organization/:project/files/difs/assemble"]);
});

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

function filled(pattern: string, names: Readonly<Record<string, string>>): string {
  return pattern.replaceAll(/:(\w+)/g, (_, name: string) => names[name] ?? "1");
}

/** One of each thing that `WHOLE` changes. */
async function madeIn(api: TestApi): Promise<Readonly<Record<string, string>>> {
  const make = async (path: string, body: unknown) => {
    const address = `/projects/acme/acme-shop/${path}/`;
    const made = await api.call<{ id: string }>("owner", address, { method: "POST", body });
    return made.body.id;
  };
  return { alert: await make("alerts", ALERTS[0]), uptime: await make("uptime", UPTIMES[0]) };
}

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
