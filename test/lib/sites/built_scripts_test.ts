import assert from "node:assert/strict";
import { encodingFor } from "@/lib/sites/built_scripts.ts";

Deno.test("the bundle goes out as small as its client can take it", () => {
  const cases: [accepted: string | null, encoding: string][] = [
    [null, "identity"],
    ["", "identity"],
    ["gzip, deflate, br, zstd", "br"],
    ["gzip, deflate", "gzip"],
    ["GZIP;q=0.5", "gzip"],
    ["br;q=0, gzip", "gzip"],
    ["br;q=0.0, gzip;q=0", "identity"],
    ["brotli, x-gzip", "identity"],
    ["constructor", "identity"],
  ];
  for (const [accepted, encoding] of cases) {
    assert.equal(encodingFor(accepted), encoding, String(accepted));
  }
});
