import assert from "node:assert/strict";
import { choiceNamed, firstChoice, QUERY_TABS } from "@/lib/traces/queries/load_queries.ts";
import { SPAN_CATEGORIES } from "@/lib/records/mod.ts";

Deno.test("every category stands under one tab of its own, and under All", () => {
  const [all, own] = [QUERY_TABS.at(-1), QUERY_TABS.slice(0, -1)];
  const named = SPAN_CATEGORIES.filter((category) => category !== "").sort();
  assert.deepEqual(own.flatMap(({ categories }) => categories).sort(), named);
  assert.deepEqual([...all?.categories ?? []].sort(), named);
});

Deno.test("a tab or a category may be named; anything else is the first tab that has something", () => {
  const choice = (name: string | null, ...present: string[]) => {
    const { tab, categories, id } = choiceNamed(name) ?? firstChoice(new Set(present));
    return [tab.id, categories.length, id];
  };
  assert.deepEqual(choice("cache"), ["cache", 1, "cache"]);
  assert.deepEqual(choice("rpc"), ["other", 1, "rpc"]);
  assert.deepEqual(choice("other"), ["other", 5, "other"]);
  assert.deepEqual(choice("all"), ["all", 9, "all"]);
  for (const name of [null, "", "nonsense", "__proto__"]) {
    assert.deepEqual(choice(name), ["db", 1, "db"]);
    assert.deepEqual(choice(name, "queue", "http"), ["http", 1, "http"]);
    assert.deepEqual(choice(name, "ai"), ["other", 5, "other"]);
  }
});
