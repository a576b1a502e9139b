/** What only a browser can tell of the pages of channels: contrast, overflow, and a form filled in by hand. */
import assert from "node:assert/strict";
import { createProject } from "@/lib/accounts/projects.ts";
import { listChannels } from "@/lib/alerts/channels/channels.ts";
import { insertDelivery } from "@/lib/alerts/deliveries/deliveries.ts";
import { addChannel } from "@/lib/alerts/channels/settings.ts";
import { CHROMIUM, openBrowser } from "../../support/chromium.ts";
import { notice } from "../../support/notices.ts";
import { complaintsOf, faultsOf, signIn, SIZES } from "../../support/seen_in_chromium.ts";
import { type Acme, acme } from "../../support/ui_app.ts";

/** Playwright keeps its own child process and pipes beyond the end of a test. */
const inBrowser = { ignore: CHROMIUM === null, sanitizeOps: false, sanitizeResources: false };

/** A project with a channel that has deliveries of every state; its channels' page. */
async function fill({ organization, services }: Acme): Promise<string> {
  const { kv, sql } = services;
  const { id: projectId } = await createProject(kv, {
    organizationId: organization.id,
    name: "Shop",
    platform: "node",
  });
  const input = { name: `مشروع ${"long ".repeat(11)}`, url: "https://ops.example.com/hook" };
  const { channel: { channelId } } = await addChannel(services, projectId, "webhook", input, "");
  for (const state of ["sent", "failed", "waiting"] as const) {
    const title = `p95 of GET /${"checkout".repeat(20)} is 1.32 s 💳`;
    const answer = { status: 503, text: `<html>${"unavailable".repeat(30)}</html>` };
    await insertDelivery(sql, {
      projectId,
      channelId,
      noticeId: crypto.randomUUID(),
      notice: notice({ projectId, title }),
    }, { state, attempts: 1, answer, at: new Date(Date.now() + 3_600_000) });
  }
  return `/projects/${projectId}/settings/channels`;
}

Deno.test(
  "pages of channels fit a light desk and a dark phone without serious axe findings",
  inBrowser,
  async () => {
    await using app = await acme();
    const list = await fill(app);
    const [channel] = await listChannels(app.services.sql, "1");
    await using server = Deno.serve(
      { port: 0, hostname: "127.0.0.1", onListen() {} },
      app.handle,
    );
    await using browser = await openBrowser();
    const paths = [
      list,
      `${list}/${channel?.channelId}`,
      `${list}/new`,
      `${list}/new?type=email`,
      `${list}/new?type=telegram`,
    ];
    for (const [index, viewport] of SIZES.entries()) {
      const baseURL = `http://127.0.0.1:${server.addr.port}`;
      const colorScheme = index === 0 ? "light" : "dark";
      const context = await browser.newContext({ baseURL, viewport, colorScheme });
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

Deno.test("a channel is made, tried and deleted by hand, without script", inBrowser, async () => {
  await using app = await acme();
  const list = await fill(app);
  await using server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    app.handle,
  );
  await using browser = await openBrowser();
  const baseURL = `http://127.0.0.1:${server.addr.port}`;
  const page = await (await browser.newContext({ baseURL, javaScriptEnabled: false })).newPage();
  await signIn(page);
  await page.goto(list);
  await page.click("text=New channel");
  await page.click("text=Mail to one or more addresses");
  await page.fill("[name=name]", "On call");
  await page.fill("[name=addresses]", "oncall@example.com");
  await page.click("text=Create channel");
  await page.waitForSelector("text=On call is created.");
  await page.click("text=Send test");
  await page.waitForSelector("text=has not set SMTP_HOST");
  await page.click("summary:has-text('Delete channel')");
  await page.fill("[name=confirm]", "On call");
  await page.click("button:has-text('Delete channel')");
  await page.waitForSelector("text=On call is deleted.");
});
