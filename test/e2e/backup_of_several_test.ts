/** Several instances are backed up under load, one is killed and one added meanwhile; what is restored elsewhere is the same. */
import assert from "node:assert/strict";
import postgres from "postgres";
import { watch } from "../../demo/watching.ts";
import { api, issuesOf } from "../support/api_client.ts";
import { addressesOf, answerOf, differences, ofProject } from "../support/api_walk.ts";
import { Balancer, sendThrough } from "../support/balancer.ts";
import { command, startCommand } from "../support/command.ts";
import { envelopeUrl, errorEnvelope, type MadeEvent } from "../support/envelopes.ts";
import { spoolEmptied } from "../support/load.ts";
import { ADMIN_TOKEN, type Server, startServer } from "../support/server.ts";
import { hasSharedStores, sharedStores } from "../support/shared_stores.ts";
import { countedAccepted, storedIds } from "../support/stored_ids.ts";
import { tempDir } from "../support/temp_dir.ts";
import { sendOtlp, sendSentry } from "../support/transferred.ts";
import { waitFor } from "../support/wait_for.ts";

const INSTANCES = 3;
const SENDERS = 2;
const SNAPSHOT_LIMIT_MS = 120_000;
const FILE = "state of the printer";
const PARALLEL = 8;

Deno.test({
  name:
    "a backup of three instances on shared stores, of which one is killed and to which one is added while it is made under load: restored into embedded stores it answers as the service does, and has whole and once all that was acknowledged before",
  ignore: !hasSharedStores,
  fn: story,
});

async function story(): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const stores = opened.use(await sharedStores());
  const folder = opened.use(await tempDir());
  const start = async () => opened.use(await startServer({}, stores));
  const [stays, dies, third] = await Promise.all(Array.from({ length: INSTANCES }, start));
  assert.ok(stays && dies && third);
  const quiet = await quietProject(stays);
  const loaded = await stays.createProject("Loaded");
  const balancer = new Balancer(loaded.serverDsn, [stays, dies, third]);
  await using load = sendThrough(balancer, eventWithFile, SENDERS);
  await load.goesOn("of three instances");

  const acknowledged = new Set(load.acknowledged);
  await using backup = startCommand("backup.ts", [folder.path], environmentOf(stores));
  await snapshotTaken(stores.env.DATABASE_URL ?? "");
  // What follows is before its end, however fast it is.
  const goOn = backup.hang();
  await dies.kill();
  balancer.remove(dies);
  await load.goesOn("after one was killed");
  balancer.add(await start());
  await load.goesOn("after one was added");
  goOn();
  await load.goesOn("while the backup is made");
  const made = await backup.ended;
  assert.equal(made.code, 0, made.said);
  await load.stop();

  const others = { dataDir: opened.use(await tempDir()).path, env: {} };
  const restored = await command("restore.ts", [folder.path], environmentOf(others));
  assert.equal(restored.code, 0, restored.said);
  const other = opened.use(
    await startServer({}, { ...others, [Symbol.asyncDispose]: () => Promise.resolve() }),
  );
  await spoolEmptied(other);
  await assertWhole(other, loaded, { acknowledged, sent: load.sent });
  assert.deepEqual(await differencesOf(stays, other, quiet.slug), []);
}

/** A project that nothing comes to any more: with errors, files, traces, logs, metrics, a profile, a dashboard. */
async function quietProject(server: Server): Promise<{ readonly slug: string }> {
  const { id, slug, serverDsn } = await server.createProject("Quiet");
  const envelopes = envelopeUrl(serverDsn);
  await sendSentry({ post: (body) => fetch(envelopes, { method: "POST", body: String(body) }) });
  await sendOtlp({
    serverKey: new URL(serverDsn).username,
    send: (path, init) => fetch(server.url + path, init),
  });
  await watch(server.url, ADMIN_TOKEN, id);
  return { slug };
}

interface Place {
  readonly dataDir: string;
  readonly env: Readonly<Record<string, string>>;
}

