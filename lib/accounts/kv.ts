import { pause, withTimeLimit } from "../core/waiting.ts";
/**
 * Where every record of the control store lives: the one place that knows key shapes.
 * Records live once, under their id; index entries hold ids only, so that no copy can grow stale.
 */
export const keyOf = {
  /** Highest id given out so far. */
  sequence: (kind: "organization" | "project") => ["sequence", kind],

  /** Which installation all stores belong to. */
  instanceMark: () => ["instance", "mark"],
  /** Written once, by whoever took the fresh instance. */
  claim: () => ["instance", "claim"],
  /** Which project of this instance is told of its own errors. */
  watch: () => ["instance", "watch"],
  setupCode: () => ["instance", "setup_code"],
  /** What telemetry takes on disk. */
  diskUse: () => ["instance", "disk_use"],
  /** Of the last backup that was made, and of one that failed since. */
  lastBackup: () => ["instance", "last_backup"],
  /** A backup is being restored: nobody else may use the stores. */
  restoring: () => ["instance", "restoring"],
  /** Seals secrets that have to be read again, when the settings name none. */
  masterSecret: () => ["instance", "master_secret"],

  user: (id: string) => ["user", id],
  userByEmail: (email: string) => ["user_by_email", email],
  /** The password hash: apart from the user, so that it travels only where it is compared. */
  credential: (userId: string) => ["credential", userId],
  /** Raised to end all sessions of a user at once. */
  sessionEpoch: (userId: string) => ["session_epoch", userId],
  session: (tokenHash: string) => ["session", tokenHash],
  sessionOf: (userId: string, sessionId: string) => ["session_of", userId, sessionId],
  /** Identity is proven as far as the second factor, which is still to come. */
  pendingSignIn: (tokenHash: string) => ["pending_sign_in", tokenHash],

  /** Authenticator and recovery codes of a user. */
  secondFactor: (userId: string) => ["second_factor", userId],
  /** An authenticator that has not shown a right code yet. */
  newAuthenticator: (userId: string) => ["new_authenticator", userId],
  passkey: (credentialId: string) => ["passkey", credentialId],
  passkeyOf: (userId: string, credentialId: string) => ["passkey_of", userId, credentialId],
  /** What authenticators know a user by: random, so that it tells nothing. */
  passkeyHandle: (userId: string) => ["passkey_handle", userId],
  /** When an administrator's removal of somebody's second factors takes effect. */
  factorRemoval: (userId: string) => ["factor_removal", userId],
  /** Of a passkey's challenge that was answered: it holds once. */
  spentChallenge: (hash: string) => ["spent_challenge", hash],

  /** A link that was sent to somebody, for one purpose. */
  mailLink: (tokenHash: string) => ["mail_link", tokenHash],
  /** The newest link of a person for a purpose: the older one ends with it. */
  mailLinkOf: (userId: string, purpose: string) => ["mail_link_of", userId, purpose],

  attempts: (kind: string, subject: string) => ["attempts", kind, subject],
  knownDevice: (account: string, tokenHash: string) => ["known_device", account, tokenHash],

  organization: (id: string) => ["organization", id],
  organizationBySlug: (slug: string) => ["organization_by_slug", slug],
  /** An organization that can still be restored; its members and tokens stay where they are and are nothing without it. */
  deletedOrganization: (id: string) => ["deleted_organization", id],
  member: (organizationId: string, userId: string) => ["member", organizationId, userId],
  membership: (userId: string, organizationId: string) => ["membership", userId, organizationId],

  invite: (tokenHash: string) => ["invite", tokenHash],
  inviteOf: (organizationId: string, email: string) => ["invite_of", organizationId, email],

  /** Of one organization, people and projects in it; everybody's own team has no record. */
  team: (organizationId: string, id: string) => ["team", organizationId, id],
  teamBySlug: (organizationId: string, slug: string) => ["team_by_slug", organizationId, slug],

  project: (id: string) => ["project", id],
  projectBySlug: (
    organizationId: string,
    slug: string,
  ) => ["project_by_slug", organizationId, slug],
  /** A project that can still be restored; its keys stay where they are and let nobody in without it. */
  deletedProject: (id: string) => ["deleted_project", id],
  deletedProjectOf: (
    organizationId: string,
    id: string,
  ) => ["deleted_project_of", organizationId, id],
  ingestKey: (publicKey: string) => ["ingest_key", publicKey],
  ingestKeyOf: (projectId: string, publicKey: string) => ["ingest_key_of", projectId, publicKey],
  /** The public key that a key has now, by its lasting id. */
  ingestKeyById: (id: string) => ["ingest_key_by_id", id],

  /** A key of which only the hash is known, because the store was made again: {@linkcode RecoveredKey}. */
  recoveredKey: (hash: string) => ["recovered_key", hash],
  recoveredKeyOf: (projectId: string, hash: string) => ["recovered_key_of", projectId, hash],

  /** Of a public key that was reissued or revoked. */
  retiredKey: (publicKey: string) => ["retired_key", publicKey],
  /** Written with every change of what intake reads of a key: who has its versionstamp has seen all of them. */
  intakeRevision: () => ["intake_revision"],
  /** What a person wants to be told of by mail. */
  notices: (userId: string) => ["notices", userId],
  /** Requests, and perhaps bytes, a month: {@linkcode StoredQuota}. */
  quota: (organizationId: string) => ["quota", organizationId],

  apiToken: (id: string) => ["api_token", id],
  apiTokenOf: (organizationId: string, id: string) => ["api_token_of", organizationId, id],

  organizationToken: (tokenHash: string) => ["organization_token", tokenHash],
  organizationTokenOf: (
    organizationId: string,
    id: string,
  ) => ["organization_token_of", organizationId, id],

  /** Who gets in without an invitation. */
  joinPolicy: (organizationId: string) => ["join_policy", organizationId],
  /** Organizations that let in who has an address of a domain. */
  joinDomain: (domain: string, organizationId: string) => ["join_domain", domain, organizationId],
  joinRequest: (organizationId: string, id: string) => ["join_request", organizationId, id],

  /** How a directory provisions an organization. */
  scim: (organizationId: string) => ["scim", organizationId],
  scimToken: (tokenHash: string) => ["scim_token", tokenHash],
  /** Id that a directory has for a team. */
  scimGroup: (organizationId: string, teamId: string) => ["scim_group", organizationId, teamId],

  rateBucket: (projectId: string) => ["rate_bucket", projectId],
  quotaUse: (organizationId: string, month: string) => ["quota_use", organizationId, month],
  quotaBytesUse: (organizationId: string, month: string) => [
    "quota_bytes_use",
    organizationId,
    month,
  ],

  /** What an organization tells the public about its monitors. */
  statusPage: (organizationId: string) => ["status_page", organizationId],
  statusPageBySlug: (slug: string) => ["status_page_by_slug", slug],
  statusPageByHost: (host: string) => ["status_page_by_host", host],
  statusLogo: (organizationId: string) => ["status_logo", organizationId],
  /** An incident or a maintenance; ids are in order of time. */
  statusPost: (organizationId: string, id: string) => ["status_post", organizationId, id],
  /** Written with every change of the page or a post: who has its versionstamp has seen all of them. */
  statusRevision: (organizationId: string) => ["status_revision", organizationId],
  /** Which parts make the last state that Postgres told. */
  statusSnapshot: (organizationId: string) => ["status_snapshot", organizationId],
  statusSnapshotPart: (
    organizationId: string,
    version: string,
    part: number,
  ) => ["status_snapshot_part", organizationId, version, part],
  statusSubscriber: (
    organizationId: string,
    addressHash: string,
  ) => ["status_subscriber", organizationId, addressHash],
  /** What subscribers are yet to be told. */
  statusMail: (organizationId: string, id: string) => ["status_mail", organizationId, id],

  /** Waits to be moved to Postgres; ids are in order of time. */
  auditEntry: (id: string) => ["audit_entry", id],

  /** Of single sign-on: an OpenID Connect provider, GitHub, … */
  provider: (id: string) => ["provider", id],
  /** Whose account somebody at a provider has: by issuer and subject, never by the address. */
  identity: (hash: string) => ["identity", hash],
  identityOf: (userId: string, hash: string) => ["identity_of", userId, hash],
  /** Of a session at a provider the sessions here that began by it. */
  providerSession: (sidHash: string, sessionId: string) => ["provider_session", sidHash, sessionId],
  /** Which ways to sign in there are. */
  signInPolicy: () => ["instance", "sign_in_policy"],
  /** A state, a logout token: what may be used once only. */
  usedOnce: (kind: string, hash: string) => ["used_once", kind, hash],

  /** A process that serves on these stores. */
  instance: (id: string) => ["process", id],
  /** Who does a piece of work that only one process may do at a time. */
  lease: (work: string) => ["lease", work],
  /** What took Postgres long, as an isolate has seen it. */
  slowStatements: (isolate: string) => ["slow_statements", isolate],
  /** When it was last done to its end. */
  workDone: (work: string) => ["work_done", work],
} satisfies Record<string, (...parts: never[]) => Deno.KvKey>;

