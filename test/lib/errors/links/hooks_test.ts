import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { attachRemote } from "@/lib/errors/links/link_actions.ts";
import { type LinkedShop, linkedShop } from "../../../support/linked_shop.ts";
import type { TrackerType } from "@/lib/errors/links/tracker_types.ts";
import type { ConnectionInput } from "@/lib/errors/links/connections.ts";
import { takeHook } from "@/lib/errors/links/hooks.ts";
import { FIELD_VALUES } from "../../../support/hostile_values.ts";
import { changedAnywhere } from "../../../support/sample_body.ts";
import { recordCommits } from "@/lib/server/pushed_commits.ts";
import type { HeardCommit } from "@/lib/errors/links/tracker.ts";

type State = "open" | "closed";

interface Told {
  readonly type: TrackerType;
  readonly input: ConnectionInput;
  readonly page: string;
  /** What the tracker sends when the issue has that state now. */
  readonly body: (state: State, at: string) => unknown;
  readonly headers: (body: string, secret: string) => Record<string, string>;
  readonly query?: (secret: string) => string;
}

const hmac = (body: string, secret: string) =>
  createHmac("sha256", secret).update(body).digest("hex");

const forgeBody = (state: State, at: string) => ({
  action: state === "closed" ? "closed" : "reopened",
  issue: { number: 7, title: "Prices", state, updated_at: at },
  repository: { full_name: "acme/shop", default_branch: "main" },
});

const TRACKERS: readonly Told[] = [
  {
    type: "github",
    input: { url: "https://github.com", project: "acme/shop" },
    page: "https://github.com/acme/shop/issues/7",
    body: forgeBody,
    headers: (body, secret) => ({
      "x-github-event": "issues",
      "x-github-delivery": crypto.randomUUID(),
      "x-hub-signature-256": `sha256=${hmac(body, secret)}`,
    }),
  },
  {
    type: "gitea",
    input: { url: "https://codeberg.org", project: "acme/shop" },
    page: "https://codeberg.org/acme/shop/issues/7",
    body: forgeBody,
    headers: (body, secret) => ({
      "x-gitea-event": "issues",
      "x-gitea-delivery": crypto.randomUUID(),
      "x-gitea-signature": hmac(body, secret),
    }),
  },
  {
    type: "gitlab",
    input: { url: "https://gitlab.com", project: "acme/web/shop" },
    page: "https://gitlab.com/acme/web/shop/-/issues/7",
    // As its "Test" button sends it: without an action.
    body: (state, at) => ({
      object_kind: "issue",
      project: { path_with_namespace: "acme/web/shop", default_branch: "main" },
      object_attributes: {
        iid: 7,
        title: "Prices",
        state: state === "open" ? "opened" : "closed",
        updated_at: at.replace("T", " ").replace("Z", " UTC"),
      },
    }),
    headers: (_body, secret) => ({
      "x-gitlab-event": "Issue Hook",
      "x-gitlab-token": secret,
      "idempotency-key": crypto.randomUUID(),
    }),
  },
  {
    type: "jira",
    input: { url: "https://acme.atlassian.net", project: "OPS", issueType: "Bug" },
    page: "https://acme.atlassian.net/browse/OPS-7",
    body: (state, at) => ({
      timestamp: Date.parse(at),
      webhookEvent: "jira:issue_updated",
      issue: {
        key: "OPS-7",
        fields: {
          summary: "Prices",
          status: { statusCategory: { key: state === "closed" ? "done" : "new" } },
        },
      },
    }),
    headers: () => ({}),
    query: (secret) => `?secret=${secret}`,
  },
  {
    type: "youtrack",
    input: { url: "https://acme.youtrack.cloud", project: "OPS", closing: "State Fixed" },
    page: "https://acme.youtrack.cloud/issue/OPS-7",
    body: (state, at) => ({ issue: "OPS-7", title: "Prices", state, at: Date.parse(at) }),
    headers: (_body, secret) => ({ "x-watchpost-token": secret }),
  },
  {
    type: "custom",
    input: {
      formUrl: "https://bugs.example.com/new?t={title}",
      issueUrl: "https://bugs.example.com/{key}",
    },
    page: "https://bugs.example.com/B-7",
    body: (state) => ({ issue: "B-7", state }),
    headers: (_body, secret) => ({ "x-watchpost-token": secret }),
  },
];

interface Sent {
  readonly status: number;
  readonly detail: string;
}

