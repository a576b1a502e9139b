import assert from "node:assert/strict";
import type { TelemetryRecord } from "@/lib/records/mod.ts";
import { errorEvent } from "../../support/error_event.ts";
import {
  attachmentRecord,
  feedbackRecord,
  logRecord,
  sessionCountsRecord,
  sessionRecord,
} from "../../support/records.ts";
import { shop } from "../../support/shop.ts";
import { textOf } from "../../support/ui_app.ts";

const TRACE = "5f2a1c3d4e5f60718293a4b5c6d7e8f9";

async function app() {
  const made = await shop();
  const base = `/projects/${made.projectId}`;
  const commit = (...records: TelemetryRecord[]) =>
    made.services.writer.commit(made.projectId, { records, outcomes: [] });
  const text = async (path: string) => textOf((await made.owner.get(base + path)).html);
  return { ...made, base, commit, text };
}

Deno.test("logs are listed newest first, with level, logger and attributes", async () => {
  await using site = await app();
  const earlier = new Date(Date.now() - 60_000);
  await site.commit(
    logRecord({ body: "Stock is low", level: "warn", logger: "shop.stock", timestamp: earlier }),
    logRecord({ body: "<script>alert(1)</script>", attributes: '{"order.id":4711}' }),
  );
  const { html } = await site.owner.get(`${site.base}/logs`);
  assert.doesNotMatch(html, /<script>alert/);
  const text = textOf(html);
  assert.match(text, /<script>alert\(1\)<\/script>.*order\.id 4711.*Stock is low.*shop\.stock/);
  assert.match(text, /warn ?1/);
});

Deno.test("logs are searched by words, level, logger, attribute and trace", async () => {
  await using site = await app();
  await site.commit(
    logRecord({ body: "Order placed", logger: "shop.orders", attributes: '{"user.id":"7"}' }),
    logRecord({ body: "Stock is low", level: "error", traceId: TRACE }),
  );
  const found = async (query: string) => {
    const text = await site.text(`/logs?${new URLSearchParams(query)}`);
    return [/Order placed/.test(text), /Stock is low/.test(text)];
  };
  assert.deepEqual(await found("query=ORDER"), [true, false]);
  assert.deepEqual(await found("level=error"), [false, true]);
  assert.deepEqual(await found("query=logger:shop.*"), [true, false]);
  assert.deepEqual(await found("query=!logger:shop.*"), [false, true]);
  assert.deepEqual(await found("query=user.id:7"), [true, false]);
  assert.deepEqual(await found(`query=trace:${TRACE}`), [false, true]);
  assert.deepEqual(await found('query="is low"'), [false, true]);
  assert.deepEqual(await found("query=100%25"), [false, false]);
  assert.match(await site.text("/logs?query=nothing"), /No log matches/);
});

Deno.test("levels that are not ticked keep their counts, and ticked ones stay on the next page", async () => {
  await using site = await app();
  await site.commit(
    ...Array.from({ length: 51 }, () => logRecord({ body: "found", level: "warn" })),
    logRecord({ body: "found", level: "error" }),
    logRecord({ body: "found", level: "debug" }),
    logRecord({ body: "other", level: "debug" }),
  );
  const { html } = await site.owner.get(`${site.base}/logs?query=found&level=warn&level=error`);
  const text = textOf(html);
  assert.match(text, /debug ?1 info ?0 warn ?51 error ?1 /);
  assert.match(text, /52 logs · /, "the chart shows what is ticked");
  assert.match(html, /href="[^"]*level=warn&amp;level=error" rel="next"/);
});

Deno.test("what the chart of logs shows is told alone, for a page that does not wait for it", async () => {
  await using site = await app();
  await site.commit(
    logRecord({ body: "found", level: "warn" }),
    logRecord({ body: "found as well", level: "error" }),
    logRecord({ body: "lost", level: "error" }),
  );
  const { html } = await site.owner.get(`${site.base}/logs/counts?query=found`);
  const { counts, countsOf, byLevel }: {
    counts: number[];
    countsOf: Record<string, number[]>;
    byLevel: Record<string, number>;
  } = JSON.parse(html);
  const sum = (values: number[]) => values.reduce((all, count) => all + count, 0);
  assert.equal(sum(counts), 2);
  assert.deepEqual(Object.keys(countsOf).toSorted(), ["error", "warn"]);
  assert.deepEqual(Object.values(countsOf).map(sum), [1, 1]);
  assert.deepEqual(byLevel, { warn: 1, error: 1 });
  const visitor = site.visitor();
  assert.equal((await visitor.get(`${site.base}/logs/counts`)).status, 303);
});

Deno.test("a project without logs is told how to send them", async () => {
  await using site = await app();
  assert.match(await site.text("/logs"), /No logs in the last 14 days.*enableLogs: true/);
});

Deno.test("more logs than a page holds go on on the next one", async () => {
  await using site = await app();
  const now = Date.now();
  await site.commit(
    ...Array.from(
      { length: 60 },
      (_, index) => logRecord({ body: `line ${index}.`, timestamp: new Date(now - index * 1000) }),
    ),
  );
  const { html } = await site.owner.get(`${site.base}/logs`);
  assert.match(textOf(html), /line 49\./);
  assert.doesNotMatch(textOf(html), /line 50\./);
  const next = /href="([^"]*)" rel="next"/.exec(html)?.[1]?.replaceAll("&amp;", "&") ?? "";
  const second = await site.owner.get(next);
  assert.match(textOf(second.html), /line 50\..*line 59\./);
});

