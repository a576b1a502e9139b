import assert from "node:assert/strict";
import { checkTarget, jsonPath, nameServerOf, statusRanges } from "@/lib/monitors/probes/target.ts";

const HTTP = { kind: "http", url: "https://example.com/" };

function problemsOf(input: unknown): Record<string, string> {
  const checked = checkTarget(input);
  if (checked.ok) return {};
  return Object.fromEntries(checked.problems.map(({ field, message }) => [field, message]));
}

Deno.test("checkTarget() fills in what an address alone leaves open", () => {
  assert.deepEqual(checkTarget(HTTP), {
    ok: true,
    target: {
      ...HTTP,
      method: "GET",
      headers: [],
      body: "",
      basicAuth: null,
      expectedStatus: "200-299",
      keyword: null,
      json: null,
      maxRedirects: 5,
      allowsDowngrade: false,
      family: "any",
      ignoresTls: false,
      http2: false,
      timeoutMs: 10_000,
      slowMs: null,
    },
  });
});

Deno.test("checkTarget() has a sentence for each field that is wrong", () => {
  const wrong = (input: Record<string, unknown>, field: string) => {
    const message = problemsOf(input)[field] ?? "";
    assert.match(message, /^[A-Z0-9].*\.$/, `${field}: ${JSON.stringify(problemsOf(input))}`);
  };
  wrong({ kind: "http", url: "ftp://example.com/" }, "url");
  wrong({ kind: "http", url: "https://u:p@example.com/" }, "url");
  wrong({ kind: "http", url: "example.com" }, "url");
  wrong({ kind: "http" }, "url");
  wrong({ kind: "icmp" }, "kind");
  wrong({ ...HTTP, method: "CONNECT" }, "method");
  wrong({ ...HTTP, timeoutMs: 999 }, "timeoutMs");
  wrong({ ...HTTP, timeoutMs: 30_001 }, "timeoutMs");
  wrong({ ...HTTP, expectedStatus: "200-" }, "expectedStatus");
  wrong({ ...HTTP, expectedStatus: "299-200" }, "expectedStatus");
  wrong({ ...HTTP, maxRedirects: 11 }, "maxRedirects");
  wrong({ ...HTTP, headers: [["Host", "a"]] }, "headers.0.0");
  wrong({ ...HTTP, headers: [["X-A", "a\r\nX-B: b"]] }, "headers.0.1");
  wrong({ ...HTTP, headers: [["X A", "a"]] }, "headers.0.0");
  wrong({ ...HTTP, keyword: { text: "" } }, "keyword.text");
  wrong({ ...HTTP, json: { path: "a[", comparison: "=" } }, "json.path");
  wrong({ ...HTTP, basicAuth: { user: "a:b", password: "" } }, "basicAuth.user");
  wrong({ kind: "tcp", host: "a/b", port: 1 }, "host");
  wrong({ kind: "tcp", host: "a", port: 0 }, "port");
  wrong({ kind: "tls", host: "", port: 443 }, "host");
  wrong({ kind: "dns", name: "a b" }, "name");
  wrong({ kind: "dns", name: "a.test", type: "ANY" }, "type");
  wrong({ kind: "dns", name: "a.test", nameServer: "ns.test" }, "nameServer");
  wrong({ kind: "ping", host: "-c" }, "host");
  for (const input of [null, [], "http", 7, { kind: { a: 1 } }]) {
    assert.equal(checkTarget(input).ok, false);
  }
});

Deno.test("checkTarget() writes hosts as addresses are written", () => {
  const hostOf = (host: string) => {
    const checked = checkTarget({ kind: "ping", host });
    return checked.ok && checked.target.kind === "ping" ? checked.target.host : null;
  };
  assert.equal(hostOf("DB.example.com"), "db.example.com");
  assert.equal(hostOf("0x7f.1"), "127.0.0.1");
  assert.equal(hostOf("[2001:DB8::1]"), "2001:db8::1");
  assert.equal(hostOf("::ffff:127.0.0.1"), "127.0.0.1");
});

Deno.test("lists of statuses, paths and name servers are read, or are none", () => {
  assert.deepEqual(statusRanges("200-299, 301"), [[200, 299], [301, 301]]);
  assert.equal(statusRanges("2xx"), null);
  assert.deepEqual(jsonPath('$.data.items[0]["a.b"].c'), ["data", "items", "0", "a.b", "c"]);
  assert.deepEqual(jsonPath("$"), []);
  assert.equal(jsonPath("a..b"), null);
  assert.deepEqual(nameServerOf("192.0.2.53:5353"), { ipAddr: "192.0.2.53", port: 5353 });
  assert.deepEqual(nameServerOf("[2001:db8::53]"), { ipAddr: "2001:db8::53", port: 53 });
  assert.deepEqual(nameServerOf("2001:db8::53"), { ipAddr: "2001:db8::53", port: 53 });
  assert.equal(nameServerOf("999.0.0.1"), null);
});
