import assert from "node:assert/strict";
import { testApi } from "@/test/support/api_people.ts";

interface KeyAnswer {
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly public: string;
  readonly projectId: number;
  readonly isActive: boolean;
  readonly type: string;
  readonly dsn: { public: string };
}

Deno.test("a key is made, disabled, renamed and deleted", async () => {
  await using api = await testApi();
  const path = "/projects/acme/acme-shop/keys/";
  const made = await api.call<KeyAnswer>("admin", path, {
    method: "POST",
    body: { name: "Worker", type: "browser" },
  });
  assert.equal(made.status, 201);
  assert.deepEqual([made.body.name, made.body.label, made.body.type], [
    "Worker",
    "Worker",
    "browser",
  ]);
  const changed = await api.call<KeyAnswer>("admin", `${path}${made.body.id}/`, {
    method: "PUT",
    body: { name: "Old worker", isActive: false },
  });
  assert.deepEqual([changed.body.name, changed.body.isActive], ["Old worker", false]);
  const count = async (status: string) =>
    (await api.call<KeyAnswer[]>("admin", `${path}?status=${status}`)).body.length;
  assert.deepEqual([await count("active"), await count("inactive")], [2, 1]);
  assert.equal(
    (await api.call("admin", `${path}${made.body.id}/`, { method: "DELETE" })).status,
    204,
  );
  assert.equal((await api.call("admin", `${path}${made.body.id}/`)).status, 404);
});

Deno.test("a key without a name is called Default and serves servers", async () => {
  await using api = await testApi();
  const { body } = await api.call<KeyAnswer>("admin", "/projects/acme/acme-shop/keys/", {
    method: "POST",
  });
  assert.deepEqual([body.name, body.type, body.isActive], ["Default", "server", true]);
});

Deno.test("a key of another project is not found", async () => {
  await using api = await testApi();
  const path = `/projects/acme/acme-shop/keys/${api.otherWorld.serverKey}/`;
  assert.equal((await api.call("bootstrap", path)).status, 404);
  assert.equal((await api.call("bootstrap", path, { method: "DELETE" })).status, 404);
});
