import { t } from "../core/language/translate.ts";
import { DAY_MS } from "../core/time.ts";
import { createHash } from "node:crypto";
import { Denied, InvalidInput } from "../core/errors.ts";
import {
  changesIntake,
  conflict,
  keyOf,
  prefixOf,
  projectChanged,
  readIndex,
  readMany,
  untilCommitted,
} from "./kv.ts";
import { changesBetween } from "../records/audit.ts";
import { addAudit } from "./audit.ts";
import { checkName } from "./names.ts";
import { randomHex } from "./secrets.ts";
import { isRate } from "./setting_limits.ts";

/**
 * `server`: every protocol · `browser`: the SDK protocol only, as everybody can read it in the page · `site`: the same,
 * for the extension of a site whose server half and page half share one DSN.
 */
export const KEY_TYPES = ["server", "browser", "site"] as const;
export type KeyType = (typeof KEY_TYPES)[number];

/** What a client needs to send to a project: the user part of a DSN. */
export interface IngestKey {
  /** Never changes, unlike the public key; keys from before it was so have their first public key here. */
  readonly id: string;
  /** 32 lower-case hex digits; another one once the key is reissued. */
  readonly publicKey: string;
  /** Never changes: a key belongs to one project for life. */
  readonly projectId: string;
  readonly type: KeyType;
  readonly name: string;
  /** False: answered with 401 from the next request on. */
  readonly isActive: boolean;
  readonly createdAt: Date;
  /** When the public key became what it is; absent: when the key was made. */
  readonly issuedAt?: Date;
  /**
   * Where pages may send from, as `https://shop.example.com` or `*.example.com`; empty or absent: from anywhere. For
   * browser and site keys only.
   */
  readonly allowedOrigins?: readonly string[];
  /** Requests a second, beside the limits of project and instance; null or absent: those alone. */
  readonly ratePerSec?: number | null;
}

/** A public key that is no more, and why. */
interface RetiredKey {
  readonly projectId: string;
  readonly keyId: string;
  readonly name: string;
  readonly why: "reissued" | "revoked";
  readonly at: Date;
}

/** As long as somebody may still wonder why an old DSN is refused. */
export const REMEMBER_RETIRED_MS = 90 * DAY_MS;

/** All keys of a project, and the project itself, are deleted in one commit: it must hold them. */
const MAX_KEYS_PER_PROJECT = 100;
const PUBLIC_KEY = /^[0-9a-f]{32}$/;

/** Whether a text has the form of a public key. */
export function isPublicKey(text: string): boolean {
  return PUBLIC_KEY.test(text);
}

/**
 * Makes a key for a project.
 *
 * @throws {InvalidInput} for a malformed name, or when the project has 100 keys
 * @throws {Denied} 404 when there is no such project
 */
export async function createKey(
  kv: Deno.Kv,
  input: { readonly projectId: string; readonly name: string; readonly type: KeyType },
): Promise<IngestKey> {
  const key = newKey({ ...input, name: checkName("name", input.name) });
  return await untilCommitted("create the key", async () => {
    const project = await kv.get(keyOf.project(input.projectId));
    if (project.value === null) throw new Denied(404, t("There is no such project."));
    const existing = await readIndex(kv, prefixOf.ingestKeys(input.projectId));
    if (existing.length >= MAX_KEYS_PER_PROJECT) {
      throw new InvalidInput(
        "name",
        t("Delete a key first: a project has at most {most}.", {
          most: MAX_KEYS_PER_PROJECT,
        }),
      );
    }
    const atomic = addKey(kv.atomic().check(project), key);
    const committed = await auditKey(atomic, "projectkey.create", null, key).commit();
    if (!committed.ok) return conflict;
    projectChanged(kv, key.projectId);
    return key;
  });
}

/** A new key with a random public key, not stored yet. */
export function newKey(
  { projectId, name, type }: { projectId: string; name: string; type: KeyType },
): IngestKey {
  return {
    id: randomHex(8),
    publicKey: randomHex(16),
    projectId,
    type,
    name,
    isActive: true,
    createdAt: new Date(),
  };
}

