/**
 * Three instances under load, while they and the ways to their stores fail at random and at the same time: what no story
 * of single faults has thought of. Minutes long, so only with `TEST_CHAOS_SEC`; `TEST_CHAOS_SEED` repeats the faults of a run.
 */
import assert from "node:assert/strict";
import { Random } from "../../demo/chance.ts";
import { pause } from "../../lib/core/waiting.ts";
import { connectServer, type Sql } from "../../lib/store/database.ts";
import { Balancer, sendThrough } from "../support/balancer.ts";
import { spoolEmptied } from "../support/load.ts";
import { type Server, startServer } from "../support/server.ts";
import type { ServerStores } from "../support/server_stores.ts";
import { hasSharedStores, sharedStores } from "../support/shared_stores.ts";
import { countedAccepted } from "../support/stored_ids.ts";
import { type TcpLink, tcpLink } from "../support/tcp_link.ts";

const CHAOS_SEC = Number(Deno.env.get("TEST_CHAOS_SEC") ?? 0);
const SEED = Number(Deno.env.get("TEST_CHAOS_SEED") ?? Date.now() % 1_000_000);
const INSTANCES = 3;
const SENDERS = 8;
/** Longer than what an instance needs to see that Postgres does not answer, and to spool. */
const PATIENCE_MS = 10_000;
/** Between two faults. */
const PAUSE_MS = { least: 1_000, most: 6_000 };
/** How long a fault lasts: beyond the time-outs and leases of everything. */
const LASTS_MS = { least: 500, most: 40_000 };
const SPOOL_LIMIT_MS = 120_000;
const STARTS = 8;

Deno.test({
  name:
    "whatever fails in three instances and their stores at the same time, everything acknowledged is stored and counted once",
  ignore: CHAOS_SEC === 0 || !hasSharedStores,
  fn: chaos,
});

async function chaos(): Promise<void> {
  console.log(`TEST_CHAOS_SEED=${SEED}`);
  const random = new Random(SEED);
  await using opened = new AsyncDisposableStack();
  const stores = opened.use(await sharedStores(false));
  const sql = connectServer(stores.env.DATABASE_URL ?? "");
  opened.defer(() => sql.end({ timeout: 1 }));
  const instances: Instance[] = [];
  while (instances.length < INSTANCES) instances.push(opened.use(await newInstance(stores)));
  const [first] = instances;
  assert.ok(first);
  const { id, serverDsn } = await first.server.createProject("Shop");
  const balancer = new Balancer(serverDsn, instances.map(({ server }) => server), PATIENCE_MS);
  await using load = sendThrough(balancer, undefined, SENDERS);

  const under = new Set<Promise<void>>();
  const end = performance.now() + CHAOS_SEC * 1_000;
  while (performance.now() < end) {
    await pause(random.integer(PAUSE_MS.least, PAUSE_MS.most));
    const fault = random.pick(FAULTS);
    // Short ones are more frequent.
    const ms = Math.round(LASTS_MS.least + random.next() ** 2 * LASTS_MS.most);
    const victim = random.pick(instances);
    const running = fault({ victim, link: random.pick(victim.links), instances, ms, balancer, sql })
      .finally(() => under.delete(running));
    under.add(running);
  }
  await Promise.all(under);
  await load.stop();
  await spoolEmptied(first.server, SPOOL_LIMIT_MS);

  const rows = await sql<{ id: string }[]>`
    select replace(event_id::text, '-', '') as id from events
  `;
  assert.deepEqual(new Set(rows.map(({ id }) => id)), load.acknowledged);
  const [issue] = await sql<{ seen: number }[]>`select times_seen::int as seen from issues`;
  assert.equal(issue?.seen, load.sent.size);
  assert.equal(await countedAccepted(first.server, id, "error"), load.sent.size);
}

/** An instance, and its own ways to the stores. */
interface Instance extends AsyncDisposable {
  server: Server;
  readonly links: readonly TcpLink[];
  /** Whether it hangs or is being started anew. */
  isBusy: boolean;
  restart(): Promise<void>;
}

