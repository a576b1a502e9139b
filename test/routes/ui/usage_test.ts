import assert from "node:assert/strict";
import { listKeys } from "@/lib/accounts/keys.ts";
import { monthlyQuota, quotaUse, setMonthlyQuota } from "@/lib/accounts/quotas.ts";
import { createDashboard } from "@/lib/dashboards/dashboards.ts";
import { EVERYTHING } from "../../lib/dashboards/panels.ts";
import { traces } from "../../lib/formats/otlp/otlp_samples.ts";
import { tracesToProtobuf } from "../../lib/formats/otlp/otlp_to_protobuf.ts";
import { errorEvent } from "../../support/error_event.ts";
import { logRecord } from "../../support/records.ts";
import { failure, shop } from "../../support/shop.ts";
import { textOf } from "../../support/ui_app.ts";

async function usageApp() {
  const app = await shop();
  const path = `/organizations/${app.organization.slug}/settings/usage`;
  return { ...app, path };
}

Deno.test("the Usage page adds up what arrived, why the rest was not accepted, and what clients dropped", async () => {
  await using app = await usageApp();
  await app.services.writer.commit(app.projectId, {
    records: [errorEvent(), errorEvent(), logRecord()],
    outcomes: [
      { category: "error", kind: "filtered", reason: "crawlers", quantity: 3 },
      { category: "replay", kind: "unsupported", reason: "replay_event", quantity: 2 },
      { category: "error", kind: "client_discard", reason: "=before_send", quantity: 5 },
    ],
  });
  const text = textOf((await app.owner.get(app.path)).html);
  assert.match(text, /Category Accepted Unsupported Filtered Total Errors 2 0 3 5/);
  assert.match(text, /Replays 0 2 0 2/);
  assert.match(text, /Total 3 2 3 8/);
  assert.match(
    text,
    /Taken, but there is no place for such items2 .*Replays replay event 2/,
  );
  assert.match(text, /Dropped by clients.*Errors =before send 5/);
  assert.match(text, /Quota of this month unlimited/);

  const csv = await app.owner.get(`${app.path}/csv`);
  assert.match(csv.headers.get("content-type") ?? "", /^text\/csv/);
  assert.match(csv.html, /,error,accepted,,2,Shop\r\n/);
  assert.match(csv.html, /,error,client_discard,'=before_send,5,Shop\r\n/);
});

Deno.test("other months and single projects are asked for in the address", async () => {
  await using app = await usageApp();
  await app.store(failure("a"));
  const textAt = async (query: string) => textOf((await app.owner.get(app.path + query)).html);
  assert.match(await textAt("?month=2020-01"), /Nothing arrived in this month/);
  assert.match(await textAt(`?project=${app.projectId}`), /Errors 1 1/);
  // Somebody else's project, and months that are none, ask for all of this one.
  assert.match(await textAt("?project=999&month=nonsense"), /Errors 1 1/);
});

Deno.test("a quota that ends soon is told on every page of the organization", async () => {
  await using app = await usageApp();
  const { kv, rates } = app.services;
  await setMonthlyQuota(kv, app.organization.id, 10);
  for (let index = 0; index < 8; index++) await rates.takeMonthly(app.organization.id, 10, 1);
  const { html } = await app.owner.get(`/projects/${app.projectId}/issues`);
  assert.match(textOf(html), /Acme has used \d+(\.\d)?% of its quota of the month/);
  for (let index = 0; index < 4; index++) await rates.takeMonthly(app.organization.id, 10, 1);
  assert.match(textOf((await app.owner.get(app.path)).html), /Acme has used up its quota/);
  assert.match(textOf((await app.owner.get(app.path)).html), /10 of 10 requests used \(100/);
  await setMonthlyQuota(kv, app.organization.id, 5_000);
  assert.match(
    textOf((await app.owner.get(app.path)).html),
    /What it may miss: counts .* last second, .* up to 50 permits in hand, 1\.0% of the quota at most/,
  );
});

Deno.test("spans that were refused as too large are told on every page of their project, with what to set", async () => {
  await using app = await usageApp();
  const page = `/projects/${app.projectId}/issues`;
  const keys = await listKeys(app.services.kv, app.projectId);
  const key = keys.find(({ type }) => type === "server")?.publicKey;
  const spans = Array.from({ length: 742 }, (_, n) => ({
    traceId: "5b8efff798038103d269b633813fc60c",
    spanId: (n + 1).toString(16).padStart(16, "0"),
    name: "GET /",
    attributes: [{ key: "stack", value: { stringValue: "x".repeat(2_000) } }],
  }));
  const body = tracesToProtobuf(traces(spans));
  const response = await app.handle(
    new Request("http://localhost/v1/traces", {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/x-protobuf",
        "content-length": String(body.length),
      },
      body,
    }),
  );
  await response.body?.cancel();
  assert.equal(response.status, 413);
  await app.services.writer.close();
  for (const path of [page, `/projects/${app.projectId}/settings/keys`, app.path]) {
    const text = textOf((await app.owner.get(path)).html);
    assert.match(text, /: about 74\d spans were refused as too large in the last hour/, path);
    assert.match(text, /OTEL_EXPORTER_OTLP_COMPRESSION=gzip OTEL_BSP_MAX_EXPORT_BATCH_SIZE=128/);
  }
  assert.doesNotMatch(textOf((await app.owner.get("/account")).html), /refused as too large/);
});

Deno.test("a quota that is set in the middle of a month counts what came before", async () => {
  await using app = await usageApp();
  const { kv, writer } = app.services;
  const [key] = await listKeys(kv, app.projectId);
  for (let index = 0; index < 3; index++) {
    writer.countRequest({
      projectId: app.projectId,
      keyId: key?.id ?? "",
      isAccepted: true,
      at: new Date(),
    });
  }
  await writer.close();
  const organization = app.organization.id;
  await app.owner.post("/instance", { organization, quota: "10" });
  assert.deepEqual(await quotaUse(kv, organization), { quota: 10, used: 3 });
  await app.owner.post("/instance", { organization, quota: "20" });
  assert.deepEqual(await quotaUse(kv, organization), { quota: 20, used: 3 });
});

Deno.test("the administrator of the instance sees its health, and sets quotas", async () => {
  await using app = await usageApp();
  const { kv } = app.services;
  const text = textOf((await app.owner.get("/instance")).html);
  assert.match(text, /Deno KV.*Postgres.*Object store.*Everything is stored at once/);
  assert.match(text, /Waiting 0 B of 256 MiB/);
  const organization = app.organization.id;
  const saved = await app.owner.post("/instance", { organization, quota: "1,000" });
  assert.equal(saved.status, 303);
  assert.equal(await monthlyQuota(kv, organization), 1_000);
  const refused = await app.owner.post("/instance", { organization, quota: "many" });
  assert.equal(refused.status, 422);
  assert.match(textOf(refused.html), /Enter a whole number/);
  const { visitor } = await app.member("owner");
  assert.equal((await visitor.get("/instance")).status, 404);
  assert.equal((await visitor.post("/instance", { organization, quota: "0" })).status, 404);
});

Deno.test("CSV and JSON exports are saved as files, kept by no cache, and taken for nothing else", async () => {
  await using app = await usageApp();
  const { sql } = app.services;
  const { dashboardId } = await createDashboard(
    sql,
    app.projectId,
    { name: "All", content: EVERYTHING },
    null,
  );
  const exports = [
    `${app.path}/csv`,
    `/projects/${app.projectId}/dashboards/${dashboardId}/export`,
  ];
  for (const path of exports) {
    const { status, headers } = await app.owner.get(path);
    assert.equal(status, 200, path);
    assert.match(headers.get("content-disposition") ?? "", /^attachment; filename="/, path);
    assert.equal(headers.get("cache-control"), "private, no-store", path);
    assert.equal(headers.get("x-content-type-options"), "nosniff", path);
  }
  // What programs are answered as JSON is the same data.
  const answer = await app.visitor().get("/api/0/organizations/");
  assert.equal(answer.headers.get("cache-control"), "private, no-store");
  assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
});

Deno.test("a quota of bytes is set on the instance's page beside that of requests, and shown with what is used", async () => {
  await using app = await usageApp();
  const { kv, rates } = app.services;
  const organization = app.organization.id;
  const saved = await app.owner.post("/instance", { organization, quota: "0", bytes: "1 GiB" });
  assert.equal(saved.status, 303);
  assert.match((await app.owner.get("/instance")).html, /value="1GiB"/);
  await rates.takeMonthly(organization, 2 ** 30, 900 * 2 ** 20, "bytes");
  const text = textOf((await app.owner.get(app.path)).html);
  assert.match(text, /Data of this month, as it is sent up to 90\d MiB of 1 GiB used \(8\d\.\d%\)/);
  assert.match(text, /Acme has used 8\d\.\d% of its quota of the month 90\d MiB of 1 GiB\. When/);
  const refused = await app.owner.post("/instance", { organization, quota: "0", bytes: "much" });
  assert.equal(refused.status, 422);
  assert.match(textOf(refused.html), /Enter a size, as 500GB/);
  assert.equal((await quotaUse(kv, organization, new Date(), "bytes")).quota, 2 ** 30);
});
