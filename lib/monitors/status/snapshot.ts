/**
 * The last state that Postgres told, kept in Deno KV: a status page is served from it alone, so that it is there while
 * Postgres is away.
 */
import { conflict, keyOf, readMany, untilCommitted } from "../../accounts/kv.ts";
import type { Sql } from "../../store/database.ts";
import { measure, type Measured } from "./measured.ts";
import type { StatusPage } from "./status_page.ts";

/** A value of KV holds 64 KiB, of which its own framing takes a little. */
const PART_BYTES = 60_000;

interface Version {
  readonly version: string;
  readonly parts: number;
}

interface Pointer extends Version {
  /** Kept for those who have read the pointer a moment ago. */
  readonly previous: Version | null;
}

/**
 * Looks into Postgres and keeps what is found.
 *
 * @throws what `postgres` throws while it is away; the last state stays then
 */
export async function refreshSnapshot(
  stores: { readonly kv: Deno.Kv; readonly sql: Sql },
  page: StatusPage,
  now: Date = new Date(),
): Promise<Measured> {
  const measured = await measure(stores, page, now);
  await saveSnapshot(stores.kv, page.organizationId, measured);
  return measured;
}

/** Keeps a state; readers see the one before or this one, never a mixture. */
export async function saveSnapshot(
  kv: Deno.Kv,
  organizationId: string,
  measured: Measured,
): Promise<void> {
  const bytes = await packed(measured);
  const version = crypto.randomUUID();
  const parts = Math.ceil(bytes.length / PART_BYTES);
  for (let part = 0; part < parts; part++) {
    await kv.set(
      keyOf.statusSnapshotPart(organizationId, version, part),
      bytes.slice(part * PART_BYTES, (part + 1) * PART_BYTES),
    );
  }
  const outdated = await untilCommitted<Version | null>("keep the state", async () => {
    const entry = await kv.get<Pointer>(keyOf.statusSnapshot(organizationId));
    const old = entry.value;
    const previous = old === null ? null : { version: old.version, parts: old.parts };
    const pointer: Pointer = { version, parts, previous };
    const { ok } = await kv.atomic().check(entry).set(entry.key, pointer).commit();
    return ok ? old?.previous ?? null : conflict;
  });
  if (outdated === null) return;
  for (const key of partKeys(organizationId, outdated)) await kv.delete(key);
}

/** Who reads slowly may find that the parts are gone: then there is a newer state. */
const MAX_READS = 5;

/** The last state, or null before the first look. */
export async function readSnapshot(kv: Deno.Kv, organizationId: string): Promise<Measured | null> {
  for (let read = 0; read < MAX_READS; read++) {
    const { value: pointer } = await kv.get<Pointer>(keyOf.statusSnapshot(organizationId));
    if (pointer === null) return null;
    const parts = await readMany<Uint8Array<ArrayBuffer>>(
      kv,
      partKeys(organizationId, pointer),
    );
    if (parts.length === pointer.parts) return await unpacked(parts);
  }
  return null;
}

function partKeys(organizationId: string, { version, parts }: Version): Deno.KvKey[] {
  return Array.from(
    { length: parts },
    (_, part) => keyOf.statusSnapshotPart(organizationId, version, part),
  );
}

async function packed(measured: Measured): Promise<Uint8Array> {
  const stream = new Blob([JSON.stringify(measured)]).stream()
    .pipeThrough(new CompressionStream("gzip"));
  return await new Response(stream).bytes();
}

async function unpacked(parts: Uint8Array<ArrayBuffer>[]): Promise<Measured> {
  const stream = new Blob(parts).stream().pipeThrough(new DecompressionStream("gzip"));
  // Written by `saveSnapshot()` alone.
  return await new Response(stream).json() as Measured;
}