/** The webhook of a connection to one tracker, of which an open issue is linked. */
async function hooked(told: Told) {
  const app = await linkedShop();
  const { connection, hookSecret } = await app.connect(told.type, told.input);
  const secret = hookSecret ?? "";
  await attachRemote(app.tools, linkingOf(app), told.page);
  await app.services.sql`update issue_links set state = 'open'`;
  const commits: HeardCommit[] = [];
  const deliver = async (
    text: string,
    headers: Record<string, string>,
    query = told.query?.(secret) ?? "",
    connectionId = connection.connectionId,
  ): Promise<Sent> => {
    const request = new Request(`http://localhost/hooks/x/y${query}`, {
      method: "POST",
      body: text,
      headers,
    });
    const address = { projectId: app.projectId, connectionId };
    return await takeHook(app.services, address, request, async (services, project, heard) => {
      commits.push(...heard);
      await recordCommits(services, project, heard);
    });
  };
  const send = (state: State, at: string) => {
    const text = JSON.stringify(told.body(state, at));
    return deliver(text, told.headers(text, secret));
  };
  return {
    app,
    secret,
    deliver,
    send,
    commits,
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

function linkingOf({ projectId, issueId }: LinkedShop) {
  return { projectId, issueId, by: "olga@example.com", userId: null };
}

for (const told of TRACKERS) {
  Deno.test(`what is closed in ${told.type} is resolved here, and opened again with it`, async () => {
    await using hook = await hooked(told);
    assert.equal((await hook.send("closed", "2026-11-23T10:00:00Z")).status, 200);
    assert.equal(await hook.app.status(), "resolved");
    assert.equal((await hook.send("open", "2026-11-23T11:00:00Z")).status, 200);
    assert.equal(await hook.app.status(), "unresolved");
  });

  Deno.test(`a request that ${told.type} has not signed changes nothing`, async () => {
    await using hook = await hooked(told);
    const text = JSON.stringify(told.body("closed", "2026-11-23T10:00:00Z"));
    const signed = told.headers(text, "whsec_wrong");
    const wrong = await hook.deliver(text, signed, told.query?.("whsec_wrong") ?? "");
    assert.equal(wrong.status, 401);
    const bare = Object.entries(signed).filter(([name]) => name.endsWith("event"));
    assert.equal((await hook.deliver(text, Object.fromEntries(bare), "")).status, 401);
    assert.equal(await hook.app.status(), "unresolved");
  });
}

const [github, gitea, gitlab] = TRACKERS as readonly [Told, Told, Told];

for (const told of TRACKERS) {
  Deno.test(`whatever one place of what ${told.type} tells says, it is answered in words`, async () => {
    await using hook = await hooked(told);
    for (const value of FIELD_VALUES) {
      for (const changed of changedAnywhere(told.body("closed", new Date().toISOString()), value)) {
        const text = JSON.stringify(changed);
        const { status } = await hook.deliver(text, told.headers(text, hook.secret));
        assert.equal(status, 200, text);
      }
    }
  });
}

Deno.test("whatever one place of a push says, it is answered in words", async () => {
  await using hook = await hooked(github);
  const body = {
    ref: "refs/heads/main",
    repository: { full_name: "acme/shop", default_branch: "main" },
    commits: [{
      id: "a".repeat(40),
      message: "fixes SHOP-1",
      timestamp: "2026-11-23T10:00:00+01:00",
      author: { name: "Ann", email: "ann@example.com" },
      added: ["src/new.ts"],
      modified: [],
      removed: [],
    }],
  };
  const values = [
    ...FIELD_VALUES,
    `fixes SHOP-1 ${"\u{1f600}".repeat(200)}`,
    `fixes SHOP-1${" ".repeat(187)}\u{1f600}`,
    `fixes SHOP-${"Z".repeat(30)}`,
  ];
  for (const value of values) {
    for (const [place, changed] of [...changedAnywhere(body, value)].entries()) {
      // Each of a commit that nobody has told of yet.
      const id = createHmac("sha1", String(place)).update(JSON.stringify([value])).digest("hex");
      const text = JSON.stringify(changed).replace("a".repeat(40), id);
      const headers = { ...github.headers(text, hook.secret), "x-github-event": "push" };
      const { status } = await hook.deliver(text, headers);
      assert.equal(status, 200, text);
    }
  }
});

Deno.test("a signature of one body does not let another pass", async () => {
  await using hook = await hooked(github);
  const signed = JSON.stringify(github.body("open", "2026-11-23T10:00:00Z"));
  const other = JSON.stringify(github.body("closed", "2026-11-23T10:00:00Z"));
  assert.equal((await hook.deliver(other, github.headers(signed, hook.secret))).status, 401);
});

Deno.test("a delivery is taken once, also under another name", async () => {
  await using hook = await hooked(gitea);
  const text = JSON.stringify(gitea.body("closed", "2026-11-23T10:00:00Z"));
  const headers = gitea.headers(text, hook.secret);
  await hook.deliver(text, headers);
  await hook.app.services.sql`update issues set status = 'unresolved'`;
  await hook.app.services.sql`update issue_links set state = 'open', state_at = null`;
  for (const name of [headers["x-gitea-delivery"] ?? "", crypto.randomUUID()]) {
    const again = await hook.deliver(text, { ...headers, "x-gitea-delivery": name });
    assert.match(again.detail, /taken before/);
  }
  assert.equal(await hook.app.status(), "unresolved");
});

Deno.test("what comes late changes nothing", async () => {
  await using hook = await hooked(gitlab);
  await hook.send("closed", "2026-11-23T10:00:00Z");
  await hook.send("open", "2026-11-23T09:00:00Z");
  assert.equal(await hook.app.status(), "resolved");
});

Deno.test("a closed issue that is changed once more does not resolve what came back since", async () => {
  await using hook = await hooked(gitlab);
  await hook.send("closed", "2026-11-23T10:00:00Z");
  await hook.app.services.sql`update issues set status = 'unresolved'`;
  await hook.send("closed", "2026-11-23T11:00:00Z");
  assert.equal(await hook.app.status(), "unresolved");
});

Deno.test("what another repository tells is not for this connection", async () => {
  await using hook = await hooked(github);
  const body = {
    ...forgeBody("closed", "2026-11-23T10:00:00Z"),
    repository: { full_name: "acme/other" },
  };
  const text = JSON.stringify(body);
  const { detail } = await hook.deliver(text, github.headers(text, hook.secret));
  assert.match(detail, /nothing in it/);
  assert.equal(await hook.app.status(), "unresolved");
});

Deno.test("commits of a push to the default branch are handed on, others are not", async () => {
  await using hook = await hooked(github);
  const push = (ref: string) => {
    const text = JSON.stringify({
      ref,
      repository: { full_name: "acme/shop", default_branch: "main" },
      commits: [
        {
          id: "a".repeat(40),
          message: "Fix prices\n\nfixes SHOP-1",
          timestamp: "2026-11-23T10:00:00+01:00",
          author: { name: "Ann", email: "ann@example.com" },
          added: ["src/new.ts"],
          modified: ["src/cart.ts"],
          removed: [],
        },
        { id: "no commit", message: 1 },
        null,
      ],
    });
    const headers = { ...github.headers(text, hook.secret), "x-github-event": "push" };
    return hook.deliver(text, headers);
  };
  await push("refs/heads/feature");
  assert.deepEqual(hook.commits, []);
  await push("refs/heads/main");
  assert.deepEqual(hook.commits, [{
    id: "a".repeat(40),
    message: "Fix prices\n\nfixes SHOP-1",
    timestamp: new Date("2026-11-23T09:00:00Z"),
    author: { name: "Ann", email: "ann@example.com" },
    added: ["src/new.ts"],
    modified: ["src/cart.ts"],
    removed: [],
    repository: "acme/shop",
  }]);
});

Deno.test("nobody's webhook and garbage are answered in words", async () => {
  await using hook = await hooked(github);
  const none = await hook.deliver("{}", {}, "", crypto.randomUUID());
  assert.equal(none.status, 404);
  assert.equal((await hook.deliver("{}", {}, "", "../x")).status, 404);
  for (const text of ["", "{", "payload=%7B%7D", "\ud800"]) {
    const bytes = new TextDecoder().decode(new TextEncoder().encode(text));
    const { status } = await hook.deliver(bytes, github.headers(bytes, hook.secret));
    assert.equal(status, 400, text);
  }
  for (const text of ["null", "[]", "7", '{"issue":[]}', '{"repository":7}']) {
    const { status } = await hook.deliver(text, github.headers(text, hook.secret));
    assert.equal(status, 200, text);
  }
});
