import assert from "node:assert/strict";
import { readApplicationName } from "@/lib/formats/pyroscope/push.ts";

function read(name: string) {
  const { labels, ...rest } = readApplicationName(name);
  return { ...rest, labels: labels.lists() };
}

Deno.test("a name has an application, what agents append, and labels", () => {
  assert.deepEqual(read('shop.eu.cpu{env=prod, pod="web-1",a=b=c}'), {
    application: "shop.eu",
    suffix: "cpu",
    labels: { env: ["prod"], pod: ["web-1"], a: ["b=c"] },
  });
  assert.deepEqual(read("shop.api"), { application: "shop.api", suffix: "", labels: {} });
  assert.deepEqual(read("cpu{}"), { application: "cpu", suffix: "", labels: {} });
});

Deno.test("a name that names nothing is refused", () => {
  for (const name of ["", "  ", "{a=b}", "a{b=c", "a{b}", "a{=c}"]) {
    assert.throws(() => read(name), { name: "Refusal" }, name);
  }
});
