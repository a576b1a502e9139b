/** What flame graphs load, and their other views: order of time, table, without script, picture. */
import assert from "node:assert/strict";
import {
  addressHas,
  cardSays,
  click,
  eventually,
  inBrowser,
  openSite,
  ROW_PX,
} from "./in_chromium.ts";

Deno.test(
  "zooming loads what was left out; a failure says so and can be tried again",
  inBrowser,
  async () => {
    const site = await openSite();
    const page = await site.open("/?graph=cut");
    await cardSays(page, 1, 0.05, /Zooming in brings [\d,]+ smaller box/);
    await page.route("**/data?**", (route) => route.abort());
    await click(page, 1, 0.05);
    const alert = page.getByText("A part of the graph could not be loaded");
    await alert.waitFor();
    await page.unroute("**/data?**");
    await page.getByRole("button", { name: "Try again" }).click();
    await alert.waitFor({ state: "detached" });
    await cardSays(page, 1, 0.06, /^((?!Zooming in).)+$/);

    const deep = await site.open("/?graph=cut");
    const asked: string[] = [];
    deep.on("request", (request) => asked.push(request.url()));
    await click(deep, 9, 0.05);
    await eventually(
      () => Promise.resolve(decodeURIComponent(asked.join())),
      /path=([0-9a-f]{8},){8}[0-9a-f]{8}/,
    );
  },
);

Deno.test("a large graph that does not come with the page is fetched", inBrowser, async () => {
  const site = await openSite();
  const page = await site.open("/?graph=bigdiff", { javaScriptEnabled: false });
  assert.ok(await page.locator(".flame-icicle a").count() > 100);
  const live = await site.open("/?graph=bigdiff");
  await cardSays(live, 1, 0.01, /Total, before .* Total, after .* Total, change \+/);
});

Deno.test("the order of time is chosen by thread", inBrowser, async () => {
  const site = await openSite();
  const page = await site.open("/?graph=small");
  await page.getByLabel("Order").selectOption("time");
  await page.getByLabel("Thread").waitFor();
  await page.locator(".flame-live[aria-busy=false]").waitFor();
  // The axis is as high as a row.
  await cardSays(page, 2, 0.8, /^main .* Begins at 60 ms Total 40 ms/);
  await page.getByLabel("Thread").selectOption("worker");
  await cardSays(page, 2, 0.8, /^worker/);
  await click(page, 3, 0.35);
  await addressHas(page, /path=[0-9a-f]{8},[0-9a-f]{8}\.1(&|$)/);
  const shared = await site.open(page.url());
  await cardSays(shared, 3, 0.9, /Begins at 30 ms/);
});

Deno.test(
  "the table has the same figures, sorts, and narrows with the search",
  inBrowser,
  async () => {
    const site = await openSite();
    const page = await site.open("/?graph=small");
    await page.getByRole("link", { name: "Table" }).click();
    const cells = page.locator(".flame-table tbody tr");
    assert.deepEqual((await cells.first().innerText()).split(/\s*\t\s*/), [
      "lib.read",
      "30 ms",
      "30.0%",
      "30 ms",
      "30.0%",
      "/app/shop.ts:40",
    ]);
    await page.getByRole("button", { name: "Total" }).click();
    assert.match(await cells.first().innerText(), /^main/);
    await page.fill("[type=search]", "cart");
    assert.equal(await cells.count(), 1);
    assert.equal(
      await page.locator(".flame-table a").first().getAttribute("href"),
      "/?function=shop.cart",
    );

    const large = await site.open("/?graph=bigdiff&tab=table");
    const rows = Number(await large.locator(".flame-table").getAttribute("aria-rowcount"));
    assert.ok(rows > 1_000);
    assert.ok(await large.locator(".flame-table tbody tr").count() < 120);
    await large.evaluate(`document.querySelector(".flame-table-box").scrollTop = 1e6`);
    await large.locator(`[aria-rowindex="${rows}"]`).waitFor();
  },
);

Deno.test(
  "without script boxes are links that zoom, and the table is a page",
  inBrowser,
  async () => {
    const site = await openSite();
    const page = await site.open("/?graph=small&service=shop", { javaScriptEnabled: false });
    const boxes = page.locator(".flame-icicle a");
    assert.equal(await boxes.count(), 10);
    await page.getByRole("link", { name: /^shop.checkout,/ }).click();
    assert.match(page.url(), /service=shop&path=/);
    assert.equal(await boxes.count(), 8);
    await page.getByRole("link", {
      name: /^shop.prices, .*; total 35 ms, 50.0% of the view, 35.0% of all/,
    }).waitFor();
    await page.getByRole("link", { name: "Reset zoom" }).click();
    assert.equal(await boxes.count(), 10);
    await page.getByRole("link", { name: "Table" }).click();
    assert.equal(await page.locator(".flame-table tbody tr").count(), 6);
    await page.getByText("Export").click();
    assert.equal(await page.getByRole("link", { name: "pprof" }).isVisible(), true);
    await page.goto("/?graph=cut");
    const first = page.getByRole("link", { name: /without \d+ smaller boxes below it/ }).nth(1);
    const name = (await first.textContent() ?? "").replace(/,.*/s, "");
    await first.click();
    const zoomed = page.getByRole("link", {
      name: new RegExp(`^${RegExp.escape(name)}.*100.0% of the view`),
    });
    assert.doesNotMatch(await zoomed.textContent() ?? "", /smaller box/);
    await page.goto("/?graph=empty");
    await page.getByRole("heading", { name: "No samples" }).waitFor();
  },
);

Deno.test("the picture is saved as PNG", inBrowser, async () => {
  const site = await openSite();
  const page = await site.open("/?graph=cut");
  await page.getByText("Export").click();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Picture (PNG)" }).click();
  const saved = await download;
  assert.equal(saved.suggestedFilename(), "CPU-time-of-cut.png");
  const bytes = await Deno.readFile(await saved.path());
  assert.deepEqual([...bytes.subarray(1, 4)], [..."PNG"].map((letter) => letter.charCodeAt(0)));
  assert.ok(new DataView(bytes.buffer).getUint32(20) > 45 * ROW_PX);
});
