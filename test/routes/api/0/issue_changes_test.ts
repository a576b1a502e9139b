/** Changing issues by the API, alone and many at once. */
import assert from "node:assert/strict";
import { createTeam } from "@/lib/accounts/teams.ts";
import { errorEvent } from "@/test/support/error_event.ts";
import { type ActorName, type TestApi, testApi } from "@/test/support/api_people.ts";

interface IssueAnswer {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly substatus: string | null;
  readonly statusDetails: Readonly<Record<string, unknown>>;
  readonly priority: string;
  readonly priorityLockedAt: string | null;
  readonly assignedTo: { type: string; id: string; name: string; email?: string } | null;
  readonly isBookmarked: boolean;
  readonly isSubscribed: boolean;
  readonly subscriptionDetails: { reason: string } | null;
  readonly hasSeen: boolean;
  readonly inbox: { reason: number } | null;
  readonly isPublic: boolean;
  readonly shareId: string | null;
  readonly activity: readonly { type: string; data: unknown; user: { id: string } | null }[];
}

const LIST = "/organizations/acme/issues/";

/** Events of one group each, of the release `shop@1.0`. */
async function withIssues(api: TestApi, ...groups: readonly string[]): Promise<string[]> {
  await api.services.writer.commit(api.project.id, {
    records: groups.map((group) => errorEvent({ group })),
    outcomes: [],
  });
  const { body } = await api.call<IssueAnswer[]>("owner", `${LIST}?query=`);
  return groups.map((group) => body.find(({ title }) => title === `Error: ${group}`)?.id ?? "");
}

function put<T = IssueAnswer>(
  api: TestApi,
  path: string,
  body: unknown,
  actor: ActorName = "member",
) {
  return api.call<T>(actor, path, { method: "PUT", body });
}

function read(api: TestApi, id: string | undefined, actor: ActorName = "member") {
  return api.call<IssueAnswer>(actor, `/issues/${id}/`).then(({ body }) => body);
}

Deno.test("an issue is resolved in the next release, in one, in the latest and in a commit, however it is said", async () => {
  await using api = await testApi();
  const [id] = await withIssues(api, "alpha");
  const path = `/issues/${id}/`;
  const next = { inNextRelease: true };
  for (
    const [body, details] of [
      [{ status: "resolved", statusDetails: next }, next],
      [{ status: "resolved", ...next }, next],
      [{ status: "resolvedInNextRelease" }, next],
      [{ status: "resolved", statusDetails: { inRelease: "latest" } }, { inRelease: "shop@1.0" }],
      [{ status: "resolved", inRelease: "shop@1.0" }, { inRelease: "shop@1.0" }],
      [
        { status: "resolved", statusDetails: { inCommit: { commit: "abc1", repository: "a/b" } } },
        { inCommit: { id: "abc1", commit: "abc1", repository: { name: "a/b" } } },
      ],
      [{ status: "resolved" }, {}],
    ] as const
  ) {
    await put(api, path, { status: "unresolved" });
    const { status, body: issue } = await put(api, path, body);
    assert.equal(status, 200, JSON.stringify(issue));
    const { actor, ...told } = issue.statusDetails;
    assert.deepEqual(told, details);
    assert.equal(
      (actor as { email: string } | undefined)?.email,
      Object.keys(details).length > 0 ? "member@example.com" : undefined,
    );
    assert.deepEqual([issue.status, issue.substatus], ["resolved", null]);
  }
});

Deno.test("a commit that a release has already resolves an issue in the newest such release", async () => {
  await using api = await testApi();
  const [id] = await withIssues(api, "alpha");
  for (const version of ["shop@1.1", "shop@1.2"]) {
    await api.call("owner", "/organizations/acme/releases/", {
      method: "POST",
      body: { version, projects: ["acme-shop"], commits: [{ id: "abc1", repository: "a/b" }] },
    });
  }
  const inCommit = { commit: "abc1", repository: "a/b" };
  const { body } = await put(api, `/issues/${id}/`, { status: "resolved", inCommit });
  assert.equal(body.statusDetails.inRelease, "shop@1.2");
  assert.deepEqual(body.activity[0]?.data, { version: "shop@1.2", commit: "abc1" });
});

