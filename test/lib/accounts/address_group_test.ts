import assert from "node:assert/strict";
import { addressGroup } from "@/lib/accounts/attempts.ts";

Deno.test("an IPv4 address stands for itself, also when written as IPv6", () => {
  assert.equal(addressGroup("203.0.113.9"), "203.0.113.9");
  assert.equal(addressGroup("::ffff:203.0.113.9"), "203.0.113.9");
  assert.equal(addressGroup("::FFFF:203.0.113.9"), "203.0.113.9");
});

Deno.test("all IPv6 addresses of one /64 are one client, however they are written", () => {
  const f = (address: string, group: string) => assert.equal(addressGroup(address), group);
  f("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64");
  f("2001:DB8:1:2::1", "2001:db8:1:2::/64");
  f("[2001:0db8:0001:0002::ffff]", "2001:db8:1:2::/64");
  f("2001:db8:1::1", "2001:db8:1:0::/64");
  f("2001:db8::", "2001:db8:0:0::/64");
  f("::1", "0:0:0:0::/64");
  f("fe80::1%eth0", "fe80:0:0:0::/64");
});

Deno.test("text that is no address stays, and stays short", () => {
  assert.equal(addressGroup("unix"), "unix");
  assert.equal(addressGroup("x".repeat(5_000)).length, 64);
  assert.equal(addressGroup(":".repeat(5_000)).length, 64);
});
