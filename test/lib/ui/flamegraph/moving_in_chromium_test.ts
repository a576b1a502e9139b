/** Flame graphs by pointer, finger and keyboard: zoom, search, menu, address. */
import assert from "node:assert/strict";
import { complaintsOf, faultsOf } from "@/test/support/seen_in_chromium.ts";
import { addressHas, cardSays, click, inBrowser, openSite, place, reads } from "./in_chromium.ts";

Deno.test(
  "a click zooms to a box, the card tells its shares, a link restores it",
  inBrowser,
  async () => {
    const site = await openSite();
    const page = await site.open("/?graph=small");
    const complaints = complaintsOf(page);
    await cardSays(
      page,
      2,
      0.1,
      /^shop.checkout \/app\/shop.ts:20 shop Total 70 ms 70.0% of all Self 5 ms/,
    );
    await click(page, 2, 0.1);
    await addressHas(page, /[?&]path=[0-9a-f]{8},[0-9a-f]{8}$/);
    const wide = /^shop.prices .* Total 35 ms 50.0% of the view, 35.0% of all/;
    await cardSays(page, 3, 0.6, wide);

    const shared = await site.open(page.url());
    await cardSays(shared, 3, 0.6, wide);
    await shared.keyboard.press("Escape");
    await addressHas(shared, /\?graph=small$/);
    await page.getByRole("button", { name: "Reset zoom" }).click();
    await cardSays(page, 3, 0.05, /^shop.prices|^lib.parse/);
    assert.deepEqual(complaints, []);
  },
);

Deno.test(
  "a search says what share it found, walks, and is part of the address",
  inBrowser,
  async () => {
    const site = await openSite();
    const page = await site.open("/?graph=small");
    await page.keyboard.press("/");
    await page.keyboard.type("PARSE");
    const result = page.locator(".flame [role=search] [role=status]");
    // 30 ms of the outer one, in which the inner one is already.
    assert.equal(await result.innerText(), "30.0% in 2 boxes");
    await addressHas(page, /find=PARSE/);
    await page.keyboard.press("Enter");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("n");
    await reads(page, /^lib.parse, .*; total 20 ms/);
    await page.keyboard.press("N");
    await reads(page, /^lib.parse, .*; total 30 ms/);
    await page.keyboard.press("/");
    await page.fill("[type=search]", "/^shop\\.(cart|prices)$/");
    assert.equal(await result.innerText(), "55.0% in 2 boxes");
    await page.fill("[type=search]", "/(/");
    assert.equal(await result.innerText(), "not a regular expression");
  },
);

Deno.test(
  "the keyboard goes from box to box, zooms, opens the menu and gives the focus back",
  inBrowser,
  async () => {
    const site = await openSite();
    const page = await site.open("/?graph=small");
    await page.locator(".flame-live").focus();
    const press = async (...keys: string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    await press("ArrowDown", "ArrowDown", "ArrowRight");
    await reads(page, /^shop.cart,/);
    await press("Enter");
    await reads(page, /100.0% of the view, 20.0% of all/);
    await press("0", "Shift+F10");
    const menu = page.getByRole("menu", { name: "shop.cart" });
    await menu.waitFor();
    assert.deepEqual(await menu.getByRole("menuitem").allInnerTexts(), [
      "Zoom to this box",
      "Callers and callees",
      "Only stacks with this function",
      "Hide this function",
      "Find this function",
      "Copy name",
      "Copy file and line",
      "Open source",
    ]);
    await press("End");
    assert.equal(
      await page.evaluate("document.activeElement.href"),
      "https://example.com/blob/main/app/shop.ts#L60",
    );
    await press("Escape");
    assert.equal(await menu.count(), 0);
    assert.ok(await page.evaluate(`document.activeElement.matches(".flame-live")`));
  },
);

Deno.test("the menu hides functions, copies, searches and leads on", inBrowser, async () => {
  const site = await openSite();
  const page = await site.open("/?graph=small", {
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const choose = async (name: string) => {
    await click(page, 2, 0.1, "right");
    await page.getByRole("menuitem", { name }).click();
  };
  await choose("Copy name");
  assert.equal(await page.evaluate("navigator.clipboard.readText()"), "shop.checkout");
  await choose("Copy file and line");
  assert.equal(await page.evaluate("navigator.clipboard.readText()"), "/app/shop.ts:20");
  await choose("Find this function");
  assert.equal(await page.inputValue("[type=search]"), "shop.checkout");
  await page.fill("[type=search]", "");
  await choose("Hide this function");
  await cardSays(page, 2, 0.1, /^shop.prices .* Total 35 ms/);
  await addressHas(page, /hide=[0-9a-f]{8}/);
  await page.getByRole("button", { name: "Show 1 hidden function" }).click();
  await cardSays(page, 2, 0.1, /^shop.checkout/);
  await page.getByLabel("Fold recursion").check();
  await cardSays(page, 3, 0.4, /^lib.parse .* Total 30 ms .* Self 25 ms/);
  await choose("Only stacks with this function");
  await page.waitForURL(/focus=/);
  assert.equal(new URL(page.url()).searchParams.get("focus"), "^shop\\.checkout$");
});

Deno.test("wheel and drag move the view; a double click resets it", inBrowser, async () => {
  const site = await openSite();
  const page = await site.open("/?graph=small");
  const { x, y } = await place(page, 2, 0.75);
  await page.mouse.move(x, y);
  await page.keyboard.down("Control");
  for (let turn = 0; turn < 2; turn++) await page.mouse.wheel(0, -200);
  await page.keyboard.up("Control");
  await cardSays(page, 2, 0.95, /^shop.cart/);
  await cardSays(page, 2, 0.05, /^shop.c/);
  const from = await place(page, 2, 0.2);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move(from.x + 900, from.y, { steps: 5 });
  await page.mouse.up();
  await cardSays(page, 2, 0.5, /^shop.checkout/);
  assert.doesNotMatch(page.url(), /path=/);
  await page.mouse.dblclick(from.x, from.y);
  await cardSays(page, 2, 0.75, /^shop.cart/);
});

Deno.test("on a phone a tap shows a bar at the bottom, whose button zooms", inBrowser, async () => {
  const site = await openSite();
  const page = await site.open("/?graph=small", {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  const { x, y } = await place(page, 2, 0.1);
  await page.touchscreen.tap(x, y);
  const bar = page.getByRole("region", { name: "Chosen box" });
  assert.match(await bar.innerText(), /^shop.checkout/);
  const edge = await bar.boundingBox();
  assert.ok(edge && edge.width === 390 && Math.round(edge.y + edge.height) === 844);
  assert.deepEqual(await faultsOf(page), []);
  await bar.getByRole("button", { name: "More" }).tap();
  await page.getByRole("menuitem", { name: "Zoom to this box" }).tap();
  await addressHas(page, /path=/);
});