/** Prefixes of what is listed. */
export const prefixOf = {
  organizations: () => ["organization"],
  deletedOrganizations: () => ["deleted_organization"],
  members: (organizationId: string) => ["member", organizationId],
  memberships: (userId: string) => ["membership", userId],
  users: () => ["user"],
  sessions: (userId: string) => ["session_of", userId],
  knownDevices: (account: string) => ["known_device", account],
  passkeys: (userId: string) => ["passkey_of", userId],
  invites: (organizationId: string) => ["invite_of", organizationId],
  joinDomains: (domain: string) => ["join_domain", domain],
  joinRequests: (organizationId: string) => ["join_request", organizationId],
  teams: (organizationId: string) => ["team", organizationId],
  projects: (organizationId: string) => ["project_by_slug", organizationId],
  allProjects: () => ["project"],
  deletedProjects: (organizationId: string) => ["deleted_project_of", organizationId],
  ingestKeys: (projectId: string) => ["ingest_key_of", projectId],
  recoveredKeys: (projectId: string) => ["recovered_key_of", projectId],
  apiTokens: (organizationId: string) => ["api_token_of", organizationId],
  organizationTokens: (organizationId: string) => ["organization_token_of", organizationId],
  notices: () => ["notices"],
  auditEntries: () => ["audit_entry"],
  providers: () => ["provider"],
  identitiesOf: (userId: string) => ["identity_of", userId],
  providerSessions: (sidHash: string) => ["provider_session", sidHash],
  statusPages: () => ["status_page"],
  statusPosts: (organizationId: string) => ["status_post", organizationId],
  statusSnapshotParts: (organizationId: string) => ["status_snapshot_part", organizationId],
  statusSubscribers: (organizationId: string) => ["status_subscriber", organizationId],
  statusMails: () => ["status_mail"],
  instances: () => ["process"],
  statusMailsOf: (organizationId: string) => ["status_mail", organizationId],
  slowStatements: () => ["slow_statements"],
  worksDone: () => ["work_done"],
} satisfies Record<string, (...parts: never[]) => Deno.KvKey>;

