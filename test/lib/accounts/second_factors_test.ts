import assert from "node:assert/strict";
import { Secret, TOTP } from "otpauth";
import { InvalidInput } from "@/lib/core/errors.ts";
import {
  beginAuthenticator,
  confirmAuthenticator,
  factorsOf,
  hasSecondFactor,
  proveFactor,
  removeAuthenticator,
  renewRecoveryCodes,
} from "@/lib/accounts/second_factors.ts";
import { addPendingSignIn, tryFactor } from "@/lib/accounts/pending_sign_in.ts";
import { addKnownDevice } from "@/lib/accounts/known_devices.ts";
import type { User } from "@/lib/accounts/users.ts";
import { testKv } from "../../support/kv.ts";
import { person } from "../../support/people.ts";

const NOW = Date.UTC(2026, 10, 20, 12, 0, 10);
const CONFIG = { secretKey: null };

function codeAt(secret: string, ms: number): string {
  return new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: ms });
}

/** Ann with an authenticator, whose first code was that of `NOW`. */
async function annWithApp() {
  const { kv, ...rest } = await testKv();
  const ann = await person(kv, "ann");
  const stores = { kv, config: CONFIG };
  const { secret, uri } = await beginAuthenticator(stores, ann, "Watchpost test");
  const codes = await confirmAuthenticator(stores, ann, codeAt(secret, NOW), NOW);
  return { kv, ann, stores, secret, uri, codes: codes ?? [], ...rest };
}

Deno.test("an authenticator counts once it has shown a right code, and ten recovery codes come with it", async () => {
  await using test = await testKv();
  const ann = await person(test.kv, "ann");
  const stores = { kv: test.kv, config: CONFIG };
  const { secret, uri } = await beginAuthenticator(stores, ann, "Watchpost test");
  assert.match(uri, /^otpauth:\/\/totp\/Watchpost%20test:ann%40example\.com\?/);
  assert.match(secret, /^[A-Z2-7]{32}$/);
  assert.equal((await beginAuthenticator(stores, ann, "Watchpost test")).secret, secret);
  await assert.rejects(confirmAuthenticator(stores, ann, "000000", NOW), InvalidInput);
  assert.equal(await hasSecondFactor(test.kv, ann.id), false);

  const codes = await confirmAuthenticator(stores, ann, codeAt(secret, NOW), NOW);
  assert.equal(await hasSecondFactor(test.kv, ann.id), true);
  assert.equal(new Set(codes).size, 10);
  for (const code of codes ?? []) assert.match(code, /^(?:[0-9A-HJKMNP-TV-Z]{4}-?){6}$/);
  for await (const entry of test.kv.list({ prefix: ["second_factor"] })) {
    const kept = Deno.inspect(entry, { depth: 9, strAbbreviateSize: 10_000 });
    assert.ok(!kept.includes(secret) && !kept.includes(codes?.[0] ?? ""));
  }
});

Deno.test("a code of an authenticator holds once, also for two browsers at the same moment", async () => {
  await using world = await annWithApp();
  const { stores, ann, secret } = world;
  const later = NOW + 60_000;
  const code = codeAt(secret, later);
  const proofs = await Promise.all([1, 2, 3].map(() => proveFactor(stores, ann, code, later)));
  assert.equal(proofs.filter(({ ok }) => ok).length, 1);
  assert.equal((await proveFactor(stores, ann, codeAt(secret, NOW), NOW)).ok, false);
});

Deno.test("codes of half a minute before and after are taken, with blanks in them", async () => {
  await using world = await annWithApp();
  const { stores, ann, secret } = world;
  const at = NOW + 300_000;
  const early = codeAt(secret, at - 30_000);
  assert.equal(
    (await proveFactor(stores, ann, `${early.slice(0, 3)} ${early.slice(3)}`, at)).ok,
    true,
  );
  assert.equal((await proveFactor(stores, ann, codeAt(secret, at + 30_000), at)).ok, true);
});

