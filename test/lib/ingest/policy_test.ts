import assert from "node:assert/strict";
import { DEFAULT_SETTINGS, type ProjectSettings } from "@/lib/accounts/projects.ts";
import { policyOf } from "@/lib/ingest/policy.ts";
import type { NormalizedEvent } from "@/lib/formats/sentry/normalized_event.ts";
import { inTime } from "../../support/time_budget.ts";
import { normalized } from "../formats/sentry/decode.ts";

const NOBODY = { clientAddress: null, userAgent: null };

function filter(
  filters: Partial<ProjectSettings["filters"]>,
  sent: unknown,
  sender: { clientAddress: string | null; userAgent: string | null } = NOBODY,
): string | null {
  const settings = { ...DEFAULT_SETTINGS, filters: { ...DEFAULT_SETTINGS.filters, ...filters } };
  return policyOf(settings).filterEvent(normalized(sent), sender);
}

const error = (fields: Record<string, unknown> = {}, frame: Record<string, unknown> = {}) => ({
  platform: "javascript",
  exception: {
    values: [{ type: "TypeError", value: "x is not a function", stacktrace: { frames: [frame] } }],
  },
  ...fields,
});
const browser = (userAgent: string) => ({ request: { headers: { "User-Agent": userAgent } } });

Deno.test("without filters nothing is filtered", () => {
  const sent = error(browser("Googlebot/2.1"), { abs_path: "chrome-extension://abc/x.js" });
  assert.equal(filter({}, sent), null);
});

Deno.test("errors of browser extensions are known by their frames and messages", () => {
  const on = { browserExtensions: true };
  assert.equal(
    filter(on, error({}, { abs_path: "moz-extension://abc/content.js" })),
    "browser_extensions",
  );
  const message = {
    exception: { values: [{ type: "Error", value: "Extension context invalidated." }] },
  };
  assert.equal(filter(on, message), "browser_extensions");
  assert.equal(filter(on, error({}, { abs_path: "https://shop.example.com/app.js" })), null);
});

Deno.test("a hundred patterns on an event of a megabyte end in a fifth of a second, and then it is kept", () => {
  const value = "ab".repeat(4_096);
  const sent = { exception: { values: Array.from({ length: 100 }, () => ({ value })) } };
  const messages = Array.from({ length: 100 }, (_, n) => `*${"ab".repeat(90)}b${n}*`);
  const kept = { ...DEFAULT_SETTINGS.filters, messages: [...messages, "*abab*"] };
  const policy = policyOf({ ...DEFAULT_SETTINGS, filters: kept });
  const event = normalized(sent);
  assert.equal(inTime(200, () => policy.filterEvent(event, NOBODY)), "message");
  const none = policyOf({ ...DEFAULT_SETTINGS, filters: { ...kept, messages } });
  assert.equal(inTime(200, () => none.filterEvent(event, NOBODY)), null);
});

Deno.test("errors of localhost are known by the page's address and the user's", () => {
  const on = { localhost: true };
  for (const url of ["http://localhost:3000/x", "http://127.0.0.1/", "http://[::1]:80/"]) {
    assert.equal(filter(on, error({ request: { url } })), "localhost", url);
  }
  assert.equal(filter(on, error({ user: { ip_address: "127.0.0.1" } })), "localhost");
  assert.equal(filter(on, error({ request: { url: "https://localhost.example.com/" } })), null);
});

Deno.test("legacy browsers are told from current ones", () => {
  const on = { legacyBrowsers: true };
  const legacy = [
    "Mozilla/5.0 (Windows NT 6.1; WOW64; Trident/7.0; rv:11.0) like Gecko",
    "Mozilla/4.0 (compatible; MSIE 8.0; Windows NT 6.1)",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_9) AppleWebKit/537 (KHTML, like Gecko) Version/7.0 Safari/537",
    "Mozilla/5.0 (Linux; U; Android 2.3.5; en-us) AppleWebKit/533.1 Version/4.0 Mobile Safari/533.1",
  ];
  for (const agent of legacy) assert.equal(filter(on, error(browser(agent))), "legacy_browsers");
  const current =
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0 Safari/537.36";
  assert.equal(filter(on, error(browser(current))), null);
});

Deno.test("crawlers are known by the header of the page, or of the request itself", () => {
  const on = { crawlers: true };
  const agent = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
  assert.equal(filter(on, error(browser(agent))), "crawlers");
  assert.equal(filter(on, error(), { clientAddress: null, userAgent: agent }), "crawlers");
  assert.equal(
    filter(on, error(), { clientAddress: null, userAgent: "sentry.python/2.68.0" }),
    null,
  );
});

Deno.test("releases and messages are matched by patterns", () => {
  assert.equal(filter({ releases: ["shop@0.*"] }, error({ release: "Shop@0.9" })), "release");
  assert.equal(filter({ releases: ["shop@0.*"] }, error({ release: "shop@1.0" })), null);
  const messages = ["*is not a*", "Timeout"];
  assert.equal(filter({ messages }, error()), "message");
  assert.equal(filter({ messages: ["TypeError: x*"] }, error()), "message");
  assert.equal(filter({ messages: ["is not a"] }, error()), null);
  assert.equal(filter({ messages }, { message: "timeout" }), "message");
});

Deno.test("addresses are matched alone and by range, of both versions", () => {
  const addresses = ["203.0.113.7", "10.0.0.0/8", "2001:db8::/32", "nonsense"];
  const from = (clientAddress: string) =>
    filter({ addresses }, error(), { clientAddress, userAgent: null });
  for (const address of ["203.0.113.7", "10.9.8.7", "2001:db8::1", "::ffff:10.0.0.1"]) {
    assert.equal(from(address), "address", address);
  }
  for (const address of ["203.0.113.8", "11.0.0.1", "2001:db9::1"]) {
    assert.equal(from(address), null);
  }
});

function scrub(privacy: Partial<ProjectSettings["privacy"]>, event: NormalizedEvent) {
  const settings = { ...DEFAULT_SETTINGS, privacy: { ...DEFAULT_SETTINGS.privacy, ...privacy } };
  policyOf(settings).scrubEvent(event);
  return event;
}

Deno.test("addresses of users go where the project keeps none", () => {
  const sent = () =>
    normalized({
      user: { ip_address: "203.0.113.7", id: "7" },
      request: {
        url: "https://shop.example.com",
        headers: { "X-Forwarded-For": "203.0.113.7", Accept: "*/*" },
        env: { REMOTE_ADDR: "203.0.113.7", SERVER_NAME: "web" },
      },
    });
  assert.ok(!JSON.stringify(scrub({ keepsAddresses: false }, sent())).includes("203.0.113"));
  assert.ok(JSON.stringify(scrub({}, sent())).includes("203.0.113"));
});

Deno.test("scrubbing can be turned off", () => {
  const sent = () => normalized({ extra: { password: "hunter2" } });
  assert.equal(scrub({ scrubs: false }, sent()).extra?.password, "hunter2");
  assert.equal(scrub({}, sent()).extra?.password, "[Filtered]");
});