/**
 * Adds to a commit that it changes or removes what intake knows of a key: the key itself, its project, its organization
 * or that one's quota. Every such commit must: intake believes what it read before as long as nobody says so. What is
 * new, intake has not read.
 */
export function changesIntake(atomic: Deno.AtomicOperation): Deno.AtomicOperation {
  return atomic.set(keyOf.intakeRevision(), true);
}

/** For reads and writes that somebody waits for: Deno KV waits for ever while its server is away. */
export const KV_LIMIT_MS = 5_000;

const MAX_ATTEMPTS = 30;
const MAX_PAUSE_MS = 40;
/** So many attempts in vain say that all of a crowd are writing. */
const CROWD_TRIES = 4;
/** Still more say that others are there beside them, or that the store is slow. */
const MAX_CROWDS = 3;

/** What an attempt returns when another writer changed what it had read. */
export const conflict = Symbol("conflict");

/** Nothing was changed: others were changing the same all the time. */
export class TooManyWriters extends Error {
  override name = "TooManyWriters";
}

/**
 * Repeats a read-check-write until it commits, with growing random pauses between the attempts.
 *
 * @param what the action in words, for the error: `create the project`
 * @param attempt reads, then commits with checks; returns `conflict` when the commit was refused
 * @param crowdMs how long those take together who want to write the same, as far as that is known after an attempt: so
 * that not all of them are there again at once
 * @throws {TooManyWriters} after 30 attempts that all met other writers
 */
