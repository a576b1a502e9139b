import assert from "node:assert/strict";
import { InvalidInput } from "@/lib/core/errors.ts";
import { TrackerFailure } from "@/lib/errors/links/ask.ts";
import type { ConnectionInput } from "@/lib/errors/links/connections.ts";
import { linksOfIssue } from "@/lib/errors/links/issue_links.ts";
import {
  askTracker,
  attachRemote,
  createRemote,
  testConnection,
  unlink,
} from "@/lib/errors/links/link_actions.ts";
import type { TrackerType } from "@/lib/errors/links/tracker_types.ts";
import { type LinkedShop, linkedShop } from "../../../support/linked_shop.ts";
import {
  giteaServer,
  githubServer,
  gitlabServer,
  jiraServer,
  type TrackerServer,
  youtrackServer,
} from "../../../support/tracker_servers.ts";

interface Tried {
  readonly type: TrackerType;
  readonly server: () => TrackerServer;
  readonly input: ConnectionInput;
  readonly key: string;
  readonly page: string;
}

const TRACKERS: readonly Tried[] = [
  {
    type: "github",
    server: githubServer,
    input: { project: "acme/shop", token: "ghp_right" },
    key: "acme/shop#1",
    page: "/acme/shop/issues/1",
  },
  {
    type: "gitea",
    server: giteaServer,
    input: { project: "acme/shop", token: "gitea-right" },
    key: "acme/shop#1",
    page: "/acme/shop/issues/1",
  },
  {
    type: "gitlab",
    server: gitlabServer,
    input: { project: "acme/web/shop", token: "glpat-right" },
    key: "acme/web/shop#1",
    page: "/acme/web/shop/-/issues/1",
  },
  {
    type: "jira",
    server: () => jiraServer(`Basic ${btoa("ann@example.com:jira-right")}`),
    input: { project: "OPS", issueType: "Bug", user: "ann@example.com", token: "jira-right" },
    key: "OPS-1",
    page: "/browse/OPS-1",
  },
  {
    type: "youtrack",
    server: youtrackServer,
    input: { project: "OPS", closing: "State Fixed", token: "perm:right" },
    key: "OPS-1",
    page: "/issue/OPS-1",
  },
];

const draft = { title: "Prices", body: "It breaks", labels: ["bug"], assignee: "" };

function linkingOf({ projectId, issueId }: LinkedShop) {
  return { projectId, issueId, by: "olga@example.com", userId: null };
}

for (const { type, server: serve, input, key, page } of TRACKERS) {
  Deno.test(`an issue is made in ${type}, linked, read again by its address, and closed there`, async () => {
    await using app = await linkedShop();
    await using server = serve();
    const { connection } = await app.connect(type, { url: server.origin, ...input });
    assert.match(await testConnection(app.tools, connection), /The token sees/);
    const linking = linkingOf(app);

    const made = await createRemote(app.tools, linking, connection.connectionId, draft, "1");

    assert.equal(made.key, key);
    assert.equal(made.url, server.origin + page);
    const [issue] = server.issues.values();
    assert.equal(issue?.title, "Prices");
    assert.equal(issue?.body, "It breaks");
    const [link] = await linksOfIssue(app.services.sql, app.projectId, app.issueId);
    assert.equal(link?.state, "open");
    assert.equal(link?.title, "Prices");

    assert.equal(await unlink(app.services.sql, linking, made.id), true);
    await askTracker(
      app.tools,
      connection,
      (api, ask, settings) =>
        api.close(
          ask,
          settings,
          /\d+$/.exec(key)?.[0] && type !== "jira" && type !== "youtrack" ? "1" : key,
        ),
    );
    assert.equal(issue?.isOpen, false);
    const again = await attachRemote(app.tools, linking, server.origin + page);
    assert.equal(again.key, key);
    const [closed] = await linksOfIssue(app.services.sql, app.projectId, app.issueId);
    assert.equal(closed?.state, "closed");
  });

  Deno.test(`${type} that does not know the token is told in words, without the token`, async () => {
    await using app = await linkedShop();
    await using server = serve();
    const wrong = { url: server.origin, ...input, token: "wrong-token-1" };
    const { connection } = await app.connect(type, wrong);
    await assert.rejects(testConnection(app.tools, connection), (error) => {
      assert.ok(error instanceof TrackerFailure);
      assert.match(error.message, /does not accept the token/);
      assert.doesNotMatch(error.message, /wrong-token-1/);
      return true;
    });
    const rows = await app.services.sql`select last_error as error from tracker_connections`;
    assert.match(String(rows[0]?.error), /does not accept the token/);
  });
}

