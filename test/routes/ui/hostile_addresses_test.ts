/** Addresses of pages that pass a first look, and that no store or calendar takes. */
import assert from "node:assert/strict";
import { everyPage } from "@/test/support/every_page.ts";
import { CURSORS, DATES } from "@/test/support/hostile_values.ts";
import { type Addresses, askedAsOwner, knownAddresses } from "@/test/support/known_addresses.ts";
import { acme } from "@/test/support/ui_app.ts";

const TEXTS = ["a\0b", "9".repeat(25), "__proto__"];
const PARTS = ["a%00b", "%ED%A0%80", "9".repeat(25), "2147483648", "__proto__", "-1"];
/** The same for other letters and numbers of metrics; and what Fresh looks for. */
const REPEATED = /^(?:[c-z]\.|f(?:[2-9]|10)\b|__frsh_c$)/;

Deno.test("whatever a parameter of a page says, it ends in no error of ours", async (t) => {
  await using app = await acme();
  const known = await knownAddresses(app, await everyPage(app));
  for (const [pathname, addresses] of known) {
    await t.step(pathname, async () => {
      for (const search of searchesOf(addresses)) {
        const { status } = await askedAsOwner(app, `${pathname}?${search}`);
        assert.ok(status < 500, `${status} ${pathname}?${search}`);
      }
    });
  }
});

Deno.test("whatever a part of a page's address says, it ends in no error of ours", async () => {
  await using app = await acme();
  for (const { pattern, path } of await everyPage(app)) {
    const [pathname = "", search = ""] = path.split("?");
    for (const [place, name] of pattern.split("/").entries()) {
      if (!name.startsWith("[")) continue;
      for (const part of PARTS) {
        const address = `${pathname.split("/").with(place, part).join("/")}?${search}`;
        const { status } = await askedAsOwner(app, address);
        assert.ok(status < 500, `${status} ${address}`);
      }
    }
  }
});

/** Each parameter with each value: alone, and beside the most that links ask the page for. */
function searchesOf(addresses: Addresses): Set<string> {
  const searches = new Set<string>();
  const bases = [...addresses].sort(([a], [b]) => a.split("&").length - b.split("&").length);
  for (const [base, { names }] of [...bases.slice(0, 1), ...bases.slice(1).slice(-1)]) {
    for (const name of names) {
      if (REPEATED.test(name)) continue;
      for (const value of valuesOf(name)) {
        const search = new URLSearchParams(base);
        search.set(name, value);
        if (name === "end") search.set("start", "2026-11-20");
        searches.add(search.toString());
      }
    }
  }
  return searches;
}

function valuesOf(name: string): readonly string[] {
  if (/cursor/i.test(name)) return CURSORS;
  if (/start|end$|from|to$|until|month/i.test(name)) return [...DATES, "a\0b"];
  return name === "query" || /filter$/.test(name) ? [...TEXTS, '(-"'] : TEXTS;
}
