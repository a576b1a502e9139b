import assert from "node:assert/strict";
import fc from "fast-check";
import { clientOf } from "@/lib/core/proxies.ts";

const HEADER = "203.0.113.66, 198.51.100.7, 10.0.0.1";

Deno.test("a number of proxies counts from the end of the header, and ends at its beginning", () => {
  assert.equal(clientOf("10.0.0.2", HEADER, 0), "10.0.0.2");
  assert.equal(clientOf("10.0.0.2", HEADER, 1), "10.0.0.1");
  assert.equal(clientOf("10.0.0.2", HEADER, 2), "198.51.100.7");
  assert.equal(clientOf("10.0.0.2", "198.51.100.7", 2), "198.51.100.7");
  assert.equal(clientOf("10.0.0.2", null, 2), "10.0.0.2");
});

Deno.test("networks of proxies are passed until the first address outside of them", () => {
  const proxies = ["10.0.0.0/8", "fd00::/8"];
  assert.equal(clientOf("10.0.0.2", HEADER, proxies), "198.51.100.7");
  assert.equal(clientOf("::ffff:10.0.0.2", HEADER, proxies), "198.51.100.7");
  assert.equal(clientOf("fd00::5", "2001:db8::7, fd00::6", proxies), "2001:db8::7");
  assert.equal(clientOf("10.0.0.2", "10.0.0.3, 10.0.0.4", proxies), "10.0.0.3");
});

Deno.test("whoever connects past the proxies is not believed", () => {
  assert.equal(clientOf("192.0.2.9", HEADER, ["10.0.0.0/8"]), "192.0.2.9");
  assert.equal(clientOf("local", HEADER, ["10.0.0.0/8"]), "local");
});

Deno.test("an entry may have a port, and one that is no address makes who wrote it the client", () => {
  const told = (entry: string) => clientOf("10.0.0.2", entry, 1);
  assert.equal(told("192.0.2.7:4711"), "192.0.2.7");
  assert.equal(told("[2001:DB8::7]:4711"), "2001:db8::7");
  assert.equal(told("[2001:db8::7]"), "2001:db8::7");
  assert.equal(told("::ffff:192.0.2.7"), "192.0.2.7");
  for (const entry of ["", "unknown", "7", "192.0.2", "0x7f000001", "192.0.2.7:x", "<script>"]) {
    assert.equal(told(entry), "10.0.0.2", entry);
  }
  assert.equal(clientOf("10.0.0.2", "203.0.113.66, unknown, 10.0.0.1", 3), "10.0.0.1");
});

Deno.test("whatever a client writes into the header, it stays whom the proxies saw", () => {
  const entry = fc.oneof(fc.ipV4(), fc.ipV6(), fc.constant("10.0.0.9"), fc.string());
  fc.assert(fc.property(fc.array(entry), (forged) => {
    const header = [...forged, "198.51.100.7", "10.0.0.1"].join(", ");
    assert.equal(clientOf("10.0.0.2", header, 2), "198.51.100.7");
    assert.equal(clientOf("10.0.0.2", header, ["10.0.0.0/8"]), "198.51.100.7");
    assert.equal(clientOf("10.0.0.2", header, 1), "10.0.0.1");
  }));
});
