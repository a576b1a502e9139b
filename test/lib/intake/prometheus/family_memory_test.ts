import assert from "node:assert/strict";
import { FamilyMemory } from "../../../../lib/intake/prometheus/family_memory.ts";

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
