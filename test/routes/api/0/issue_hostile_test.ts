/** What no honest client sends to the API of issues. */
import assert from "node:assert/strict";
import { errorEvent } from "@/test/support/error_event.ts";
import { testApi } from "@/test/support/api_people.ts";

const TEXTS = [
  "%00",
  "%ED%A0%80",
  "-1",
  "1e309",
  "99999999999999999999",
  "%27;--",
  "constructor",
  "0:0:0",
];
const NAMES = [
  "cursor",
  "limit",
  "query",
  "sort",
  "status",
  "group",
  "groups",
  "id",
  "key",
  "environment",
  "statsPeriod",
  "groupStatsPeriod",
  "start",
  "since",
  "until",
  "resolution",
  "expand",
  "collapse",
  "shortIdLookup",
  "project",
];
const VALUES: readonly unknown[] = [null, [], {}, -1, 1.5, 1e300, "\u0000", "\ud800", "__proto__", {
  constructor: 1,
}, [
  [],
]];
const FIELDS = [
  "status",
  "statusDetails",
  "substatus",
  "assignedTo",
  "priority",
  "hasSeen",
  "inbox",
  "isPublic",
  "merge",
  "discard",
  "inRelease",
  "inCommit",
  "ignoreCount",
  "ignoreDuration",
  "snoozeDuration",
  "text",
  "mentions",
  "external_id",
];

Deno.test("whatever stands in an address about issues, it ends in no error of ours", async () => {
  await using api = await testApi();
  await api.services.writer.commit(api.project.id, { records: [errorEvent()], outcomes: [] });
  const { body: [issue] } = await api.call<{ id: string }[]>(
    "owner",
    "/organizations/acme/issues/",
  );
  const one = `/issues/${issue?.id}`;
  const paths = [
    "/organizations/acme/issues/",
    "/organizations/acme/issues-count/",
    "/organizations/acme/issues-stats/",
    "/organizations/acme/activity/",
    ...["", "/events", "/notes", "/tags", "/tags/level", "/tags/level/values", "/user-reports"]
      .map((path) => `${one}${path}/`),
    ...["/stats", "/attachments", "/current-release", "/activities"].map((path) =>
      `${one}${path}/`
    ),
  ];
  for (const path of paths) {
    for (const text of TEXTS) {
      const search = NAMES.map((name) => `${name}=${text}`);
      // All at once hide behind the first that is refused.
      for (const asked of search) {
        const { status } = await api.call("owner", `${path}?${asked}`);
        assert.ok(status < 500, `${path}?${asked}: ${status}`);
      }
    }
  }
  // What is no text in a path ends before the router (listen_test.ts), on which upstream Fresh relies.
  for (const text of TEXTS.filter(isDecodable)) {
    for (
      const path of [
        `/issues/${text}/`,
        `${one}/events/${text}/`,
        `${one}/tags/${text}/`,
        `${one}/notes/${text}/`,
        `/organizations/acme/eventids/${text}/`,
        `/organizations/acme/shortids/${text}/`,
        `/projects/acme/acme-shop/events/${text}/attachments/${text}/`,
      ]
    ) {
      const { status } = await api.call("owner", path);
      assert.ok(status < 500, `${path}: ${status}`);
    }
  }
});

Deno.test("whatever a body about issues says, it ends in no error of ours", async () => {
  await using api = await testApi();
  await api.services.writer.commit(api.project.id, { records: [errorEvent()], outcomes: [] });
  const { body: [issue] } = await api.call<{ id: string }[]>(
    "owner",
    "/organizations/acme/issues/",
  );
  const one = `/issues/${issue?.id}/`;
  for (const field of FIELDS) {
    for (const value of VALUES) {
      const body = { status: "ignored", [field]: value };
      for (
        const [method, path] of [
          ["PUT", one],
          ["PUT", `/organizations/acme/issues/?id=${issue?.id}`],
          ["POST", `${one}notes/`],
        ] as const
      ) {
        const answer = await api.call("owner", path, { method, body: { text: "x", ...body } });
        assert.ok(
          answer.status < 500,
          `${method} ${path} ${JSON.stringify(body)}: ${answer.status}`,
        );
      }
    }
  }
});

function isDecodable(text: string): boolean {
  try {
    decodeURI(text);
    return true;
  } catch {
    return false;
  }
}