/** Adds the writes of a new key to a commit. */
export function addKey(atomic: Deno.AtomicOperation, key: IngestKey): Deno.AtomicOperation {
  return atomic
    .set(keyOf.ingestKey(key.publicKey), key)
    .set(keyOf.ingestKeyOf(key.projectId, key.publicKey), key.publicKey)
    .set(keyOf.ingestKeyById(key.id), key.publicKey);
}

/** The key, active or not, or null. */
export async function findKey(kv: Deno.Kv, publicKey: string): Promise<IngestKey | null> {
  if (!isPublicKey(publicKey)) return null;
  return (await kv.get<IngestKey>(keyOf.ingestKey(publicKey))).value;
}

/** The public key of a key by its lasting id, or null; keys made before there was such an index have none until reissued. */
export async function findPublicKey(kv: Deno.Kv, id: string): Promise<string | null> {
  return (await kv.get<string>(keyOf.ingestKeyById(id))).value;
}

/** All keys of a project, oldest first; of the two it was made with, the server key. */
export async function listKeys(kv: Deno.Kv, projectId: string): Promise<IngestKey[]> {
  const publicKeys = await readIndex(kv, prefixOf.ingestKeys(projectId));
  const keys = await readMany<IngestKey>(kv, publicKeys.map((key) => keyOf.ingestKey(key)));
  return keys.sort((a, b) =>
    a.createdAt.getTime() - b.createdAt.getTime() ||
    KEY_TYPES.indexOf(a.type) - KEY_TYPES.indexOf(b.type)
  );
}

/** The key of a project by its lasting id, or null. */
export async function findKeyOf(
  kv: Deno.Kv,
  projectId: string,
  id: string,
): Promise<IngestKey | null> {
  return (await listKeys(kv, projectId)).find((key) => key.id === id) ?? null;
}

export interface KeyChanges {
  readonly name?: string;
  readonly isActive?: boolean;
  readonly type?: KeyType;
  readonly allowedOrigins?: readonly string[];
  readonly ratePerSec?: number | null;
}

/**
 * Changes what is named.
 *
 * @returns the changed key, or null when there is none
 * @throws {InvalidInput} for a malformed name, origin or rate
 */
export async function updateKey(
  kv: Deno.Kv,
  publicKey: string,
  changes: KeyChanges,
): Promise<IngestKey | null> {
  const { name, allowedOrigins, ratePerSec } = changes;
  const change = (key: IngestKey): IngestKey => ({
    ...key,
    ...changes,
    name: name === undefined ? key.name : checkName("name", name),
    ...(allowedOrigins && { allowedOrigins: checkOrigins(allowedOrigins) }),
    ...(ratePerSec !== undefined && { ratePerSec: checkRate(ratePerSec) }),
  });
  return await untilCommitted<IngestKey | null>("update the key", async () => {
    const entry = await kv.get<IngestKey>(keyOf.ingestKey(publicKey));
    if (entry.value === null) return null;
    const changed = change(entry.value);
    const atomic = changesIntake(kv.atomic().check(entry).set(entry.key, changed));
    auditKey(atomic, "projectkey.edit", entry.value, changed);
    if (!(await atomic.commit()).ok) return conflict;
    projectChanged(kv, changed.projectId);
    return changed;
  });
}

/** Tells the audit log of a key. Public keys are no secrets: they stand in the pages of customers. */
function auditKey(
  atomic: Deno.AtomicOperation,
  event: string,
  before: IngestKey | null,
  after: IngestKey | null,
): Deno.AtomicOperation {
  const key = after ?? before;
  if (key === null) return atomic;
  return addAudit(atomic, {
    event,
    projectId: key.projectId,
    target: { kind: "key", id: key.id, label: key.name },
    changes: changesBetween(before, after),
  });
}

/**
 * Gives a key a new public key, in one commit: from the next request on, on every instance, the old DSN is answered
 * with 401 and the new one is let in.
 *
 * @returns the key with its new public key, or null when there is none of this public key
 */
