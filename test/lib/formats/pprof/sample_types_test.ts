import assert from "node:assert/strict";
import fc from "fast-check";
import { decodePprof } from "@/lib/formats/pprof/decode.ts";
import type { ValueType } from "@/lib/formats/pprof/profile.ts";
import {
  bestFirst,
  defaultTypeOf as defaultTypeOfProfile,
  natureOf,
  profileKindOf,
  readTypeId,
  typeId,
  valueTypesOf,
} from "@/lib/formats/pprof/sample_types.ts";
import { pprofBytes } from "@/test/support/pprof.ts";

/** Types as `cpu/nanoseconds`. */
function types(...names: string[]): ValueType[] {
  return names.map((name) => {
    const [type = "", unit = ""] = name.split("/");
    return { type, unit };
  });
}

function header(names: string[], period = "", more: { period?: bigint; preferred?: string } = {}) {
  return {
    sampleTypes: types(...names),
    periodType: period === "" ? null : types(period)[0] ?? null,
    period: more.period ?? 0n,
    defaultSampleType: more.preferred ?? "",
  };
}

const GO_HEAP = [
  "alloc_objects/count",
  "alloc_space/bytes",
  "inuse_objects/count",
  "inuse_space/bytes",
];
const GO_CPU = ["samples/count", "cpu/nanoseconds"];

Deno.test("each type of a profile is a value to show, once", () => {
  const values = valueTypesOf(header(["lock-count/count", "cpu/nanoseconds", "lock_count/count"]));
  assert.deepEqual(values, [
    { type: "lock_count", unit: "count", index: 0, factor: 1n },
    { type: "cpu", unit: "nanoseconds", index: 1, factor: 1n },
  ]);
});

Deno.test("samples alone have a time when the period is one", () => {
  const ebpf = header(["samples/count"], "cpu/nanoseconds", { period: 52_631_578n });
  assert.deepEqual(valueTypesOf(ebpf)[1], {
    type: "cpu",
    unit: "nanoseconds",
    index: 0,
    factor: 52_631_578n,
  });
  const pySpy = header(["samples/count"], "/milliseconds", { period: 10n });
  assert.deepEqual(valueTypesOf(pySpy)[1], {
    type: "cpu",
    unit: "nanoseconds",
    index: 0,
    factor: 10_000_000n,
  });
  for (
    const other of [
      header(["samples/count"]),
      header(["samples/count"], "cpu/nanoseconds"),
      header(["goroutine/count"], "goroutine/count", { period: 1n }),
      header(["contentions/count"], "cpu/nanoseconds", { period: 1n }),
      header(GO_CPU, "cpu/nanoseconds", { period: 1n }),
    ]
  ) assert.equal(valueTypesOf(other).length, other.sampleTypes.length);
});

/** The first type of a profile whose samples have a value of each type but those of these names. */
function defaultTypeOf(head: ReturnType<typeof header>, empty: readonly string[] = []) {
  const values = head.sampleTypes.map(({ type }) => empty.includes(type) ? 0n : 1n);
  const { periodType, ...rest } = head;
  const bytes = pprofBytes([{ stack: ["main"], values }], {
    ...rest,
    periodType: periodType ?? { type: "", unit: "" },
  });
  return defaultTypeOfProfile(decodePprof(bytes).profile);
}

Deno.test("what is shown first has samples, and is time on the processor before anything else", () => {
  const dotnet = header([
    "wall/nanoseconds",
    "cpu/nanoseconds",
    "cpu_samples/count",
    "alloc_size/bytes",
    "lock_count/count",
    "lock_time/nanoseconds",
  ]);
  assert.equal(defaultTypeOf(dotnet).type, "cpu");
  assert.equal(defaultTypeOf(dotnet, ["cpu"]).type, "wall");
  assert.equal(defaultTypeOf(dotnet, ["cpu", "wall", "lock_time"]).type, "lock_count");
  const preferred = header(GO_HEAP, "", { preferred: "inuse_space" });
  assert.equal(defaultTypeOf(preferred, ["inuse_space", "inuse_objects"]).type, "alloc_space");
  assert.deepEqual(
    bestFirst(types("a/count", "cpu/nanoseconds"), () => false).map(({ type }) => type),
    ["cpu", "a"],
  );
});

