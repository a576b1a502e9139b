import assert from "node:assert/strict";
import { isSameOrigin } from "@/lib/server/session.ts";

function request(headers: Record<string, string>): Request {
  return new Request("http://watch.example.test/projects/new", {
    method: "POST",
    headers: { host: "watch.example.test", ...headers },
  });
}

Deno.test("isSameOrigin() believes the browser's Sec-Fetch-Site above all", () => {
  assert.equal(isSameOrigin(request({ "sec-fetch-site": "same-origin" })), true);
  for (const site of ["cross-site", "same-site", "none"]) {
    const forged = request({ "sec-fetch-site": site, origin: "http://watch.example.test" });
    assert.equal(isSameOrigin(forged), false, site);
  }
});

Deno.test("isSameOrigin() compares Origin with the host where Sec-Fetch-Site is missing", () => {
  assert.equal(isSameOrigin(request({ origin: "https://watch.example.test" })), true);
  assert.equal(isSameOrigin(request({ origin: "https://evil.example.test" })), false);
  assert.equal(isSameOrigin(request({ origin: "http://watch.example.test:8080" })), false);
  assert.equal(isSameOrigin(request({ origin: "null" })), false);
});

Deno.test("isSameOrigin() refuses a request that says nothing of where it comes from", () => {
  assert.equal(isSameOrigin(request({})), false);
});