export function reissueKey(kv: Deno.Kv, publicKey: string): Promise<IngestKey | null> {
  return untilCommitted<IngestKey | null>("reissue the key", async () => {
    const entry = await kv.get<IngestKey>(keyOf.ingestKey(publicKey));
    if (entry.value === null) return null;
    const reissued = { ...entry.value, publicKey: randomHex(16), issuedAt: new Date() };
    const atomic = dropKeys(kv.atomic().check(entry), reissued.projectId, [publicKey]);
    addKey(retire(atomic, entry.value, "reissued"), reissued);
    const committed = await auditKey(atomic, "projectkey.rotate", entry.value, reissued).commit();
    if (!committed.ok) return conflict;
    projectChanged(kv, reissued.projectId);
    return reissued;
  });
}

/** Deletes a key for good: what still uses it is answered with 401. An unknown key changes nothing. */
export async function deleteKey(kv: Deno.Kv, publicKey: string): Promise<void> {
  const key = await findKey(kv, publicKey);
  if (key === null) return;
  const atomic = dropKeys(kv.atomic(), key.projectId, [publicKey]);
  retire(atomic, key, "revoked").delete(keyOf.ingestKeyById(key.id));
  await auditKey(atomic, "projectkey.remove", key, null).commit();
  projectChanged(kv, key.projectId);
}

/** What is remembered of a public key that is no more, or null. */
export async function findRetired(kv: Deno.Kv, publicKey: string): Promise<RetiredKey | null> {
  if (!isPublicKey(publicKey)) return null;
  return (await kv.get<RetiredKey>(keyOf.retiredKey(publicKey))).value;
}

function retire(
  atomic: Deno.AtomicOperation,
  { publicKey, projectId, id, name }: IngestKey,
  why: RetiredKey["why"],
): Deno.AtomicOperation {
  const retired: RetiredKey = { projectId, keyId: id, name, why, at: new Date() };
  return atomic.set(keyOf.retiredKey(publicKey), retired, { expireIn: REMEMBER_RETIRED_MS });
}

/** Adds the deletion of keys to a commit. */
export function dropKeys(
  atomic: Deno.AtomicOperation,
  projectId: string,
  publicKeys: readonly string[],
): Deno.AtomicOperation {
  for (const publicKey of publicKeys) {
    atomic.delete(keyOf.ingestKey(publicKey)).delete(keyOf.ingestKeyOf(projectId, publicKey));
  }
  return changesIntake(atomic);
}

/**
 * The DSN of a key: `https://<public key>@<host>[:port][/prefix]/<project id>`.
 *
 * @param baseUrl `config.baseUrl`: address of the service, with its path prefix if it has one
 */
export function dsn(baseUrl: string, { publicKey, projectId }: IngestKey): string {
  const { protocol, host, pathname } = new URL(baseUrl);
  return `${protocol}//${publicKey}@${host}${pathname.replace(/\/+$/, "")}/${projectId}`;
}

/** Where OTLP goes, and with which key. */
interface OtlpTarget {
  /** Base address, to which exporters add `/v1/traces`, `/v1/logs` and `/v1/metrics`. */
  readonly endpoint: string;
  readonly publicKey: string;
}

/** Reads a DSN as OpenTelemetry's exporters want to be told. @throws {TypeError} when it is no URL */
export function otlpTarget(dsn: string): OtlpTarget {
  const { protocol, host, pathname, username } = new URL(dsn);
  const prefix = pathname.slice(0, pathname.lastIndexOf("/"));
  return { endpoint: `${protocol}//${host}${prefix}`, publicKey: username };
}

const MAX_ORIGINS = 50;

/** `https://shop.example.com`, `shop.example.com`, `*.example.com`, `http://localhost:*`. */
const ORIGIN =
  /^(?:https?:\/\/)?(?:\*\.)?[a-z0-9](?:[a-z0-9.-]{0,250}[a-z0-9])?(?::(?:\d{1,5}|\*))?$/;

/**
 * Checks where pages may send from.
 *
 * @returns the patterns in lower case, without repeats
 * @throws {InvalidInput} for the first that is none
 */