Deno.test("a clock that is 90 seconds off is told, in both directions, and its code not taken", async () => {
  await using world = await annWithApp();
  const { stores, ann, secret } = world;
  const at = NOW + 600_000;
  for (const off of [-90_000, 90_000]) {
    assert.deepEqual(await proveFactor(stores, ann, codeAt(secret, at + off), at), {
      ok: false,
      clockOffSec: 90,
      isUnreadable: false,
    });
  }
  const far = await proveFactor(stores, ann, codeAt(secret, at + 3_600_000), at);
  assert.ok(!far.ok && far.clockOffSec === null);
});

Deno.test("a recovery code holds once, however it is typed; new ones end the old", async () => {
  await using world = await annWithApp();
  const { kv, stores, ann, codes } = world;
  const [first = "", second = ""] = codes;
  const typed = ` ${first.toLowerCase().replaceAll("-", " ").replaceAll("0", "O")} `;
  assert.deepEqual(await proveFactor(stores, ann, typed), {
    ok: true,
    how: "recovery",
    recoveryCodesLeft: 9,
  });
  assert.equal((await proveFactor(stores, ann, first)).ok, false);
  const [fresh = ""] = await renewRecoveryCodes(kv, ann);
  assert.equal((await proveFactor(stores, ann, second)).ok, false);
  assert.equal((await proveFactor(stores, ann, fresh)).ok, true);
  assert.equal(await hasSecondFactor(kv, ann.id), true);
});

Deno.test("recovery codes go with the last second factor", async () => {
  await using world = await annWithApp();
  const { kv, stores, ann, codes } = world;
  await removeAuthenticator(kv, ann);
  assert.equal(await hasSecondFactor(kv, ann.id), false);
  assert.equal((await factorsOf(kv, ann.id)).recoveryCodesLeft, 0);
  assert.equal((await proveFactor(stores, ann, codes[0] ?? "")).ok, false);
});

Deno.test("another secret key of the server says so, and recovery codes still let in", async () => {
  await using world = await annWithApp();
  const { kv, ann, secret, codes } = world;
  const stores = { kv, config: { secretKey: "quite another key than before" } };
  const at = NOW + 60_000;
  const proof = await proveFactor(stores, ann, codeAt(secret, at), at);
  assert.ok(!proof.ok && proof.isUnreadable);
  assert.equal((await proveFactor(stores, ann, codes[0] ?? "", at)).ok, true);
});

async function pending(kv: Deno.Kv, { id: userId }: User, now: number): Promise<string> {
  return await addPendingSignIn(kv, { userId, epoch: 0, method: "password", next: "/" }, now);
}

Deno.test("a right password lets somebody try five codes, then the password is asked for again", async () => {
  await using world = await annWithApp();
  const { kv, ann, stores, secret } = world;
  const token = await pending(kv, ann, NOW);
  const attempt = (code: string) => tryFactor(stores, { token, code, device: null }, NOW);
  for (let i = 0; i < 5; i++) {
    const tried = await attempt("000000");
    assert.ok(!tried.ok && tried.reason === "wrong");
  }
  const tried = await attempt(codeAt(secret, NOW + 30_000));
  assert.ok(!tried.ok && tried.reason === "gone");
});

Deno.test("twenty wrong codes a day end the codes of strangers, but not recovery codes nor a known browser's codes", async () => {
  await using world = await annWithApp();
  const { kv, ann, stores, secret, codes } = world;
  const atomic = kv.atomic();
  const device = addKnownDevice(atomic, ann.email, null);
  await atomic.commit();
  const attempt = async (code: string, from: string | null, now: number) =>
    await tryFactor(stores, { token: await pending(kv, ann, now), code, device: from }, now);
  for (let i = 0; i < 20; i++) await attempt("000000", null, NOW);
  const at = NOW + 60_000;
  const stranger = await attempt(codeAt(secret, at), null, at);
  assert.ok(!stranger.ok && stranger.reason === "limited");
  assert.equal((await attempt(codes[0] ?? "", null, at)).ok, true);
  assert.equal((await attempt(codeAt(secret, at), device, at)).ok, true);
});

Deno.test("a sign-in that waited ten minutes for its second factor is over", async () => {
  await using world = await annWithApp();
  const { kv, ann, stores, secret } = world;
  const token = await pending(kv, ann, NOW);
  const late = NOW + 10 * 60_000;
  const tried = await tryFactor(stores, { token, code: codeAt(secret, late), device: null }, late);
  assert.ok(!tried.ok && tried.reason === "gone");
});
