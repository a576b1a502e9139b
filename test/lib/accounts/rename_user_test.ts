import assert from "node:assert/strict";
import { InvalidInput } from "@/lib/core/errors.ts";
import { createUser, findUserByEmail, renameUser } from "@/lib/accounts/users.ts";
import { testKv } from "../../support/kv.ts";

Deno.test("renameUser() changes the name and nothing else", async () => {
  await using store = await testKv();
  const { kv } = store;
  const ann = { email: "ann@example.test", name: "Ann", password: "four unrelated words" };
  const user = await createUser(kv, ann);

  const renamed = await renameUser(kv, user.id, "  Ann  Example ");
  assert.deepEqual(renamed, { ...user, name: "Ann Example" });
  assert.deepEqual(await findUserByEmail(kv, "ann@example.test"), renamed);

  await assert.rejects(renameUser(kv, user.id, " "), InvalidInput);
  assert.equal(await renameUser(kv, "nobody", "Somebody"), null);
});
