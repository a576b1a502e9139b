import { currentScope } from "../core/request_scope.ts";
import { DAY_MS } from "../core/time.ts";
import { addAudit } from "./audit.ts";
import { keyOf, prefixOf, readIndex, readMany } from "./kv.ts";
import { newSecret, sha256 } from "./secrets.ts";
import type { User } from "./users.ts";

/** How identity was proven. */
export type SignInMethod =
  | "password"
  | "passkey"
  | "oidc"
  | "github"
  | "header"
  | "invite"
  | "setup";

/** However busy, a session ends this long after the sign-in. */
export const SESSION_LIFETIME_MS = 30 * DAY_MS;
/** A session that nobody used for so long is over. */
export const SESSION_IDLE_MS = 7 * DAY_MS;
/** Reading a page must not cost a write: `lastSeenAt` may be this much behind. */
const REFRESH_AFTER_MS = 5 * 60 * 1000;

/** How a session began. Older records have none of it. */
interface Beginning {
  readonly method?: SignInMethod;
  /** Of single sign-on: the provider's id. */
  readonly provider?: string;
  /** A second factor was shown, or what counts as one. */
  readonly isStrong?: boolean;
}

export interface Session extends Beginning {
  /** SHA-256 of the token, in hex: enough to name a session, useless to sign in with. */
  readonly id: string;
  readonly userId: string;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
  /** The session holds as long as the user's epoch is still this one. */
  readonly epoch: number;
  /** Of the client that signed in. */
  readonly address?: string | null;
  readonly userAgent?: string | null;
  /** When identity was proven last: see `recent_proof.ts`. */
  readonly authenticatedAt?: Date;
  /** Earlier than other sessions; absent: as all. */
  readonly endsAt?: Date;
}

export interface NewSession extends Beginning {
  /**
   * What `keyOf.sessionEpoch` held when identity was proven: a session that starts while the user's sessions are ended, or
   * the password is changed, is over at once. @default what it holds now
   */
  readonly epoch?: number;
  /** @default 30 days */
  readonly lifetimeMs?: number;
  /** Adds to the same commit, such as the audit entry. */
  readonly also?: (atomic: Deno.AtomicOperation, session: Session) => void;
}

/** A token is 43 characters of base64url, as `newSecret` makes it. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/**
 * Starts a session, from where the request in hand comes. The token goes to the browser and nowhere else; the store keeps
 * its hash. Sign-ins go through `completeSignIn()`, which calls this.
 *
 * @param now milliseconds since 1970
 */
export async function startSession(
  kv: Deno.Kv,
  userId: string,
  { epoch, lifetimeMs, also, ...beginning }: NewSession = {},
  now: number = Date.now(),
): Promise<{ token: string; session: Session }> {
  const token = newSecret();
  const at = new Date(now);
  const { address, userAgent } = currentScope().asker;
  const session: Session = {
    ...beginning,
    id: sha256(token),
    userId,
    createdAt: at,
    lastSeenAt: at,
    authenticatedAt: at,
    epoch: epoch ?? await sessionEpoch(kv, userId),
    address,
    userAgent,
    ...lifetimeMs === undefined ? {} : { endsAt: new Date(now + lifetimeMs) },
  };
  const atomic = kv.atomic();
  addSession(atomic, session, now);
  also?.(atomic, session);
  await atomic.commit();
  return { token, session };
}

function addSession(atomic: Deno.AtomicOperation, session: Session, now: number): void {
  const expireIn = endOf(session) - now;
  atomic
    .set(keyOf.session(session.id), session, { expireIn })
    .set(keyOf.sessionOf(session.userId, session.id), session.id, { expireIn });
}

/** What the sessions of a user must have to hold; raised to end all of them. */
export async function sessionEpoch(kv: Deno.Kv, userId: string): Promise<number> {
  return (await kv.get<number>(keyOf.sessionEpoch(userId))).value ?? 0;
}

/**
 * Finds the session of a token, and notes now and then that it is in use.
 *
 * @param token what the browser sent, whatever it is
 * @param now milliseconds since 1970
 * @returns null for unknown, ended and expired sessions, and those of accounts that are disabled
 */
