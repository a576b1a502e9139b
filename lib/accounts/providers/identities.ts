/** Whose account somebody at a provider has. Known by issuer and subject: an address can be anybody's tomorrow. */
import { InvalidInput } from "../../core/errors.ts";
import { t } from "../../core/language/translate.ts";
import { addAudit } from "../audit.ts";
import { conflict, keyOf, prefixOf, readIndex, readMany, untilCommitted } from "../kv.ts";
import { sha256 } from "../secrets.ts";
import { findUser, type User } from "../users.ts";
import type { Profile } from "./profile.ts";

export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  readonly userId: string;
  /** By which it was used last; it may be gone by now. */
  readonly providerId: string;
  /** What the provider called them last: to tell one from another, never to find an account by. */
  readonly label: string;
  readonly linkedAt: Date;
  readonly lastUsedAt: Date;
}

/** Names an identity, also in keys: subjects may be long. */
export function identityHash({ issuer, subject }: Pick<Identity, "issuer" | "subject">): string {
  return sha256(JSON.stringify([issuer, subject]));
}

/** The identity with its account, or null: nobody has it, or the account is gone. */
export async function findIdentity(
  kv: Deno.Kv,
  of: Pick<Identity, "issuer" | "subject">,
): Promise<{ identity: Identity; user: User } | null> {
  const { value: identity } = await kv.get<Identity>(keyOf.identity(identityHash(of)));
  const user = identity === null ? null : await findUser(kv, identity.userId);
  if (identity === null || user === null || user.deletedAt !== undefined) return null;
  return { identity, user };
}

/** The sign-ins that are connected to an account, the oldest first. */
export async function listIdentities(kv: Deno.Kv, userId: string): Promise<Identity[]> {
  const hashes = await readIndex(kv, prefixOf.identitiesOf(userId));
  const identities = await readMany<Identity>(kv, hashes.map((hash) => keyOf.identity(hash)));
  return identities.filter((each) => each.userId === userId)
    .sort((a, b) => a.linkedAt.getTime() - b.linkedAt.getTime());
}

/** Who came, by which provider. */
export interface Comer {
  readonly providerId: string;
  readonly profile: Pick<Profile, "issuer" | "subject" | "email" | "name">;
}

/** Adds to a commit that an identity is connected to an account, which it tells the audit log. */
export function addIdentity(
  atomic: Deno.AtomicOperation,
  { providerId, profile }: Comer,
  user: Pick<User, "id" | "email">,
  now: Date,
): Deno.AtomicOperation {
  const { issuer, subject } = profile;
  const identity: Identity = {
    issuer,
    subject,
    userId: user.id,
    providerId,
    label: labelOf(profile),
    linkedAt: now,
    lastUsedAt: now,
  };
  const hash = identityHash(identity);
  addAudit(atomic, {
    event: "sso-identity.link",
    organizationId: null,
    target: { kind: "user", id: user.id, label: user.email },
    changes: { provider: [null, providerId], issuer: [null, issuer], subject: [null, subject] },
  });
  return atomic.set(keyOf.identity(hash), identity).set(keyOf.identityOf(user.id, hash), hash);
}

function labelOf({ email, name, subject }: Comer["profile"]): string {
  return email ?? (name || subject);
}

/**
 * Connects an identity to an account; nothing happens when it is connected already.
 *
 * @param also adds to the same commit
 * @throws {InvalidInput} when it is connected to another account
 */
export function linkIdentity(
  kv: Deno.Kv,
  comer: Comer,
  user: User,
  also: (atomic: Deno.AtomicOperation) => Promise<void> = () => Promise.resolve(),
): Promise<null> {
  return untilCommitted<null>("connect the sign-in", async () => {
    const entry = await kv.get<Identity>(keyOf.identity(identityHash(comer.profile)));
    const holder = (await findIdentity(kv, comer.profile))?.user ?? null;
    if (holder?.id === user.id) return null;
    if (holder !== null) {
      throw new InvalidInput(
        "",
        t("This sign-in is connected to another account. Disconnect it there first."),
        "taken",
      );
    }
    const account = await kv.get<User>(keyOf.user(user.id));
    if (account.value === null) return null;
    const atomic = addIdentity(kv.atomic().check(entry, account), comer, user, new Date());
    await also(atomic);
    return (await atomic.commit()).ok ? null : conflict;
  });
}

/** Notes that an identity was used; who loses to another writer changes nothing. */
export async function touchIdentity(kv: Deno.Kv, comer: Comer): Promise<void> {
  const entry = await kv.get<Identity>(keyOf.identity(identityHash(comer.profile)));
  if (entry.value === null) return;
  const { providerId, profile } = comer;
  const used = { ...entry.value, providerId, label: labelOf(profile), lastUsedAt: new Date() };
  await kv.atomic().check(entry).set(entry.key, used).commit();
}

/**
 * Disconnects an identity from an account.
 *
 * @param hash what a client sent, whatever it is
 * @param isOtherWay whether a key that the store holds lets this person in without the identity, such as the password's
 * @throws {InvalidInput} for the last way in
 */
export function unlinkIdentity(
  kv: Deno.Kv,
  user: User,
  hash: string,
  otherWays: (kv: Deno.Kv, user: User, without: string) => Promise<readonly Deno.KvKey[]>,
): Promise<null> {
  return untilCommitted<null>("disconnect the sign-in", async () => {
    if (!/^[0-9a-f]{64}$/.test(hash)) return null;
    const entry = await kv.get<Identity>(keyOf.identity(hash));
    if (entry.value?.userId !== user.id) return null;
    const [way] = await otherWays(kv, user, hash);
    const witness = way === undefined ? null : await kv.get(way);
    if (witness === null || witness.value === null) {
      throw new InvalidInput(
        "",
        t("This is the only way into your account: set a password or connect another sign-in first."),
      );
    }
    // Two ways that are taken away at the same moment meet: each commit checks what the other one deletes.
    const atomic = kv.atomic().check(entry, witness)
      .delete(entry.key)
      .delete(keyOf.identityOf(user.id, hash));
    addAudit(atomic, {
      event: "sso-identity.unlink",
      organizationId: null,
      target: { kind: "user", id: user.id, label: user.email },
      changes: { provider: [entry.value.providerId, null], issuer: [entry.value.issuer, null] },
    });
    return (await atomic.commit()).ok ? null : conflict;
  });
}

/**
 * Keys whose records let somebody in without one of their identities: the password, passkeys, and other identities.
 *
 * @param without hash of the identity that goes; null: none does
 */
export async function otherWaysIn(
  kv: Deno.Kv,
  user: User,
  without: string | null,
): Promise<readonly Deno.KvKey[]> {
  const credential = await kv.get(keyOf.credential(user.id));
  const [hashes, passkeys] = await Promise.all([
    readIndex(kv, prefixOf.identitiesOf(user.id)),
    readIndex(kv, prefixOf.passkeys(user.id)),
  ]);
  return [
    ...credential.value === null ? [] : [credential.key],
    ...passkeys.map((id) => keyOf.passkey(id)),
    ...hashes.filter((hash) => hash !== without).map((hash) => keyOf.identity(hash)),
  ];
}

/** Adds to a commit that an account, which is deleted in it, is connected to nothing any more. */
export async function addForgottenIdentities(
  kv: Deno.Kv,
  atomic: Deno.AtomicOperation,
  userId: string,
): Promise<void> {
  for (const hash of await readIndex(kv, prefixOf.identitiesOf(userId))) {
    atomic.delete(keyOf.identity(hash)).delete(keyOf.identityOf(userId, hash));
  }
}
