import assert from "node:assert/strict";
import { api } from "../support/api_client.ts";
import { type Person, signIn } from "../support/browserless.ts";
import { ADMIN_TOKEN, type Server, startServer } from "../support/server.ts";
import { type ServerStores, serverStores } from "../support/server_stores.ts";
import { waitFor } from "../support/wait_for.ts";
import { differences, Ledger, totalsOfCsv } from "./accounting/ledger.ts";
import { Sender, type Target } from "./accounting/sender.ts";
import { MAX_EVENT_BYTES, smallRequest, Traffic, UNWANTED_RELEASES } from "./accounting/traffic.ts";

/** How many items are sent altogether, at least; `.ci/run` sends ten times as many. */
const ITEMS = Number(Deno.env.get("TEST_ACCOUNTING_ITEMS") ?? 10_000);
const SENDERS = 12;
/** The service is stopped and started again between them. */
const PHASES = 3;
/** Requests a second and project: the full run must not take minutes, the short one must hit it as well. */
const RATE = Math.max(30, Math.round(ITEMS / 1_000));
const QUOTA = 20;
/** Share of its traces that the second project keeps; the first keeps all. */
const SAMPLE_RATE = 0.4;

const UNKNOWN_KEY = "0123456789abcdef0123456789abcdef";

Deno.test(`Usage counts ${ITEMS} mixed items over two restarts exactly as they were sent`, async () => {
  await using stores = await serverStores();
  const ledger = new Ledger();
  const sender = new Sender(ledger);
  const traffic = new Traffic();
  const months = new Set([month()]);
  let world: World | null = null;

  for (let phase = 1; phase <= PHASES; phase++) {
    await using server = await start(stores);
    world ??= await makeWorld(server);
    await sendUntil(server, world, { sender, traffic }, ITEMS * phase / PHASES);
    await sendWrongKeys(server, world, sender);
    await exceedRate(server, world, sender);
    if (phase === PHASES) await exceedQuota(server, world, sender);
    // At once after the last answer: what is counted in memory must not be lost.
    assert.equal(await server.stop(), 0);
  }

  assert.ok(world !== null && sender.items >= ITEMS);
  await using server = await start(stores);
  const admin = await signIn(server.url);
  months.add(month());
  const counted = await countedIn(admin, world, months);
  assert.deepEqual(differences(ledger.totals, counted), []);
  for (const kind of EVERY_KIND) {
    assert.ok([...counted.keys()].some((key) => key.endsWith(` ${kind}`)), `some are ${kind}`);
  }
});

const EVERY_KIND = [
  "accepted",
  "sampled",
  "duplicate",
  "unsupported",
  "filtered",
  "invalid",
  "too_large",
  "rate_limited",
  "over_quota",
  "refused",
  "client_discard",
];

interface World {
  readonly organization: { readonly id: string; readonly slug: string };
  readonly targets: readonly [Target, Target];
  /** Of the first target, and disabled. */
  readonly disabledKey: string;
}

function start(stores: ServerStores): Promise<Server> {
  return startServer({
    SERVICE_INGEST_RATE_PER_SEC: String(RATE),
    SERVICE_MAX_EVENT_BYTES: String(MAX_EVENT_BYTES),
  }, stores);
}

async function makeWorld(server: Server): Promise<World> {
  const shop = await server.createProject("Shop");
  const press = await server.createProject("Press");
  const call = <T>(path: string, init = {}) => api<T>(server.url, ADMIN_TOKEN, path, init);
  const [organization] = await call<{ id: string; slug: string }[]>("/organizations/");
  assert.ok(organization);
  const disabledKey = keyOf(shop.browserDsn);
  await call(`/projects/${organization.slug}/${shop.slug}/keys/${disabledKey}/`, {
    method: "PUT",
    body: { isActive: false },
  });
  const admin = await signIn(server.url);
  for (const { id } of [shop, press]) {
    const form = { releases: UNWANTED_RELEASES };
    assert.equal((await admin.post(`/projects/${id}/settings/filters`, form)).status, 303);
  }
  const form = { sampleRate: String(SAMPLE_RATE * 100), apdexMs: "300" };
  const path = `/projects/${press.id}/settings/performance`;
  assert.equal((await admin.post(path, form)).status, 303);
  const target = ({ id, serverDsn }: typeof shop, sampleRate: number) => (
    { projectId: id, publicKey: keyOf(serverDsn), sampleRate }
  );
  return { organization, targets: [target(shop, 1), target(press, SAMPLE_RATE)], disabledKey };
}