export async function readSession(
  kv: Deno.Kv,
  token: string,
  now: number = Date.now(),
): Promise<{ session: Session; user: User } | null> {
  if (!TOKEN.test(token)) return null;
  const entry = await kv.get<Session>(keyOf.session(sha256(token)));
  const session = entry.value;
  if (session === null || endOf(session) <= now) return null;
  const [user, epoch] = await kv.getMany<[User, number]>([
    keyOf.user(session.userId),
    keyOf.sessionEpoch(session.userId),
  ]);
  if (user.value === null || (epoch.value ?? 0) !== session.epoch) return null;
  if (user.value.disabledAt !== undefined) return null;
  if (now - session.lastSeenAt.getTime() < REFRESH_AFTER_MS) return { session, user: user.value };
  return { session: await refresh(kv, entry, session, now), user: user.value };
}

/**
 * Ends one session; an unknown token changes nothing.
 *
 * @param also adds to the same commit
 */
export async function endSession(
  kv: Deno.Kv,
  token: string,
  also?: (atomic: Deno.AtomicOperation) => void,
): Promise<void> {
  if (!TOKEN.test(token)) return;
  const { value } = await kv.get<Session>(keyOf.session(sha256(token)));
  if (value === null) return;
  const atomic = kv.atomic().delete(keyOf.session(value.id))
    .delete(keyOf.sessionOf(value.userId, value.id));
  also?.(atomic);
  await atomic.commit();
}

/**
 * Goes on with a session under a new token, after its user has proven once more who they are.
 *
 * @returns null when the session has ended meanwhile
 */
export async function renewSession(
  kv: Deno.Kv,
  former: Session,
  isStrong: boolean,
  now: number = Date.now(),
): Promise<{ token: string; session: Session } | null> {
  const token = newSecret();
  const at = new Date(now);
  const session = { ...former, id: sha256(token), isStrong, authenticatedAt: at, lastSeenAt: at };
  const entry = await kv.get<Session>(keyOf.session(former.id));
  if (entry.value === null) return null;
  const atomic = kv.atomic().check(entry).delete(entry.key)
    .delete(keyOf.sessionOf(former.userId, former.id));
  addSession(atomic, session, now);
  return (await atomic.commit()).ok ? { token, session } : null;
}

/** The sessions of a user that hold, last used first. @param now milliseconds since 1970 */
export async function listSessions(
  kv: Deno.Kv,
  userId: string,
  now: number = Date.now(),
): Promise<Session[]> {
  const ids = await readIndex(kv, prefixOf.sessions(userId));
  const epoch = await sessionEpoch(kv, userId);
  const sessions = await readMany<Session>(kv, ids.map((id) => keyOf.session(id)));
  return sessions.filter((session) => session.epoch === epoch && endOf(session) > now)
    .sort((a, b) => b.lastSeenAt.getTime() - a.lastSeenAt.getTime());
}

/**
 * Ends sessions of a user by their ids; ids of others' and of none change nothing.
 *
 * @returns how many ended
 */
export async function revokeSessions(
  kv: Deno.Kv,
  user: Pick<User, "id" | "email">,
  ids: readonly string[],
): Promise<number> {
  const own = (await listSessions(kv, user.id)).filter(({ id }) => ids.includes(id));
  for (const { id } of own) {
    const atomic = kv.atomic().delete(keyOf.session(id)).delete(keyOf.sessionOf(user.id, id));
    await addAudit(atomic, {
      event: "user.session.revoke",
      organizationId: null,
      target: { kind: "user", id: user.id, label: user.email },
    }).commit();
  }
  return own.length;
}

/** Ends every session of a user, in the commit of what it is for. The commit fails when another one does it meanwhile. */
export async function addEndOfSessions(
  kv: Deno.Kv,
  atomic: Deno.AtomicOperation,
  userId: string,
): Promise<void> {
  const epoch = await kv.get<number>(keyOf.sessionEpoch(userId));
  atomic.check(epoch).set(epoch.key, (epoch.value ?? 0) + 1);
}

/** The check keeps a session that is ended at this moment from coming back; who loses changes nothing. */
async function refresh(
  kv: Deno.Kv,
  entry: Deno.KvEntryMaybe<Session>,
  session: Session,
  now: number,
): Promise<Session> {
  const refreshed = { ...session, lastSeenAt: new Date(now) };
  const atomic = kv.atomic().check(entry);
  addSession(atomic, refreshed, now);
  await atomic.commit();
  return refreshed;
}

function endOf({ createdAt, lastSeenAt, endsAt }: Session): number {
  return Math.min(
    createdAt.getTime() + SESSION_LIFETIME_MS,
    lastSeenAt.getTime() + SESSION_IDLE_MS,
    endsAt?.getTime() ?? Infinity,
  );
}
