import assert from "node:assert/strict";
import { setAuditWebhook } from "@/lib/audit/webhook.ts";
import { askForJob } from "@/lib/end_users/jobs.ts";
import { updateOrganization } from "@/lib/accounts/organizations.ts";
import { updateProject, updateSettings } from "@/lib/accounts/projects.ts";
import { inScope } from "@/lib/core/request_scope.ts";
import { CHROMIUM, openBrowser } from "../../support/chromium.ts";
import { listeningApp } from "../../support/listening_app.ts";
import { complaintsOf, faultsOf, signIn, SIZES } from "../../support/seen_in_chromium.ts";

const SETTINGS = "/organizations/acme/settings";
const ASKER = {
  kind: "user" as const,
  id: "1",
  label: "a.very.long.address.of.somebody@department.example.com",
  address: "2001:db8:85a3::8a2e:370:7334",
  userAgent: "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141",
  requestId: "r",
};

Deno.test({
  name:
    "pages of the audit log and of people's data fit a desk and a phone, in both languages, without serious findings",
  ignore: CHROMIUM === null,
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    await using app = await listeningApp();
    const { services, organization, projectId } = app;
    const { kv } = services;
    await inScope({ language: "en", timeZone: "UTC", asker: ASKER }, async () => {
      const config = { ...services.config, allowPrivateWebhooks: true };
      await setAuditWebhook(
        { ...services, config },
        organization,
        "http://127.0.0.1:9/a/long/path",
      );
      await updateProject(kv, projectId, { name: "Shop ".repeat(12).trim() });
      await updateSettings(kv, projectId, {
        resolveAfterDays: 30,
        retention: { logs: 7 },
        sampleRate: 0.5,
        apdexMs: 200,
      });
      await updateOrganization(kv, organization.id, { settings: { keepsAddresses: true } });
      await askForJob(services, organization.id, "erase", { kind: "id", value: "7" }, ASKER.label);
    });
    await using browser = await openBrowser();
    const shots = Deno.env.get("TEST_SCREENSHOTS");
    for (const viewport of SIZES) {
      for (const locale of ["en", "ru"]) {
        const context = await browser.newContext({ baseURL: app.url, viewport, locale });
        const page = await context.newPage();
        const complaints = complaintsOf(page);
        await signIn(page);
        const seen = async (name: string) => {
          if (shots) {
            await page.screenshot({
              path: `${shots}/${name}-${locale}-${viewport.width}.png`,
              fullPage: true,
            });
          }
          assert.deepEqual(await faultsOf(page), [], `${name} ${locale} ${viewport.width}`);
        };
        for (
          const [name, path] of [
            ["audit", `${SETTINGS}/audit`],
            ["none", `${SETTINGS}/audit?actor=nobody`],
            ["instance", "/instance/audit"],
            ["data", `${SETTINGS}/data`],
            ["retention", `/projects/${projectId}/settings/retention`],
          ] as const
        ) {
          await page.goto(path);
          await seen(name);
        }
        await page.goto(`${SETTINGS}/end-users`);
        await page.fill("[name=value]", "ann@example.com");
        await page.click("main form button");
        await page.waitForSelector("#found");
        await seen("end-users");
        assert.deepEqual(complaints, []);
        await context.close();
      }
    }
  },
});
