import assert from "node:assert/strict";
import { everyPage } from "../../support/every_page.ts";
import { acme, textOf } from "../../support/ui_app.ts";

/** What a tag is to who walks from landmark to landmark; `section` and `form` only with a name. */
const ROLES: Readonly<Record<string, string>> = {
  nav: "navigation",
  aside: "complementary",
  section: "region",
  form: "form",
  main: "main",
};
const LANDMARKS = new Set([...Object.values(ROLES), "search", "banner", "contentinfo"]);

Deno.test("no two landmarks of a page have the same name, and each page has one main", async () => {
  await using app = await acme();
  const faults: string[] = [];
  let looked = 0;
  for (const { path } of await everyPage(app)) {
    if (path.includes("sign-out")) continue;
    const { status, html } = await app.owner.get(path);
    if (status !== 200 || !html.startsWith("<!DOCTYPE html>")) continue;
    looked++;
    const names = landmarksOf(html);
    const twice = names.filter((name, place) => names.indexOf(name) !== place);
    faults.push(...twice.map((name) => `${path}: twice ${name}`));
    if (!names.includes("main ")) faults.push(`${path}: no main`);
  }
  assert.deepEqual(faults, []);
  assert.ok(looked > 80, `${looked} pages were looked at`);
});

function landmarksOf(html: string): string[] {
  return [...html.matchAll(/<(nav|aside|section|form|main|div|header|footer)\b([^>]*)>/g)].flatMap(
    ([, tag = "", attributes = ""]) => {
      const role = attribute(attributes, "role") ?? ROLES[tag] ?? "";
      const name = nameOf(attributes, html);
      if (!LANDMARKS.has(role)) return [];
      return name === "" && (role === "region" || role === "form") ? [] : [`${role} ${name}`];
    },
  );
}

function nameOf(attributes: string, html: string): string {
  const id = attribute(attributes, "aria-labelledby");
  if (id === null) return attribute(attributes, "aria-label") ?? "";
  const [, tag = "", rest = ""] = new RegExp(`<(\\w+)[^>]* id="${id}"[^>]*>(.*)`, "s").exec(html) ??
    [];
  return textOf(rest.slice(0, rest.indexOf(`</${tag}>`)));
}

function attribute(attributes: string, name: string): string | null {
  return new RegExp(` ${name}="([^"]*)"`).exec(attributes)?.[1] ?? null;
}
