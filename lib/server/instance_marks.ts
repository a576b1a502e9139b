/**
 * One id, written at the first start into KV, Postgres and the object store, says that they belong together. Stores of
 * different installations, and an empty one beside others that are not, are refused: what one of them lacks would
 * count as deleted, or be written to the wrong place.
 */
import type { Stores } from "../store/stores.ts";
import { type Config, ConfigError } from "../core/config.ts";
import { conflict, keyOf, prefixOf, untilCommitted } from "../accounts/kv.ts";
import type { ObjectStore } from "../store/objects/store.ts";
import type { Sql } from "../store/database.ts";
import { projectsWithTelemetry } from "../store/control_copy.ts";

/** What the three stores say about where they belong. */
export interface Marks {
  readonly kv: {
    readonly id: string | null;
    /** The id is on its way into the other stores. */
    readonly isPending: boolean;
    /** Neither an administrator nor an organization is in it. */
    readonly isEmpty: boolean;
  };
  readonly postgres: {
    readonly id: string | null;
    /** Some version of Watchpost has made its tables. */
    readonly hasTables: boolean;
    readonly hasTelemetry: boolean;
  };
  readonly objects: { readonly id: string | null };
}

export type StoreName = keyof Marks;

export type Verdict =
  /** A fresh installation, or one from before there were ids. */
  | { readonly kind: "found" }
  /** Somebody has begun to write the id; whoever comes may end it. */
  | { readonly kind: "finish"; readonly id: string }
  | { readonly kind: "same"; readonly id: string }
  | { readonly kind: "mixed" }
  /** This store has lost what the others belong to. */
  | { readonly kind: "lost"; readonly store: StoreName };

interface KvMark {
  readonly id: string;
  readonly isPending: boolean;
}

const OBJECT_KEY = "instance";
const STORES: readonly StoreName[] = ["kv", "postgres", "objects"];

/** Tells whether stores with these marks belong together. */
export function judge(marks: Marks): Verdict {
  const { kv, postgres, objects } = marks;
  const ids = new Set([kv.id, postgres.id, objects.id].filter((id) => id !== null));
  if (ids.size > 1) return { kind: "mixed" };
  if (kv.id === null) {
    if (ids.size > 0) return { kind: "lost", store: "kv" };
    if (kv.isEmpty && postgres.hasTelemetry) return { kind: "lost", store: "kv" };
    // Every version has made its tables at its first start, before anybody could get an account.
    if (!kv.isEmpty && !postgres.hasTables) return { kind: "lost", store: "postgres" };
    return { kind: "found" };
  }
  if (kv.isPending) return { kind: "finish", id: kv.id };
  if (postgres.id === null) return { kind: "lost", store: "postgres" };
  if (objects.id === null) return { kind: "lost", store: "objects" };
  return { kind: "same", id: kv.id };
}

/**
 * Refuses stores that do not belong together. Changes nothing.
 *
 * @throws {ConfigError} in one line which store is wrong, and how to go on
 */
export async function checkMarks(config: Config, stores: Stores): Promise<void> {
  await refuseHalfRestored(stores.kv);
  let marks = await readMarks(stores);
  // Another process may have written the id between two of the reads: then all of it is there now.
  if (!isGood(judge(marks))) marks = await readMarks(stores);
  refuse(config, marks, judge(marks));
}

async function refuseHalfRestored(kv: Deno.Kv): Promise<void> {
  const { value } = await kv.get<string>(keyOf.restoring());
  if (value === null) return;
  throw new ConfigError(
    `Cannot start: the backup ${value} is not restored to its end; run the same deno task restore or move again`,
  );
}

function refuse(config: Config, marks: Marks, verdict: Verdict): void {
  if (verdict.kind === "mixed") throw new ConfigError(mixedMessage(config, marks));
  if (verdict.kind === "lost") throw new ConfigError(lostMessage(config, marks, verdict.store));
}

/**
 * The same while Postgres is away, as far as the others can tell: what is spooled goes into the objects, and what waits in
 * those of another installation would count as that of deleted projects.
 *
 * @throws {ConfigError} as `checkMarks()`
 */
export async function checkMarksWithoutPostgres(
  config: Config,
  { kv, objects }: Omit<Stores, "sql">,
): Promise<void> {
  await refuseHalfRestored(kv);
  const unknown = { id: null, hasTables: true, hasTelemetry: true };
  const marks: Marks = {
    postgres: unknown,
    objects: { id: await readObjects(objects) },
    kv: await readKv(kv),
  };
  refuse(config, marks, judge({ ...marks, postgres: { ...unknown, id: marks.kv.id } }));
}

/** Whether an earlier start has marked all stores, as far as KV alone can tell. */
export async function isMarked(kv: Deno.Kv): Promise<boolean> {
  const { value } = await kv.get<KvMark>(keyOf.instanceMark());
  return value !== null && !value.isPending;
}

/**
 * Writes the id into the stores that have none. Any number of processes may do this at once: KV decides whose id it
 * is, and holds it as pending until the others have it.
 *
 * @throws {ConfigError} when another process has given one of them the id of another KV since `checkMarks()`
 */