interface Tools {
  readonly sender: Sender;
  readonly traffic: Traffic;
}

/** Sends to both projects by turns, each time resting where the rate is exceeded, as SDKs do. */
async function sendUntil(
  server: Server,
  { targets }: World,
  { sender, traffic }: Tools,
  items: number,
): Promise<void> {
  const worker = async (target: Target) => {
    while (sender.items < items) {
      const { limit } = await sender.send(server.url, target, traffic.next());
      if (limit !== null) await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  };
  await Promise.all(
    Array.from({ length: SENDERS }, (_, index) => worker(targets[index % 2 === 0 ? 0 : 1])),
  );
}

async function sendWrongKeys(
  server: Server,
  { targets: [shop, press], disabledKey }: World,
  sender: Sender,
): Promise<void> {
  const address = (projectId: string, key: string) =>
    `${server.url}/api/${projectId}/envelope/?sentry_key=${key}`;
  const cases = [
    { key: UNKNOWN_KEY, status: 401, countedFor: "0" },
    { key: disabledKey, status: 401, countedFor: shop.projectId },
    // For the project of the key: the one in the address has nothing to do with it.
    { key: press.publicKey, status: 403, countedFor: press.projectId },
  ];
  for (const { key, ...expected } of cases) {
    await sender.sendWithWrongKey(address(shop.projectId, key), smallRequest(), expected);
  }
}

/** Sends without rest until a second has more than it may. */
async function exceedRate(server: Server, { targets: [shop] }: World, sender: Sender) {
  await untilRefused("rate_limited", SENDERS, () => sender.send(server.url, shop, smallRequest()));
}

/** Exactly as many requests as the quota says are let in, from both projects together, until it is raised. */
async function exceedQuota(server: Server, world: World, sender: Sender): Promise<void> {
  const { organization, targets } = world;
  const admin = await signIn(server.url);
  const setQuota = async (quota: number) => {
    const form = { organization: organization.id, quota: String(quota) };
    assert.equal((await admin.post("/instance", form)).status, 303);
  };
  // From when there is a quota, what was stored before counts as used.
  await setQuota(1_000_000_000);
  const { text } = await admin.get("/instance");
  const used = Number(/([\d,]+) used this month/.exec(text)?.[1]?.replaceAll(",", ""));
  assert.ok(used > 0);
  await setQuota(used + QUOTA);
  let admitted = 0;
  let turn = 0;
  await untilRefused("over_quota", 1, async () => {
    const target = targets[turn++ % 2 === 0 ? 0 : 1];
    const answer = await sender.send(server.url, target, smallRequest());
    if (answer.limit === null) admitted++;
    return answer;
  });
  assert.equal(admitted, QUOTA);
  await setQuota(0);
  await waitFor("a request to be let in again", async () => {
    const { limit } = await sender.send(server.url, targets[1], smallRequest());
    assert.notEqual(limit, "over_quota", "raising the quota holds from the next request on");
    return limit === null || null;
  });
}

async function untilRefused(
  wanted: string,
  senders: number,
  send: () => Promise<{ limit: string | null }>,
): Promise<void> {
  const deadline = Date.now() + 30_000;
  let isRefused = false;
  const worker = async () => {
    while (!isRefused) {
      if (Date.now() > deadline) throw new Error(`Nothing was ${wanted} in 30 s`);
      const { limit } = await send();
      if (limit === wanted) isRefused = true;
    }
  };
  await Promise.all(Array.from({ length: senders }, worker));
}

/** The figures of the Usage page, and beside them the requests of nobody, which the administrator sees. */
async function countedIn(
  admin: Person,
  { organization }: World,
  months: ReadonlySet<string>,
): Promise<Map<string, number>> {
  const strangers = /unknown key\s+([\d,]+)/i.exec(textOf((await admin.get("/instance")).text))
    ?.[1];
  const totals = new Map([["0 unknown refused", Number(strangers?.replaceAll(",", ""))]]);
  for (const name of months) {
    const path = `/organizations/${organization.slug}/settings/usage/csv?month=${name}`;
    for (const [key, quantity] of totalsOfCsv((await admin.get(path)).text)) {
      totals.set(key, (totals.get(key) ?? 0) + quantity);
    }
  }
  return totals;
}

function keyOf(dsn: string): string {
  return new URL(dsn).username;
}

function month(): string {
  return new Date().toISOString().slice(0, "2026-11".length);
}

function textOf(html: string): string {
  return html.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
}
