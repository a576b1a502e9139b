/** What only a browser can tell of the pages of uptime monitors: looks, both widths, both themes. */
import assert from "node:assert/strict";
import { createProject } from "@/lib/accounts/projects.ts";
import { CHROMIUM, openBrowser } from "../../support/chromium.ts";
import { complaintsOf, faultsOf, signIn, SIZES } from "../../support/seen_in_chromium.ts";
import { storedDomain, storedMonitor } from "../../support/stored_monitors.ts";
import { DOWN } from "../../support/uptime_world.ts";
import { acme } from "../../support/ui_app.ts";

/** Playwright keeps its own child process and pipes beyond the end of a test. */
const inBrowser = { ignore: CHROMIUM === null, sanitizeOps: false, sanitizeResources: false };
/** Where pictures go, for whoever wants to look. */
const PICTURES = Deno.env.get("UPTIME_PICTURES") ?? null;

const CERTIFICATE = {
  subject: "shop.example.com",
  issuer: "Test Authority",
  names: ["shop.example.com", "www.shop.example.com"],
  validFrom: new Date("2026-09-01T00:00:00Z"),
  validTo: new Date("2026-12-05T00:00:00Z"),
  daysLeft: 11,
  fingerprint: Array(32).fill("AB").join(":"),
  protocol: "TLSv1.3",
  problem: null,
};

Deno.test({
  ...inBrowser,
  name:
    "the pages of monitors fit a desk and a phone, in light and dark, with long and hostile names",
  async fn() {
    await using app = await acme();
    const organizationId = app.organization.id;
    const { id } = await createProject(app.services.kv, {
      organizationId,
      name: "Shop",
      platform: "node",
    });
    const up = { certificate: CERTIFICATE };
    const { monitorId, incidentId } = await storedMonitor(app.services, id, {
      name: "Front page",
      windows: [{
        kind: "weekly",
        days: [0],
        fromMinute: 120,
        toMinute: 180,
        timeZone: "Europe/Berlin",
        note: "Backup",
      }],
    }, [
      ...Array(20).fill(up),
      { ...DOWN, headers: { server: "nginx" }, body: `<h1>${"broken ".repeat(60)}</h1>` },
      DOWN,
      ...Array(8).fill(up),
    ]);
    await storedMonitor(app.services, id, { name: "خطأ في الدفع 💳 <b>".repeat(5) }, [DOWN]);
    await storedMonitor(app.services, id, {
      name: "A-name-without-any-blank-".repeat(4),
      target: { url: `https://shop.example.com/${"a-long-path/".repeat(15)}` },
    }, [{ state: "degraded", problem: { kind: "slow", sentence: "It took 3 s." } }]);
    await storedMonitor(app.services, id, { name: "Paused", isPaused: true }, []);
    await storedDomain(app.services, id, "example.com", 29);
    const base = `/projects/${id}/monitors`;
    const paths = {
      list: base,
      form: `${base}/new`,
      dns: `${base}/new?kind=dns`,
      edit: `${base}/${monitorId}/edit`,
      monitor: `${base}/${monitorId}?range=1h`,
      incident: `${base}/${monitorId}/incidents/${incidentId}`,
    };
    const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, app.handle);
    await using browser = await openBrowser();
    const baseURL = `http://127.0.0.1:${server.addr.port}`;
    const faults: string[] = [];
    for (const colorScheme of ["light", "dark"] as const) {
      const context = await browser.newContext({ baseURL, colorScheme });
      const page = await context.newPage();
      const complaints = complaintsOf(page);
      await signIn(page);
      for (const viewport of SIZES) {
        await page.setViewportSize(viewport);
        for (const [name, path] of Object.entries(paths)) {
          await page.goto(path);
          const where = `${name} ${viewport.width} ${colorScheme}`;
          faults.push(...(await faultsOf(page)).map((fault) => `${where}: ${fault}`));
          if (PICTURES !== null) {
            await page.screenshot({
              path: `${PICTURES}/${where.replaceAll(" ", "-")}.png`,
              fullPage: true,
            });
          }
        }
      }
      faults.push(...complaints);
      await context.close();
    }
    await server.shutdown();
    assert.deepEqual(faults, []);
  },
});