export async function writeMarks(config: Config, stores: Stores): Promise<void> {
  const { kv, sql, objects } = stores;
  const key = keyOf.instanceMark();
  const mark = await untilCommitted("found the instance", async () => {
    const entry = await kv.get<KvMark>(key);
    if (entry.value !== null) return entry.value;
    const made: KvMark = { id: crypto.randomUUID(), isPending: true };
    return (await kv.atomic().check(entry).set(key, made).commit()).ok ? made : conflict;
  });
  if (!mark.isPending) return;
  await sql`insert into instance (id) values (${mark.id}) on conflict do nothing`;
  // Whose id Postgres has taken goes on: the other one leaves the objects alone.
  await checkMarks(config, stores);
  await objects.put(OBJECT_KEY, new TextEncoder().encode(mark.id));
  const done: KvMark = { id: mark.id, isPending: false };
  await untilCommitted("found the instance", async () => (await kv.set(key, done)).ok);
}

/** Gives one store the id that the others have, because somebody who knows says that it belongs there. */
export async function writeMark(
  { kv, sql, objects }: Stores,
  store: StoreName,
  id: string,
): Promise<void> {
  if (store === "kv") await kv.set(keyOf.instanceMark(), { id, isPending: false } satisfies KvMark);
  if (store === "postgres") await sql`insert into instance (id) values (${id})`;
  if (store === "objects") await objects.put(OBJECT_KEY, new TextEncoder().encode(id));
}

/** KV last: an id is in it first, so whoever reads it there finds it in the others on a second look. */
export async function readMarks({ kv, sql, objects }: Stores): Promise<Marks> {
  return {
    postgres: await readPostgres(sql),
    objects: { id: await readObjects(objects) },
    kv: await readKv(kv),
  };
}

async function readObjects(objects: ObjectStore): Promise<string | null> {
  const bytes = await objects.get(OBJECT_KEY);
  return bytes === null ? null : new TextDecoder().decode(bytes).trim();
}

async function readPostgres(sql: Sql): Promise<Marks["postgres"]> {
  const [row] = await sql<{ hasTables: boolean; hasInstance: boolean }[]>`
    select to_regclass('schema_migrations') is not null as "hasTables",
      to_regclass('instance') is not null as "hasInstance"
  `;
  const [instance] = row?.hasInstance ? await sql<{ id: string }[]>`select id from instance` : [];
  return {
    id: instance?.id ?? null,
    hasTables: row?.hasTables ?? false,
    hasTelemetry: (await projectsWithTelemetry(sql)).length > 0,
  };
}

async function readKv(kv: Deno.Kv): Promise<Marks["kv"]> {
  const [mark, claim] = await kv.getMany<[KvMark, unknown]>([
    keyOf.instanceMark(),
    keyOf.claim(),
  ]);
  const organizations = await Array.fromAsync(
    kv.list({ prefix: prefixOf.organizations() }, { limit: 1 }),
  );
  return {
    id: mark.value?.id ?? null,
    isPending: mark.value?.isPending ?? false,
    isEmpty: claim.value === null && organizations.length === 0,
  };
}

function isGood({ kind }: Verdict): boolean {
  return kind !== "mixed" && kind !== "lost";
}

/** What an operator knows a store by. */
export function nameOfStore(
  { dataDir, kv, databaseUrl, s3 }: Config,
  store: StoreName,
): string {
  if (store === "kv") {
    if (kv === "platform") return "the platform's KV";
    return kv === "file" ? `${dataDir}/kv.sqlite3 (SERVICE_DATA_DIR)` : "DENO_KV_URL";
  }
  if (store === "postgres") {
    return databaseUrl === null ? `${dataDir}/postgres (SERVICE_DATA_DIR)` : "DATABASE_URL";
  }
  return s3 === null ? `${dataDir}/blobs (SERVICE_DATA_DIR)` : `S3_BUCKET ${s3.bucket}`;
}

function mixedMessage(config: Config, marks: Marks): string {
  const whose = STORES.flatMap((store) => {
    const { id } = marks[store];
    return id === null ? [] : [`${nameOfStore(config, store)} belongs to instance ${id}`];
  });
  return `Cannot start: ${whose.join(", ")}: these are stores of different installations; ` +
    "mend the setting that names the wrong one";
}

function lostMessage(config: Config, marks: Marks, store: StoreName): string {
  const others = STORES.filter((other) => marks[other].id !== null && other !== store)
    .map((other) => nameOfStore(config, other));
  const [id] = STORES.map((other) => marks[other].id).filter((id) => id !== null);
  const whole = id === undefined
    ? `${nameOfStore(config, store === "kv" ? "postgres" : "kv")} is in use by an installation`
    : `${others.join(" and ")} ${others.length > 1 ? "belong" : "belongs"} to instance ${id}`;
  const remedy = store === "kv"
    ? "put a copy of it back or make it again from Postgres"
    : "put its backup back or go on without what was in it";
  return `Cannot start: ${
    nameOfStore(config, store)
  } is empty or not this installation's, but ${whole}; ` +
    `mend the setting or the mount, or ${remedy}: deno task recover ${store}`;
}
