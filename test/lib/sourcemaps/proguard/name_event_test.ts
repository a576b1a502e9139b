import assert from "node:assert/strict";
import { remapIssue } from "@/lib/errors/remap/remap_events.ts";
import { asMinified, sourceMapsOf } from "@/lib/errors/event/source_maps.ts";
import { viewEvent } from "@/lib/errors/event/view.ts";
import type { NormalizedEvent } from "@/lib/formats/sentry/normalized_event.ts";
import type { JsonObject } from "@/lib/ui/json.ts";
import { storeBundle } from "../../../support/source_maps.ts";
import { type TestIntake, testIntake } from "../../../support/test_intake.ts";
import { storedPayloads } from "../../../support/stored_payloads.ts";
import { waitFor } from "../../../support/wait_for.ts";

const FIRST = "5db7294d-87fc-5726-a5c0-4a90679657a5";
const SECOND = "c038584d-c366-570c-ad1e-034fa0d194d7";

/** What R8 made of the same program in two builds: other names, and other lines of them. */
const mapping = (cart: string, empty: string, line: number) =>
  `com.acme.shop.Cart -> ${cart}:
    ${line}:${line}:void check(int):40:40 -> a
    ${line + 1}:${line + 1}:void pay():51:51 -> b
com.acme.shop.CartEmpty -> ${empty}:
`;
const BUILDS = {
  [FIRST]: { text: mapping("a.a", "a.b", 3), cart: "a.a", empty: "b", line: 3 },
  [SECOND]: { text: mapping("a.c", "a.d", 17), cart: "a.c", empty: "d", line: 17 },
};
type Build = keyof typeof BUILDS;

function eventOf(uuid: Build, images: object[] = [{ type: "proguard", uuid }]) {
  const { cart, empty, line } = BUILDS[uuid];
  return {
    platform: "java",
    release: "shop@1",
    contexts: { app: { app_identifier: "com.acme.shop" } },
    debug_meta: { images },
    exception: {
      values: [{
        type: empty,
        module: "a",
        value: "nothing to pay",
        stacktrace: {
          frames: [
            { module: "java.lang.Thread", function: "run", filename: "Thread.java", lineno: 920 },
            { module: cart, function: "b", filename: "SourceFile", lineno: line + 1 },
            { module: cart, function: "a", filename: "SourceFile", lineno: line },
          ],
        },
      }],
    },
  };
}

function envelope(event: object): string {
  const id = crypto.randomUUID().replaceAll("-", "");
  return `{"event_id":"${id}"}\n{"type":"event"}\n${JSON.stringify(event)}`;
}

async function upload(intake: TestIntake, ...uuids: Build[]): Promise<void> {
  for (const uuid of uuids) {
    const file = { type: "proguard" as const, url: `/proguard/${uuid}.txt`, debugId: uuid };
    await storeBundle(intake.services, intake.project.id, {
      files: [{ ...file, text: BUILDS[uuid].text }],
    });
  }
  await waitFor("mapping again", async () => {
    const waiting = await intake.services.sql`
      select 1 from ready_bundles union all select 1 from unmapped_events
    `;
    return waiting.length === 0 || undefined;
  });
}

const issuesOf = ({ services: { sql } }: TestIntake) =>
  sql<{ id: string; title: string; culprit: string; seen: number }[]>`
    select id, title, culprit, times_seen::int as seen from issues order by id
  `;

const payloadsOf = ({ services: { sql } }: TestIntake) => storedPayloads(sql);

function stackOf({ exception }: NormalizedEvent): string[] | undefined {
  return exception?.values[0]?.stacktrace?.frames.map((frame) =>
    `${frame.module}.${frame.function}(${frame.filename}:${frame.lineno})`
  );
}

const NAMED = [
  "java.lang.Thread.run(Thread.java:920)",
  "com.acme.shop.Cart.pay(Cart.java:51)",
  "com.acme.shop.Cart.check(Cart.java:40)",
];

