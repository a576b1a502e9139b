/**
 * Each stock SDK sends an error with a cause, a breadcrumb, a user and a tag, a transaction with a span, a check-in, a
 * log, a metric, a session, feedback, an attachment and a profile, as far as it can. What it sent is compared with what
 * is stored.
 */
import assert from "node:assert/strict";
import { findEvent } from "../../lib/errors/mod.ts";
import { CHROMIUM, openBrowser } from "../support/chromium.ts";
import { packedColumns, type PackedRow, withSpans } from "../../lib/store/spans/stored_spans.ts";
import { type ListeningApp, listeningApp } from "../support/listening_app.ts";
import { waitFor } from "../support/wait_for.ts";
import { bundle, servePage } from "./clients/customer_site.ts";
import {
  bunClient,
  denoClient,
  goClient,
  type Installed,
  javaClient,
  nodeClient,
  pythonClient,
  rubyClient,
} from "./clients/install.ts";

type Kind =
  | "transaction"
  | "check_in"
  | "log"
  | "metric"
  | "session"
  | "feedback"
  | "attachment"
  | "profile";

interface Client {
  readonly name: string;
  readonly kinds: readonly Kind[];
  /** Title of the issue. */
  readonly title: string;
  run(app: ListeningApp): Promise<void>;
}

const ARRIVES_WITHIN_MS = 20_000;

/** What has to be stored of each kind: a query that gives a row once all of it is there. */
const STORED: Readonly<Record<Kind, (app: ListeningApp) => Promise<boolean>>> = {
  async transaction({ services: { sql }, projectId }) {
    const batches = await sql<PackedRow[]>`
      select ${packedColumns(sql)} from transactions t
      join span_batches b using (project_id, trace_id)
      where t.project_id = ${projectId} and t.name = 'checkout' and t.op = 'task'
        and t.environment = 'production' and t.release = 'shop@1.4.2'
    `;
    return (await withSpans(sql, projectId, batches)).flatMap(({ spans }) => spans)
      .some(({ op, description }) => op === "db.query" && description === "select stock");
  },
  async check_in({ services: { sql }, projectId }) {
    const rows = await sql`
      select 1 from check_ins join monitors on monitors.project_id = check_ins.project_id
        and slug = monitor_slug
      where check_ins.project_id = ${projectId} and monitor_slug = 'nightly-report'
        and check_ins.status = 'ok' and duration_sec = 2 and environment = 'production'
        and monitors.config->>'schedule' = '0 3 * * *'
    `;
    return rows.length === 1;
  },
  async log({ services: { sql }, projectId }) {
    const rows = await sql`
      select 1 from logs where project_id = ${projectId} and body = 'Stock is low'
        and level = 'warn' and release = 'shop@1.4.2' and environment = 'production'
        and attributes->>'item' = '4711' and trace_id is not null
    `;
    return rows.length === 1;
  },
  async metric({ services: { sql }, projectId }) {
    const rows = await sql`
      select 1 from metrics join metric_series using (project_id, metric_id)
      where project_id = ${projectId} and name = 'orders.failed' and kind = 'counter'
        and temporality = 'observed' and release = 'shop@1.4.2' and environment = 'production'
    `;
    return rows.length === 1;
  },
  async session({ services: { sql }, projectId }) {
    const rows = await sql`
      select 1 from session_hours where project_id = ${projectId} and release = 'shop@1.4.2'
        and environment = 'production' and total >= 1
    `;
    return rows.length === 1;
  },
  async feedback({ services: { sql }, projectId }) {
    const rows = await sql`
      select 1 from feedback where project_id = ${projectId}
        and message = 'The button does nothing' and email = 'ann@example.test'
    `;
    return rows.length === 1;
  },
  async attachment({ services: { sql, objects }, projectId }) {
    const [row] = await sql<{ key: string }[]>`
      select blob_key as key from attachments join events using (project_id, event_id)
      where project_id = ${projectId} and filename = 'order.txt'
    `;
    const bytes = row === undefined ? null : await objects.get(row.key);
    return bytes !== null && new TextDecoder().decode(bytes) === "order 4711";
  },
  async profile({ services: { sql, objects }, projectId }) {
    const [row] = await sql<{ key: string; samples: number }[]>`
      select blob_key as key, samples from profiles
      join transactions using (project_id, trace_id) where project_id = ${projectId}
    `;
    return row !== undefined && row.samples > 1 && await objects.get(row.key) !== null;
  },
};

