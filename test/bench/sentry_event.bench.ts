/** How long it takes to understand one error of 11.8 KB. Run with `deno bench -A test/bench/sentry_event.bench.ts`. */
import { parseEnvelope } from "../../lib/formats/sentry/envelope.ts";
import { toErrorEvent } from "../../lib/formats/sentry/error_event.ts";
import { groupEvent } from "../../lib/formats/sentry/grouping.ts";
import { decodeContext } from "../support/decode_context.ts";
import { decodeItems } from "../../lib/formats/sentry/items.ts";
import { parseJson } from "../../lib/formats/json.ts";
import { normalizeEvent } from "../../lib/formats/sentry/normalize.ts";
import type { NormalizedEvent } from "../../lib/formats/sentry/normalized_event.ts";
import { culpritOf, metadataOf, titleOf } from "../../lib/formats/sentry/title.ts";
import { sampleEvent } from "../lib/formats/sentry/sample_event.ts";

const json = new TextEncoder().encode(JSON.stringify(sampleEvent()));
const header = new TextEncoder().encode(
  '{"event_id":"0123456789abcdef0123456789abcdef","sent_at":"2026-11-21T00:00:46.000Z"}\n{"type":"event"}\n',
);
const envelope = new Uint8Array([...header, ...json]);
const context = {
  ...decodeContext({ clientAddress: "203.0.113.7" }),
  sentAt: null,
  rawBytes: json.length,
};

function normalized(): NormalizedEvent {
  const result = normalizeEvent(parseJson(json), context);
  if ("invalid" in result) throw new Error("The sample event is invalid");
  return result.event;
}

Deno.bench(`whole: envelope of ${json.length} bytes to record`, { baseline: true }, () => {
  decodeItems(parseEnvelope(envelope), context);
});
Deno.bench("event JSON to record", () => {
  toErrorEvent(parseJson(json), context);
});
Deno.bench("parseJson()", () => {
  parseJson(json);
});
Deno.bench("normalizeEvent()", (b) => {
  const raw = parseJson(json);
  b.start();
  normalizeEvent(raw, context);
  b.end();
});
const event = normalized();
Deno.bench("titleOf(), culpritOf(), metadataOf()", () => {
  titleOf(event);
  culpritOf(event);
  metadataOf(event);
});
Deno.bench("groupEvent()", () => {
  groupEvent(event);
});
Deno.bench("JSON.stringify()", () => {
  JSON.stringify(event);
});
