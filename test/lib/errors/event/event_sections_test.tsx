import assert from "node:assert/strict";
import fc from "fast-check";
import { errorsIn } from "@/test/support/decode_events.ts";
import type { ErrorEvent } from "@/lib/records/mod.ts";
import { EventSections } from "@/lib/errors/event/sections.tsx";
import { viewEvent } from "@/lib/errors/event/view.ts";
import { fitPage } from "@/lib/errors/event/view.ts";
import { gzipSize, rendered } from "@/test/support/rendered.ts";

const FIXTURES = new URL("../../../fixtures/sentry/", import.meta.url);
/** The budget of a whole page; frame, header and chart take about 8 KB of it. */
const MAX_GZIP_BYTES = 52 * 1024;
const SWITCHES = {
  mode: { app: "?", all: "?frames=all" },
  order: { newest: "?", oldest: "?order=oldest" },
  form: null,
};

type Shown = Pick<
  ErrorEvent,
  "timestamp" | "tags" | "traceId" | "environment" | "release" | "transaction" | "payload"
>;

function sections(event: Shown): Promise<string> {
  return rendered(
    <EventSections
      event={event}
      view={fitPage(viewEvent(event.payload))}
      spreads={[]}
      suspects={null}
      team={null}
      mode="app"
      order="newest"
      form="mapped"
      forms={null}
      switchLinks={SWITCHES}
      traceHref={(traceId, spanId) => `/traces/${traceId}?span=${spanId}`}
      tagHref={(key, value) => `/issues?query=${encodeURIComponent(`${key}:${value}`)}`}
    />,
  );
}

function shown(payload: Record<string, unknown>, changes: Partial<Shown> = {}): Shown {
  return {
    timestamp: new Date("2026-03-10T12:00:00Z"),
    tags: [],
    traceId: null,
    environment: "",
    release: "",
    transaction: "",
    payload: JSON.stringify(payload),
    ...changes,
  };
}

async function sdkEvents(): Promise<[name: string, event: ErrorEvent][]> {
  const events: [string, ErrorEvent][] = [];
  for await (const folder of Deno.readDir(FIXTURES)) {
    if (!folder.isDirectory) continue;
    for await (const file of Deno.readDir(new URL(`${folder.name}/`, FIXTURES))) {
      const name = `${folder.name}/${file.name}`;
      const bytes = await Deno.readFile(new URL(name, FIXTURES));
      for (const record of errorsIn(bytes)) events.push([name, record]);
    }
  }
  return events;
}

/** What no page may ever hold: script of strangers, and what our content security policy refuses. */
function assertHarmless(html: string, name: string): void {
  assert.doesNotMatch(html, /<script(?! nonce)/i, name);
  assert.doesNotMatch(html, /<(?:img|iframe|object|embed|b|i)[\s>]/i, name);
  const names = html.replace(/="[^"]*"/g, "=");
  assert.doesNotMatch(names, /<[^>]*\s(?:style|on\w+)=/i, name);
  assert.doesNotMatch(html, /(?:href|src|action)="(?!https?:|\/|\?|#)/i, name);
}

const text = (html: string) =>
  html.replace(/<[^>]*>/g, "").replaceAll("&lt;", "<").replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"').replaceAll("&#39;", "'").replaceAll("&amp;", "&");

Deno.test("events of all SDKs show what broke and where", async () => {
  const events = await sdkEvents();
  assert.ok(events.length >= 20);
  for (const [name, event] of events) {
    const html = await sections(event);
    const page = text(html);
    const { exceptions, message } = viewEvent(event.payload);
    assert.ok(exceptions.length > 0 || message, name);
    for (const { type, value, frames } of exceptions) {
      assert.ok(page.includes(type) && page.includes(value), name);
      for (const frame of frames) assert.ok(page.includes(frame.name), `${name} ${frame.name}`);
    }
    if (message) assert.ok(page.includes(message.text), name);
    for (const [key, value] of event.tags) assert.ok(page.includes(`${key}${value}`), name);
    assertHarmless(html, name);
    assert.ok(await gzipSize(html) < MAX_GZIP_BYTES, name);
  }
});

Deno.test("markup, script and addresses that strangers put anywhere stay text", async () => {
  const evil = '"><script>alert(1)</script><img src=x onerror=alert(1)><b style="x">';
  const link = "javascript:alert(1)";
  const html = await sections(shown({
    platform: evil,
    message: evil,
    exception: {
      values: [{
        type: evil,
        value: evil,
        module: evil,
        mechanism: { type: evil, description: evil, help_link: link, data: { [evil]: evil } },
        stacktrace: {
          frames: [{
            function: evil,
            filename: evil,
            abs_path: link,
            lineno: 3,
            pre_context: [evil],
            context_line: evil,
            in_app: true,
            vars: { [evil]: { [evil]: evil } },
            package: evil,
            platform: "javascript",
          }],
        },
      }],
    },
    threads: { values: [{ id: evil, name: evil, state: evil }] },
    breadcrumbs: {
      values: [{ category: evil, level: evil, message: evil, data: { url: link, [evil]: evil } }],
    },
    request: {
      url: link,
      method: evil,
      headers: { [evil]: evil },
      cookies: { [evil]: evil },
      data: evil,
      env: { [evil]: evil },
    },
    user: { id: evil, [evil]: evil },
    contexts: { [evil]: { [evil]: evil }, browser: { name: evil } },
    extra: { [evil]: evil },
    modules: { [evil]: evil },
    sdk: { name: evil, version: evil, integrations: [evil], packages: [{ name: evil }] },
    errors: [{ type: evil, value: evil }],
  }, { tags: [[evil, evil]], environment: evil, release: evil, transaction: evil, traceId: evil }));
  assertHarmless(html, "evil event");
  assert.ok(text(html).includes("<script>alert(1)</script>"));
});

Deno.test("a web address of the request is a link that tells the other side nothing", async () => {
  const html = await sections(shown({ request: { url: "https://shop.example/cart" } }));
  assert.match(
    html,
    /<a [^>]*href="https:\/\/shop.example\/cart" rel="noopener noreferrer nofollow"/,
  );
});

Deno.test("whatever a stored event holds, there is a page of it, and it is harmless", async () => {
  const word = fc.oneof(
    fc.constantFrom("constructor", "__proto__", "toString", "values", "frames", "error", "http"),
    fc.constantFrom(
      "javascript:alert(1)",
      "<script>",
      '" onclick="x',
      "a.constructor",
      "https://a",
    ),
    fc.string({ maxLength: 8, unit: "binary" }),
  );
  const shape = fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: "small" },
      word,
      fc.double(),
      fc.boolean(),
      fc.constant(null),
      tie("object"),
      fc.array(tie("any"), { maxLength: 4 }),
    ),
    object: fc.dictionary(
      fc.oneof(
        word,
        fc.constantFrom(
          ...["exception", "threads", "stacktrace", "frames", "frames_omitted", "vars", "level"],
          ...["mechanism", "breadcrumbs", "data", "request", "headers", "cookies", "query_string"],
          ...[
            "user",
            "geo",
            "contexts",
            "flags",
            "sdk",
            "packages",
            "errors",
            "logentry",
            "params",
          ],
          ...["type", "value", "message", "url", "lineno", "pre_context", "context_line", "meta"],
          ...["platform", "filename", "function", "in_app", "category", "timestamp", "help_link"],
        ),
      ),
      tie("any"),
      { maxKeys: 12 },
    ),
  }));
  await fc.assert(
    fc.asyncProperty(shape.object, async (event) => {
      const html = await sections(shown(event as Record<string, unknown>));
      assertHarmless(html, JSON.stringify(event));
    }),
    { numRuns: 300 },
  );
});

