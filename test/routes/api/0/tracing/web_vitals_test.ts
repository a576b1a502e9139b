import assert from "node:assert/strict";
import type { Measurement } from "@/lib/records/mod.ts";
import { transactionRecord } from "@/test/support/records.ts";
import { tracedApi } from "@/test/support/traced_api.ts";

interface VitalAnswer {
  readonly p75: number;
  readonly count: number;
  readonly rating: string;
}

interface PageAnswer {
  readonly page: string;
  readonly loads: number;
  readonly score: number;
  readonly vitals: Record<string, VitalAnswer | null>;
}

const lcp = (value: number): Measurement => ({ name: "lcp", value, unit: "millisecond" });

async function visitedApi() {
  const api = await tracedApi();
  const visit = (name: string, ...measurements: Measurement[]) =>
    transactionRecord({ name, op: "pageload", measurements });
  await api.store([
    visit("/cart", lcp(1_000), { name: "cls", value: 0.3, unit: "" }),
    visit("/cart", lcp(1_000)),
    visit("/home", lcp(5_000)),
  ]);
  return api;
}

Deno.test("pages have the 75th percentile, count and rating of each vital", async () => {
  await using api = await visitedApi();
  const [cart, home] = await api.read<PageAnswer[]>("/web-vitals/");
  assert.ok(cart && home);
  assert.deepEqual([cart.page, cart.loads, home.page, home.loads], ["/cart", 2, "/home", 1]);
  const { lcp, cls, inp } = cart.vitals;
  assert.deepEqual([lcp?.count, lcp?.rating, cls?.count, cls?.rating, inp], [
    2,
    "good",
    1,
    "poor",
    null,
  ]);
  assert.ok(Math.abs((lcp?.p75 ?? 0) - 1_000) < 15);
  assert.equal(home.vitals.lcp?.rating, "poor");
  assert.ok(cart.score > home.score);
});

Deno.test("pages are searched, sorted and narrowed", async () => {
  await using api = await visitedApi();
  const pages = async (search: string) =>
    (await api.read<PageAnswer[]>(`/web-vitals/?${search}`)).map(({ page }) => page);
  assert.deepEqual(await pages("query=hom"), ["/home"]);
  assert.deepEqual(await pages("sort=-lcp"), ["/home", "/cart"]);
  assert.deepEqual(await pages("sort=-score"), ["/cart", "/home"]);
  // What a page has no value of goes last, in either order.
  assert.deepEqual(await pages("sort=cls"), ["/cart", "/home"]);
  assert.deepEqual(await pages("environment=nowhere"), []);
  assert.equal((await api.refusal("/web-vitals/?sort=fid")).status, 400);
});

Deno.test("one organization never sees the pages of another", async () => {
  await using api = await tracedApi();
  await api.store([transactionRecord()], api.otherWorld);
  assert.deepEqual(await api.read("/web-vitals/"), []);
  assert.equal((await api.call("owner", "/projects/other/other-shop/web-vitals/")).status, 404);
});
