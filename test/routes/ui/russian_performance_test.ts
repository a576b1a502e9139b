/** Pages with numbers in Russian. In a file of their own: the language of a test may reach those that follow. */
import assert from "node:assert/strict";
import { listDashboards } from "@/lib/dashboards/dashboards.ts";
import { dashboardSite } from "../../support/dashboard_site.ts";
import { explicitBuckets, histogramSeries } from "../../support/metric_series.ts";
import { transactionRecord } from "../../support/records.ts";
import { textOf } from "../../support/ui_app.ts";

const MINUTE_MS = 60_000;

/** A shop with so many orders and the durations of its requests, whose owner reads Russian. */
async function russianShop(count: number) {
  const labels = { "http.route": "/cart", "http.response.status_code": "200" };
  const site = await dashboardSite(
    histogramSeries("http.server.request.duration", labels, [
      [Date.now() - 2 * MINUTE_MS, explicitBuckets([0.1, 0.5, 1], [10, 80, 9, 1])],
    ]),
  );
  const records = Array.from({ length: count }, (_, index) =>
    transactionRecord({
      name: `GET /orders/${index}/lines`,
      route: "/orders/{id}",
      durationMs: 1_500,
      httpStatus: 200,
    }));
  await site.services.writer.commit(site.projectId, { records, outcomes: [] });
  const { status } = await site.owner.post("/account/language", {
    language: "ru",
    timeZone: "UTC",
  });
  assert.equal(status, 303);
  const project = `/projects/${site.projectId}`;
  const page = async (path: string) => (await site.owner.get(`${project}/${path}`)).html;
  return { ...site, page, read: async (path: string) => textOf(await page(path)) };
}

Deno.test("lists count in the plural forms, the decimal mark and the units of Russian", async () => {
  await using shop = await russianShop(22);
  const transactions = await shop.read("transactions");
  assert.match(transactions, /Показано 1–22, всего 22 транзакции/);
  assert.match(transactions, /1,5 с/);
  assert.match(await shop.read("transactions?query=orders/1/"), /Показано 1–1, всего 1 транзакция/);
  assert.match(await shop.read("transactions?query=nothing"), /Подходящих транзакций нет/);
  assert.match(await shop.page("endpoints"), /title="Успешных \(2xx\): 22, 100,0\s%"/);
});

Deno.test("what is wrong with a search or a query is told in Russian", async () => {
  await using shop = await russianShop(1);
  assert.match(await shop.read("traces?query=duration:soon"), /Укажите длительность как >500ms/);
  const explored = await shop.read(
    "metrics/explore?a.metric=http.server.request.duration&a.filter=x",
  );
  assert.match(explored, /Фильтр не читается в конце: не хватает =, !=, =~ или !~/);
});

Deno.test("a ready-made dashboard is in its reader's language, and a copy stays in its maker's", async () => {
  await using shop = await russianShop(1);
  assert.match(await shop.read("dashboards"), /Готовые.*HTTP-сервер/);
  const ready = await shop.read("dashboards/ready/http-server?range=1h");
  assert.match(ready, /Сохранить копию.*Длительность, p95.*Ошибки 5xx/);
  assert.equal((await shop.owner.post(`${shop.base}/ready/http-server`)).status, 303);
  await shop.owner.post("/account/language", { language: "en", timeZone: "UTC" });
  const [{ name } = { name: "" }] = await listDashboards(shop.services.sql, shop.projectId);
  assert.equal(name, "HTTP-сервер");
  assert.match(
    await shop.read("dashboards/ready/http-server?range=1h"),
    /Save a copy.*Duration, p95/,
  );
});
