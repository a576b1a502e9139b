import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { decodePprof } from "@/lib/formats/pprof/decode.ts";
import { inflatePprof } from "@/lib/formats/pprof/compression.ts";
import { testIntake } from "@/test/support/test_intake.ts";

const FOLDER = new URL("../../../fixtures/sentry_profiles/", import.meta.url);
const SENT_AT = Date.parse("2026-11-21T17:30:00Z");

/** A captured envelope as if it was sent now. */
function envelope(name: string): string {
  const text = Deno.readTextFileSync(new URL(`${name}.envelope`, FOLDER));
  const shift = Date.now() - SENT_AT;
  return text
    .replaceAll(/"2026-11-21T\d\d:\d\d:\d\d\.\d+Z"/g, (quoted) => {
      const time = new Date(Date.parse(JSON.parse(quoted)) + shift).toISOString();
      // As long as it was: some items say how many bytes they have.
      return JSON.stringify(time.slice(0, -1).padEnd(quoted.length - 3, "0") + "Z");
    })
    .replaceAll(
      /\b17952\d{5}(?=\.\d)/g,
      (seconds) => String(Number(seconds) + Math.round(shift / 1000)),
    );
}

Deno.test("profiles of SDKs are stored with what was sent, and found by their transaction or profiler", async () => {
  await using intake = await testIntake();
  const { services: { sql, objects } } = intake;
  for (const name of ["python-2.75.0-v1", "python-2.75.0-v2"]) {
    const sent = envelope(name);
    for (let time = 0; time < 2; time++) {
      const response = await intake.post(sent);
      assert.equal(response.status, 200);
      await response.body?.cancel();
    }
  }
  const rows = await sql`
    select p.*, t.name as "transactionName" from profiles p
    left join transactions t on t.event_id = p.transaction_id order by source
  `;
  assert.deepEqual(
    rows.map(({ source, transaction, transactionName }) => [
      source,
      transaction,
      transactionName,
    ]),
    [["sentry_sample_v1", "checkout", "checkout"], ["sentry_sample_v2", "", null]],
  );
  assert.equal(rows[1]?.profiler_id.replaceAll("-", ""), "33c6ea68d20443dea26a8bf08ec86b38");
  for (const { blob_key: key, original_key: original, samples } of rows) {
    const blob = await objects.get(key);
    const { profile } = decodePprof(inflatePprof(blob ?? new Uint8Array()));
    assert.equal(profile.samples.count, samples);
    const sent = JSON.parse(gunzipSync(await objects.get(original) ?? "").toString());
    assert.equal(sent.profile.samples.length, samples);
  }
});
