/** Every method of the management API that changes something leaves an entry in the audit log. */
import assert from "node:assert/strict";
import { moveAudit } from "@/lib/audit/move.ts";
import { AUDIT_EVENTS } from "@/lib/audit/events.ts";
import { testApi } from "@/test/support/api_people.ts";
import { fill, freshParams } from "./access_params.ts";
import { CODE, RULES } from "./access_rules.ts";
import { EMPTY_CONTENT } from "@/lib/dashboards/content.ts";
import { toDocument } from "@/lib/dashboards/document.ts";

const O = "/organizations/:organization";
const P = "/projects/:organization/:project";

/** What changes no setting, key, member or rule, deletes nothing and takes nothing along; each with its reason. */
const NOTHING: Readonly<Record<string, string>> = {
  [`PUT ${P}/issues`]: "the issue's own activity tells who changed its state",
  [`PUT ${O}/issues`]: "the issue's own activity tells who changed its state",
  [`POST ${O}/recent-searches`]: "a habit of one person",
  [`DELETE ${P}/teams/:team`]: "the team of the walk has no project: see teams_test.ts",
  [`POST ${O}/members/:member/teams/:team`]: "the member of the walk is in the team already",
};

/** Ends of addresses for the same, at whatever the issue or the list is named by. */
const NOTHING_AT: readonly (readonly [RegExp, string])[] = [
  [/^PUT .*\/(?:issues|groups)\/:issue$/, "the issue's own activity tells who changed its state"],
  [/\/(?:notes|comments)(?:\/|$)/, "a comment is on the issue for everybody to see"],
  [/\/map-again$/, "asks for work, and changes nothing by itself"],
  [/\/(?:test|preview|query|try)$/, "tries something"],
  [/\/processing-errors\/:error$/, "a hint that somebody has read"],
  [/\/pinned-searches$/, "a preference of one person"],
  [/\/chunk-upload$|\/assemble$|\/files\/.*$|\/artifactbundle/, "parts of an upload"],
];

/** The body that makes a change where that of the rules makes none. */
const BODIES: Readonly<Record<string, unknown>> = {
  [`PUT ${O}`]: { name: "Renamed" },
  [`PUT ${O}/releases/:version`]: { ref: "abc" },
  [`PUT ${P}/releases/:version`]: { ref: "abc" },
  [`PUT ${O}/code-mappings/:mapping`]: { ...CODE, defaultBranch: "next" },
  [`PUT ${P}/ownership`]: { fallthrough: false },
  [`PUT ${P}/codeowners/:codeowners`]: { raw: "* @y" },
  [`PUT /teams/:organization/:team`]: { name: "Renamed" },
  [`PUT ${O}/members/:member`]: { orgRole: "member" },
  [`PUT ${O}/members/:member/teams/:team`]: { teamRole: "admin" },
  [`PUT ${P}/alerts/:alert`]: { name: "Renamed" },
  [`POST ${P}/alerts/:alert/mute`]: { minutes: 60 },
  [`PUT ${P}/uptime/:uptime`]: { name: "Renamed" },
  [`PUT ${P}/dashboards/:dashboard`]: {
    version: 1,
    dashboard: toDocument({ name: "Renamed", content: EMPTY_CONTENT }),
  },
  [`PUT ${P}`]: { name: "Renamed" },
  [`PUT ${P}/keys/:key`]: { name: "renamed" },
};

Deno.test("every method of the API that changes something leaves an entry in the audit log", async () => {
  await using api = await testApi({ allowPrivateWebhooks: true });
  const { kv, sql } = api.services;
  const entries = async () => {
    await moveAudit({ kv, sql });
    return (await sql<{ event: string; organization: string | null }[]>`
      select event, organization_id::text as organization from audit_entries order by id
    `).map((row) => ({ ...row }));
  };
  const silent: string[] = [];
  for (const { method, pattern, body } of RULES) {
    const name = `${method} ${pattern}`;
    if (method === "GET" || name in NOTHING) continue;
    if (NOTHING_AT.some(([end]) => end.test(name))) continue;
    const params = await freshParams(api, pattern);
    const before = (await entries()).length;
    const answer = await api.call("owner", fill(pattern, params), {
      method,
      body: name === `PUT ${O}/monitors`
        ? { ids: [params.monitor], is_muted: true }
        : BODIES[name] ?? body,
    });
    if (answer.status >= 300) continue;
    const made = (await entries()).slice(before);
    if (made.length === 0) silent.push(name);
    for (const { event, organization } of made) {
      assert.ok(event in AUDIT_EVENTS, `${name}: ${event} has no sentence`);
      assert.equal(organization, api.organization.id, `${name}: ${event}`);
    }
  }
  assert.deepEqual(silent, []);
});

Deno.test("every event that the code names has its sentence in the audit log", async () => {
  const missing: string[] = [];
  for await (const path of sources("lib")) {
    const text = await Deno.readTextFile(path);
    for (const [, event = ""] of text.matchAll(/\bevent: "([a-z-]+\.[a-z.-]+)"/g)) {
      if (!(event in AUDIT_EVENTS)) missing.push(`${path}: ${event}`);
    }
    for (
      const [, event = ""] of text.matchAll(
        /\b(?:\w*[aA]udit\w*|tell\w*)\(\s*\w+,\s*"([a-z-]+\.[a-z.-]+)"/g,
      )
    ) {
      if (!(event in AUDIT_EVENTS)) missing.push(`${path}: ${event}`);
    }
  }
  assert.deepEqual(missing, []);
});

async function* sources(folder: string): AsyncGenerator<string> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    if (isDirectory) yield* sources(`${folder}/${name}`);
    else if (/\.tsx?$/.test(name)) yield `${folder}/${name}`;
  }
}
