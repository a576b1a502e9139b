/** Archives of ours whose lines say in one place what no store takes. */
import assert from "node:assert/strict";
import { unzipSync, zipSync } from "fflate";
import { FIELD_TEXTS, longText } from "../../support/hostile_values.ts";
import { changedTexts } from "../../support/sample_body.ts";
import { AT, sendOtlp, sendSentry, transferred } from "../../support/transferred.ts";

const LONG = JSON.stringify(longText(100_000));

const decoder = new TextDecoder();
const encoder = new TextEncoder();

Deno.test("whatever a line of an import says, the lines beside it are taken", async () => {
  await using world = await transferred();
  await sendSentry(world);
  await sendOtlp(world);
  const archive = await world.exported(world.project);
  const plain = await world.imported(await world.empty("Plain"), "export.zip", archive, true);
  const files = unzipSync(archive);
  for (const [name, bytes] of Object.entries(files)) {
    if (!name.endsWith(".jsonl")) continue;
    const lines = decoder.decode(bytes).trimEnd().split("\n");
    // Those that follow have the same fields.
    const changed = changedLines(lines[0] ?? "", files);
    files[name] = encoder.encode([...lines, ...changed].join("\n"));
  }
  const done = await world.imported(await world.empty("Bad"), "export.zip", zipSync(files), true);
  assert.equal(done.state, "done", done.lastError);
  for (const [what, count] of Object.entries(plain.counts)) {
    assert.ok((done.counts[what] ?? 0) >= count, `${what}: ${JSON.stringify(done.counts)}`);
  }
});

/** A line with each value in each of its places, under ids of its own: what is there already would not be looked at. */
function changedLines(line: string, files: Record<string, Uint8Array>): string[] {
  const profile = files[`profiles/${/"profileId":"(\w+)"/.exec(line)?.[1]}.pprof`];
  return [...FIELD_TEXTS, LONG].flatMap((value) =>
    // The first is the value in place of the line.
    [...changedTexts(JSON.parse(line), value)].slice(1).map((changed) => {
      const id = crypto.randomUUID().replaceAll("-", "");
      if (profile !== undefined) files[`profiles/${id}.pprof`] = profile;
      return changed.replaceAll(/(?<=")[0-9a-f]{32}(?=")/g, id);
    })
  );
}

Deno.test("whatever export.json says, what is beside it is taken", async () => {
  await using world = await transferred();
  const about = unzipSync(await world.exported(world.project))["export.json"];
  const whole: unknown = JSON.parse(decoder.decode(about));
  for (const value of FIELD_TEXTS.slice(-8)) {
    for (const text of changedTexts(whole, value)) {
      const event = { event_id: crypto.randomUUID(), timestamp: AT, message: "fine" };
      const files = { "export.json": text, "events.jsonl": JSON.stringify(event) };
      const bytes = Object.entries(files).map(([name, text]) => [name, encoder.encode(text)]);
      const archive = zipSync(Object.fromEntries(bytes));
      const done = await world.imported(world.project, "export.zip", archive);
      assert.deepEqual([done.state, done.counts], ["done", { events: 1 }], text);
    }
  }
});