function matrix(client: Client, isInstalled: boolean): void {
  Deno.test({
    name: `what the stock ${client.name} SDK sends is stored whole: error, ${
      client.kinds.join(", ")
    }`,
    ignore: !isInstalled,
    // Playwright keeps handles of its own until the process ends.
    sanitizeOps: false,
    sanitizeResources: false,
    async fn() {
      await using app = await listeningApp();
      await client.run(app);
      await errorIsStored(app, client.title);
      for (const kind of client.kinds) {
        await waitFor(
          `the ${kind}`,
          async () => await STORED[kind](app) || null,
          ARRIVES_WITHIN_MS,
        );
      }
      assert.deepEqual(await notStored(app), [], "nothing was refused or could not be read");
    },
  });
}

async function errorIsStored({ services: { sql }, projectId }: ListeningApp, title: string) {
  const event = await waitFor("the error", async () => {
    const [row] = await sql<{ id: string; title: string; user: string; tags: object }[]>`
      select replace(event_id::text, '-', '') as id, title, user_key as user, tags from events_with_tags
      where project_id = ${projectId} and release = 'shop@1.4.2' and environment = 'production'
    `;
    return row ?? null;
  }, ARRIVES_WITHIN_MS);
  assert.equal(event.title, title);
  assert.equal(event.user, "id:7");
  assert.equal(Reflect.get(event.tags, "plan"), "team");
  const stored = await findEvent(sql, projectId, event.id);
  const payload = JSON.parse(stored?.payload ?? "");
  assert.ok(payload.exception.values.length >= 2, "the cause stands before the error");
  const crumbs: { message?: string }[] = payload.breadcrumbs.values;
  assert.ok(crumbs.some(({ message }) => message === "checkout started"));
}

async function notStored({ services: { sql }, projectId }: ListeningApp): Promise<unknown[]> {
  const rows = await sql`
    select category, kind, reason from outcomes
    where project_id = ${projectId} and kind not in ('accepted', 'client_discard')
  `;
  return rows.map((row) => ({ ...row }));
}

const [node, node10, python, go, deno, bun, java, ruby] = await Promise.all([
  nodeClient("matrix_node"),
  nodeClient("matrix_node10"),
  pythonClient("matrix_python"),
  goClient("matrix_go"),
  denoClient(),
  bunClient(),
  javaClient(),
  rubyClient(),
]);

const runs = (client: Installed | null) => async (app: ListeningApp) => {
  await client?.run(app.serverDsn);
};
const ALL: Kind[] = ["transaction", "check_in", "log", "metric", "session", "attachment"];

matrix({
  name: "Node 11",
  kinds: [...ALL, "feedback"],
  title: "Error: Cannot charge order 4711",
  run: runs(node),
}, node !== null);

matrix({
  name: "Node 10",
  kinds: [...ALL, "feedback", "profile"],
  title: "Error: Cannot charge order 4711",
  run: runs(node10),
}, node10 !== null);

matrix({
  name: "Python",
  kinds: [...ALL, "profile"],
  title: "RuntimeError: Cannot charge order 4711",
  run: runs(python),
}, python !== null);

matrix({
  name: "Go",
  kinds: ["transaction", "check_in", "log", "attachment"],
  title: "*fmt.wrapError: Cannot charge order 4711: card is null",
  run: runs(go),
}, go !== null);

matrix({
  name: "Deno",
  kinds: ["transaction", "check_in", "log", "session", "attachment", "feedback"],
  title: "Error: Cannot charge order 4711",
  run: runs(deno),
}, deno !== null);

matrix({
  name: "Bun",
  kinds: [...ALL, "feedback"],
  title: "Error: Cannot charge order 4711",
  run: runs(bun),
}, bun !== null);

matrix({
  name: "Java",
  kinds: ["transaction", "check_in", "session", "attachment"],
  title: "RuntimeException: Cannot charge order 4711",
  run: runs(java),
}, java !== null);

matrix({
  name: "Ruby",
  kinds: ["transaction"],
  title: "RuntimeError: Cannot charge order 4711",
  run: runs(ruby),
}, ruby !== null);

matrix({
  name: "browser",
  kinds: ["transaction", "log", "metric", "session", "feedback", "attachment"],
  title: "Error: Cannot charge order 4711",
  async run({ browserDsn }) {
    const script = await bundle("clients/matrix_browser/main.ts");
    await using site = servePage(script);
    await using browser = await openBrowser();
    const page = await browser.newPage();
    await page.goto(`${site.url}/?dsn=${encodeURIComponent(browserDsn)}`);
    await page.click("button");
    await page.waitForFunction(() => document.title === "sent");
    // Leaving the page sends what is left, vitals included.
    await page.goto("about:blank");
  },
}, CHROMIUM !== null);
