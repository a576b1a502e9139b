/**
 * All that an instance has goes to other stores and back by `deno task move`, which is killed at its worst moments; to
 * Citus and back by `test/support/citus.sh run`.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { keyOf } from "@/lib/accounts/kv.ts";
import { api } from "../support/api_client.ts";
import { addressesOf, differences, ofProject } from "../support/api_walk.ts";
import { command, startCommand } from "../support/command.ts";
import { livedInProject } from "../support/lived_in_project.ts";
import { copyTemplate } from "../support/postgres_template.ts";
import { ADMIN_TOKEN, type Server, startServer } from "../support/server.ts";
import { serverStores } from "../support/server_stores.ts";
import { hasSharedStores, sharedStores } from "../support/shared_stores.ts";
import { type TempDir, tempDir } from "../support/temp_dir.ts";
import { WORKERS } from "../support/throw_away_database.ts";
import { waitFor } from "../support/wait_for.ts";

const LIMIT_MS = 60_000;
const TOKEN = "DENO_KV_ACCESS_TOKEN";

/** Where stores are: in the folder, where no setting says otherwise. */
interface Stores {
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string>>;
}

Deno.test("stores that are moved to other ones, and from external ones to embedded ones again, by commands that are killed while they copy and while they fill: they answer as before, and the old ones are as they were", async () => {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(await tempDir());
  const [first, last] = ["first", "last"].map((name) => embedded(folder, name));
  assert.ok(first && last);
  await copyTemplate(join(first.dataDir, "postgres"));
  const others = opened.use(await (hasSharedStores ? sharedStores : serverStores)(false));
  let project: { readonly slug: string };
  {
    await using server = await serving(first);
    project = await livedInProject(server);
  }

  await move(first, others, folder);
  // Where no TEST_* variable names servers, embedded ones have been moved to embedded ones.
  const areExternal = Object.keys(others.env).length > 0;
  if (areExternal) {
    {
      await using before = await serving(first);
      await using after = await serving(others);
      if (WORKERS.length > 0) assert.match(after.output(), /distributed table/);
      assert.deepEqual(await differencesOf(before, after, project.slug), []);
    }
    await move(others, last, folder);
  }

  const before = opened.use(await serving(first));
  const after = opened.use(await serving(areExternal ? last : others));
  assert.deepEqual(await differencesOf(before, after, project.slug), []);
  const again = await command("move.ts", [fileOf(folder)], environmentOf(first));
  assert.match(again.said, /in use by process/);
  assert.equal(again.code, 1);
});

function embedded(folder: TempDir, name: string): Stores {
  return { dataDir: folder.join(name), env: {} };
}

function environmentOf({ dataDir, env }: Stores): Record<string, string> {
  return { SERVICE_DATA_DIR: dataDir, ...env };
}

function fileOf(folder: TempDir): string {
  return folder.join("new.env");
}

function serving(stores: Stores): Promise<Server> {
  return startServer({}, { ...stores, [Symbol.asyncDispose]: () => Promise.resolve() });
}

/** Killed while it copies, while it fills, and then let come to its end. */
async function move(from: Stores, to: Stores, folder: TempDir): Promise<void> {
  const lines = Object.entries(environmentOf(to)).map(([name, value]) => `${name}=${value}\n`);
  await Deno.writeTextFile(fileOf(folder), lines.join(""));
  const through = folder.join("through");
  const args = [fileOf(folder), `--through=${through}`];
  const killedWhen = async (what: string, isReached: () => Promise<boolean>) => {
    await using running = startCommand("move.ts", args, environmentOf(from));
    const reached = waitFor(what, async () => await isReached() || null, LIMIT_MS);
    const ended = running.ended.then(({ said }) => Promise.reject(new Error(said)));
    await Promise.race([reached, ended]);
    await running.kill();
  };
  await killedWhen("parts that are copied", () => hasFiles(join(through, "parts")));
  assert.equal(await isRestoring(to), false);
  await killedWhen("stores that are being filled", () => isRestoring(to));
  const ended = await command("move.ts", args, environmentOf(from));
  assert.equal(ended.code, 0, ended.said);
  assert.equal(existsSync(through), false);
  assert.equal(await isRestoring(to), false);
}

async function hasFiles(folder: string): Promise<boolean> {
  if (!existsSync(folder)) return false;
  for await (const { name, isFile } of Deno.readDir(folder)) {
    if (isFile || await hasFiles(join(folder, name))) return true;
  }
  return false;
}

/** Whether a move has begun to fill these stores, and has not come to its end. */
async function isRestoring({ dataDir, env }: Stores): Promise<boolean> {
  const place = env.DENO_KV_URL ?? join(dataDir, "kv.sqlite3");
  if (env.DENO_KV_URL === undefined && !existsSync(place)) return false;
  // `Deno.openKv()` takes it from there alone.
  Deno.env.set(TOKEN, env[TOKEN] ?? "");
  try {
    using kv = await Deno.openKv(place);
    return (await kv.get(keyOf.restoring())).value !== null;
  } finally {
    Deno.env.delete(TOKEN);
  }
}

async function differencesOf(one: Server, other: Server, project: string): Promise<string[]> {
  const [asked, askedOther] = [one, other].map(({ url }) => ({ url, token: ADMIN_TOKEN }));
  assert.ok(asked && askedOther);
  const [organization] = await api<{ slug: string }[]>(one.url, ADMIN_TOKEN, "/organizations/");
  const addresses = await addressesOf(asked, { organization: organization?.slug ?? "", project });
  // Each instance looks at alerts in its own time.
  return await differences(
    asked,
    askedOther,
    ofProject(addresses).filter((each) => !each.includes("/alerts/")),
  );
}
