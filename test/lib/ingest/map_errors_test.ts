import assert from "node:assert/strict";
import { hyphenated } from "@/lib/sourcemaps/artifacts/debug_ids.ts";
import { mapErrors } from "@/lib/ingest/map_errors.ts";
import { decodeEnvelopeBytes } from "../../support/decode_events.ts";
import { faultyIntake } from "../../support/faulty_intake.ts";
import { minified, positionIn, storeBundle } from "../../support/source_maps.ts";
import { storedPayloads } from "../../support/stored_payloads.ts";
import { testIntake } from "../../support/test_intake.ts";
import { waitFor } from "../../support/wait_for.ts";
import { timeBudget } from "../../support/time_budget.ts";

const ID = "13cc92ca1f0d4f3c9f2ad5be5aa8c9f1";
const SCRIPT = "https://shop.test/assets/app.js";
const CART = `export function checkout(items: number[]) {
  if (items.length === 0) throw new RangeError("the cart is empty");
  return items;
}
`;

/** An error in a build, which begins with some other code. */
async function build(before: string, debugId = ID) {
  const { code, map } = await minified(`${before}\n${CART}`, "../src/cart.ts");
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
    debug_meta: {
      images: [{ type: "sourcemap", code_file: SCRIPT, debug_id: hyphenated(debugId) }],
    },
  };
  return {
    files: [
      { type: "minified_source" as const, url: "~/x.js", text: code, debugId },
      { type: "source_map" as const, url: "~/x.js.map", text: map, debugId },
    ],
    envelope: (eventId = crypto.randomUUID().replaceAll("-", "")) =>
      `{"event_id":"${eventId}"}\n{"type":"event"}\n${JSON.stringify(event)}`,
  };
}

Deno.test("an error is mapped before it is grouped: two builds are one issue", async () => {
  await using intake = await testIntake();
  const { sql, objects } = intake.services;
  const other = "23cc92ca1f0d4f3c9f2ad5be5aa8c9f1";
  const one = await build("console.log(1);");
  const two = await build(
    "console.log(1);\nconsole.log(2, Math.random(), 'another build');",
    other,
  );
  for (const { files } of [one, two]) {
    await storeBundle({ sql, objects }, intake.project.id, { files });
  }
  for (const { envelope } of [one, two]) {
    assert.equal((await intake.post(envelope())).status, 200);
  }
  const issues = await sql`select culprit, times_seen::int, metadata from issues`;
  assert.equal(issues.length, 1);
  assert.equal(issues[0]?.culprit, "checkout(src/cart)");
  assert.equal(issues[0]?.times_seen, 2);
  const [event] = await storedPayloads(sql);
  const [exception] = event?.exception?.values ?? [];
  assert.equal(exception?.stacktrace?.frames[0]?.filename, "../src/cart.ts");
  assert.equal(exception?.raw_stacktrace?.frames[0]?.function, "n");
  assert.equal((await sql`select from missing_maps`).length, 0);
});

Deno.test("what would have found a map is noted once, also in a project without maps", async () => {
  await using intake = await testIntake();
  const { envelope } = await build("console.log(1);");
  for (let times = 0; times < 2; times++) await intake.post(envelope());
  const rows = await intake.services.sql`select debug_id, release, dist from missing_maps`;
  assert.deepEqual([...rows], [{ debug_id: ID, release: "shop@1", dist: "" }]);
  const [issue] = await intake.services.sql`select culprit from issues`;
  assert.equal(issue?.culprit, "n(/assets/app.js)");
});

Deno.test("errors of other platforms ask for nothing", async () => {
  await using intake = await testIntake();
  const event = {
    platform: "python",
    exception: {
      values: [{ type: "E", stacktrace: { frames: [{ filename: "a.py", lineno: 1 }] } }],
    },
  };
  const hasMaps = () => Promise.reject(new Error("nobody asked"));
  const drafts = new Map();
  const batch = decodeEnvelopeBytes(
    new TextEncoder().encode(`{}\n{"type":"event"}\n${JSON.stringify(event)}`),
    { drafts },
  );
  const { services } = intake;
  const sourceMaps = { ...services.sourceMaps, hasMaps };
  assert.equal(drafts.size, 1);
  const mapped = await mapErrors(batch, drafts, intake.project.id, { ...services, sourceMaps });
  assert.deepEqual(mapped, { batch, late: [] });
});

Deno.test("an error whose map is not ready in time is stored as it came, and mapped later", async () => {
  await using intake = await testIntake();
  const { services } = intake;
  const { envelope } = await build("console.log(1);");
  const noted = new Map();
  const batch = decodeEnvelopeBytes(new TextEncoder().encode(envelope(ID)), { drafts: noted });
  const kept = [...noted];
  // Mapping takes them.
  const drafts = () => new Map(kept);
  const sourceMaps = {
    ...services.sourceMaps,
    hasMaps: () => Promise.resolve(true),
    map: () => new Promise<never>(() => {}),
  };
  const late = { batch, late: [ID] };
  const began = performance.now();
  assert.deepEqual(
    await mapErrors(batch, drafts(), intake.project.id, { ...services, sourceMaps }),
    late,
  );
  assert.ok(performance.now() - began < timeBudget(4_000));
  const again = performance.now();
  assert.deepEqual(
    await mapErrors(batch, drafts(), intake.project.id, { ...services, sourceMaps }),
    late,
  );
  assert.ok(performance.now() - again < timeBudget(1_000), "nobody waits again at once");
});

Deno.test("an error that was spooled is mapped when it is stored", async () => {
  await using intake = await faultyIntake();
  const { sql, objects } = intake.services;
  const { files, envelope } = await build("console.log(1);");
  await storeBundle({ sql, objects }, intake.project.id, { files });
  intake.link.pause();
  assert.equal((await intake.post(envelope())).status, 200);
  intake.link.resume();
  const culprit = await waitFor("the stored error", async () => {
    const [issue] = await sql<{ culprit: string }[]>`select culprit from issues`;
    return issue?.culprit;
  });
  assert.equal(culprit, "checkout(src/cart)");
});
