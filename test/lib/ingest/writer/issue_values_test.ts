import assert from "node:assert/strict";
import { toEventRow } from "@/lib/ingest/writer/rows.ts";
import { IssueMemory, IssueValues } from "@/lib/ingest/writer/events.ts";
import { errorEvent } from "@/test/support/error_event.ts";

function filed(fields: Parameters<typeof errorEvent>[0], issueId = "1") {
  const event = errorEvent({ environment: "", release: "", ...fields });
  return { projectId: "1", row: toEventRow("1", event), issueId };
}

Deno.test("findNew() names values until they are remembered, and then no more on the same day", () => {
  const values = new IssueValues();
  const event = filed({
    user: "id:1",
    tags: [["os", "Linux"]],
    texts: ["0no cart", "1pay\n\n\n\n\x0027"],
    timestamp: new Date("2026-11-20T10:00:00Z"),
  });
  const found = values.findNew([event, event]);
  const { texts, stacks: _, ...rest } = found;

  assert.deepEqual(texts.map(({ issueId, text, day }) => [issueId, text, day]), [
    ["1", "0no cart", "2026-11-20"],
    ["1", "1pay\n\n\n\n", "2026-11-20"],
    ["1", "27", "2026-11-20"],
  ]);
  assert.deepEqual(rest, {
    tags: [{ projectId: "1", issueId: "1", key: "os", value: "Linux", day: "2026-11-20" }],
    users: [{ projectId: "1", issueId: "1", user: "id:1" }],
  });
  assert.deepEqual(values.findNew([event]), found, "the transaction may have failed");
  values.remember(found);
  assert.deepEqual(values.findNew([event]), { tags: [], users: [], texts: [], stacks: [] });
});

Deno.test("findNew() names no text of a known stack, and of a new stack only what is new", () => {
  const values = new IssueValues();
  const textsOf = (texts: string[], issueId = "1") =>
    values.findNew([filed({ texts }, issueId)]).texts.map(({ text }) => text);
  values.remember(values.findNew([filed({ texts: ["1a\x001b"] })]));

  assert.deepEqual(textsOf(["1a\x001b"]), []);
  assert.deepEqual(textsOf(["1a\x001c"]), ["1c"]);
  assert.deepEqual(textsOf(["1a\x001b"], "2"), ["1a", "1b"]);
});

Deno.test("findNew() names a remembered tag value again on a later day, not on an earlier one", () => {
  const values = new IssueValues();
  const on = (day: string) => filed({ tags: [["os", "Linux"]], timestamp: new Date(day) });
  values.remember(values.findNew([on("2026-11-20")]));

  assert.deepEqual(values.findNew([on("2026-11-19")]).tags, []);
  assert.deepEqual(values.findNew([on("2026-11-21"), on("2026-11-22")]).tags.map((t) => t.day), [
    "2026-11-22",
  ]);
});

Deno.test("findNew() keeps keys, values and issues apart", () => {
  const values = new IssueValues();
  const events = [
    filed({ tags: [["a", "bc"]] }),
    filed({ tags: [["ab", "c"]] }),
    filed({ tags: [["a", "bc"]] }, "11"),
    filed({ tags: [["__proto__", "constructor"]] }),
  ];

  const found = values.findNew(events);
  values.remember(found);

  assert.equal(found.tags.length, 4);
  assert.deepEqual(values.findNew(events).tags, []);
});

Deno.test("IssueMemory forgets the issues that were not used for long, and stays bounded", () => {
  const memory = new IssueMemory(100);
  memory.rememberUser(memory.of("1", "often"), "ann");

  for (let i = 0; i < 1_000; i++) {
    memory.rememberUser(memory.of("1", `issue ${i}`), "bob");
    assert.ok(memory.of("1", "often").users.has("ann"), `after ${i} issues`);
  }

  assert.ok(!memory.of("1", "issue 0").users.has("bob"));
  assert.ok(memory.of("1", "issue 999").users.has("bob"));
});
