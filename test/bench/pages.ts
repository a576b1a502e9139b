/**
 * Opens every page of a project as a signed-in member, and with the filters of its pickers and search, over a large
 * database: prints the server's milliseconds, median and 95th percentile, and what they took of CPU, here and in a
 * Postgres of this machine, the slowest first. On a machine that does something else as well, CPU says more. Judges nothing.
 *
 *   deno run -A test/bench/pages.ts --database=<url>    one that large_dataset.ts has filled
 *     --only=traces     pages whose address contains this
 *     --rounds=20       how often each is opened
 */
import process from "node:process";
import { connectServer, type Sql } from "@/lib/store/database.ts";
import { addMember } from "@/lib/accounts/members.ts";
import { createProject } from "@/lib/accounts/projects.ts";
import { readConfig } from "@/lib/core/config.ts";
import { buildServices } from "@/lib/server/services.ts";
import { openObjects } from "@/lib/store/objects/open.ts";
import { builtApp } from "../support/built_app.ts";
import { createOrganization } from "../support/organizations.ts";
import { person } from "../support/people.ts";
import { silentLogger } from "../support/silent_logger.ts";
import { newVisitor, type Visitor } from "../support/visitor.ts";
import { milliseconds } from "./timing.ts";
import { addressesOf } from "./page_addresses.ts";
import { panelDashboards } from "./page_dashboards.ts";

const PROJECT = "1";
const WARM_UP = 2;
/** Of the counters of the kernel. */
const TICK_MS = 10;

const rounds = Number(option("rounds") ?? 10);
const only = option("only") ?? "";
const url = option("database");
if (url === undefined) {
  console.error("Name a database: --database=postgres://…");
  Deno.exit(2);
}

await using stack = new AsyncDisposableStack();
const sql = connectServer(url);
stack.defer(() => sql.end());
const visitor = await member(sql, stack);

const lines: ({ readonly address: string } & Awaited<ReturnType<typeof timesOf>>)[] = [];
const panels = await panelDashboards(sql, PROJECT);
stack.use(panels);
for (const address of [...await addressesOf(sql, PROJECT), ...panels.addresses]) {
  if (address.includes(only)) lines.push({ address, ...await timesOf(visitor, address) });
}
const loads = Deno.loadavg().map((load) => load.toFixed(1)).join(" ");
console.log(`${lines.length} pages, ${rounds} rounds, load of the machine ${loads}`);
console.log("    median", "       p95", "   CPU here", "  Postgres", "  KB  page");
for (const line of lines.sort((a, b) => b.p95 - a.p95)) {
  const { address, median, p95, here, inPostgres, status, kb } = line;
  const note = status === 200 ? "" : `  (${status})`;
  console.log(
    milliseconds(median),
    milliseconds(p95),
    milliseconds(here),
    milliseconds(inPostgres),
    `${kb.toFixed(0).padStart(4)}  ${address}${note}`,
  );
}

async function timesOf(visitor: Visitor, address: string) {
  const times: number[] = [];
  let status = 0;
  let kb = 0;
  let [here, inPostgres] = [0, 0];
  for (let round = 0; round < WARM_UP + rounds; round++) {
    if (round === WARM_UP) [here, inPostgres] = await cpuMs(sql);
    const began = performance.now();
    const answer = await visitor.get(address);
    if (round >= WARM_UP) times.push(performance.now() - began);
    status = answer.status;
    kb = answer.html.length / 1_000;
  }
  const [hereThen, inPostgresThen] = await cpuMs(sql);
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
  return {
    median: at(0.5) ?? NaN,
    p95: at(0.95) ?? NaN,
    here: (hereThen - here) / rounds,
    inPostgres: (inPostgresThen - inPostgres) / rounds,
    status,
    kb,
  };
}

/** Milliseconds of CPU so far: of this process, and of the servers of our connections, where /proc shows them. */
async function cpuMs(sql: Sql): Promise<[here: number, inPostgres: number]> {
  const servers = await sql<{ pid: number }[]>`
    select pid from pg_stat_activity
    where datname = current_database() and backend_type = 'client backend'
  `;
  const { user, system } = process.cpuUsage();
  const spent = await Promise.all(servers.map(({ pid }) => processCpuMs(pid)));
  return [(user + system) / 1_000, spent.reduce((sum, ms) => sum + ms, 0)];
}

async function processCpuMs(pid: number): Promise<number> {
  const text = await Deno.readTextFile(`/proc/${pid}/stat`).catch(() => "");
  const [user = 0, system = 0] = text.slice(text.lastIndexOf(")") + 2).split(" ").slice(11, 13)
    .map(Number);
  return (user + system) * TICK_MS;
}

/** Somebody who may see the project, in a browser. */
async function member(sql: Sql, stack: AsyncDisposableStack): Promise<Visitor> {
  const kv = await Deno.openKv(":memory:");
  stack.defer(() => kv.close());
  const dataDir = await Deno.makeTempDir({ prefix: "watchpost-pages-" });
  stack.defer(() => Deno.remove(dataDir, { recursive: true }));
  const config = { ...readConfig({}), dataDir };
  const objects = await openObjects(config, silentLogger);
  stack.defer(() => objects.close());
  const services = buildServices(config, silentLogger, { kv, sql, objects }, { hasClocks: false });
  stack.defer(() => services.close());
  const owner = await person(kv, "olga");
  const { id } = await createOrganization(kv, { name: "Acme", ownerId: owner.id });
  const ann = await person(kv, "ann");
  await addMember(kv, { role: "owner", userId: owner.id }, id, ann.id, "member");
  const project = await createProject(kv, { organizationId: id, name: "Shop", platform: "node" });
  if (project.id !== PROJECT) throw new Error(`The project is ${project.id}`);
  const visitor = newVisitor(builtApp(services));
  await visitor.signIn(ann.email);
  return visitor;
}

function option(name: string): string | undefined {
  const mark = `--${name}=`;
  return Deno.args.find((argument) => argument.startsWith(mark))?.slice(mark.length);
}
