import { keyOf } from "./kv_keys.ts";
import { newSecret, sha256 } from "./secrets.ts";
import { conflict, untilCommitted } from "./until_committed.ts";
import type { User } from "./users.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
/** However busy, a session ends this long after the sign-in. */
export const SESSION_LIFETIME_MS = 30 * DAY_MS;
/** A session that nobody used for so long is over. */
export const SESSION_IDLE_MS = 7 * DAY_MS;
/** Reading a page must not cost a write: `lastSeenAt` may be this much behind. */
const REFRESH_AFTER_MS = 5 * 60 * 1000;

export interface Session {
  /** SHA-256 of the token, in hex: enough to name a session, useless to sign in with. */
  readonly id: string;
  readonly userId: string;
  readonly createdAt: Date;
  readonly lastSeenAt: Date;
  /** The session holds as long as the user's epoch is still this one. */
  readonly epoch: number;
}

/** A token is 43 characters of base64url, as `newSecret` makes it. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/**
 * Starts a session. The token goes to the browser and nowhere else; the store keeps its hash.
 *
 * @param now milliseconds since 1970
 */
export async function startSession(
  kv: Deno.Kv,
  userId: string,
  now: number = Date.now(),
): Promise<{ token: string; session: Session }> {
  const epoch = await kv.get<number>(keyOf.sessionEpoch(userId));
  const atomic = kv.atomic();
  const started = addSession(atomic, userId, epoch.value, now);
  await atomic.commit();
  return started;
}

/**
 * Adds the write of a new session to a commit.
 *
 * @param epoch what `keyOf.sessionEpoch` holds, read together with what proved the user's identity: a
 *   session that starts while the user's sessions are ended, or the password is changed, is over at once
 * @param now milliseconds since 1970
 */
export function addSession(
  atomic: Deno.AtomicOperation,
  userId: string,
  epoch: number | null,
  now: number,
): { token: string; session: Session } {
  const token = newSecret();
  const at = new Date(now);
  const id = sha256(token);
  const session: Session = { id, userId, createdAt: at, lastSeenAt: at, epoch: epoch ?? 0 };
  atomic.set(keyOf.session(id), session, { expireIn: SESSION_IDLE_MS });
  return { token, session };
}

/**
 * Finds the session of a token, and notes now and then that it is in use.
 *
 * @param token what the browser sent, whatever it is
 * @param now milliseconds since 1970
 * @returns null for unknown, ended and expired sessions
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
  if (now - session.lastSeenAt.getTime() < REFRESH_AFTER_MS) return { session, user: user.value };
  return { session: await refresh(kv, entry, session, now), user: user.value };
}

/** Ends one session; an unknown token changes nothing. */
export async function endSession(kv: Deno.Kv, token: string): Promise<void> {
  if (TOKEN.test(token)) await kv.delete(keyOf.session(sha256(token)));
}

/** Ends every session of the user but the one of this token; does nothing when that one is over. */
export async function endOtherSessions(kv: Deno.Kv, token: string): Promise<void> {
  if (!TOKEN.test(token)) return;
  await untilCommitted("end the other sessions", async () => {
    const entry = await kv.get<Session>(keyOf.session(sha256(token)));
    if (entry.value === null) return null;
    const epoch = await kv.get<number>(keyOf.sessionEpoch(entry.value.userId));
    if ((epoch.value ?? 0) !== entry.value.epoch) return null;
    const next = entry.value.epoch + 1;
    const committed = await kv.atomic()
      .check(entry, epoch)
      .set(epoch.key, next)
      .set(entry.key, { ...entry.value, epoch: next }, { expireIn: SESSION_IDLE_MS })
      .commit();
    return committed.ok ? null : conflict;
  });
}

/** The check keeps a session that is ended at this moment from coming back; who loses changes nothing. */
async function refresh(
  kv: Deno.Kv,
  entry: Deno.KvEntryMaybe<Session>,
  session: Session,
  now: number,
): Promise<Session> {
  const refreshed = { ...session, lastSeenAt: new Date(now) };
  await kv.atomic()
    .check(entry)
    .set(entry.key, refreshed, { expireIn: endOf(refreshed) - now })
    .commit();
  return refreshed;
}

function endOf({ createdAt, lastSeenAt }: Session): number {
  return Math.min(
    createdAt.getTime() + SESSION_LIFETIME_MS,
    lastSeenAt.getTime() + SESSION_IDLE_MS,
  );
}
