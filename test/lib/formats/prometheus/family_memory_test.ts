import assert from "node:assert/strict";
import { FamilyMemory } from "@/lib/formats/prometheus/families.ts";

const COUNTER = { type: "counter", unit: "", help: "Jobs" } as const;

Deno.test("a family is found by the names of its series, the whole name first", () => {
  const memory = new FamilyMemory();
  memory.set("1", "jobs", COUNTER);
  memory.set("1", "jobs_count", { ...COUNTER, type: "gauge" });
  assert.equal(memory.of("1", "jobs_total")?.type, "counter");
  assert.equal(memory.of("1", "jobs_count")?.type, "gauge");
  assert.equal(memory.of("1", "other"), null);
  assert.equal(memory.of("2", "jobs"), null);
});

Deno.test("a project keeps ten thousand families, and those of the one that was silent for longest go", () => {
  const memory = new FamilyMemory();
  for (const project of ["1", "2", "3", "4", "5"]) {
    if (project === "5") memory.set("1", "name0", COUNTER);
    for (let index = 0; index < 10_100; index++) memory.set(project, `name${index}`, COUNTER);
  }
  assert.notEqual(memory.of("5", "name9999"), null);
  assert.equal(memory.of("5", "name10000"), null);
  assert.equal(memory.of("2", "name0"), null);
  assert.notEqual(memory.of("1", "name0"), null);
});

Deno.test("what is told and new waits to be kept once, and comes back when that failed", () => {
  const memory = new FamilyMemory();
  memory.load("1", "kept", COUNTER);
  memory.set("1", "kept", { ...COUNTER });
  assert.equal(memory.takeChanged("1").size, 0);
  memory.set("1", "kept", { ...COUNTER, help: "Work" });
  memory.set("1", "jobs", COUNTER);
  const changed = memory.takeChanged("1");
  assert.deepEqual([...changed.keys()], ["kept", "jobs"]);
  assert.equal(memory.takeChanged("1").size, 0);
  memory.set("1", "jobs", { ...COUNTER, help: "Jobs of today" });
  memory.putBack("1", changed);
  assert.equal(memory.takeChanged("1").get("jobs")?.help, "Jobs of today");
});
