import assert from "node:assert/strict";
import { readUserAgent } from "@/lib/formats/sentry/surroundings.ts";

const CASES: [header: string, browser: string, os: string, device?: string][] = [
  [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36",
    "Chrome 143.0.0.0",
    "Windows >=10",
  ],
  [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36 Edg/143.0.0.0",
    "Edge 143.0.0.0",
    "Windows >=10",
  ],
  [
    "Mozilla/5.0 (Windows NT 6.1; rv:115.0) Gecko/20100101 Firefox/115.0",
    "Firefox 115.0",
    "Windows 7",
  ],
  [
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15",
    "Safari 18.1",
    "macOS 10.15.7",
  ],
  [
    "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Mobile Safari/537.36",
    "Chrome Mobile 143.0.0.0",
    "Android 14",
    "Pixel 8",
  ],
  [
    "Mozilla/5.0 (iPad; CPU OS 16_7 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/120.0.0.0 Mobile/15E148 Safari/604.1",
    "Chrome Mobile iOS 120.0.0.0",
    "iOS 16.7",
    "iPad",
  ],
  [
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/156.0.0.0 Safari/537.36",
    "Headless Chrome 156.0.0.0",
    "Linux ",
  ],
  [
    "Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36 OPR/112.0.0.0",
    "Opera 112.0.0.0",
    "Chrome OS 14541.0.0",
  ],
  [
    "Mozilla/5.0 (Windows NT 6.3; Trident/7.0; rv:11.0) like Gecko",
    "Internet Explorer 11.0",
    "Windows 8.1",
  ],
];

Deno.test("readUserAgent() tells browser, system and device of the usual browsers", () => {
  for (const [header, browser, os, device] of CASES) {
    const agent = readUserAgent(header);
    assert.equal(`${agent.browser?.name} ${agent.browser?.version ?? ""}`, browser);
    assert.equal(`${agent.os?.name} ${agent.os?.version ?? ""}`, os);
    assert.equal(agent.device, device);
  }
});

Deno.test("readUserAgent() says nothing of what it does not know", () => {
  assert.deepEqual(readUserAgent(""), {});
  assert.deepEqual(readUserAgent("my-script/1.0"), {});
});
