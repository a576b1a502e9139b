/** Whether the three stores can be used: a probe is written, read and deleted in each. */
import { join } from "node:path";
import { damageOf, kvCopies, kvFile, openKv } from "../../accounts/open_kv.ts";
import type { Config } from "../../core/config.ts";
import type { Logger } from "../../core/log.ts";
import { withTimeLimit } from "../../core/waiting.ts";
import { openDatabase } from "../../store/database.ts";
import { openFolder } from "../../store/objects/open.ts";
import type { ObjectStore } from "../../store/objects/store.ts";
import { lockEmbeddedData } from "../data_lock.ts";
import { type Finding, ok, orProblem, problem } from "./finding.ts";
import { checkDatabase, checkPostgresServer } from "./postgres.ts";

const LIMIT_MS = 10_000;
const QUIET: Logger = { info() {}, warn() {}, error() {} };

/** @param isInUse whether a running service has the embedded ones: then it is asked instead */
export async function checkStores(config: Config, isInUse: boolean): Promise<Finding[]> {
  if (isInUse) return (await usable(config, true)).flat();
  // Nobody starts the service while its stores are looked at; nothing is made where nothing is.
  const lock = await isThere(config.dataDir) ? await lockEmbeddedData(config) : null;
  try {
    return (await usable(config, false)).flat();
  } finally {
    lock?.release();
  }
}

async function usable(config: Config, isInUse: boolean): Promise<(readonly Finding[])[]> {
  return [
    await orProblem(
      "kv",
      "Deno KV cannot be used",
      config.kv === "file"
        ? "Stop the service and put it back: deno task recover kv."
        : "Look at DENO_KV_URL, DENO_KV_ACCESS_TOKEN, and whether that server runs.",
      () => checkKv(config, isInUse),
    ),
    await orProblem(
      "postgres",
      "Postgres cannot be used",
      config.databaseUrl === null
        ? "Read docs/operations.md, “When a store is lost”."
        : "Look at DATABASE_URL, whether that server runs, and whether this user may use the database.",
      () => checkPostgres(config, isInUse),
    ),
    await orProblem(
      "objects",
      "The object store cannot be used",
      config.s3 === null
        ? "Give the user that runs Watchpost the right to write there."
        : "Look at S3_ENDPOINT, S3_BUCKET and the AWS_* keys: they must allow to list, read, write and delete.",
      () => checkObjects(config),
    ),
  ];
}

async function checkKv(config: Config, isInUse: boolean): Promise<Finding[]> {
  const { dataDir } = config;
  if (config.kv === "file") {
    if (isInUse) return [ok("kv", "The running service has the embedded KV open.")];
    if (!await isThere(kvFile(dataDir))) {
      return [ok("kv", "The embedded KV is not there yet; the first start makes it.")];
    }
    const damage = await damageOf(kvFile(dataDir));
    if (damage !== null) return [await damaged(dataDir, damage)];
  }
  const kv = await withTimeLimit(openKv(config, QUIET), LIMIT_MS);
  try {
    await withTimeLimit(probeKv(kv), LIMIT_MS);
  } finally {
    kv.close();
  }
  return [ok("kv", "A probe was written, read and deleted in Deno KV.")];
}

async function damaged(dataDir: string, damage: string): Promise<Finding> {
  const [newest] = await kvCopies(dataDir);
  return problem(
    "kv",
    `${kvFile(dataDir)} is damaged: ${damage}.`,
    newest === undefined
      ? "Make it again from Postgres: deno task recover kv."
      : `Go back to the copy of ${newest}: deno task recover kv.`,
  );
}

async function probeKv(kv: Deno.Kv): Promise<void> {
  const key = ["doctor", crypto.randomUUID()];
  await kv.set(key, "probe", { expireIn: LIMIT_MS });
  const { value } = await kv.get(key);
  await kv.delete(key);
  if (value !== "probe") throw new Error("it does not keep what it is given");
}

async function checkPostgres(config: Config, isInUse: boolean): Promise<readonly Finding[]> {
  const { databaseUrl, dataDir } = config;
  if (databaseUrl !== null) return await checkPostgresServer(databaseUrl, config.isolates);
  if (isInUse) return [ok("postgres", "The running service has the embedded Postgres open.")];
  const folder = join(dataDir, "postgres");
  if (!await isThere(folder)) {
    return [ok("postgres", "The embedded Postgres is not there yet; the first start makes it.")];
  }
  const database = await openDatabase(config, QUIET);
  try {
    return await checkDatabase(database.sql);
  } finally {
    await database.close();
  }
}

async function checkObjects({ s3, dataDir }: Config): Promise<Finding[]> {
  const folder = join(dataDir, "blobs");
  if (s3 === null && !await isThere(folder)) {
    return [ok("objects", "The folder of objects is not there yet; the first start makes it.")];
  }
  const objects = s3 === null
    ? await openFolder(folder, false)
    : (await import("../../store/objects/s3.ts")).openS3(s3);
  try {
    await withTimeLimit(probeObjects(objects), LIMIT_MS);
  } finally {
    objects.close();
  }
  return [ok("objects", "A probe was written, listed, read and deleted in the object store.")];
}

async function probeObjects(objects: ObjectStore): Promise<void> {
  await objects.check();
  const key = `doctor/${crypto.randomUUID()}`;
  await objects.put(key, new TextEncoder().encode("probe"));
  try {
    const found = await objects.get(key);
    const keys = await Array.fromAsync(objects.list(key), (each) => each.key);
    const isKept = found !== null && new TextDecoder().decode(found) === "probe";
    if (!isKept || !keys.includes(key)) throw new Error("it does not keep what it is given");
  } finally {
    await objects.delete(key);
  }
}

async function isThere(path: string): Promise<boolean> {
  return await Deno.stat(path).then(() => true, () => false);
}
