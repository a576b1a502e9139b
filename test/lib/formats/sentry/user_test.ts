import assert from "node:assert/strict";
import { userKey } from "@/lib/formats/sentry/surroundings.ts";
import { normalized } from "./decode.ts";

const clientAddress = "203.0.113.7";

Deno.test("a user's unknown fields move into data", () => {
  assert.deepEqual(
    normalized({ user: { id: 7, plan: "gold", data: { age: 3 }, team: null } }).user,
    {
      id: "7",
      data: { age: 3, plan: "gold" },
    },
  );
});

Deno.test("a user of nothing but nulls is none", () => {
  for (const user of [null, {}, [], "x", { id: null, email: "", data: {} }]) {
    assert.equal(normalized({ user }).user, undefined);
  }
});

Deno.test("an address that is none is dropped", () => {
  for (const ip_address of ["999.1.1.1", "x", 7, {}]) {
    assert.deepEqual(normalized({ user: { id: 1, ip_address } }).user, { id: "1" });
  }
  assert.deepEqual(normalized({ user: { ip_address: "2001:db8::1" } }).user, {
    ip_address: "2001:db8::1",
  });
});

Deno.test("the client's address is filled in where the event asks for it", () => {
  const auto = { user: { ip_address: "{{auto}}" } };
  const addressOf = (sent: Record<string, unknown>) =>
    normalized(sent, { clientAddress }).user?.ip_address;
  assert.equal(addressOf(auto), clientAddress);
  assert.equal(addressOf({ platform: "javascript" }), clientAddress);
  assert.equal(addressOf({ sdk: { settings: { infer_ip: "auto" } } }), clientAddress);
  assert.equal(addressOf({ platform: "node" }), undefined);
  assert.equal(addressOf({ ...auto, sdk: { settings: { infer_ip: "never" } } }), undefined);
  assert.equal(
    addressOf({ platform: "javascript", sdk: { settings: { infer_ip: "never" } } }),
    undefined,
  );
  assert.equal(addressOf({ platform: "javascript", user: { ip_address: "10.0.0.1" } }), "10.0.0.1");
  assert.equal(normalized(auto).user, undefined);
});

Deno.test("the address of the served request is the user's", () => {
  const request = { env: { REMOTE_ADDR: "198.51.100.1" } };
  assert.equal(normalized({ platform: "python", request }).user?.ip_address, "198.51.100.1");
  assert.equal(normalized({ request: { env: { REMOTE_ADDR: "unix:" } } }).user, undefined);
});

Deno.test("userKey() names the most specific identity", () => {
  const user = { id: "7", username: "ann", email: "a@b.c", ip_address: "10.0.0.1" };
  assert.equal(userKey(user), "id:7");
  assert.equal(userKey({ ...user, id: "" }), "username:ann");
  assert.equal(userKey({ email: "a@b.c", ip_address: "10.0.0.1" }), "email:a@b.c");
  assert.equal(userKey({ ip_address: "10.0.0.1" }), "ip:10.0.0.1");
  assert.equal(userKey({ name: "Ann" }), null);
  assert.equal(userKey(undefined), null);
});