Deno.test("the same form sent twice makes one issue", async () => {
  await using app = await linkedShop();
  await using server = githubServer();
  const input = { url: server.origin, project: "acme/shop", token: "ghp_right" };
  const { connection } = await app.connect("github", input);
  const send = () =>
    createRemote(app.tools, linkingOf(app), connection.connectionId, draft, "form-1");
  const results = await Promise.allSettled([send(), send()]);
  assert.equal(results.filter(({ status }) => status === "fulfilled").length, 1);
  assert.equal(server.issues.size, 1);
});

Deno.test("a form that the tracker refused can be sent again", async () => {
  await using app = await linkedShop();
  await using server = githubServer();
  const input = { url: server.origin, project: "acme/shop", token: "ghp_right" };
  const { connection } = await app.connect("github", input);
  const send = () =>
    createRemote(app.tools, linkingOf(app), connection.connectionId, draft, "form-1");
  server.breakWith(() => Response.json({ message: "Validation Failed" }, { status: 422 }));
  await assert.rejects(send(), /It said: Validation Failed/);
  server.breakWith(null);
  assert.equal((await send()).key, "acme/shop#1");
});

Deno.test("an issue is linked by its key, once, and what the tracker does not have is not", async () => {
  await using app = await linkedShop();
  await using server = githubServer();
  server.issues.set("7", { title: "Known", isOpen: true, body: "" });
  await app.connect("github", { url: server.origin, project: "acme/shop", token: "ghp_right" });
  const linking = linkingOf(app);
  assert.equal((await attachRemote(app.tools, linking, "#7")).key, "acme/shop#7");
  await assert.rejects(attachRemote(app.tools, linking, "acme/shop#7"), /linked already/);
  await assert.rejects(attachRemote(app.tools, linking, "#8"), /no such project or issue/);
});

Deno.test("any web address can be linked without a tracker, and nothing else", async () => {
  await using app = await linkedShop();
  const linking = linkingOf(app);
  const made = await attachRemote(app.tools, linking, "https://linear.app/acme/issue/ENG-1/slow");
  assert.equal(made.key, "linear.app/acme/issue/ENG-1/slow");
  for (
    const text of [
      "javascript:alert(1)",
      "ftp://example.com/1",
      "https://me:pw@example.com/1",
      "ENG-1",
      "",
    ]
  ) {
    await assert.rejects(attachRemote(app.tools, linking, text), InvalidInput, text);
  }
});

Deno.test("a link is an activity of the issue, and search finds it by its table", async () => {
  await using app = await linkedShop();
  await attachRemote(app.tools, linkingOf(app), "https://example.com/bugs/1");
  const [activity] = await app.services.sql`select type, data from issue_activity`;
  assert.equal(activity?.type, "create_issue");
  assert.deepEqual(activity?.data, {
    title: "example.com/bugs/1",
    provider: "Link",
    location: "https://example.com/bugs/1",
    label: "example.com/bugs/1",
    new: false,
  });
});

Deno.test("links of another project cannot be removed", async () => {
  await using app = await linkedShop();
  const linking = linkingOf(app);
  const { id } = await attachRemote(app.tools, linking, "https://example.com/bugs/1");
  const { sql } = app.services;
  assert.equal(await unlink(sql, { ...linking, projectId: "999" }, id), false);
  assert.equal(await unlink(sql, { ...linking, issueId: "999" }, id), false);
  assert.equal(await unlink(sql, linking, id), true);
});