Deno.test("an old program does not reopen what is resolved in the next release, and a new one does", async () => {
  await using api = await testApi();
  const [id] = await withIssues(api, "alpha");
  await put(api, `/issues/${id}/`, { status: "resolved", statusDetails: { inNextRelease: true } });
  const happens = async (release: string) => {
    const receivedAt = new Date(Date.now() + 1_000);
    const event = errorEvent({ group: "alpha", release, receivedAt });
    await api.services.writer.commit(api.project.id, { records: [event], outcomes: [] });
    const { status, substatus } = await read(api, id);
    return [status, substatus];
  };
  assert.deepEqual(await happens("shop@1.0"), ["resolved", null]);
  assert.deepEqual(await happens("shop@1.1"), ["unresolved", "regressed"]);
});

Deno.test("an issue is archived for good, until it escalates, and until a condition that counts down", async () => {
  await using api = await testApi();
  const [id] = await withIssues(api, "alpha");
  const archive = async (body: object) => {
    const { status, body: issue } = await put(api, `/issues/${id}/`, {
      status: "ignored",
      ...body,
    });
    assert.equal(status, 200, JSON.stringify(issue));
    return issue;
  };
  const forever = await archive({ substatus: "archived_forever" });
  assert.deepEqual([forever.substatus, forever.statusDetails], ["archived_forever", {}]);
  const escalating = await archive({ substatus: "until_escalating" });
  assert.equal(escalating.substatus, "archived_until_escalating");
  assert.equal(escalating.statusDetails.ignoreUntilEscalating, true);
  // Conditions are stronger than what was sent.
  const counted = await archive({ substatus: "archived_until_escalating", ignoreCount: 5 });
  assert.equal(counted.substatus, "archived_until_condition_met");
  assert.equal(counted.statusDetails.ignoreCount, 5);
  await withIssues(api, "alpha", "alpha");
  assert.equal((await read(api, id)).statusDetails.ignoreCount, 3);
  const rate = await archive({ statusDetails: { ignoreUserCount: "10", ignoreUserWindow: 60 } });
  const { ignoreUserCount, ignoreUserWindow, ignoreUntil } = rate.statusDetails;
  assert.deepEqual([ignoreUserCount, ignoreUserWindow, ignoreUntil], [10, 60, null]);
  for (const body of [{ ignoreDuration: 30 }, { snoozeDuration: 30 }]) {
    const until = Date.parse(String((await archive(body)).statusDetails.ignoreUntil));
    assert.ok(Math.abs(until - Date.now() - 30 * 60_000) < 60_000);
  }
  await api.services.sql`
    update issues set snooze = jsonb_set(snooze, '{until}', '"2026-01-01T00:00:00Z"')
  `;
  const over = await read(api, id);
  assert.deepEqual([over.status, over.statusDetails], ["unresolved", {}]);
});

Deno.test("what makes no sense is refused with the field and words, and changes nothing", async () => {
  await using api = await testApi();
  const [a, b] = await withIssues(api, "alpha", "beta");
  for (
    const [field, body] of [
      ["status", { status: "gone" }],
      ["status", { status: 7 }],
      ["status", { statusDetails: { inNextRelease: true } }],
      ["statusDetails", { status: "resolved", statusDetails: { inRelease: "shop@9" } }],
      ["statusDetails", { status: "resolved", statusDetails: "next" }],
      ["inRelease", { status: "resolved", inRelease: "sh\u0000op@9" }],
      ["inRelease", { status: "resolved", inRelease: "shop\ud800@9" }],
      ["inCommit", { status: "resolved", inCommit: { commit: "a\u0000", repository: "b" } }],
      ["inRelease", { status: "resolved", inRelease: 7 }],
      ["inRelease", { status: "resolved", inRelease: "x".repeat(300) }],
      ["substatus", { status: "resolved", substatus: "ongoing" }],
      ["substatus", { status: "ignored", substatus: "regressed" }],
      ["substatus", { status: "ignored", substatus: "archived_until_condition_met" }],
      ["ignoreWindow", { status: "ignored", ignoreWindow: 60 }],
      ["ignoreWindow", { status: "ignored", ignoreCount: 1, ignoreWindow: 10_081 }],
      ["ignoreCount", { status: "ignored", ignoreCount: 1e300 }],
      ["ignoreDuration", { status: "ignored", ignoreDuration: -1 }],
      ["ignoreDuration", { status: "ignored", ignoreDuration: "99999999999" }],
      ["assignedTo", { assignedTo: "user:nobody" }],
      ["assignedTo", { assignedTo: "ann\u0000@example.com" }],
      ["assignedTo", { assignedTo: "\ud800" }],
      ["assignedTo", { assignedTo: api.otherWorld.owner.email }],
      ["assignedTo", { assignedTo: { id: 1 } }],
      ["priority", { priority: "urgent" }],
      ["hasSeen", { hasSeen: "yes" }],
    ] as const
  ) {
    for (const path of [`/issues/${a}/`, `${LIST}?id=${a}&id=${b}`]) {
      const { status, body: answer } = await put<Record<string, string[]>>(api, path, body);
      assert.equal(status, 400, `${JSON.stringify(body)}: ${JSON.stringify(answer)}`);
      assert.deepEqual(Object.keys(answer), [field], JSON.stringify(answer));
      assert.match(answer[field]?.[0] ?? "", /\w+ \w+/);
    }
  }
  const { status, activity, assignedTo } = await read(api, a);
  assert.deepEqual([status, assignedTo, activity.length], ["unresolved", null, 1]);
  for (const body of ["[]", "7", "null", '"x"', "{", "\ud800"]) {
    assert.equal((await put(api, `/issues/${a}/`, body)).status, 400, body);
  }
});

