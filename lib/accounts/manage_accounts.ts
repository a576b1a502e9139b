/** What administrators of the instance do with people's accounts. */
import { InvalidInput } from "../core/errors.ts";
import { t } from "../core/language/translate.ts";
import { addAudit } from "./audit.ts";
import { conflict, keyOf, prefixOf, readIndex, untilCommitted } from "./kv.ts";
import { listMembers, removeMember, roleOf } from "./members.ts";
import { checkEmail } from "./names.ts";
import { findOrganization } from "./organizations.ts";
import { addForgottenIdentities } from "./providers/identities.ts";
import { addEndOfSessions } from "./sessions.ts";
import { changeUser, emailTaken, findUser, type User } from "./users.ts";

/** Rows of one page of accounts; who looks for more searches. */
const MAX_LISTED = 200;

export interface ListedAccounts {
  readonly users: readonly User[];
  /** More were found than are listed. */
  readonly hasMore: boolean;
}

/** Accounts whose name or email has a text, by email; those that were deleted are left out. */
export async function listAccounts(kv: Deno.Kv, text: string): Promise<ListedAccounts> {
  const wanted = text.normalize("NFC").trim().toLowerCase();
  const users: User[] = [];
  for await (const { value: user } of kv.list<User>({ prefix: prefixOf.users() })) {
    if (user.deletedAt !== undefined) continue;
    if (`${user.name}\n${user.email}`.toLowerCase().includes(wanted)) users.push(user);
  }
  users.sort((a, b) => a.email < b.email ? -1 : 1);
  return { users: users.slice(0, MAX_LISTED), hasMore: users.length > MAX_LISTED };
}

/** Ends all sessions of a person. */
export async function endAllSessions(kv: Deno.Kv, user: User): Promise<void> {
  await untilCommitted("end the sessions", async () => {
    const atomic = kv.atomic();
    await addEndOfSessions(kv, atomic, user.id);
    addAudit(atomic, {
      event: "user.session.revoke",
      organizationId: null,
      target: { kind: "user", id: user.id, label: user.email },
      changes: { sessions: ["all", null] },
    });
    return (await atomic.commit()).ok ? null : conflict;
  });
}

/**
 * Lets nobody sign in with an account any more, or lets them again. Its sessions end and its tokens are refused; members,
 * settings and second factors stay.
 *
 * @param by whoever does it
 * @throws {InvalidInput} for one's own account
 */
export async function setDisabled(
  kv: Deno.Kv,
  by: User,
  userId: string,
  isDisabled: boolean,
): Promise<void> {
  refuseSelf(by, userId);
  await changeUser(kv, userId, (user) => {
    if ((user.disabledAt !== undefined) === isDisabled || user.deletedAt !== undefined) return user;
    const { disabledAt: _, ...rest } = user;
    return isDisabled ? { ...rest, disabledAt: new Date() } : rest;
  }, (atomic) => addEndOfSessions(kv, atomic, userId));
}

/**
 * Changes somebody's email without asking them, as where no mail is sent. It counts as not confirmed.
 *
 * @throws {InvalidInput} for a malformed email and for one that has an account
 */
export async function setEmail(kv: Deno.Kv, userId: string, input: string): Promise<void> {
  const email = checkEmail(input);
  await changeUser(kv, userId, (user) => {
    if (user.email === email) return user;
    const { emailVerifiedAt: _, ...rest } = user;
    return { ...rest, email };
  }, async (atomic, before) => {
    const taken = await kv.get(keyOf.userByEmail(email));
    if (taken.value !== null) throw emailTaken();
    atomic.check(taken).set(taken.key, userId).delete(keyOf.userByEmail(before.email));
  });
}

/**
 * Deletes an account: nobody can sign in with it, and its name is gone. What the person wrote stays, by "Deleted user".
 *
 * @throws {InvalidInput} for one's own account, and for the only owner of an organization
 */
export async function deleteAccount(kv: Deno.Kv, by: User, userId: string): Promise<void> {
  refuseSelf(by, userId);
  const user = await findUser(kv, userId);
  if (user === null || user.deletedAt !== undefined) return;
  const organizationIds = await readIndex(kv, prefixOf.memberships(userId));
  for (const id of organizationIds) await refuseOnlyOwner(kv, id, userId);
  const changer = { role: "owner" as const, userId: by.id };
  for (const id of organizationIds) await removeMember(kv, changer, id, userId);
  await untilCommitted("delete the account", async () => {
    const entry = await kv.get<User>(keyOf.user(userId));
    if (entry.value === null) return null;
    const atomic = kv.atomic().check(entry);
    await addDeletion(kv, atomic, entry.value);
    return (await atomic.commit()).ok ? null : conflict;
  });
}

/** What stands in place of who is gone. The email is none: nobody can have it, and no two are the same. */
function remainderOf({ id, createdAt }: User, now: Date): User {
  return {
    id,
    email: `deleted-${id.slice(0, 8)}`,
    name: "Deleted user",
    createdAt,
    isInstanceAdmin: false,
    disabledAt: now,
    deletedAt: now,
  };
}

async function addDeletion(kv: Deno.Kv, atomic: Deno.AtomicOperation, user: User): Promise<void> {
  const { id, email } = user;
  atomic
    .set(keyOf.user(id), remainderOf(user, new Date()))
    .delete(keyOf.userByEmail(email))
    .delete(keyOf.credential(id))
    .delete(keyOf.secondFactor(id))
    .delete(keyOf.passkeyHandle(id))
    .delete(keyOf.factorRemoval(id))
    .delete(keyOf.notices(id));
  for (const passkey of await readIndex(kv, prefixOf.passkeys(id))) {
    atomic.delete(keyOf.passkey(passkey)).delete(keyOf.passkeyOf(id, passkey));
  }
  await addForgottenIdentities(kv, atomic, id);
  await addEndOfSessions(kv, atomic, id);
  addAudit(atomic, {
    event: "user.remove",
    organizationId: null,
    target: { kind: "user", id, label: email },
  });
}

async function refuseOnlyOwner(kv: Deno.Kv, organizationId: string, userId: string) {
  if (await roleOf(kv, organizationId, userId) !== "owner") return;
  const members = await listMembers(kv, organizationId);
  if (members.some(({ role, user }) => role === "owner" && user.id !== userId)) return;
  const organization = await findOrganization(kv, organizationId);
  throw new InvalidInput(
    "",
    t("This person is the only owner of {organization}: make somebody else an owner first.", {
      organization: organization?.name ?? organizationId,
    }),
  );
}

function refuseSelf(by: User, userId: string): void {
  if (by.id !== userId) return;
  throw new InvalidInput("", t("This is your own account: another administrator can do this."));
}