export async function untilCommitted<T>(
  what: string,
  attempt: () => Promise<T | typeof conflict>,
  crowdMs: () => number = () => 0,
): Promise<T> {
  for (let tried = 1; tried <= MAX_ATTEMPTS; tried++) {
    const result = await attempt().catch(conflictWhenLocked);
    if (result !== conflict) return result;
    const crowd = crowdMs() * Math.min(tried / CROWD_TRIES, MAX_CROWDS);
    await pause(Math.random() * Math.max(Math.min(2 ** tried, MAX_PAUSE_MS), crowd));
  }
  throw new TooManyWriters(`Cannot ${what}: other writers were faster ${MAX_ATTEMPTS} times`);
}

/**
 * Changes a record, over whatever other writers make of it meanwhile.
 *
 * @param what as for `untilCommitted()`
 * @param change the record as it shall be; the same one to leave it
 * @returns the record as it is then, or null when there is none
 */
export function updateRecord<T>(
  kv: Deno.Kv,
  what: string,
  key: Deno.KvKey,
  change: (record: T) => T,
): Promise<T | null> {
  return untilCommitted<T | null>(what, async () => {
    const entry = await kv.get<T>(key);
    if (entry.value === null) return null;
    const changed = change(entry.value);
    if (changed === entry.value) return changed;
    return (await kv.atomic().check(entry).set(key, changed).commit()).ok ? changed : conflict;
  });
}

/** SQLite answers so, without having changed anything, while somebody else writes to the same file. */
export function isLocked(error: unknown): boolean {
  return error instanceof TypeError && error.message.includes("database is locked");
}

function conflictWhenLocked(error: unknown): typeof conflict {
  if (isLocked(error)) return conflict;
  throw error;
}

/** The store takes at most this many keys in one read. */
const KEYS_PER_READ = 10;

/**
 * Reads many records, in the order of `keys`; those that are gone are left out.
 *
 * @param kv the control store
 * @param keys keys of records of one kind
 */
export async function readMany<T>(kv: Deno.Kv, keys: readonly Deno.KvKey[]): Promise<T[]> {
  const reads: Promise<Deno.KvEntryMaybe<T>[]>[] = [];
  for (let start = 0; start < keys.length; start += KEYS_PER_READ) {
    reads.push(kv.getMany<T[]>(keys.slice(start, start + KEYS_PER_READ)));
  }
  const entries = (await Promise.all(reads)).flat();
  return entries.flatMap((entry) => entry.value === null ? [] : [entry.value]);
}

/**
 * Reads the ids that an index holds, in the order of its keys.
 *
 * @param kv the control store
 * @param prefix the index, as named in `prefixOf`
 */
export async function readIndex(kv: Deno.Kv, prefix: Deno.KvKey): Promise<string[]> {
  return await Array.fromAsync(kv.list<string>({ prefix }), ({ value }) => value);
}

/** The next free id, and how to take it. */
interface NextId {
  /** Decimal, from 1 on; never used again, even after a deletion. */
  readonly id: string;
  /** Adds the check and the write that take the id; the commit fails when somebody was faster. */
  take(atomic: Deno.AtomicOperation): Deno.AtomicOperation;
}

/** Looks up the id that the next organization or project gets. */
export async function nextId(
  kv: Deno.Kv,
  kind: "organization" | "project",
): Promise<NextId> {
  const highest = await kv.get<number>(keyOf.sequence(kind));
  const next = (highest.value ?? 0) + 1;
  return {
    id: String(next),
    take: (atomic) => atomic.check(highest).set(highest.key, next),
  };
}

