/** All entries of the control store, for copies of it that any other KV can take: a file, a server. */
import { Buffer } from "node:buffer";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import { INVITE_LIFETIME_MS } from "./invites.ts";
import { LIFETIME_MS as JOIN_REQUEST_MS } from "./join_requests.ts";
import { REMEMBER_RETIRED_MS } from "./keys.ts";
import { KNOWN_DEVICE_MS } from "./known_devices.ts";
import { keyOf, prefixOf } from "./kv.ts";
import { copyKvFile, endsInFile } from "./open_kv.ts";
import { KEEP_USE_MS } from "./quotas.ts";

/** One entry. */
export interface KvEntry {
  readonly key: readonly string[];
  readonly value: unknown;
  /** When it goes by itself; null: never. */
  readonly endsAt: Date | null;
}

export interface KvCopy {
  readonly entries: readonly KvEntry[];
  /** Whether they are all of one moment. */
  readonly isOneMoment: boolean;
}

/**
 * What a copy makes of entries: `kept` as they are, `left` out, or kept for so many milliseconds, which is how long those
 * live of a server, which does not tell when they end. Left out are rights of a moment, who serves now, and proofs of who
 * somebody is: a session that was ended must not come back with an old copy.
 */
type Fate = "kept" | "left" | number;

/** Of every key that there is: one that is new does not compile without. */
const FATES: Readonly<Record<keyof typeof keyOf, Fate>> = {
  sequence: "kept",
  instanceMark: "kept",
  claim: "kept",
  watch: "kept",
  setupCode: "kept",
  diskUse: "kept",
  lastBackup: "left",
  restoring: "left",
  masterSecret: "kept",
  user: "kept",
  userByEmail: "kept",
  credential: "kept",
  sessionEpoch: "kept",
  session: "left",
  sessionOf: "left",
  pendingSignIn: "left",
  secondFactor: "kept",
  newAuthenticator: "left",
  passkey: "kept",
  passkeyOf: "kept",
  passkeyHandle: "kept",
  factorRemoval: "kept",
  spentChallenge: "left",
  mailLink: "left",
  mailLinkOf: "left",
  attempts: "left",
  knownDevice: KNOWN_DEVICE_MS,
  organization: "kept",
  organizationBySlug: "kept",
  deletedOrganization: "kept",
  member: "kept",
  membership: "kept",
  invite: INVITE_LIFETIME_MS,
  inviteOf: INVITE_LIFETIME_MS,
  team: "kept",
  teamBySlug: "kept",
  project: "kept",
  projectBySlug: "kept",
  deletedProject: "kept",
  deletedProjectOf: "kept",
  ingestKey: "kept",
  ingestKeyOf: "kept",
  ingestKeyById: "kept",
  recoveredKey: "kept",
  recoveredKeyOf: "kept",
  retiredKey: REMEMBER_RETIRED_MS,
  intakeRevision: "kept",
  notices: "kept",
  quota: "kept",
  apiToken: "kept",
  apiTokenOf: "kept",
  organizationToken: "kept",
  organizationTokenOf: "kept",
  joinPolicy: "kept",
  joinDomain: "kept",
  joinRequest: JOIN_REQUEST_MS,
  scim: "kept",
  scimToken: "kept",
  scimGroup: "kept",
  rateBucket: "left",
  quotaUse: KEEP_USE_MS,
  quotaBytesUse: KEEP_USE_MS,
  statusPage: "kept",
  statusPageBySlug: "kept",
  statusPageByHost: "kept",
  statusLogo: "kept",
  statusPost: "kept",
  statusRevision: "kept",
  statusSnapshot: "kept",
  statusSnapshotPart: "kept",
  statusSubscriber: "kept",
  statusMail: "kept",
  auditEntry: "kept",
  provider: "kept",
  identity: "kept",
  identityOf: "kept",
  providerSession: "left",
  signInPolicy: "kept",
  usedOnce: "left",
  instance: "left",
  lease: "left",
  slowStatements: "left",
  workDone: "left",
};

/** By what the keys of a kind begin with; those of a single entry, which share it, as a whole. */
const FATE_OF: ReadonlyMap<string, Fate> = new Map(
  (Object.keys(FATES) as (keyof typeof FATES)[]).map((name) => {
    const make = keyOf[name] as (...parts: string[]) => readonly string[];
    const parts = make(...Array.from({ length: make.length }, () => ""));
    return [make.length === 0 ? parts.join(" ") : parts[0] ?? "", FATES[name]];
  }),
);

function fateOf(key: readonly string[]): Fate {
  return FATE_OF.get(key.join(" ")) ?? FATE_OF.get(key[0] ?? "") ?? "kept";
}

/** These change all the time, and nothing refers to them. */
const RESTLESS: ReadonlySet<string> = new Set([
  "quota_use",
  "quota_bytes_use",
  "audit_entry",
  "known_device",
]);
const MAX_READINGS = 5;