Deno.test("stacks of Java are named before they are grouped, so that two builds are one issue", async () => {
  await using intake = await testIntake();
  await upload(intake, FIRST, SECOND);
  await intake.post(envelope(eventOf(FIRST)));
  await intake.post(envelope(eventOf(SECOND)));

  const [issue, ...others] = await issuesOf(intake);
  assert.deepEqual(others, []);
  assert.equal(issue?.title, "CartEmpty: nothing to pay");
  assert.equal(issue?.culprit, "com.acme.shop.Cart in check");
  assert.equal(issue?.seen, 2);
  for (const payload of await payloadsOf(intake)) {
    assert.deepEqual(stackOf(payload), NAMED);
    const view = sourceMapsOf(payload as unknown as JsonObject);
    assert.equal(view?.named, 2);
    assert.deepEqual(view?.mappings.map(({ reason }) => reason), [""]);
    assert.equal(view?.hasMinified, true);
    const sent = asMinified(payload as unknown as JsonObject) as unknown as NormalizedEvent;
    assert.match(stackOf(sent)?.at(-1) ?? "", /^a\.[ac]\.a\(SourceFile/);
    assert.match(sent.exception?.values[0]?.type ?? "", /^[bd]$/);
  }
  const [used] = await intake.services.sql`
    select count(*)::int as count from artifact_bundles where last_used_on = current_date
  `;
  assert.equal(used?.count, 2);
});

Deno.test("an event says which mapping is missing, and is named when it comes", async () => {
  await using intake = await testIntake();
  await upload(intake, SECOND);
  await intake.post(envelope(eventOf(FIRST)));
  assert.equal((await issuesOf(intake))[0]?.title, "b: nothing to pay");
  const [before] = await payloadsOf(intake);
  const view = sourceMapsOf(before as unknown as JsonObject);
  assert.match(
    view?.mappings[0]?.reason ?? "",
    new RegExp(`No ProGuard mapping with UUID ${FIRST}`),
  );
  assert.equal(before?.errors?.[0]?.type, "proguard_missing_mapping");
  assert.deepEqual(viewEvent(JSON.stringify(before)).problems, [], "its panel tells of it");

  await upload(intake, FIRST);
  const [issue, ...others] = await issuesOf(intake);
  assert.deepEqual(others, []);
  assert.equal(issue?.title, "CartEmpty: nothing to pay");
  const [after] = await payloadsOf(intake);
  assert.deepEqual(stackOf(after ?? {} as NormalizedEvent), NAMED);
  assert.deepEqual(after?.errors, []);

  await intake.post(envelope(eventOf(SECOND)));
  assert.deepEqual((await issuesOf(intake)).map(({ id, seen }) => [id, seen]), [[issue?.id, 2]]);
  const { sql, kv, sourceMaps } = intake.services;
  const again = await remapIssue({ sql, kv, sourceMaps }, intake.project.id, issue?.id ?? "");
  assert.deepEqual([again.events, again.mapped], [2, 2]);
  assert.deepEqual((await payloadsOf(intake)).map(stackOf), [NAMED, NAMED]);
});

Deno.test("a mapping of another project, a made-up UUID and a damaged mapping change nothing", async () => {
  await using intake = await testIntake();
  const garbage = { type: "proguard" as const, url: "x", text: "\0garbage ->", debugId: SECOND };
  await storeBundle(intake.services, intake.project.id, { files: [garbage] });
  const text = BUILDS[FIRST].text;
  const file = { type: "proguard" as const, url: "x", text, debugId: FIRST };
  await storeBundle(intake.services, String(Number(intake.project.id) + 1), { files: [file] });
  const images = [
    { type: "proguard", uuid: FIRST },
    { type: "proguard", uuid: SECOND },
    { type: "proguard", uuid: { toString: 1 } },
    { type: "proguard" },
  ];
  const { status } = await intake.post(envelope(eventOf(FIRST, images)));
  assert.equal(status, 200);
  assert.equal((await issuesOf(intake))[0]?.title, "b: nothing to pay");
});
