import assert from "node:assert/strict";
import { createApiToken } from "@/lib/accounts/api_tokens.ts";
import { remapEvents, remapIssue } from "@/lib/errors/remap/remap_events.ts";
import { idsFound } from "../../../support/search_issues.ts";
import { minified, positionIn, storeBundle } from "../../../support/source_maps.ts";
import { type TestIntake, testIntake } from "../../../support/test_intake.ts";
import { waitFor } from "../../../support/wait_for.ts";

const ID = "13cc92ca1f0d4f3c9f2ad5be5aa8c9f1";
const SCRIPT = "https://shop.test/assets/app.js";
const CART = `export function checkout(items: number[]) {
  if (items.length === 0) throw new RangeError("the cart is empty");
  return items;
}
`;

async function build(debugId: string | null = ID) {
  const { code, map } = await minified(CART, "../src/cart.ts");
  const frame = {
    filename: SCRIPT,
    function: "n",
    ...positionIn(code, "new RangeError"),
    in_app: true,
  };
  const event = {
    platform: "javascript",
    release: "shop@1",
    exception: { values: [{ type: "RangeError", value: "x", stacktrace: { frames: [frame] } }] },
    ...debugId === null ? {} : {
      debug_meta: { images: [{ type: "sourcemap", code_file: SCRIPT, debug_id: debugId }] },
    },
  };
  const named = debugId === null ? {} : { debugId };
  return {
    files: [
      { type: "minified_source" as const, url: "~/assets/app.js", text: code, ...named },
      { type: "source_map" as const, url: "~/assets/app.js.map", text: map, ...named },
    ],
    envelope: () =>
      `{"event_id":"${crypto.randomUUID().replaceAll("-", "")}"}\n{"type":"event"}\n${
        JSON.stringify(event)
      }`,
  };
}

/** Waits until nothing is left to do. */
async function remapped({ services: { sql } }: TestIntake): Promise<void> {
  await waitFor("mapping again", async () => {
    const waiting = await sql`select 1 from ready_bundles union all select 1 from unmapped_events`;
    return waiting.length === 0 || undefined;
  });
}

const issuesOf = ({ services: { sql } }: TestIntake) =>
  sql<{ id: string; culprit: string; seen: number }[]>`
    select id, culprit, times_seen::int as seen from issues order by id
  `;

for (const debugId of [ID, null]) {
  const by = debugId === null ? "release and URL" : "debug id";
  Deno.test(`events that came before their map are mapped by ${by}, and later ones join their issue`, async () => {
    await using intake = await testIntake();
    const { files, envelope } = await build(debugId);
    await intake.post(envelope());
    await intake.post(envelope());
    assert.equal((await issuesOf(intake))[0]?.culprit, "n(/assets/app.js)");

    const release = debugId === null ? "shop@1" : "";
    await storeBundle(intake.services, intake.project.id, { release, files });
    await remapped(intake);

    const [issue, ...others] = await issuesOf(intake);
    assert.deepEqual(others, []);
    assert.match(issue?.culprit ?? "", /^checkout\(/);
    assert.equal((await intake.services.sql`select from ready_bundles`).length, 0);
    const inSource = "stack.function:checkout stack.filename:*src/cart.ts";
    const { services: { sql }, project } = intake;
    assert.deepEqual(await idsFound(sql, project.id, inSource), [issue?.id]);

    await intake.post(envelope());
    assert.deepEqual((await issuesOf(intake)).map(({ id, seen }) => [id, seen]), [[issue?.id, 3]]);
  });
}

Deno.test("events of another build are left alone by an upload", async () => {
  await using intake = await testIntake();
  const { files, envelope } = await build();
  await intake.post(envelope());
  await storeBundle(intake.services, intake.project.id, {
    files: files.map((file) => ({ ...file, debugId: "9".repeat(32) })),
  });
  await remapped(intake);
  assert.equal((await issuesOf(intake))[0]?.culprit, "n(/assets/app.js)");
});

Deno.test("events that are noted as late are mapped", async () => {
  await using intake = await testIntake();
  const { sql, missingMaps } = intake.services;
  const { files, envelope } = await build();
  await intake.post(envelope());
  await storeBundle(intake.services, intake.project.id, { files });
  await sql`delete from ready_bundles`;
  intake.services.sourceMaps.forget(intake.project.id);
  await missingMaps.later(intake.project.id, await intake.storedIds());
  await remapped(intake);
  assert.equal((await issuesOf(intake))[0]?.culprit, "checkout(src/cart)");
  assert.equal((await sql`select from unmapped_events`).length, 0);
});

Deno.test("the API has an issue mapped again", async () => {
  await using intake = await testIntake();
  const { services, project, owner } = intake;
  const { files, envelope } = await build();
  await intake.post(envelope());
  await storeBundle(services, project.id, { files });
  await services.sql`delete from ready_bundles`;
  const [issue] = await issuesOf(intake);
  const { token } = await createApiToken(services.kv, {
    organizationId: project.organizationId,
    userId: owner.id,
    name: "t",
    scopes: ["project:read", "issue:write"],
  });
  const reply = await intake.send(`/api/0/issues/${issue?.id}/map-again/`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
  });
  assert.deepEqual([reply.status, await reply.json()], [200, { events: 1 }]);
  await remapped(intake);
  assert.equal((await issuesOf(intake))[0]?.culprit, "checkout(src/cart)");
});

Deno.test("mapping again twice changes nothing", async () => {
  await using intake = await testIntake();
  const { sql } = intake.services;
  const { files, envelope } = await build();
  await intake.post(envelope());
  await storeBundle(intake.services, intake.project.id, { files });
  await sql`delete from ready_bundles`;
  intake.services.sourceMaps.forget(intake.project.id);
  const ids = await intake.storedIds();
  const first = await remapEvents(intake.services, intake.project.id, ids);
  const written = () =>
    sql`
      select body, events.xmin::text, event_chunks.xmin::text as packed
      from events join event_chunks using (project_id)
    `;
  const stored = await written();
  const second = await remapEvents(intake.services, intake.project.id, ids);
  assert.deepEqual(first, { events: 1, mapped: 1, reasons: [], otherIssues: [] });
  assert.deepEqual(second, first);
  assert.deepEqual([...await written()], [...stored]);
});

Deno.test("an issue whose new group is another issue's stays, and says so", async () => {
  await using intake = await testIntake();
  const { sql } = intake.services;
  const { files, envelope } = await build();
  await intake.post(envelope());
  await storeBundle(intake.services, intake.project.id, { files });
  await sql`delete from ready_bundles`;
  intake.services.sourceMaps.forget(intake.project.id);
  // On a busy machine the first ones come before the map has been read.
  await waitFor("an issue that was mapped at once", async () => {
    await intake.post(envelope());
    return (await issuesOf(intake)).length === 2 || undefined;
  });
  const [old, mapped] = await issuesOf(intake);
  const result = await remapIssue(intake.services, intake.project.id, old?.id ?? "");
  assert.deepEqual(result.otherIssues, [mapped?.id]);
  assert.equal((await issuesOf(intake)).length, 2);
});
