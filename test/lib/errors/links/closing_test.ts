import assert from "node:assert/strict";
import { startClosing } from "@/lib/errors/links/closing.ts";
import { linksOfIssue } from "@/lib/errors/links/issue_links.ts";
import { attachRemote } from "@/lib/errors/links/link_actions.ts";
import { setIssueStatus } from "@/test/support/issue_status.ts";
import { linkedShop } from "../../../support/linked_shop.ts";
import { githubServer } from "../../../support/tracker_servers.ts";

async function world(closes: boolean) {
  const app = await linkedShop();
  const server = githubServer();
  server.issues.set("7", { title: "Prices", isOpen: true, body: "" });
  await app.connect("github", {
    url: server.origin,
    project: "acme/shop",
    token: "ghp_right",
    closes: closes ? "on" : "",
  });
  const { projectId, issueId } = app;
  await attachRemote(app.tools, { projectId, issueId, by: "", userId: null }, "#7");
  const closing = startClosing({ ...app.services, pollMs: null });
  const { sql } = app.services;
  return {
    app,
    server,
    sql,
    closing,
    resolve: () =>
      setIssueStatus(sql, projectId, [issueId], "resolved", new Date(Date.now() + 1_000)),
    link: async () => (await linksOfIssue(sql, projectId, issueId))[0],
    async [Symbol.asyncDispose]() {
      await closing.close();
      await server[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
    },
  };
}

Deno.test("what is resolved here is closed there, where the connection says so", async () => {
  await using tried = await world(true);
  const { closing, resolve, server, link } = tried;
  await closing.run();
  assert.equal(server.issues.get("7")?.isOpen, true);
  await resolve();
  await closing.run();
  assert.equal(server.issues.get("7")?.isOpen, false);
  assert.equal((await link())?.state, "closed");
  const requests = server.asked.length;
  await closing.run();
  assert.equal(server.asked.length, requests);
});

Deno.test("nothing is closed there where the connection does not say so", async () => {
  await using tried = await world(false);
  const { closing, resolve, server } = tried;
  await resolve();
  await closing.run();
  assert.equal(server.issues.get("7")?.isOpen, true);
});

Deno.test("a tracker that is away is asked again later, and no sooner", async () => {
  await using tried = await world(true);
  const { closing, resolve, server, link, sql } = tried;
  server.breakWith(() => new Response("", { status: 502 }));
  await resolve();
  await closing.run();
  const requests = server.asked.length;
  await closing.run();
  assert.equal(server.asked.length, requests);
  assert.match((await link())?.closeError ?? "", /responded with 502/);

  server.breakWith(null);
  await sql`update issue_links set due_at = now()`;
  await closing.run();
  assert.equal((await link())?.state, "closed");
  assert.equal((await link())?.closeError, "");
});

Deno.test("a token that may not close is told on the link, and not tried again until the next resolution", async () => {
  await using tried = await world(true);
  const { closing, resolve, server, link, sql, app } = tried;
  server.breakWith(() => Response.json({ message: "Must have write access" }, { status: 403 }));
  await resolve();
  await closing.run();
  await sql`update issue_links set due_at = now()`;
  const requests = server.asked.length;
  await closing.run();
  assert.equal(server.asked.length, requests);
  assert.match((await link())?.closeError ?? "", /may not do this/);

  server.breakWith(null);
  await setIssueStatus(sql, app.projectId, [app.issueId], "unresolved");
  await setIssueStatus(sql, app.projectId, [app.issueId], "resolved", new Date(Date.now() + 5_000));
  await closing.run();
  assert.equal(server.issues.get("7")?.isOpen, false);
});

Deno.test("two processes close an issue once", async () => {
  await using tried = await world(true);
  const { closing, resolve, server, app } = tried;
  await using other = startClosingOf(app);
  await resolve();
  await Promise.all([closing.run(), other.run()]);
  assert.equal(server.asked.filter(({ method }) => method === "PATCH").length, 1);
});

function startClosingOf(app: Awaited<ReturnType<typeof world>>["app"]) {
  const started = startClosing({ ...app.services, pollMs: null });
  return { run: started.run, [Symbol.asyncDispose]: () => started.close() };
}