Deno.test("feedback is listed with its error, resolved and reopened", async () => {
  await using site = await app();
  const event = errorEvent();
  const feedback = feedbackRecord({ eventId: event.eventId });
  await site.commit(event, feedback);
  const { html } = await site.owner.get(`${site.base}/feedback`);
  assert.match(
    textOf(html),
    /The button does nothing.*Ann · ann@example\.com.*The error it is about/,
  );
  assert.match(html, new RegExp(`/events/${event.eventId}`));
  const id = feedback.feedbackId;
  await site.owner.post(`${site.base}/feedback`, { action: "resolve", feedback: id });
  assert.match(await site.text("/feedback"), /No feedback here/);
  assert.match(await site.text("/feedback?status=resolved"), /The button does nothing/);
  await site.owner.post(`${site.base}/feedback`, { action: "reopen", feedback: id });
  assert.match(await site.text("/feedback?query=button"), /The button does nothing/);
  assert.match(await site.text("/feedback?query=other"), /No feedback matches/);
});

Deno.test("releases tell how many sessions and users had no crash", async () => {
  await using site = await app();
  const startedAt = new Date();
  const none = { userHash: null, errored: 0, unhandled: 0, abnormal: 0, startedAt };
  await site.commit(
    sessionCountsRecord({ release: "shop@2/α", aggregates: [{ ...none, exited: 95, crashed: 5 }] }),
    sessionRecord({ release: "shop@1.0", status: "crashed", userHash: "a" }),
    sessionRecord({ release: "shop@1.0", status: "exited", userHash: "b" }),
    errorEvent({ release: "shop@1.0" }),
  );
  const text = await site.text("/releases");
  assert.match(text, /shop@2\/α seen .* 98\.0% 95\.0% – 0 0/);
  assert.match(text, /shop@1\.0 seen .* 2\.0% 50\.0% 50\.0% 1 1/);
});

Deno.test("a project without releases is told how they come about", async () => {
  await using site = await app();
  assert.match(await site.text("/releases"), /No releases yet.*sentry-cli releases new/);
});

/** An event with a file, and the address of the file. */
async function withFile(filename: string, contentType: string, bytes: Uint8Array) {
  const site = await app();
  const event = errorEvent({ traceId: TRACE });
  const file = attachmentRecord({
    eventId: event.eventId,
    filename,
    contentType,
    blob: { key: `attachments/1/2026-11-20/${crypto.randomUUID()}`, bytes },
  });
  await site.services.objects.put(file.blob.key, bytes);
  await site.commit(
    event,
    file,
    feedbackRecord({ eventId: event.eventId }),
    logRecord({ traceId: TRACE }),
  );
  const [issue] = await site.services.sql<{ id: string }[]>`select id from issues`;
  const eventPath = `${site.base}/issues/${issue?.id}/events/${event.eventId}`;
  return { ...site, eventPath, path: `${eventPath}/attachments/${file.attachmentId}` };
}

Deno.test("the page of an event shows its files, feedback and the logs of its trace", async () => {
  await using site = await withFile("trace.log", "text/plain", new TextEncoder().encode("hello"));
  const text = textOf((await site.owner.get(site.eventPath)).html);
  assert.match(text, /User feedback The button does nothing/);
  assert.match(text, /1 log of this trace/);
  assert.match(text, /Attachments trace\.log text\/plain ?5 B ?View ?Download/);
});

Deno.test("a file is downloaded under its name, and never run by the browser", async () => {
  const html = new TextEncoder().encode("<script>alert(1)</script>");
  await using site = await withFile('e"v\\il\u202e.html', "text/html", html);
  const answer = await site.owner.get(site.path);
  assert.equal(answer.status, 200);
  assert.equal(answer.html, "<script>alert(1)</script>");
  assert.equal(answer.headers.get("content-type"), "application/octet-stream");
  assert.match(
    answer.headers.get("content-disposition") ?? "",
    /^attachment; filename="e_v_il_\.html"; filename\*=UTF-8''/,
  );
  assert.match(answer.headers.get("content-security-policy") ?? "", /sandbox/);
  assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
  const preview = await site.owner.get(`${site.path}?preview`);
  assert.match(preview.headers.get("content-type") ?? "", /^text\/plain/);
});

Deno.test("only what is a picture by its bytes is shown as one", async () => {
  const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0]);
  await using picture = await withFile("shot.png", "image/png", png);
  const shown = await picture.owner.get(`${picture.path}?preview`);
  assert.equal(shown.headers.get("content-type"), "image/png");
  const svg = new TextEncoder().encode('<svg xmlns="http://www.w3.org/2000/svg"/>');
  await using drawing = await withFile("x.png", "image/png", svg);
  const text = await drawing.owner.get(`${drawing.path}?preview`);
  assert.match(text.headers.get("content-type") ?? "", /^text\/plain/);
  await using binary = await withFile("x.txt", "text/plain", new Uint8Array([1, 0, 2]));
  assert.equal((await binary.owner.get(`${binary.path}?preview`)).status, 415);
});

Deno.test("a file of another event or project is not found, nor one whose bytes are gone", async () => {
  await using site = await withFile("a.txt", "text/plain", new Uint8Array([65]));
  const other = errorEvent();
  await site.commit(other);
  const id = site.path.split("/").pop();
  const wrong = site.eventPath.replace(/[0-9a-f]{32}$/, other.eventId);
  assert.equal((await site.owner.get(`${wrong}/attachments/${id}`)).status, 404);
  assert.equal((await site.owner.get(`${site.eventPath}/attachments/nonsense`)).status, 404);
  const [row] = await site.services.sql<{ key: string }[]>`select blob_key as key from attachments`;
  await site.services.objects.delete(row?.key ?? "");
  const gone = await site.owner.get(site.path);
  assert.equal(gone.status, 404);
  assert.match(textOf(gone.html), /bytes are gone/);
});
