import assert from "node:assert/strict";
import type { ProxyTrust } from "@/lib/core/proxies.ts";
import { Crowd, crowdLimits, type Member, STATE_LIMITS_MS } from "@/lib/server/crowd.ts";

/** A crowd with a clock to turn, and the names of those that it closed. */
function crowd(limits: { total: number; perAddress: number; proxies?: ProxyTrust }) {
  const clock = { now: 0 };
  const closed: string[] = [];
  const each = new Crowd(limits, () => clock.now);
  const admit = (name: string, address = name) => each.admit(address, () => closed.push(name));
  return { crowd: each, clock, closed, admit };
}

function begun({ crowd }: { crowd: Crowd }, member: Member | null): Member {
  assert.ok(member);
  crowd.begin(member);
  return member;
}

Deno.test("connections are two thirds of the files that a process may open, and a quarter of them one address's", () => {
  assert.deepEqual(crowdLimits(3_000, 0), { total: 2_000, perAddress: 500, proxies: 0 });
  assert.deepEqual(crowdLimits(3_000, 0, 4), { total: 500, perAddress: 125, proxies: 0 });
  assert.deepEqual(crowdLimits(Infinity, 0), { total: 16_000, perAddress: 4_000, proxies: 0 });
});

Deno.test("trusted proxies may have all connections, those who come past them a quarter", () => {
  const all = crowd({ total: 4, perAddress: 1, proxies: ["10.0.0.0/8"] });
  for (const name of ["first", "second", "third"]) begun(all, all.admit(name, "10.0.0.5"));
  begun(all, all.admit("past it", "192.0.2.7"));
  assert.equal(all.admit("past it again", "192.0.2.7"), null);

  const behind = crowd({ total: 2, perAddress: 1, proxies: 2 });
  begun(behind, behind.admit("first", "192.0.2.7"));
  begun(behind, behind.admit("second", "192.0.2.7"));
});

Deno.test("a connection that sends no whole head within 10 s, or none of its next request within 60 s, is closed", () => {
  const all = crowd({ total: 10, perAddress: 10 });
  all.admit("silent");
  const asked = begun(all, all.admit("asked"));
  begun(all, all.admit("being answered"));
  all.clock.now = 5_000;
  all.crowd.end(asked);
  all.clock.now = 9_999;
  all.crowd.closeLate();
  assert.deepEqual(all.closed, []);
  all.clock.now = 10_000;
  all.crowd.closeLate();
  assert.deepEqual(all.closed, ["silent"]);
  all.clock.now = 65_000;
  all.crowd.closeLate();
  assert.deepEqual(all.closed, ["silent", "asked"]);
  all.clock.now = STATE_LIMITS_MS.busy;
  all.crowd.closeLate();
  assert.deepEqual(all.closed, ["silent", "asked", "being answered"]);
  assert.equal(all.crowd.size, 0);
});

Deno.test("where there is no room, the connection that has rested longest makes it", () => {
  const all = crowd({ total: 3, perAddress: 3 });
  const first = begun(all, all.admit("first"));
  all.clock.now = 1;
  all.admit("second");
  begun(all, all.admit("third"));
  all.clock.now = 2;
  all.crowd.end(first);
  all.admit("fourth");
  assert.deepEqual(all.closed, ["second"]);
  begun(all, all.admit("fifth"));
  assert.deepEqual(all.closed, ["second", "first"]);
  assert.equal(all.crowd.size, 3);
});

Deno.test("an address that has all it may have gives up its own connections, never those of others", () => {
  const all = crowd({ total: 10, perAddress: 2 });
  all.admit("other's", "192.0.2.1");
  begun(all, all.admit("busy", "192.0.2.2"));
  all.admit("resting", "192.0.2.2");
  begun(all, all.admit("next", "::ffff:192.0.2.2"));
  assert.deepEqual(all.closed, ["resting"]);
  assert.equal(all.admit("refused", "192.0.2.2"), null);
  assert.ok(all.admit("of another", "192.0.2.3"));
});

Deno.test("the addresses of one IPv6 network count as one", () => {
  const all = crowd({ total: 10, perAddress: 1 });
  begun(all, all.admit("first", "2001:db8::1"));
  assert.equal(all.admit("second", "2001:db8::ffff:2"), null);
  assert.ok(all.admit("third", "2001:db8:0:1::1"));
});

Deno.test("there is no room while all connections are busy, and again when one has been answered", () => {
  const all = crowd({ total: 2, perAddress: 2 });
  const first = begun(all, all.admit("first"));
  assert.equal(all.crowd.hasRoom, true);
  begun(all, all.admit("second"));
  assert.equal(all.crowd.hasRoom, false);
  all.crowd.end(first);
  assert.equal(all.crowd.hasRoom, true);
});

Deno.test("a connection of several requests at once rests after the last of them", () => {
  const all = crowd({ total: 1, perAddress: 1 });
  const member = begun(all, all.admit("first"));
  all.crowd.begin(member);
  all.crowd.end(member);
  assert.deepEqual(all.crowd.resting(), []);
  all.crowd.end(member);
  assert.deepEqual(all.crowd.resting(), [member]);
});
