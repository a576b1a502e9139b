import assert from "node:assert/strict";
import type { Frame, NormalizedEvent } from "@/lib/formats/sentry/normalized_event.ts";
import { asSent, deobfuscate, proguardIds } from "@/lib/sourcemaps/proguard/deobfuscate.ts";
import { MappingFile } from "@/lib/sourcemaps/proguard/mapping_file.ts";
import { inTime } from "../../../support/time_budget.ts";

const MAPPING = `# compiler: R8
# pg_map_id: 7f3a
com.acme.shop.Cart -> a.a:
# {"id":"sourceFile","fileName":"Cart.kt"}
    int count -> a
    1:3:void add(int,java.lang.String):20:22 -> a
    4:4:void check(int):40:40 -> a
    4:4:void com.acme.shop.Prices.sum(java.util.List):77:77 -> a
    4:4:void pay():51 -> a
    void clear() -> b
    1:1:void first():5:5 -> c
    2:2:void second():9:9 -> c
    5:5:void com.acme.shop.Lambdas.run():1:1 -> d
    # {"id":"com.android.tools.r8.synthesized"}
    5:5:void submit():60:60 -> d
    7:7:void com.acme.shop.Null.require(java.lang.Object):3:3 -> e
    # {"id":"com.android.tools.r8.rewriteFrame","conditions":["throws(Ljava/lang/NullPointerException;)"],"actions":["removeInnerFrames(1)"]}
    7:7:void open():70:70 -> e
    1:1:int outlined():1 -> f
    27:27:void load():0:0 -> f
    # {"id":"com.android.tools.r8.outlineCallsite","positions":{"4":28},"outline":"La/c;a()I"}
    28:28:void load():90:90 -> f
com.acme.shop.CartEmpty -> a.b:
com.acme.shop.Outline -> a.c:
    1:9:int run():1 -> a
    # {"id":"com.android.tools.r8.outline"}
com.acme.shop.MainKt -> a.d:
    1:2:void main():3:4 -> a
`;

function eventOf(
  frames: Frame[],
  more: Partial<NormalizedEvent> = {},
  thrown = { type: "b", module: "a" },
): NormalizedEvent {
  return {
    event_id: "0".repeat(32),
    type: "error",
    timestamp: 0,
    received: 0,
    platform: "java",
    level: "error",
    exception: {
      values: [{ ...thrown, value: "empty", stacktrace: { frames } }],
    },
    ...more,
  };
}

function stackOf(frames: Frame[], thrown?: { type: string; module: string }) {
  const event = eventOf(frames, {}, thrown);
  deobfuscate(event, [new MappingFile(new TextEncoder().encode(MAPPING))]);
  return event.exception?.values[0]?.stacktrace?.frames.map((frame) =>
    `${frame.module}.${frame.function}(${frame.filename}:${frame.lineno ?? "?"})`
  );
}

const CASES: readonly (readonly [says: string, frame: Frame, expected: readonly string[]])[] = [
  [
    "a line is counted from the beginning of its method",
    { module: "a.a", function: "a", lineno: 2 },
    ["com.acme.shop.Cart.add(Cart.kt:21)"],
  ],
  [
    "what was inlined becomes frames again, the outer ones first",
    { module: "a.a", function: "a", lineno: 4 },
    [
      "com.acme.shop.Cart.pay(Cart.kt:51)",
      "com.acme.shop.Prices.sum(Prices.java:77)",
      "com.acme.shop.Cart.check(Cart.kt:40)",
    ],
  ],
  [
    "a method without lines keeps those of the frame",
    { module: "a.a", function: "b", lineno: 12 },
    ["com.acme.shop.Cart.clear(Cart.kt:12)"],
  ],
  [
    "a frame without a line is named when there is one name only",
    { module: "a.d", function: "a" },
    ["com.acme.shop.MainKt.main(Main.kt:?)"],
  ],
  [
    "a frame without a line keeps the name that could be several",
    { module: "a.a", function: "c" },
    ["com.acme.shop.Cart.c(Cart.kt:?)"],
  ],
  [
    "what the compiler made is left out",
    { module: "a.a", function: "d", lineno: 5 },
    ["com.acme.shop.Cart.submit(Cart.kt:60)"],
  ],
  [
    "a class that is not in the mapping stays",
    { module: "java.util.List", function: "get", lineno: 3, filename: "List.java" },
    ["java.util.List.get(List.java:3)"],
  ],
];

