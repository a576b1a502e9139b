import assert from "node:assert/strict";
import {
  findLink,
  LINK_LIFETIME_MS,
  type LinkPurpose,
  makeLink,
} from "@/lib/accounts/mail_links.ts";
import { resetPassword } from "@/lib/accounts/password_reset.ts";
import { setDisabled } from "@/lib/accounts/manage_accounts.ts";
import { InvalidInput } from "@/lib/core/errors.ts";
import { testKv } from "../../support/kv.ts";
import { person } from "../../support/people.ts";

const NOW = Date.now();
const NEXT = "entirely different words now";

Deno.test("a link holds for minutes, an hour, a day or a week, and not a moment longer", async () => {
  await using test = await testKv();
  const { id: userId, email } = await person(test.kv, "ann");
  for (const [name, lifetime] of Object.entries(LINK_LIFETIME_MS)) {
    const purpose = name as LinkPurpose;
    const token = await makeLink(test.kv, { purpose, userId, email }, NOW);
    assert.match(token, /^[\w-]{43}$/);
    assert.ok(await findLink(test.kv, [purpose], token, NOW + lifetime - 1), name);
    assert.equal(await findLink(test.kv, [purpose], token, NOW + lifetime), null, name);
  }
  assert.equal(LINK_LIFETIME_MS.reset, 30 * 60_000);
});

Deno.test("a link that two browsers use at the same moment works for one, and guessed ones for none", async () => {
  await using test = await testKv();
  const { id: userId, email } = await person(test.kv, "ann");
  const token = await makeLink(test.kv, { purpose: "reset", userId, email });
  const results = await Promise.allSettled(
    [NEXT, `${NEXT} 2`, `${NEXT} 3`].map((password) => resetPassword(test.kv, token, password)),
  );
  assert.equal(results.filter(({ status }) => status === "fulfilled").length, 1);
  for (const guess of ["", "x", token.slice(1), `${token}x`, "x".repeat(100_000)]) {
    await assert.rejects(resetPassword(test.kv, guess, NEXT), InvalidInput);
  }
});

Deno.test("the store keeps no token of a link", async () => {
  await using test = await testKv();
  const { id: userId, email } = await person(test.kv, "ann");
  const token = await makeLink(test.kv, { purpose: "undo-email", userId, email });
  for await (const entry of test.kv.list({ prefix: [] })) {
    assert.ok(!Deno.inspect(entry, { depth: 9 }).includes(token));
  }
});

Deno.test("a link opens no account that is disabled", async () => {
  await using test = await testKv();
  const ann = await person(test.kv, "ann");
  const admin = await person(test.kv, "admin");
  const token = await makeLink(test.kv, { purpose: "reset", userId: ann.id, email: ann.email });
  await setDisabled(test.kv, admin, ann.id, true);
  await assert.rejects(resetPassword(test.kv, token, NEXT), InvalidInput);
});