function environmentOf({ dataDir, env }: Place): Record<string, string> {
  return { SERVICE_DATA_DIR: dataDir, ...env };
}

function eventWithFile(): MadeEvent {
  const { eventId, body } = errorEnvelope();
  const text = `${FILE} ${eventId}`;
  const header = { type: "attachment", filename: "state.txt", length: text.length };
  return { eventId, body: `${body}\n${JSON.stringify(header)}\n${text}` };
}

/** Resolves when a backup has its moment of Postgres. */
async function snapshotTaken(url: string): Promise<void> {
  const sql = postgres(url, { max: 1 });
  try {
    await waitFor("the moment that the backup is of", async () => {
      const rows = await sql`
        select from pg_stat_activity
        where datname = current_database() and state = 'idle in transaction'
          and query ~ '^select pg_export_snapshot'
      `;
      return rows.length > 0 || null;
    }, SNAPSHOT_LIMIT_MS);
  } finally {
    await sql.end();
  }
}

/** Every event of a project is there once, with its file, as often as it is counted. */
async function assertWhole(
  server: Server,
  project: { readonly id: string; readonly slug: string },
  { acknowledged, sent }: Readonly<Record<"acknowledged" | "sent", ReadonlySet<string>>>,
): Promise<void> {
  assert.deepEqual(await storedIds(server, acknowledged, project.slug), acknowledged);
  const [issue, ...more] = await issuesOf(server.url, ADMIN_TOKEN, project);
  assert.ok(issue !== undefined && more.length === 0);
  const events = await allOf<{ eventID: string }>(server, `/issues/${issue.id}/events/`);
  const ids = new Set(events.map(({ eventID }) => eventID));
  assert.equal(ids.size, events.length);
  assert.deepEqual(ids.difference(sent), new Set());
  assert.equal(Number(issue.count), ids.size);
  assert.equal(await countedAccepted(server, project.id, "error"), ids.size);
  assert.equal(await countedAccepted(server, project.id, "attachment"), ids.size);
  assert.deepEqual(await withoutFile(server, project.slug, ids), []);
}

/** Which of these events lack the file that they came with. */
async function withoutFile(
  { url }: Server,
  slug: string,
  ids: ReadonlySet<string>,
): Promise<string[]> {
  const [organization] = await api<{ slug: string }[]>(url, ADMIN_TOKEN, "/organizations/");
  const asked = { url, token: ADMIN_TOKEN };
  const queue = [...ids];
  const lacking: string[] = [];
  const checker = async () => {
    for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
      const path = `/projects/${organization?.slug}/${slug}/events/${id}/attachments/`;
      const [file] = await api<{ id: string }[]>(url, ADMIN_TOKEN, path);
      const { body } = await answerOf(asked, `${path}${file?.id}/?download=1`);
      if (body !== `${FILE} ${id}`) lacking.push(id);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, checker));
  return lacking;
}

/** All pages of a list. */
async function allOf<T>({ url }: Server, path: string): Promise<T[]> {
  const rows: T[] = [];
  let next: string | undefined = `${url}/api/0${path}?per_page=100`;
  while (next !== undefined) {
    const response: Response = await fetch(next, {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
    });
    rows.push(...await response.json());
    next = response.headers.get("link")?.match(/<([^>]*)>; rel="next"; results="true"/)?.[1];
  }
  return rows;
}

/**
 * Where the answers about the quiet project are others. Left out is what tells of the whole organization, which has the
 * load in it, and of alerts, which each instance looks at in its own time.
 */
async function differencesOf(one: Server, other: Server, project: string): Promise<string[]> {
  const [asked, askedOther] = [one, other].map(({ url }) => ({ url, token: ADMIN_TOKEN }));
  assert.ok(asked && askedOther);
  const [organization] = await api<{ slug: string }[]>(one.url, ADMIN_TOKEN, "/organizations/");
  const addresses = await addressesOf(asked, { organization: organization?.slug ?? "", project });
  const quiet = ofProject(addresses).filter((each) => !each.includes("/alerts/"));
  return await differences(asked, askedOther, quiet);
}
