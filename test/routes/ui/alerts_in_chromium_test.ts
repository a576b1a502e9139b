/** What only a browser can tell of the alert pages: looks, both widths, both themes, life with and without script. */
import assert from "node:assert/strict";
import type { BrowserContext, BrowserContextOptions } from "playwright-core";
import { createProject } from "@/lib/accounts/projects.ts";
import { createRule, listRules } from "@/lib/alerts/rules.ts";
import { alertInput } from "../../support/alert_input.ts";
import { CHROMIUM, openBrowser } from "../../support/chromium.ts";
import { errorEvent } from "../../support/error_event.ts";
import { complaintsOf, faultsOf, signIn, SIZES } from "../../support/seen_in_chromium.ts";
import { type Acme, acme } from "../../support/ui_app.ts";

/** Playwright keeps its own child process and pipes beyond the end of a test. */
const inBrowser = { ignore: CHROMIUM === null, sanitizeOps: false, sanitizeResources: false };

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

/** Alerts of each kind, one of them firing, with long names; answers the id of the one that fires. */
async function fill({ services: { sql, writer } }: Acme): Promise<string> {
  const at = new Date(Date.now() - 1_800_000);
  const records = Array.from({ length: 12 }, () => errorEvent({ timestamp: at }));
  await writer.commit("1", { records, outcomes: [] });
  const by = "olga@example.com";
  const condition = { comparison: ">", warning: 5, critical: 10, recovery: 2 } as const;
  const schedule = { days: [1, 2, 6], fromMinute: 1_320, toMinute: 360, timeZone: "Asia/Kolkata" };
  const { ruleId } = await createRule(sql, "1", alertInput({ condition, windowMinutes: 5 }), by);
  const transaction = `GET /${"a-very-long-name/".repeat(11)}`;
  const others = [
    alertInput({ name: "خطأ في الدفع 💳", isEnabled: false }),
    alertInput({ name: "Muted", mutedUntil: new Date("2099-01-01T00:00:00Z"), schedule }),
    alertInput({ source: { kind: "errors", measure: "new_issue", search: "" } }),
    alertInput({ source: { kind: "transactions", measure: "p95", transaction } }),
  ];
  for (const input of others) await createRule(sql, "1", input, by);
  for (const group of ["", `host=${"web".repeat(40)}`]) {
    await sql`
      insert into alert_states (
        project_id, rule_id, group_id, "group", status, level, value, since, changed_at, seen_at
      ) values (
        1, ${ruleId}, ${crypto.randomUUID()}, ${group}, 'firing', 'warning', 12, ${at}, ${at}, ${at}
      )
    `;
    await sql`
      insert into alert_history (
        project_id, rule_id, "at", "group", from_status, to_status, level, value, notice
      ) values (1, ${ruleId}, ${at}, ${group}, 'ok', 'firing', 'warning', 12, 'sent')
    `;
  }
  return ruleId;
}

for (const colorScheme of ["light", "dark"] as const) {
  Deno.test(
    `the alert pages fit ${colorScheme} windows of both sizes without serious axe findings`,
    inBrowser,
    async () => {
      await using site = await openSite();
      const ruleId = await fill(site.app);
      const paths = [
        "/projects/2/alerts",
        "/projects/1/alerts",
        "/projects/1/alerts?query=nothing+like+it",
        `/projects/1/alerts/${ruleId}`,
        `/projects/1/alerts/${ruleId}/edit`,
        "/projects/1/alerts/new?source=errors&critical=10&warning=4",
        "/projects/1/alerts/new?a.metric=no.such.metric&b.metric=&f1=a",
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
  "the form shows the fields of the chosen source alone, without script",
  inBrowser,
  async () => {
    await using site = await openSite();
    const context = await site.context({ javaScriptEnabled: false });
    const page = await context.newPage();
    await signIn(page);
    await page.goto("/projects/1/alerts/new");
    const shows = (name: string) => page.locator(`[name="${name}"]`).first().isVisible();
    assert.deepEqual([await shows("transaction"), await shows("search")], [true, false]);
    await page.getByRole("radio", { name: /^Errors/ }).check();
    assert.deepEqual([await shows("transaction"), await shows("search")], [false, true]);
    assert.equal(await shows("critical"), true);
    await page.selectOption("[name=errorMeasure]", "new_issue");
    assert.deepEqual([await shows("critical"), await shows("for")], [false, false]);
    assert.equal(await shows("timeZone"), false);
    await page.getByRole("checkbox", { name: /Only at certain times/ }).check();
    assert.equal(await shows("timeZone"), true);
    await page.getByRole("radio", { name: /^Metric/ }).check();
    assert.deepEqual([await shows("a.metric"), await shows("critical")], [true, true]);
  },
);

Deno.test(
  "an alert is made, muted and deleted by keyboard and without script",
  inBrowser,
  async () => {
    await using site = await openSite();
    const context = await site.context({ javaScriptEnabled: false });
    const page = await context.newPage();
    await signIn(page);
    await page.goto("/projects/1/alerts/new?source=errors");
    await page.focus("[name=critical]");
    await page.keyboard.type("25");
    // Enter previews: nothing is saved yet.
    await page.keyboard.press("Enter");
    await page.getByText("It would not have fired in this time range.").waitFor();
    assert.deepEqual(await listRules(site.app.services.sql, "1"), []);
    await page.getByRole("button", { name: "Create alert" }).press("Enter");
    await page.getByRole("heading", { name: "Number of errors > 25" }).waitFor();

    await page.locator("summary", { hasText: "Mute" }).press("Enter");
    await page.getByRole("button", { name: "For 8 hours" }).press("Enter");
    await page.getByText("This alert is muted").waitFor();

    await page.locator("summary", { hasText: "Delete alert" }).press("Enter");
    await page.fill("[name=confirm]", "Number of errors > 25");
    await page.keyboard.press("Enter");
    await page.getByText("No alerts yet").waitFor();
  },
);

Deno.test("a drag over the chart of an alert zooms in", inBrowser, async () => {
  await using site = await openSite();
  const ruleId = await fill(site.app);
  const page = await (await site.context({ viewport: { width: 1440, height: 900 } })).newPage();
  await signIn(page);
  await page.goto(`/projects/1/alerts/${ruleId}`);
  const box = await page.locator("#value [data-chart-box]").boundingBox();
  assert.ok(box);
  const y = box.y + box.height / 2;
  await page.mouse.move(box.x + box.width * 0.5, y);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.8, y, { steps: 5 });
  await page.mouse.up();
  await page.waitForURL(/start=/);
  await page.getByText("critical > 10").first().waitFor();
});