Deno.test("issues are assigned to people and teams by every name of theirs, and to nobody", async () => {
  await using api = await testApi();
  const [id] = await withIssues(api, "alpha");
  const { kv } = api.services;
  const team = await createTeam(kv, { organizationId: api.organization.id, name: "Payments" });
  const { id: userId, email, name } = api.owner;
  const person = { type: "user", id: userId, name, email };
  const group = { type: "team", id: team.id, name: "payments" };
  for (
    const [assignedTo, wanted] of [
      [userId, person],
      [`user:${userId}`, person],
      [email.toUpperCase(), person],
      [`team:${team.id}`, group],
      ["#payments", group],
      ["", null],
      [email, person],
      [null, null],
    ] as const
  ) {
    const { status, body } = await put(api, `/issues/${id}/`, { assignedTo, assignedBy: "me" });
    assert.equal(status, 200, JSON.stringify(body));
    assert.deepEqual(body.assignedTo, wanted, String(assignedTo));
  }
  const { activity, subscriptionDetails } = await read(api, id);
  assert.deepEqual(subscriptionDetails, { reason: "assigned" });
  assert.deepEqual(activity[1]?.data, {
    assignee: userId,
    assigneeType: "user",
    assigneeEmail: email,
  });
});

Deno.test("a priority that somebody chooses is locked", async () => {
  await using api = await testApi();
  const [id] = await withIssues(api, "alpha");
  const before = await read(api, id);
  assert.deepEqual([before.priority, before.priorityLockedAt], ["high", null]);
  const { body } = await put(api, `/issues/${id}/`, { priority: "low" });
  assert.equal(body.priority, "low");
  assert.match(body.priorityLockedAt ?? "", /Z$/);
});

Deno.test("marks are of the person who sets them, and an organization's own token has none", async () => {
  await using api = await testApi();
  const [id] = await withIssues(api, "alpha");
  const path = `/issues/${id}/`;
  const marks = ({ hasSeen, isBookmarked, isSubscribed, subscriptionDetails }: IssueAnswer) => [
    hasSeen,
    isBookmarked,
    isSubscribed,
    subscriptionDetails?.reason,
  ];
  const set = async (body: object) => marks((await put(api, path, body)).body);
  assert.deepEqual(await set({}), [false, false, false, undefined]);
  assert.deepEqual(await set({ hasSeen: true }), [true, false, false, undefined]);
  assert.deepEqual(await set({ isBookmarked: true }), [true, true, true, "bookmarked"]);
  assert.deepEqual(await set({ isBookmarked: false }), [true, false, false, undefined]);
  assert.deepEqual(await set({ isSubscribed: 1 }), [true, false, true, "unknown"]);
  assert.deepEqual(await set({ hasSeen: false }), [false, false, true, "unknown"]);
  assert.deepEqual(marks(await read(api, id, "owner")), [false, false, false, undefined]);
  const { status } = await put(api, path, { isBookmarked: true }, "bootstrap");
  assert.equal(status, 400);
});

Deno.test("an issue is for review until somebody has reviewed it, and again when it comes back", async () => {
  await using api = await testApi();
  const [id] = await withIssues(api, "alpha");
  const inbox = async () => {
    const { body } = await api.call<IssueAnswer[]>("viewer", `${LIST}?query=&expand=inbox`);
    return body[0]?.inbox?.reason ?? null;
  };
  assert.equal(await inbox(), 0);
  assert.deepEqual((await put(api, `${LIST}?id=${id}`, { inbox: false })).body, { inbox: false });
  assert.equal(await inbox(), null);
  await put(api, `/issues/${id}/`, { inbox: false });
  const reviews = (await read(api, id)).activity.filter(({ type }) => type === "mark_reviewed");
  assert.equal(reviews.length, 1, "reviewing it once more is no news");
  await put(api, `/issues/${id}/`, { status: "unresolved", substatus: "ongoing" });
  assert.equal((await put(api, `/issues/${id}/`, { inbox: true })).status, 200);
  assert.equal(await inbox(), 3);
  await put(api, `/issues/${id}/`, { inbox: false });
  await put(api, `/issues/${id}/`, { status: "unresolved", substatus: "regressed" });
  assert.equal(await inbox(), 2);
  await put(api, `/issues/${id}/`, { status: "resolved" });
  assert.equal(await inbox(), null);
});