const STORES = ["DATABASE_URL", "DENO_KV_URL", "S3_ENDPOINT"];

async function newInstance({ dataDir, env }: ServerStores): Promise<Instance> {
  await using made = new AsyncDisposableStack();
  const links: TcpLink[] = [];
  const ways: Record<string, string> = {};
  for (const name of STORES) {
    const address = new URL(env[name] ?? "");
    const { hostname, port } = address;
    const link = made.use(tcpLink(() => Deno.connect({ hostname, port: Number(port) })));
    links.push(link);
    address.hostname = "127.0.0.1";
    address.port = String(link.port);
    ways[name] = address.href.replace(/\/$/, "");
  }
  const settings = { ...env, ...ways, SERVICE_INGEST_RATE_PER_SEC: "100000" };
  const kept = { dataDir, env: {}, [Symbol.asyncDispose]: () => Promise.resolve() };
  const start = () => startServer(settings, kept, 1);
  const all = made.move();
  const instance: Instance = {
    server: await start(),
    links,
    isBusy: false,
    async restart() {
      for (let left = STARTS;; left--) {
        try {
          this.server = await start();
          return;
        } catch (error) {
          // The ways to its stores may be broken as well.
          if (left === 1) throw error;
        }
      }
    },
    async [Symbol.asyncDispose]() {
      await this.server.kill();
      await all.disposeAsync();
    },
  };
  return instance;
}

interface Scene {
  readonly victim: Instance;
  /** One of the victim's. */
  readonly link: TcpLink;
  readonly instances: readonly Instance[];
  readonly ms: number;
  readonly balancer: Balancer;
  readonly sql: Sql;
}

/** Resolves when it is over. */
type Fault = (scene: Scene) => Promise<void>;

const hang: Fault = ({ victim, ms }) =>
  whileBusy(victim, async () => {
    const wake = victim.server.hang();
    await pause(ms);
    wake();
  });

const kill: Fault = ({ victim, balancer }) =>
  replaced(victim, balancer, async () => await victim.server.kill());

const stop: Fault = ({ victim, balancer }) =>
  replaced(victim, balancer, async () => assert.equal(await victim.server.stop(), 0));

const cut: Fault = async ({ link }) => await link.cut();

const cutAll: Fault = async ({ victim, link, instances }) => {
  const store = victim.links.indexOf(link);
  for (const { links } of instances) await links[store]?.cut();
};

const freeze: Fault = async ({ link, ms }) => {
  link.pause();
  await pause(ms);
  link.resume();
};

const refuse: Fault = async ({ link, ms }) => {
  link.refuse();
  await pause(ms);
  link.resume();
};

/** As an administrator does. */
const endSessions: Fault = async ({ sql }) => {
  await sql`select pg_terminate_backend(pid) from ${ours(sql)}`.catch(() => {});
};

/** Whoever loses a process without a farewell takes all others down, and recovers as after a loss of power. */
const crashPostgres: Fault = async ({ sql }) => {
  const [one] = await sql<{ pid: number }[]>`select pid from ${ours(sql)} limit 1`.catch(() => []);
  try {
    if (one !== undefined) Deno.kill(one.pid, "SIGKILL");
  } catch {
    // It has ended, or Postgres runs elsewhere.
  }
};

function ours(sql: Sql) {
  return sql`pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
}

const FAULTS = [
  ...[hang, hang, kill, stop, cut, cutAll, freeze, freeze, refuse],
  ...[endSessions, crashPostgres, crashPostgres],
];

async function whileBusy(victim: Instance, work: () => Promise<void>): Promise<void> {
  if (victim.isBusy) return;
  victim.isBusy = true;
  try {
    await work();
  } finally {
    victim.isBusy = false;
  }
}

/** The balancer sends nothing to an instance that ends, until it is there again. */
function replaced(victim: Instance, balancer: Balancer, end: () => Promise<void>): Promise<void> {
  return whileBusy(victim, async () => {
    balancer.remove(victim.server);
    await end();
    await victim.restart();
    balancer.add(victim.server);
  });
}
