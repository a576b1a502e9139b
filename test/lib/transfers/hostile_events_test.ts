/** Events of other services' APIs with one place that says what no store or calendar takes. */
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { bugsinkEvent, sentryEvent } from "../../support/foreign_events.ts";
import { ITEM_SAMPLES, SAMPLES_SENT_AT } from "../../support/fuzz/item_samples.ts";
import { FIELD_TEXTS, longText } from "../../support/hostile_values.ts";
import { changedTexts } from "../../support/sample_body.ts";
import { AT, transferred } from "../../support/transferred.ts";

const ID = "a".repeat(32);
const LONG = JSON.stringify(longText(900_000));
/** Entries of an event that is no exception. */
const OTHERS = [
  { type: "message", data: { formatted: "a", message: "%s", params: ["a"] } },
  {
    type: "threads",
    data: { values: [{ id: 1, name: "main", crashed: true, stacktrace: { frames: [] } }] },
  },
  {
    type: "stacktrace",
    data: { frames: [{ filename: "a.c", instructionAddr: "0x1", symbol: "a" }], registers: {} },
  },
  { type: "csp", data: { effective_directive: "img-src", blocked_uri: "https://a.test/" } },
  { type: "debugmeta", data: { images: [{ type: "elf", debug_id: ID, image_addr: "0x1" }] } },
];

const EVENTS: Readonly<Record<string, unknown>> = {
  "Sentry's": sentryEvent(ID, "1", "ValueError", AT),
  "Sentry's of other kinds": { ...sentryEvent(ID, "1", "", AT), entries: OTHERS },
  "Bugsink's": bugsinkEvent(ID, "1", ITEM_SAMPLES[0]?.payload),
};

/** Under an id of its own: what is there already would not be looked at. */
function fresh(text: string): string {
  return text.replaceAll(ID, crypto.randomUUID().replaceAll("-", ""))
    .replaceAll(String(SAMPLES_SENT_AT), String(AT));
}

for (const [whose, event] of Object.entries(EVENTS)) {
  Deno.test(`whatever one place of an event of ${whose} API says, the import goes on, and what is beside it is taken`, async () => {
    await using world = await transferred();
    const good = [0, 1, 2].map(() => fresh(JSON.stringify(event)));
    const lines = FIELD_TEXTS.flatMap((value) => [...changedTexts(event, value)].map(fresh));
    const long = [...changedTexts(event, LONG)].map(fresh);
    for (const some of [lines, long]) {
      const text = [good[0], ...some.slice(0, 100), good[1], ...some.slice(100), good[2]];
      const bytes = new TextEncoder().encode(text.join("\n"));
      const done = await world.imported(world.project, "a.jsonl.gz", gzipSync(bytes));
      assert.equal(done.state, "done", done.lastError);
      assert.ok((done.counts.events ?? 0) > some.length / 2, JSON.stringify(done.counts));
    }
    const listed = await world.read<{ id: string }[]>(world.project, "/issues/?query=");
    for (const { id } of listed) await world.read(world.project, `/issues/${id}/events/?full=1`);
  });
}
