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
 * What a copy has no use for: rights of a moment, and proofs of who somebody is. A session that was ended must not come
 * back with an old copy.
 */
const LEFT_OUT: ReadonlySet<string> = new Set([
  keyOf.session(""),
  keyOf.sessionOf("", ""),
  keyOf.providerSession("", ""),
  keyOf.pendingSignIn(""),
  keyOf.newAuthenticator(""),
  keyOf.spentChallenge(""),
  keyOf.usedOnce("", ""),
  keyOf.mailLink(""),
  keyOf.mailLinkOf("", ""),
  keyOf.attempts("", ""),
  keyOf.rateBucket(""),
  keyOf.lease(""),
  prefixOf.worksDone(),
].map(([kind = ""]) => kind));

/** How long entries of these kinds live, for those of a server, which does not tell when they end. */
const LIFETIMES: Readonly<Record<string, number>> = {
  invite: INVITE_LIFETIME_MS,
  invite_of: INVITE_LIFETIME_MS,
  join_request: JOIN_REQUEST_MS,
  known_device: KNOWN_DEVICE_MS,
  retired_key: REMEMBER_RETIRED_MS,
  quota_use: KEEP_USE_MS,
};

/** These change all the time, and nothing refers to them. */
const RESTLESS: ReadonlySet<string> = new Set(["quota_use", "audit_entry", "known_device"]);
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
    const lifetime = LIFETIMES[key[0] ?? ""];
    return { key, value, endsAt: lifetime === undefined ? null : new Date(now + lifetime) };
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
  const own = [keyOf.lastBackup(), keyOf.restoring()].map((key) => key.join(" "));
  for await (const { key, value, versionstamp } of kv.list({ prefix: [] }, { batchSize: 500 })) {
    const parts = textKey(key);
    if (LEFT_OUT.has(parts[0] ?? "") || own.includes(parts.join(" "))) continue;
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
