/**
 * Taking the second factors away of who has lost everything. An administrator of the instance may; it takes effect a day
 * later, so that whose account it is can cancel it, or at once at the console of the server.
 */
import { DAY_MS } from "../core/time.ts";
import { addAudit } from "./audit.ts";
import { conflict, keyOf, prefixOf, readIndex, untilCommitted } from "./kv.ts";
import type { User } from "./users.ts";

/** From the administrator's word until it takes effect. */
export const REMOVAL_DELAY_MS = DAY_MS;

/** When the second factors of a person are to go; null: they stay. */
export async function plannedRemoval(kv: Deno.Kv, userId: string): Promise<Date | null> {
  return (await kv.get<Date>(keyOf.factorRemoval(userId))).value;
}

/** Plans it. @returns when it takes effect */
export async function planRemoval(
  kv: Deno.Kv,
  user: User,
  now: number = Date.now(),
): Promise<Date> {
  const at = new Date(now + REMOVAL_DELAY_MS);
  const atomic = kv.atomic().set(keyOf.factorRemoval(user.id), at);
  await audit(atomic, user, "planned removal", [null, at.toISOString()]).commit();
  return at;
}

/** Takes it back; nothing happens when nothing is planned. */
export async function cancelRemoval(kv: Deno.Kv, user: User): Promise<void> {
  const entry = await kv.get<Date>(keyOf.factorRemoval(user.id));
  if (entry.value === null) return;
  const atomic = kv.atomic().check(entry).delete(entry.key);
  await audit(atomic, user, "planned removal", [entry.value.toISOString(), null]).commit();
}

/** Does what is due, before somebody is asked for their second factor. @param now milliseconds since 1970 */
export async function carryOutRemoval(
  kv: Deno.Kv,
  user: User,
  now: number = Date.now(),
): Promise<void> {
  const at = await plannedRemoval(kv, user.id);
  if (at !== null && at.getTime() <= now) await removeAllFactors(kv, user);
}

/** Takes authenticator, recovery codes and passkeys away at once. */
export async function removeAllFactors(kv: Deno.Kv, user: User): Promise<void> {
  await untilCommitted("remove the second factors", async () => {
    const entry = await kv.get(keyOf.secondFactor(user.id));
    const passkeys = await readIndex(kv, prefixOf.passkeys(user.id));
    const atomic = kv.atomic().check(entry)
      .delete(entry.key)
      .delete(keyOf.newAuthenticator(user.id))
      .delete(keyOf.factorRemoval(user.id));
    for (const id of passkeys) {
      atomic.delete(keyOf.passkey(id)).delete(keyOf.passkeyOf(user.id, id));
    }
    audit(atomic, user, "factor", ["all", null]);
    return (await atomic.commit()).ok ? null : conflict;
  });
}

function audit(
  atomic: Deno.AtomicOperation,
  { id, email }: User,
  field: string,
  change: readonly [string | null, string | null],
): Deno.AtomicOperation {
  return addAudit(atomic, {
    event: "user.mfa.remove",
    organizationId: null,
    target: { kind: "user", id, label: email },
    changes: { [field]: change },
  });
}
