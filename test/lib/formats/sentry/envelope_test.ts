import assert from "node:assert/strict";
import { EnvelopeError, parseEnvelope } from "@/lib/formats/sentry/envelope.ts";

const ID = "0123456789abcdef0123456789abcdef";

function parse(text: string) {
  const { header, items, lost } = parseEnvelope(new TextEncoder().encode(text));
  const decoder = new TextDecoder();
  const read = items.map(({ type, payload }) => [type, decoder.decode(payload)]);
  return { header, items: read, lost };
}

Deno.test("parseEnvelope() reads the header's fields and leaves out what is not usable", () => {
  const { header } = parse(
    `{"event_id":"01234567-89AB-cdef-0123-456789abcdef","dsn":"http://k@h/1","sent_at":"2026-11-21T00:00:00.5Z","sdk":{"name":"x"},"trace":"odd"}`,
  );
  assert.deepEqual(header, {
    eventId: ID,
    dsn: "http://k@h/1",
    sentAt: new Date("2026-11-21T00:00:00.500Z"),
    sdk: { name: "x" },
    trace: null,
  });
  assert.deepEqual(parse(`{"event_id":"short","sent_at":"soon"}`).header, {
    eventId: null,
    dsn: null,
    sentAt: null,
    sdk: null,
    trace: null,
  });
});

Deno.test("parseEnvelope() takes payloads with and without length, with and without a last newline", () => {
  const expected = [["event", "{}"], ["attachment", "a\nb"], ["session", "{}"]];
  const text =
    '{}\n{"type":"event"}\n{}\n{"type":"attachment","length":3}\na\nb\n{"type":"session"}\n{}';
  assert.deepEqual(parse(text).items, expected);
  assert.deepEqual(parse(text + "\n").items, expected);
});

Deno.test("parseEnvelope() counts length in bytes", () => {
  const { items } = parse('{}\n{"type":"event","length":4}\n"é"\n{"type":"session"}\n{}');
  assert.deepEqual(items, [["event", '"é"'], ["session", "{}"]]);
});

Deno.test("parseEnvelope() ignores a length that counts characters when the payload is a line of JSON", () => {
  const { items, lost } = parse(
    '{}\n{"type":"event","length":9}\n{"a":"éé"}\n{"type":"session"}\n{}',
  );
  assert.deepEqual(items, [["event", '{"a":"éé"}'], ["session", "{}"]]);
  assert.equal(lost, 0);
});

Deno.test("parseEnvelope() keeps empty payloads", () => {
  assert.deepEqual(parse('{}\n{"type":"attachment","length":0}\n\n{"type":"event"}\n{}').items, [
    ["attachment", ""],
    ["event", "{}"],
  ]);
  assert.deepEqual(parse('{}\n{"type":"attachment"}\n\n{"type":"event"}\n{}').items, [
    ["attachment", ""],
    ["event", "{}"],
  ]);
  assert.deepEqual(parse('{}\n{"type":"attachment"}').items, [["attachment", ""]]);
});

Deno.test("parseEnvelope() skips a byte order mark, blank lines and carriage returns", () => {
  const { items, lost } = parse('\ufeff{}\r\n\r\n{"type":"event","length":2}\r\n{}\r\n\n\n');
  assert.deepEqual(items, [["event", "{}"]]);
  assert.equal(lost, 0);
});

Deno.test("parseEnvelope() takes a header without items", () => {
  assert.deepEqual(parse("{}").items, []);
  assert.deepEqual(parse("{}\n").items, []);
});

Deno.test("parseEnvelope() keeps the items before a broken frame and counts that frame", () => {
  const good = '{}\n{"type":"event"}\n{}\n';
  for (const broken of ["not json\n{}", "[]\n{}", '{"type":"attachment","length":99}\nabc']) {
    const { items, lost } = parse(good + broken);
    assert.deepEqual(items, [["event", "{}"]]);
    assert.equal(lost, 1);
  }
});

Deno.test("parseEnvelope() skips an item without a type and reads on", () => {
  const { items, lost } = parse('{}\n{"length":2}\n{}\n{"type":"event"}\n{}');
  assert.deepEqual(items, [["event", "{}"]]);
  assert.equal(lost, 1);
});

Deno.test("parseEnvelope() throws EnvelopeError when nothing can be read", () => {
  const unreadable = ["", "\n\n", "garbage", "[]", "null", '"x"', "{", "{}\nnot json\n{}"];
  for (const text of unreadable) assert.throws(() => parse(text), EnvelopeError, text);
});
