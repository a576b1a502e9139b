import assert from "node:assert/strict";
import { addAudit } from "@/lib/accounts/audit.ts";
import { inScope } from "@/lib/core/request_scope.ts";
import { changesBetween } from "@/lib/records/audit.ts";
import { type Acme, acme, textOf } from "../../support/ui_app.ts";

const PATH = "/organizations/acme/settings/audit";

interface Made {
  readonly event: string;
  readonly label: string;
  readonly by?: string;
  readonly organizationId?: string | null;
}

async function make(app: Acme, entries: readonly Made[]): Promise<void> {
  const { kv } = app.services;
  for (const { event, label, by = "ann@example.com", organizationId } of entries) {
    const asker = {
      kind: "user" as const,
      id: "u1",
      label: by,
      address: "192.0.2.7",
      userAgent: "Browser/1",
      requestId: "r1",
    };
    await inScope({ language: "en", timeZone: "UTC", asker }, () =>
      addAudit(kv.atomic(), {
        event,
        organizationId: organizationId === undefined ? app.organization.id : organizationId,
        projectId: "7",
        target: { kind: "project", id: "7", label },
        changes: changesBetween({ name: "Old" }, { name: label }),
      }).commit());
  }
}

Deno.test("the audit log shows who did what, from what to what, when and from where, as soon as it is done", async () => {
  await using app = await acme();
  await make(app, [{ event: "project.edit", label: "Shop" }]);

  const { html } = await app.owner.get(PATH);

  const text = textOf(html);
  for (
    const part of [
      "Settings of the project Shop changed",
      "ann@example.com",
      "192.0.2.7",
      "Browser/1",
      "Old",
    ]
  ) assert.ok(text.includes(part), part);
});

Deno.test("the filter of the log is in its address, and its pages keep it", async () => {
  await using app = await acme();
  await make(app, [
    ...Array.from({ length: 60 }, (_, i) => ({ event: "project.edit", label: `Edited ${i}` })),
    { event: "projectkey.create", label: "Server", by: "ben@example.com" },
  ]);

  const all = await app.owner.get(`${PATH}?event=project.edit&actor=ann%40example.com`);
  assert.ok(all.html.includes("Edited 59") && !all.html.includes("Key Server"));
  const next = /href="([^"]+cursor=[^"]+)"/.exec(all.html)?.[1]?.replaceAll("&amp;", "&") ?? "";
  assert.ok(next.includes("event=project.edit"), next);
  const second = await app.owner.get(next);
  assert.ok(second.html.includes("Edited 0") && !second.html.includes("Edited 59"));

  for (const query of ["target=server", "actor=ben%40example.com", "event=projectkey."]) {
    const { html } = await app.owner.get(`${PATH}?${query}`);
    assert.ok(html.includes("Key Server") && !html.includes("Edited 3"), query);
  }
  const none = await app.owner.get(`${PATH}?from=2020-01-01&to=2020-01-02`);
  assert.ok(none.html.includes("No entries match"));
});

Deno.test("only managers and owners see the log, of their organization alone; administrators see all", async () => {
  await using app = await acme();
  await make(app, [{ event: "project.edit", label: "Foreign", organizationId: "999" }]);
  for (const role of ["viewer", "member", "admin"] as const) {
    const { visitor } = await app.member(role);
    assert.equal((await visitor.get(PATH)).status, 403, role);
    assert.equal((await visitor.get(`${PATH}/export`)).status, 403, role);
    assert.equal((await visitor.get("/instance/audit")).status, 404, role);
  }
  const { visitor } = await app.member("manager");
  const { status, html } = await visitor.get(PATH);
  assert.equal(status, 200);
  assert.ok(!html.includes("Foreign"));
  assert.ok((await app.owner.get("/instance/audit")).html.includes("Foreign"));
});

Deno.test("the log is exported as CSV and JSON lines, without formulas, and tells of it", async () => {
  await using app = await acme();
  await make(app, [{ event: "project.edit", label: "=cmd()" }]);

  const csv = await app.owner.get(`${PATH}/export?format=csv`);
  const jsonl = await app.owner.get(`${PATH}/export?format=jsonl&event=project.edit`);

  assert.match(csv.headers.get("content-type") ?? "", /text\/csv/);
  assert.ok(csv.html.includes(",'=cmd(),"));
  assert.ok(!csv.html.includes(",=cmd()"));
  const [line = "", ...rest] = jsonl.html.trim().split("\n");
  assert.deepEqual(rest, []);
  const { target, changes, address } = JSON.parse(line);
  assert.equal(target.label, "=cmd()");
  assert.deepEqual(changes, { name: { before: "Old", after: "=cmd()" } });
  assert.equal(address, "192.0.2.7");
  const { html } = await app.owner.get(`${PATH}?event=user.export`);
  assert.ok(html.includes("audit-log.csv") && html.includes("audit-log.jsonl"));
});
