/** What only a browser can tell of the public page: looks, both widths, both themes, its policy. */
import assert from "node:assert/strict";
import { DAY_MS, HOUR_MS } from "@/lib/core/time.ts";
import { addUpdate, createPost } from "@/lib/monitors/status/posts.ts";
import { refreshSnapshot } from "@/lib/monitors/status/snapshot.ts";
import { changePage } from "@/lib/monitors/status/status_page.ts";
import { addToSums } from "@/lib/monitors/uptime/sums.ts";
import { CHROMIUM, openBrowser } from "../support/chromium.ts";
import { complaintsOf, faultsOf, signIn, SIZES } from "../support/seen_in_chromium.ts";
import {
  INCIDENT,
  setState,
  type StatusSite,
  statusSite,
  uptimeMonitor,
} from "../support/status_site.ts";

/** Playwright keeps its own child process and pipes beyond the end of a test. */
const inBrowser = { ignore: CHROMIUM === null, sanitizeOps: false, sanitizeResources: false };
const SMTP = {
  host: "127.0.0.1",
  port: 1,
  security: "none",
  login: null,
  from: "status@example.com",
} as const;
const WRITING = { by: "olga@example.com", isTold: false };

/** Monitors in every state, ninety days, long and foreign names, incidents and maintenance. */
async function fill(site: StatusSite): Promise<void> {
  const { services, organization, project } = site;
  const entries = [site.entry];
  const names = [
    "خدمة الدفع 💳",
    "x".repeat(64),
    "Search",
    "A service with a rather long public name",
  ];
  const states = ["down", "degraded", "unknown", "up"];
  for (const [place, name] of names.entries()) {
    const monitor = await uptimeMonitor(services, project.id, `m${place}`);
    await setState(services, monitor, states[place] ?? "up");
    const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
    await services.sql.begin((tx) =>
      addToSums(
        tx,
        monitor,
        Array.from({ length: 80 }, (_, day) => ({
          kind: day % 17 === place
            ? "down" as const
            : day % 13 === 5
            ? "degraded" as const
            : "up" as const,
          start: new Date(today - (80 - day) * DAY_MS),
          end: new Date(today - (80 - day) * DAY_MS + (day % 17 === place ? HOUR_MS : DAY_MS)),
        })),
        null,
      )
    );
    entries.push({
      projectId: project.id,
      monitorId: monitor.monitorId,
      name,
      group: place < 2 ? "Shop" : "",
      badge: String(place).repeat(32),
    });
  }
  const page = await changePage(services.kv, organization.id, () => ({ entries }), "");
  assert.ok(page);
  await refreshSnapshot(services, page);
  const { postId } = await createPost(services.kv, organization.id, {
    ...INCIDENT,
    entries: [`${site.entry.projectId}/${site.entry.monitorId}`],
    text: "Some payments fail.\nWe are looking into it, together with the bank.",
  }, WRITING);
  await addUpdate(services.kv, organization.id, postId, {
    state: "identified",
    text: "y".repeat(300),
  }, WRITING);
  await createPost(services.kv, organization.id, {
    ...INCIDENT,
    kind: "maintenance",
    title: "New machines",
    state: "planned",
    times: { startsAt: new Date(Date.now() + DAY_MS), endsAt: new Date(Date.now() + 2 * DAY_MS) },
  }, WRITING);
  await createPost(services.kv, organization.id, {
    ...INCIDENT,
    title: "An old one",
    state: "resolved",
  }, WRITING);
}

Deno.test({
  name: "the status page and its settings can be read in both widths and themes, by everybody",
  ...inBrowser,
  async fn() {
    await using site = await statusSite({
      about: "What works, and what we are doing about the rest.",
      headColour: "#ffe680",
      linkColour: "#ffcc00",
    }, { smtp: SMTP });
    await fill(site);
    const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, site.handle);
    await using _server = { [Symbol.asyncDispose]: () => server.shutdown() };
    await using browser = await openBrowser();
    const baseURL = `http://127.0.0.1:${server.addr.port}`;
    const shots = Deno.env.get("STATUS_SHOTS");
    for (const colorScheme of ["light", "dark"] as const) {
      for (const viewport of SIZES) {
        const context = await browser.newContext({
          baseURL,
          colorScheme,
          viewport,
          bypassCSP: false,
        });
        const page = await context.newPage();
        const complaints = complaintsOf(page);
        await page.goto("/status/acme");
        const background = await page.evaluate("getComputedStyle(document.body).backgroundColor");
        assert.equal(
          background,
          colorScheme === "light" ? "rgb(255, 255, 255)" : "rgb(20, 23, 28)",
        );
        if (shots) {
          await page.screenshot({
            path: `${shots}/public-${colorScheme}-${viewport.width}.png`,
            fullPage: true,
          });
        }
        assert.deepEqual(complaints, []);
        assert.deepEqual(await faultsOf(page), [], `${colorScheme} ${viewport.width}`);

        await signIn(page);
        for (const path of ["", "/posts/new?kind=incident", "/posts/new?kind=maintenance"]) {
          await page.goto(`/organizations/acme/settings/status-page${path}`);
          if (shots) {
            await page.screenshot({
              path: `${shots}/settings${
                path.replaceAll(/\W/g, "")
              }-${colorScheme}-${viewport.width}.png`,
              fullPage: true,
            });
          }
          assert.deepEqual(await faultsOf(page), [], `${path} ${colorScheme} ${viewport.width}`);
        }
        await context.close();
      }
    }
  },
});

Deno.test({
  name: "a browser reads the feed and the badges as XML, whatever people write",
  ...inBrowser,
  async fn() {
    const hostile = `<b>&amp;"']]>--><![CDATA[\u0001\ufffe 💳`;
    await using site = await statusSite({ title: hostile });
    const { kv } = site.services;
    await changePage(kv, site.organization.id, () => ({
      entries: [{ ...site.entry, name: hostile }],
    }), "");
    await createPost(
      kv,
      site.organization.id,
      { ...INCIDENT, title: hostile, text: hostile },
      WRITING,
    );
    await using browser = await openBrowser();
    const page = await browser.newPage();
    for (const path of ["feed.xml", "badge.svg", `badges/${site.entry.badge}.svg`]) {
      const text = await (await site.ask(`/status/acme/${path}`)).text();
      const found = await page.evaluate((xml) => {
        const document = new DOMParser().parseFromString(xml, "application/xml");
        return document.querySelector("parsererror")?.textContent ??
          document.documentElement.nodeName;
      }, text);
      assert.equal(found, path === "feed.xml" ? "rss" : "svg", text);
    }
  },
});
