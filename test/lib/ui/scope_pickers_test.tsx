import assert from "node:assert/strict";
import { inLanguage } from "@/lib/core/request_scope.ts";
import { parseScope, RANGE_PRESETS } from "@/lib/ui/scope.ts";
import { ScopePickers, shortRange } from "@/lib/ui/scope_pickers.tsx";
import { rendered } from "../../support/rendered.ts";

function pickers(query: string, releases: string[] = []): Promise<string> {
  return rendered(
    <ScopePickers
      scope={parseScope(new URLSearchParams(query))}
      path="/projects/7/issues"
      keep={{ query: "timeout", status: null }}
      environments={["production", "staging"]}
      releases={releases}
    />,
  );
}

/** Names and values that a form of the page sends when nothing in it is touched. */
function sent(html: string, owner: string): string[] {
  const form = html.split("<form").slice(1).map((part) => part.split("</form>")[0] ?? "")
    .find((part) => part.includes(owner)) ?? "";
  return [...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)]
    .map(([, name, value]) => `${name}=${value}`);
}

Deno.test("each picker's form carries the other parts of the scope and the search", async () => {
  const html = await pickers("environment=staging&release=web@1&range=24h", ["web@1"]);
  assert.deepEqual(sent(html, 'name="start"'), [
    "environment=staging",
    "release=web@1",
    "query=timeout",
  ]);
  assert.deepEqual(sent(html, 'type="checkbox" name="release"'), [
    "environment=staging",
    "range=24h",
    "query=timeout",
  ]);
});

Deno.test("what is chosen is ticked, and listed even when it is no longer known", async () => {
  const html = await pickers("environment=canary");
  assert.match(html, /value="canary" checked/);
  assert.doesNotMatch(html, /value="production" checked/);
});

Deno.test("the presets are links that keep the rest of the page", async () => {
  const html = await pickers("environment=staging");
  assert.match(
    html,
    /href="\/projects\/7\/issues\?environment=staging&amp;range=1h&amp;query=timeout"/,
  );
});

Deno.test("a custom time is named in UTC and stands in its fields", async () => {
  const html = await pickers("start=2026-03-01T10:00Z&end=2026-03-01T11:30Z");
  assert.match(html, /2026-03-01 10:00 – 11:30 UTC/);
  assert.match(html, /name="start" value="2026-03-01T10:00"/);
});

Deno.test("a picker without anything to choose says why", async () => {
  assert.match(await pickers(""), /Nothing has named any release yet/);
});

Deno.test("ranges in a row are short, in the language of who reads them", () => {
  const all = () => RANGE_PRESETS.map(shortRange).join(", ");
  assert.equal(all(), "15 min, 1 h, 24 h, 7 d, 14 d, 30 d");
  inLanguage({ language: "ru", timeZone: "UTC" }, () => {
    assert.equal(all(), "15 мин, 1 ч, 24 ч, 7 д, 14 д, 30 д");
  });
  assert.equal(shortRange("a name"), "a name");
});
