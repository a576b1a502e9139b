import assert from "node:assert/strict";
import type { Actor } from "@/lib/accounts/authorize.ts";
import type { User } from "@/lib/accounts/users.ts";
import { SharedLooks, StreamPlaces } from "@/lib/server/event_streams.ts";

const actor = (id: string): Actor => ({ kind: "user", user: { id } as User });

Deno.test("an account has ten streams, the instance 500, and a place is given back once", () => {
  const places = new StreamPlaces();
  const first = places.take(actor("a"));
  for (let count = 1; count < 10; count++) assert.ok(places.take(actor("a")));
  assert.equal(places.take(actor("a")), null);
  first?.end();
  first?.end();
  assert.ok(places.take(actor("a")));
  assert.equal(places.take(actor("a")), null);
  for (let count = 10; count < 500; count++) assert.ok(places.take(actor(`b${count}`)));
  assert.equal(places.take(actor("c")), null);
});

Deno.test("who asks the same within a while shares one look", async () => {
  const clock = { now: 0 };
  const looks = new SharedLooks<number>(100, () => clock.now);
  let count = 0;
  const look = () => Promise.resolve(++count);
  assert.deepEqual(
    await Promise.all([looks.get("a", look), looks.get("a", look), looks.get("b", look)]),
    [1, 1, 2],
  );
  clock.now = 99;
  assert.equal(await looks.get("a", look), 1);
  clock.now = 100;
  assert.equal(await looks.get("a", look), 3);
});