Deno.test("a change of many answers with what changed and nothing else, in all of them or in none", async () => {
  await using api = await testApi();
  const [a, b, c] = await withIssues(api, "alpha", "beta", "gamma");
  const two = `${LIST}?id=${a}&id=${b}&id=999999`;
  assert.deepEqual((await put(api, two, { priority: "low" })).body, { priority: "low" });
  assert.deepEqual((await put(api, two, { isBookmarked: true })).body, {
    isBookmarked: true,
    isSubscribed: true,
    subscriptionDetails: { reason: "bookmarked" },
  });
  assert.deepEqual((await put(api, two, { assignedTo: api.owner.email })).body, {
    assignedTo: { type: "user", id: api.owner.id, name: api.owner.name, email: api.owner.email },
  });
  const { status, statusDetails, ...rest } =
    (await put(api, two, { status: "resolved", statusDetails: { inNextRelease: true } })).body;
  assert.deepEqual([status, statusDetails.inNextRelease, rest], ["resolved", true, {
    substatus: null,
  }]);
  for (const id of [a, b]) assert.equal((await read(api, id)).status, "resolved");
  assert.equal((await read(api, c)).status, "unresolved");

  const { body: shared } = await put(api, two, { isPublic: true });
  assert.deepEqual([Object.keys(shared), shared.isPublic], [["isPublic", "shareId"], true]);
  assert.notEqual((await read(api, a)).shareId, (await read(api, b)).shareId);
  const types = (await read(api, a)).activity.map(({ type }) => type);
  assert.deepEqual(types, [
    "set_public",
    "set_resolved_in_release",
    "assigned",
    "set_priority",
    "first_seen",
  ]);
  assert.equal((await put(api, `${LIST}?id=999999`, { status: "resolved" })).status, 204);
});

Deno.test("issues are chosen by their ids or short ids, by a search, or by a status, and by nothing what is unresolved", async () => {
  await using api = await testApi();
  const [a, b, c] = await withIssues(api, "alpha", "beta", "gamma");
  const priorities = async () =>
    (await Promise.all([a, b, c].map((id) => read(api, id)))).map(({ priority }) => priority);
  await put(api, `${LIST}?id=acme-shop-1`, { priority: "low" });
  assert.equal((await priorities()).filter((each) => each === "low").length, 1);
  await put(api, `${LIST}?query=beta`, { status: "ignored" });
  await put(api, `${LIST}?status=muted`, { priority: "medium" });
  assert.equal((await priorities())[1], "medium");
  await put(api, LIST, { priority: "high" });
  assert.deepEqual(await priorities(), ["high", "medium", "high"]);
});

Deno.test("what is merged is changed as one, and one issue alone cannot be merged", async () => {
  await using api = await testApi();
  const [a, b] = await withIssues(api, "alpha", "beta");
  for (const path of [`${LIST}?id=${a}`, `/issues/${a}/`]) {
    assert.equal((await put(api, path, { merge: true })).status, 400);
  }
  const { body } = await put<{ status: string; merge: { parent: string; children: string[] } }>(
    api,
    `${LIST}?id=${a}&id=${b}`,
    { merge: true, status: "resolved" },
  );
  assert.equal(body.status, "resolved");
  assert.deepEqual([body.merge.parent, ...body.merge.children].sort(), [a, b].sort());
  assert.equal((await read(api, body.merge.children[0])).status, "resolved");
});

Deno.test("a merge beside a change that is refused does not happen", async () => {
  await using api = await testApi();
  const [a, b] = await withIssues(api, "alpha", "beta");
  const { status } = await put(api, `${LIST}?id=${a}&id=${b}`, {
    merge: true,
    status: "resolved",
    statusDetails: { inRelease: "shop@9.9" },
  });
  assert.equal(status, 400);
  assert.deepEqual(
    (await Promise.all([a, b].map((id) => read(api, id)))).map(({ id, status }) => [id, status]),
    [[a, "unresolved"], [b, "unresolved"]],
  );
});
