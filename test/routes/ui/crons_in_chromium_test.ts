/** What only a browser can tell of the pages of cron jobs: looks, both widths, both themes, life with and without script. */
import assert from "node:assert/strict";
import type { BrowserContext, BrowserContextOptions } from "playwright-core";
import { createProject } from "@/lib/accounts/projects.ts";
import type { CheckIn } from "@/lib/records/mod.ts";
import { CHROMIUM, openBrowser } from "../../support/chromium.ts";
import { checkInRecord } from "../../support/records.ts";
import { complaintsOf, faultsOf, signIn, SIZES } from "../../support/seen_in_chromium.ts";
import { type Acme, acme } from "../../support/ui_app.ts";

/** Playwright keeps its own child process and pipes beyond the end of a test. */
const inBrowser = { ignore: CHROMIUM === null, sanitizeOps: false, sanitizeResources: false };
const MINUTE_MS = 60_000;
const LIST = "/projects/1/monitors/crons";

interface Site extends AsyncDisposable {
  readonly app: Acme;
  context(options?: BrowserContextOptions): Promise<BrowserContext>;
}

async function openSite(): Promise<Site> {
  await using opened = new AsyncDisposableStack();
  const app = opened.use(await acme());
  const organizationId = app.organization.id;
  for (const name of ["Shop", "Empty"]) {
    await createProject(app.services.kv, { organizationId, name, platform: "node" });
  }
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, app.handle);
  opened.defer(() => server.shutdown());
  const browser = opened.use(await openBrowser());
  const baseURL = `http://127.0.0.1:${server.addr.port}`;
  const moved = opened.move();
  return {
    app,
    context: (options) => browser.newContext({ baseURL, ...options }),
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  };
}

const STATUSES = ["ok", "ok", "error", "ok", "ok", "ok", "in_progress"] as const;

/** Jobs in every state, with runs, a log, an incident, errors and long names. @returns the id of a run with a log */
async function fill({ services: { writer, sql } }: Acme): Promise<string> {
  const records: CheckIn[] = [];
  const config = '{"schedule":{"type":"crontab","value":"30 2 * * *"},"timezone":"Europe/Berlin"}';
  const add = (monitorSlug: string, ago: number, fields: Partial<CheckIn>) => {
    const at = new Date(Date.now() - ago * MINUTE_MS);
    records.push(checkInRecord({
      monitorSlug,
      timestamp: at,
      receivedAt: at,
      durationSec: 75,
      monitorConfig: config,
      ...fields,
    }));
  };
  for (let run = 0; run < 40; run++) {
    const status = STATUSES[run % STATUSES.length] ?? "ok";
    const log = status === "error" ? `${"x".repeat(300)}\nno space left on device` : null;
    const durationSec = status === "in_progress" ? null : 75 + run;
    const traceId = crypto.randomUUID().replaceAll("-", "");
    add("nightly-backup", 2_000 - 40 * run, { status, log, durationSec, traceId });
  }
  const environment = `a-very-long-environment-${"name-".repeat(8)}`;
  add("nightly-backup", 3, { status: "error", environment });
  add("reindex", 3, { status: "ok", monitorConfig: null });
  add("report", 3, { status: "ok", monitorConfig: '{"schedule":{"type":"solar"}}' });
  await writer.commit("1", { records, outcomes: [] });
  await sql`update monitors set name = ${
    "خطأ في النسخ 💾 " + "Backup ".repeat(14)
  } where slug = 'report'`;
  await sql`update monitors set is_muted = true where slug = 'reindex'`;
  await sql`
    update check_ins set status = 'missed' where check_in_id in (
      select check_in_id from check_ins
      where monitor_slug = 'nightly-backup' and status = 'ok' order by started_at limit 3
    )
  `;
  const [run] = await sql<{ id: string }[]>`
    select replace(check_in_id::text, '-', '') as id from check_ins where log is not null limit 1
  `;
  return run?.id ?? "";
}

for (const colorScheme of ["light", "dark"] as const) {
  Deno.test(
    `the pages of cron jobs fit ${colorScheme} windows of both sizes without serious axe findings`,
    inBrowser,
    async () => {
      await using site = await openSite();
      const run = await fill(site.app);
      const paths = [
        "/projects/2/monitors/crons",
        LIST,
        `${LIST}?query=nothing+like+it`,
        `${LIST}/nightly-backup?run=${run}`,
        `${LIST}/report`,
        `${LIST}/nightly-backup/edit`,
        `${LIST}/new`,
      ];
      for (const viewport of SIZES) {
        const context = await site.context({ viewport, colorScheme });
        const page = await context.newPage();
        const complaints = complaintsOf(page);
        await signIn(page);
        for (const path of paths) {
          await page.goto(path);
          assert.deepEqual(await faultsOf(page), [], `${path} at ${viewport.width}`);
        }
        assert.deepEqual(complaints, []);
        await context.close();
      }
    },
  );
}

Deno.test(
  "a job is set up, looked at and deleted by keyboard and without script",
  inBrowser,
  async () => {
    await using site = await openSite();
    const context = await site.context({ javaScriptEnabled: false });
    const page = await context.newPage();
    await signIn(page);
    await page.goto(`${LIST}/new`);
    const shows = (name: string) => page.locator(`[name="${name}"]`).isVisible();
    assert.deepEqual([await shows("crontab"), await shows("count")], [true, false]);
    await page.getByRole("radio", { name: /^Interval/ }).check();
    assert.deepEqual([await shows("crontab"), await shows("count")], [false, true]);
    await page.getByRole("radio", { name: /^Crontab/ }).check();
    await page.fill("[name=name]", "Backup");
    await page.fill("[name=timezone]", "Europe/Berlin");
    await page.focus("[name=crontab]");
    await page.keyboard.type("30 2 * * *");
    // Enter shows the times: nothing is saved yet.
    await page.keyboard.press("Enter");
    await page.getByText("Mind the nights when clocks change").waitFor();
    assert.equal((await site.app.services.sql`select 1 from monitors`).length, 0);
    await page.getByRole("button", { name: "Create cron job" }).press("Enter");
    await page.getByText("It waits for its first check-in", { exact: true }).waitFor();
    await page.locator("summary", { hasText: "Delete cron job" }).press("Enter");
    await page.fill("[name=confirm]", "Backup");
    await page.keyboard.press("Enter");
    await page.getByText("No cron job has reported yet").waitFor();
  },
);

Deno.test("the next times stand in the reader's own zone as well", inBrowser, async () => {
  await using site = await openSite();
  await fill(site.app);
  const context = await site.context({ timezoneId: "Asia/Tokyo" });
  const page = await context.newPage();
  await signIn(page);
  await page.goto(`${LIST}/nightly-backup/edit`);
  await page.getByText("GMT+9, your time").first().waitFor();
});
