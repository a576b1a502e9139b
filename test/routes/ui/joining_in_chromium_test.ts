/** The pages by which people and programs get in, as a browser shows them. */
import assert from "node:assert/strict";
import { createTeam } from "@/lib/accounts/teams.ts";
import { proposeInvite } from "@/lib/accounts/join_requests.ts";
import { enableScim } from "@/lib/accounts/scim_token.ts";
import { CHROMIUM, openBrowser } from "../../support/chromium.ts";
import { listeningApp } from "../../support/listening_app.ts";
import { faultsOf, signIn, SIZES } from "../../support/seen_in_chromium.ts";

const PATH = "/organizations/acme/settings";
/** Where pictures go, for whoever wants to look. */
const PICTURES = Deno.env.get("TEST_PICTURES");

Deno.test({
  name:
    "the pages of members, tokens and joining are whole at a desk and on a phone, in both languages",
  ignore: CHROMIUM === null,
  async fn() {
    await using app = await listeningApp(true);
    const { kv } = app.services;
    const { id } = app.organization;
    await createTeam(kv, { organizationId: id, name: "Checkout" });
    const { user } = await app.member("member");
    const by = { role: "member", userId: user.id } as const;
    await proposeInvite(kv, by, id, { email: "proposed@example.com", role: "member" });
    await enableScim(kv, id, { role: "member", createdBy: "Olga Owner" });
    await app.owner.post(PATH, { action: "invite", email: "waiting@example.com", role: "admin" });
    const invited = await app.owner.post(PATH, {
      action: "invite",
      email: `${"long".repeat(14)}@example.com`,
      role: "member",
    });
    const link = /id="invite-link"[^>]*>([^<]+)</.exec(invited.html)?.[1] ?? "";
    await app.owner.post(`${PATH}/tokens`, {
      action: "create",
      name: "Release script of the shop",
      scopes: "project:read",
      networks: "10.0.0.0/8",
    });
    await using browser = await openBrowser();
    for (const locale of ["en", "ru"]) {
      for (const viewport of SIZES) {
        await using context = await browser.newContext({ baseURL: app.url, viewport, locale });
        const page = await context.newPage();
        const look = async (path: string, name: string) => {
          await page.goto(path);
          assert.deepEqual(await faultsOf(page), [], `${name} ${locale} ${viewport.width}`);
          if (PICTURES === undefined) return;
          const file = `${PICTURES}/${name}-${locale}-${viewport.width}.png`;
          await page.screenshot({ path: file, fullPage: true });
        };
        await look(link, "invited");
        await look("/join", "join");
        await signIn(page);
        await look(PATH, "members");
        await look(`${PATH}/tokens`, "tokens");
        await look(`${PATH}/joining`, "joining");
        await look("/join", "join-signed-in");
      }
    }
  },
});