export function checkOrigins(texts: readonly string[]): string[] {
  const origins = texts.map((text) => text.trim().toLowerCase().replace(/\/+$/, ""))
    .filter((text) => text !== "" && text !== "*");
  if (origins.length > MAX_ORIGINS) {
    throw new InvalidInput(
      "origins",
      t("Enter at most {most} origins.", { most: MAX_ORIGINS }),
    );
  }
  const bad = origins.find((origin) => !ORIGIN.test(origin));
  if (bad !== undefined) {
    throw new InvalidInput(
      "origins",
      t('"{text}" is not an origin: write https://shop.example.com or *.example.com.', {
        text: bad.slice(0, 80),
      }),
    );
  }
  return [...new Set(origins)];
}

/**
 * Whether a page may send.
 *
 * @param patterns as `checkOrigins()` returns them; empty allows all
 * @param origin `Origin` of the request, or the address in its `Referer`; null when it has neither
 */
export function isAllowedOrigin(patterns: readonly string[], origin: string | null): boolean {
  if (patterns.length === 0) return true;
  if (origin === null || !URL.canParse(origin)) return false;
  const { protocol, hostname, port } = new URL(origin);
  return patterns.some((pattern) => {
    const [, scheme, host = "", wanted] = /^(?:(https?:)\/\/)?([^:]+)(?::(.+))?$/.exec(pattern) ??
      [];
    if (scheme !== undefined && scheme !== protocol) return false;
    if (
      wanted === undefined ? scheme !== undefined && port !== "" : wanted !== "*" && wanted !== port
    ) {
      return false;
    }
    return host.startsWith("*.")
      ? hostname.endsWith(host.slice(1)) && hostname.length > host.length - 1
      : hostname === host;
  });
}

/**
 * Checks a limit of requests a second.
 *
 * @returns null for no limit of its own
 * @throws {InvalidInput}
 */
export function checkRate(rate: number | null): number | null {
  if (rate === null) return null;
  if (!isRate(rate)) {
    throw new InvalidInput("rate", t("Enter a whole number of requests a second, at least 1."));
  }
  return rate;
}

/**
 * A key without its public half, of a control store that was made again from Postgres, which keeps hashes only. The first
 * request that brings such a key makes it whole.
 */
export type RecoveredKey = Omit<IngestKey, "publicKey"> & { readonly hash: string };

/** What Postgres keeps of a public key. */
export function hashOfKey(publicKey: string): string {
  return createHash("sha256").update(publicKey).digest("hex");
}

/** Stores a key of which the hash is known. */
export async function putRecoveredKey(kv: Deno.Kv, key: RecoveredKey): Promise<void> {
  await kv.atomic()
    .set(keyOf.recoveredKey(key.hash), key)
    .set(keyOf.recoveredKeyOf(key.projectId, key.hash), key.hash)
    .commit();
}

/** Keys of a project that nobody has sent with since the store was made again. */
export async function listRecoveredKeys(kv: Deno.Kv, projectId: string): Promise<RecoveredKey[]> {
  const hashes = await readIndex(kv, prefixOf.recoveredKeys(projectId));
  return await readMany<RecoveredKey>(kv, hashes.map((hash) => keyOf.recoveredKey(hash)));
}

/**
 * Makes a recovered key whole again, when `publicKey` is one.
 *
 * @returns whether it was
 */
export async function adoptRecoveredKey(kv: Deno.Kv, publicKey: string): Promise<boolean> {
  if (!isPublicKey(publicKey)) return false;
  const entry = await kv.get<RecoveredKey>(keyOf.recoveredKey(hashOfKey(publicKey)));
  if (entry.value === null) return false;
  const { hash, ...key } = entry.value;
  const { ok } = await addKey(kv.atomic().check(entry), { ...key, publicKey })
    .delete(entry.key)
    .delete(keyOf.recoveredKeyOf(key.projectId, hash))
    .commit();
  if (ok) projectChanged(kv, key.projectId);
  // Otherwise another request has just done it.
  return true;
}