/** Reads the entries of the embedded KV, which may be in use. @param folder for a while, of the same owner alone */
export async function copyOfFile(dataDir: string, folder: string): Promise<KvCopy> {
  const path = join(folder, "kv.sqlite3");
  await copyKvFile(dataDir, path);
  const ends = await endsInFile(path);
  using kv = await Deno.openKv(path);
  const now = new Date();
  const entries = (await Array.fromAsync(listed(kv)))
    .map(({ key, value }) => ({ key, value, endsAt: ends.get(storedKey(key)) ?? null }))
    .filter(({ endsAt }) => endsAt === null || endsAt > now);
  return { entries, isOneMoment: true };
}

/**
 * Reads the entries of a KV server. Lists are of no single moment: they are read until two of them are the same, but for
 * what never rests.
 */
export async function copyOfServer(kv: Deno.Kv): Promise<KvCopy> {
  let isOneMoment = false;
  let found = await Array.fromAsync(listed(kv));
  for (let reading = 1; reading < MAX_READINGS && !isOneMoment; reading++) {
    const before = stampsOf(found);
    found = await Array.fromAsync(listed(kv));
    isOneMoment = stampsOf(found) === before;
  }
  const now = Date.now();
  const entries = found.map(({ key, value }) => {
    const fate = fateOf(key);
    return { key, value, endsAt: typeof fate === "number" ? new Date(now + fate) : null };
  });
  return { entries, isOneMoment };
}

/** Audit entries that wait here: they may be in Postgres a moment later, where the rest of a copy is older. */
export async function waitingAudit(kv: Deno.Kv): Promise<KvEntry[]> {
  const found = await Array.fromAsync(kv.list({ prefix: prefixOf.auditEntries() }));
  return found.map(({ key, value }) => ({ key: textKey(key), value, endsAt: null }));
}

/** Whether nothing is in it that a copy would have. */
export async function isKvEmpty(kv: Deno.Kv): Promise<boolean> {
  for await (const _ of listed(kv)) return false;
  return true;
}

interface Listed {
  readonly key: readonly string[];
  readonly value: unknown;
  readonly versionstamp: string;
}

async function* listed(kv: Deno.Kv): AsyncGenerator<Listed> {
  for await (const { key, value, versionstamp } of kv.list({ prefix: [] }, { batchSize: 500 })) {
    const parts = textKey(key);
    if (fateOf(parts) === "left") continue;
    yield { key: parts, value, versionstamp };
  }
}

/** @throws {Error} for keys that this version does not write */
function textKey(key: Deno.KvKey): readonly string[] {
  return key.map((part) => {
    if (typeof part === "string") return part;
    throw new Error(`The control store has a key that cannot be copied: ${String(key[0])} …`);
  });
}

function stampsOf(entries: readonly Listed[]): string {
  return entries.filter(({ key }) => !RESTLESS.has(key[0] ?? ""))
    .map(({ versionstamp }) => versionstamp).join();
}

/** As the file has it, in hex: each text begins with 2 and ends with 0, and a 0 in it is followed by 255. */
function storedKey(key: readonly string[]): string {
  return key.map((part) => `02${Buffer.from(part).toString("hex").replace(/../g, escaped)}00`)
    .join("");
}

function escaped(byte: string): string {
  return byte === "00" ? "00ff" : byte;
}

/** Lines of one entry each. Values are in V8's own form, which keeps dates, bytes and maps what they are. */
export function encodeEntries(entries: readonly KvEntry[]): Uint8Array {
  const lines = entries.map(({ key, value, endsAt }) =>
    JSON.stringify([key, serialize(value).toString("base64"), endsAt?.getTime() ?? null])
  );
  return new TextEncoder().encode(lines.join("\n"));
}

/** The counterpart. @throws {Error} for bytes that were not made by it */
export function decodeEntries(bytes: Uint8Array): KvEntry[] {
  return new TextDecoder().decode(bytes).split("\n").filter(Boolean).map((line) => {
    const [key, value, endsAt]: [string[], string, number | null] = JSON.parse(line);
    return {
      key,
      value: deserialize(Buffer.from(value, "base64")),
      endsAt: endsAt === null ? null : new Date(endsAt),
    };
  });
}

/** One commit takes 800 KB at most, and an entry 64 KB. */
const ENTRIES_A_COMMIT = 10;

/** Writes entries, over what is there. Those whose time is over are left out. */
export async function writeEntries(kv: Deno.Kv, entries: readonly KvEntry[]): Promise<void> {
  const now = Date.now();
  const living = entries.filter(({ endsAt }) => endsAt === null || endsAt.getTime() > now);
  for (let index = 0; index < living.length; index += ENTRIES_A_COMMIT) {
    const atomic = kv.atomic();
    for (const { key, value, endsAt } of living.slice(index, index + ENTRIES_A_COMMIT)) {
      const options = endsAt === null ? {} : { expireIn: endsAt.getTime() - now };
      atomic.set([...key], value, options);
    }
    await atomic.commit();
  }
}