/** Makes sure that no id up to this one is given out any more. */
export async function raiseSequence(
  kv: Deno.Kv,
  kind: "organization" | "project",
  highest: number,
): Promise<void> {
  await untilCommitted("raise the ids", async () => {
    const entry = await kv.get<number>(keyOf.sequence(kind));
    if ((entry.value ?? 0) >= highest) return null;
    return (await kv.atomic().check(entry).set(entry.key, highest).commit()).ok ? null : conflict;
  });
}

/** Whether a text can be the id of an organization or a project: decimal, from 1, no leading zero. */
export function isId(text: string): boolean {
  return /^[1-9]\d{0,14}$/.test(text);
}

/** Who may do a piece of work, and until when. */
interface Lease {
  readonly holder: string;
  /** Milliseconds since 1970, by the holder's clock. */
  readonly until: number;
}

/**
 * Takes the right to do a piece of work that only one process may do at a time, or renews it. Clocks
 * of machines differ, so let it last longer than the work between two renewals takes by some seconds;
 * the work should be harmless when done twice.
 *
 * @param work name of the work
 * @param holder id of this process, made once with `crypto.randomUUID()`
 * @param durationMs how long the right lasts without renewal
 * @returns false while somebody else has it
 */
export async function takeLease(
  kv: Deno.Kv,
  work: string,
  holder: string,
  durationMs: number,
): Promise<boolean> {
  const key = keyOf.lease(work);
  const entry = await kv.get<Lease>(key);
  const now = Date.now();
  if (entry.value !== null && entry.value.holder !== holder && entry.value.until > now) {
    return false;
  }
  const lease: Lease = { holder, until: now + durationMs };
  const commit = await kv.atomic().check(entry).set(key, lease, { expireIn: durationMs }).commit();
  return commit.ok;
}

/** Gives the right back before its time is over; nothing happens when somebody else has it. */
export async function returnLease(kv: Deno.Kv, work: string, holder: string): Promise<void> {
  const entry = await kv.get<Lease>(keyOf.lease(work));
  if (entry.value?.holder === holder) await kv.atomic().check(entry).delete(entry.key).commit();
}

/** The right to a piece of work, as one process takes it again and again. */
export interface HeldLease {
  /** Takes or renews it. @returns false while another process has it @throws {TimeLimitExceeded} while KV is away */
  take(): Promise<boolean>;
  /** Gives it back; a KV that is away lets it run out. */
  giveBack(): Promise<void>;
}

/** The lease on `work` for this process: see {@linkcode takeLease}. */
export function leaseOf(kv: Deno.Kv, work: string, durationMs: number): HeldLease {
  const holder = crypto.randomUUID();
  return {
    take: () => withTimeLimit(takeLease(kv, work, holder, durationMs), KV_LIMIT_MS),
    giveBack: () => withTimeLimit(returnLease(kv, work, holder), KV_LIMIT_MS).catch(() => {}),
  };
}

/** Notes that work of which one process does it for all has come to its end. */
export async function noteWorkDone(kv: Deno.Kv, work: string): Promise<void> {
  await withTimeLimit(kv.set(keyOf.workDone(work), Date.now()), KV_LIMIT_MS);
}

/** When each such work last came to its end, in milliseconds since 1970. */
export async function worksDone(kv: Deno.Kv): Promise<ReadonlyMap<string, number>> {
  const entries = await Array.fromAsync(kv.list<number>({ prefix: prefixOf.worksDone() }));
  return new Map(entries.map(({ key, value }) => [String(key.at(-1)), value]));
}

const listeners = new WeakMap<Deno.Kv, (projectId: string) => void>();

/** Has `listener` told of every project that this process changes in `kv`, keys included; null ends it. */
export function onProjectChange(
  kv: Deno.Kv,
  listener: ((projectId: string) => void) | null,
): void {
  if (listener === null) listeners.delete(kv);
  else listeners.set(kv, listener);
}

/** To be called after each commit that changes a project or its keys. */
export function projectChanged(kv: Deno.Kv, projectId: string): void {
  listeners.get(kv)?.(projectId);
}
