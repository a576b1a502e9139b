import assert from "node:assert/strict";
import { loaderUrl, SCRIPTS_PATH, TUNNEL_PATH } from "@/lib/sites/addresses.ts";

/** What rules of EasyPrivacy go by; those for SDKs of errors name `sentry_key` and `sentry`. */
const TOLD =
  /sentry|track|analy|beacon|pixel|telemetry|collect|metric|stat|log|count|monitor|event|visit|\bads?\b/;

Deno.test("no address that pages load or send to has a word by which content blockers know one", () => {
  const key = "0123456789abcdef0123456789abcdef";
  const addresses = [
    new URL(loaderUrl("https://example.com/prefix", key)).pathname,
    `${SCRIPTS_PATH}bundle-11.12.0-1a2b3c4d.min.js`,
    TUNNEL_PATH,
  ];
  for (const address of addresses) assert.doesNotMatch(address, TOLD);
});

Deno.test("a page's policy that allows the scripts allows what they send", () => {
  assert.ok(TUNNEL_PATH.startsWith(SCRIPTS_PATH));
});
