import assert from "node:assert/strict";
import { Observation } from "@/lib/monitors/probes/observation.ts";
import { LOCAL } from "../../../support/probe_targets.ts";

function seenAnswer(isInternal: boolean) {
  const seen = new Observation(1_000, { policy: LOCAL });
  seen.isInternal = isInternal;
  seen.status = 200;
  seen.headers = { "x-id": "7", "set-cookie": "session=abc" };
  seen.body = `a\0${"ü".repeat(10_000)}`;
  seen.redirects = ["https://example.com/next"];
  return seen.result({ slowMs: null });
}

Deno.test("a public target's answer is shown without its cookies, and to 8 KiB of text", () => {
  const { headers, body, redirects } = seenAnswer(false);
  assert.deepEqual(headers, { "x-id": "7", "set-cookie": "[hidden]" });
  assert.deepEqual(redirects, ["https://example.com/next"]);
  const bytes = new TextEncoder().encode(body).length;
  assert.ok(bytes > 8_000 && bytes <= 8_192, `${bytes}`);
  assert.match(body, /^aü+$/);
});

Deno.test("an internal target's answer is not shown at all", () => {
  const { headers, body, redirects, status } = seenAnswer(true);
  assert.deepEqual([headers, body, redirects, status], [{}, "", [], 200]);
});