Deno.test("what is shown first is the preferred type, else the last", () => {
  assert.equal(defaultTypeOf(header(GO_HEAP)).type, "inuse_space");
  assert.equal(
    defaultTypeOf(header(GO_HEAP, "", { preferred: "alloc_space" })).type,
    "alloc_space",
  );
  assert.equal(defaultTypeOf(header(GO_HEAP, "", { preferred: "nothing" })).type, "inuse_space");
  const ebpf = header(["samples/count"], "cpu/nanoseconds", { period: 5n });
  assert.equal(defaultTypeOf(ebpf).type, "cpu");
});

Deno.test("a type's name in addresses reads back", () => {
  assert.equal(typeId({ type: "cpu", unit: "nanoseconds" }), "cpu:nanoseconds");
  assert.deepEqual(readTypeId("cpu:nanoseconds"), { type: "cpu", unit: "nanoseconds" });
  assert.deepEqual(readTypeId(":"), { type: "", unit: "" });
  for (const id of ["", "cpu", "a:b:c"]) assert.equal(readTypeId(id), null);
  const name = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom(":", "%", "3", "A", "2", "5") }),
  );
  fc.assert(fc.property(name, name, (type, unit) => {
    assert.deepEqual(readTypeId(typeId({ type, unit })), { type, unit });
  }));
});

Deno.test("the kind of a profile is what its client says, else what its types do", () => {
  const kinds: readonly (readonly [string[], string, string, string])[] = [
    [GO_CPU, "cpu/nanoseconds", "", "cpu"],
    [GO_HEAP, "space/bytes", "", "memory"],
    [GO_HEAP, "space/bytes", "allocs", "memory"],
    [["goroutine/count"], "goroutine/count", "", "goroutine"],
    [["threadcreate/count"], "threadcreate/count", "", "threadcreate"],
    [["contentions/count", "delay/nanoseconds"], "contentions/count", "", "lock"],
    [["contentions/count", "delay/nanoseconds"], "contentions/count", "Mutex", "mutex"],
    [["contentions/count", "delay/nanoseconds"], "contentions/count", "block", "block"],
    [["samples/count", "time/nanoseconds"], "wallclock/nanoseconds", "", "wall"],
    [["sample/count", "wall/nanoseconds"], "wall/nanoseconds", "", "wall"],
    [["sample/count", "wall/nanoseconds", "cpu/nanoseconds"], "wall/nanoseconds", "", "wall"],
    [["objects/count", "space/bytes"], "space/bytes", "", "memory"],
    [["samples/count"], "cpu/nanoseconds", "", "cpu"],
    [["samples/count"], "/milliseconds", "", "cpu"],
    [["samples/count"], "", "", "other"],
    [["samples/count"], "", "process_cpu", "cpu"],
    [["exception/count"], "", "", "exception"],
    [["lock-count/count", "lock-time/nanoseconds"], "", "", "lock"],
    [["/"], "", "", "other"],
    [["requests/count"], "", "constructor", "other"],
  ];
  for (const [names, period, hint, kind] of kinds) {
    assert.equal(profileKindOf(header(names, period), hint), kind, names.join());
  }
});

Deno.test("values over time are added up, taken from one another, or averaged", () => {
  assert.equal(natureOf("cpu", "cpu", true), "interval");
  assert.equal(natureOf("cpu", "samples", false), "interval");
  assert.equal(natureOf("memory", "alloc_space", false), "cumulative");
  assert.equal(natureOf("memory", "alloc_space", true), "interval");
  assert.equal(natureOf("memory", "alloc_size", false), "interval");
  assert.equal(natureOf("mutex", "delay", false), "cumulative");
  assert.equal(natureOf("lock", "contentions", true), "interval");
  assert.equal(natureOf("lock", "lock_time", false), "interval");
  for (const isDelta of [true, false]) {
    assert.equal(natureOf("memory", "inuse_space", isDelta), "snapshot");
    assert.equal(natureOf("memory", "objects", isDelta), "snapshot");
    assert.equal(natureOf("goroutine", "goroutine", isDelta), "snapshot");
    assert.equal(natureOf("threadcreate", "threadcreate", isDelta), "snapshot");
  }
});