Deno.test("an event that holds nothing says so", async () => {
  assert.match(text(await sections(shown({}))), /holds neither an exception nor a message/);
});

Deno.test("a message comes before the stack that only it has, and after a real exception", async () => {
  const frames = [{ function: "work", in_app: true }];
  const order = async (type: string | undefined) => {
    const html = await sections(shown({
      logentry: { message: "Something to say" },
      exception: { values: [{ ...(type && { type }), value: "v", stacktrace: { frames } }] },
    }));
    return html.indexOf('id="message"') < html.indexOf('id="exception"');
  };
  assert.equal(await order(undefined), true);
  assert.equal(await order("Error"), false);
});

Deno.test("the largest events still make a page for a phone", async () => {
  const words = "const total = items.reduce((sum, item) => sum + item.price * item.count, 0); ";
  const frames = Array.from({ length: 250 }, (_, index) => ({
    function: `handler${index}`,
    filename: `/app/src/module${index}.ts`,
    lineno: index,
    in_app: index % 3 === 0,
    pre_context: Array(5).fill(words),
    context_line: `${words}${index}`,
    post_context: Array(5).fill(words),
    vars: Object.fromEntries(
      Array.from({ length: 10 }, (_, each) => [`name${each}`, `${words}${index * each}`]),
    ),
  }));
  const html = await sections(shown({
    platform: "node",
    logentry: { formatted: words.repeat(150) },
    exception: {
      values: Array.from({ length: 5 }, (_, index) => ({
        type: `Error${index}`,
        value: words.repeat(100),
        stacktrace: { frames },
      })),
    },
    breadcrumbs: {
      values: Array.from({ length: 200 }, (_, index) => ({
        message: `${words}${index}`,
        data: { url: `https://api.example/${index}`, body: words.repeat(20) },
      })),
    },
    extra: Object.fromEntries(
      Array.from({ length: 200 }, (_, index) => [`key${index}`, words.repeat(20)]),
    ),
  }));
  assert.ok(await gzipSize(html) < MAX_GZIP_BYTES, `${await gzipSize(html)} bytes`);
});

Deno.test("members of an exception group stand in a list within the group's", async () => {
  const member = (type: string, exception_id: number, parent_id: number) => ({
    type,
    mechanism: { exception_id, parent_id, is_exception_group: type === "Group" },
  });
  const root = { type: "All", mechanism: { exception_id: 0, is_exception_group: true } };
  const exception = { values: [member("Inner", 2, 1), member("Group", 1, 0), root] };
  const html = await sections(shown({ platform: "python", exception }));
  assert.match(html, /All.*<ol.*Group.*<ol.*Inner.*<\/ol>.*<\/ol>.*<\/ol>/s);
});