for (const [says, frame, expected] of CASES) {
  Deno.test(`deobfuscate(): ${says}`, () => assert.deepEqual(stackOf([frame]), expected));
}

Deno.test("deobfuscate() leaves out the check of a value that R8 says nobody wrote, for its exception only", () => {
  const frames = [{ module: "a.a", function: "e", lineno: 7 }];
  const whole = ["com.acme.shop.Cart.open(Cart.kt:70)", "com.acme.shop.Null.require(Null.java:3)"];
  assert.deepEqual(stackOf(frames), whole);
  const short = stackOf(frames, { type: "NullPointerException", module: "java.lang" });
  assert.deepEqual(short, ["com.acme.shop.Cart.open(Cart.kt:70)"]);
});

Deno.test("deobfuscate() puts shared code back to where it was called", () => {
  const frames = [
    { module: "a.a", function: "f", lineno: 27 },
    { module: "a.c", function: "a", lineno: 4 },
  ];
  assert.deepEqual(stackOf(frames), ["com.acme.shop.Cart.load(Cart.kt:90)"]);
});

Deno.test("deobfuscate() names the exception, keeps the stack as it came, and marks the application's frames", () => {
  const frames = [{ module: "a.a", function: "b", lineno: 12, in_app: false }];
  const event = eventOf(frames, { contexts: { app: { app_identifier: "com.acme.shop" } } });
  const named = deobfuscate(event, [new MappingFile(new TextEncoder().encode(MAPPING))]);
  const [exception] = event.exception?.values ?? [];
  assert.equal(named, 2);
  assert.equal(exception?.type, "CartEmpty");
  assert.equal(exception?.module, "com.acme.shop");
  assert.deepEqual(exception?.raw_stacktrace?.frames, frames);
  assert.equal(exception?.stacktrace?.frames[0]?.in_app, true);
  assert.deepEqual(asSent(event).exception, eventOf(frames).exception);
});

Deno.test("deobfuscate() leaves an event alone that no mapping speaks of", () => {
  const frames = [{ module: "x.y", function: "z", lineno: 1 }];
  const event = eventOf(frames, {}, { type: "Gone", module: "x" });
  const before = structuredClone(event);
  assert.equal(
    deobfuscate(event, [new MappingFile(new TextEncoder().encode("garbage\n->:\n"))]),
    0,
  );
  assert.deepEqual(event, before);
});

Deno.test("MappingFile is not held up by hostile lines", () => {
  const long = `com.acme.A -> a:\n    1:1:void ${"a".repeat(19_000)}(\n${
    "(".repeat(19_000)
  } -> b:\n`;
  const bytes = new TextEncoder().encode(long.repeat(200));
  inTime(2_000, () => new MappingFile(bytes).classOf("a"));
});

Deno.test("proguardIds() reads the ids of images, however they are written, once each", () => {
  const id = "1B4E28BA-2FA1-11D2-883F-0016D3CCA427";
  const images = [
    { type: "proguard", uuid: id },
    { type: "proguard", debug_id: id.toLowerCase().replaceAll("-", "") },
    { type: "proguard", uuid: "no id" },
    { type: "sourcemap", debug_id: id },
  ];
  const event = eventOf([], { debug_meta: { images } });
  assert.deepEqual(proguardIds(event), ["1b4e28ba2fa111d2883f0016d3cca427"]);
});
