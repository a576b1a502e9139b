import assert from "node:assert/strict";
import { findIssueNamed, parseShortId, shortIdOf } from "@/lib/errors/workflow/short_id.ts";
import { mergeIssues } from "@/lib/errors/issue_merge.ts";
import { testDatabase } from "../../../support/database.ts";
import { errorEvent } from "../../../support/error_event.ts";
import { testWriter } from "../../../support/writer.ts";

Deno.test("a short id is the slug and the number in Crockford's base 32", () => {
  assert.equal(shortIdOf("shop", 1), "SHOP-1");
  assert.equal(shortIdOf("shop", 42), "SHOP-1A");
  assert.equal(shortIdOf("my-shop", 31), "MY-SHOP-Z");
  assert.equal(shortIdOf("shop", 32 ** 2), "SHOP-100");
  for (const number of [1, 31, 32, 33, 1_000, 123_456_789]) {
    assert.deepEqual(parseShortId(shortIdOf("my-shop", number)), { slug: "my-shop", number });
  }
});

Deno.test("short ids are read in either case, with misread letters, and nothing else is", () => {
  assert.deepEqual(parseShortId("issue:shop-1a"), { slug: "shop", number: 42 });
  assert.deepEqual(parseShortId("SHOP-LO"), { slug: "shop", number: 32 });
  for (const text of ["", "shop", "42", "shop-", "shop-0", "shop-U", "-1a", "shop-1a/x", "ü-1"]) {
    assert.equal(parseShortId(text), null, text);
  }
  assert.equal(parseShortId(`shop-${"Z".repeat(11)}`), null);
});

Deno.test("issues are found by their short id, merged ones by what they are part of", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  await using writer = testWriter(sql);
  for (const group of ["one", "two"]) await writer.store("1", errorEvent({ group }));
  await writer.store("2", errorEvent({ group: "other" }));
  const projects = [{ id: "1", slug: "shop" }, { id: "2", slug: "web" }];
  const first = await findIssueNamed(sql, "SHOP-1", projects);
  const second = await findIssueNamed(sql, "shop-2", projects);
  const other = await findIssueNamed(sql, "web-1", projects);
  assert.ok(first && second && other);
  assert.deepEqual([first.projectId, other.projectId], ["1", "2"]);
  assert.equal(await findIssueNamed(sql, "web-2", projects), null);
  assert.equal(
    await findIssueNamed(sql, "shop-1", projects.slice(1)).then((it) => it?.id),
    other.id,
  );
  assert.deepEqual(await findIssueNamed(sql, first.id, projects), first);
  assert.equal(await findIssueNamed(sql, first.id, projects.slice(1)), null);

  const merged = await mergeIssues(sql, "1", [first.id, second.id]);
  assert.ok(merged);
  for (const named of ["SHOP-1", "SHOP-2", first.id, second.id]) {
    assert.equal((await findIssueNamed(sql, named, projects))?.id, merged.into, named);
  }
});
