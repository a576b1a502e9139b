import assert from "node:assert/strict";
import { createProject } from "@/lib/accounts/projects.ts";
import { fieldWords } from "@/lib/audit/field_words.ts";
import { monitorTexts } from "@/lib/errors/monitor_words.ts";
import { errorEvent } from "../../support/error_event.ts";
import { everyPage, type PagePath } from "../../support/every_page.ts";
import { checkInRecord } from "../../support/records.ts";
import { type Acme, acme, type Visitor } from "../../support/ui_app.ts";

/** Pages that a walk looks at. */
const MAX_PAGES = 200;

/** Names, units and texts of others, which are the same in all languages. */
const ALLOWED = new Set(
  `watchpost english sentry opentelemetry otlp otel prometheus grafana pyroscope postgres postgresql deno kv github gitlab
  gitea jira youtrack slack telegram mattermost discord teams google microsoft entra okta keycloak authentik yandex vk
  pagerduty opsgenie webhook webhooks smtp slug id dsn url http https api sql json csv utc gmt sso oidc scim sdk sdks png
  svg web vitals lcp inp cls fcp ttfb apdex cron pprof javascript typescript node js python go java kotlin ruby rust php
  net tilda wix squarespace webflow shopify css html promql metricsql ip tcp dns tls mcp passkey totp rss get post put
  delete head options patch browser server collector spool source map maps codeowners main p50 p75 p90 p95 p99 olga owner
  example com acme shop esc enter shift ctrl alt cmd internet explorer iban cookie ok n ms s min gzip remote write nan
  hostmetrics agents cdn spa cms async head tag manager content security policy custom settings code developer tools
  openid connect ping crontab localhost json lines everyone groups backend ops org a route cart status
  trace debug info warn error fatal injection header additional online store themes edit save published changes site additionals layout theme liquid`
    .split(/\s+/),
);

Deno.test("pages in Russian have no English left in them", async () => {
  await using app = await acme();
  const { owner, organization, services: { kv } } = app;
  const project = await createProject(kv, {
    organizationId: organization.id,
    name: "Магазин",
    platform: "other",
  });
  assert.equal(
    (await owner.post("/account/language", { language: "ru", timeZone: "Europe/Moscow" })).status,
    303,
  );
  const left = new Map<string, string>();
  for await (
    const [path, html] of pagesFrom(owner, ["/projects", `/projects/${project.id}/issues`])
  ) {
    assert.match(html, /<html lang="ru"/, `${path}: ${html.slice(0, 300)}`);
    for (const text of textsOf(html)) if (isEnglish(text)) left.set(text, path);
  }
  assert.deepEqual([...left].map(([text, path]) => `${path}: ${text}`), []);
});

/** What people and programs wrote, or what is stored in English, on the pages with something in each place. */
const WRITTEN = new Set([
  ...["Ann", "Checkout fails", "Front page", "Many errors", "On call", "Order placed", "Overview"],
  ...[
    "The button does nothing",
    "We look into it.",
    "production",
    "nightly-report",
    "content-type",
  ],
  ...["The answer was 500; expected is 200-299.", "Error: group", "GET /orders/:id", "db"],
  ...["select 1", "select ?", "group", "Bitbucket", "bug, production"],
  // Of query languages and formats.
  ...["avg", "count", "increase", "last", "max", "rate", "sum", "exists", "speedscope JSON"],
  ...[
    "CPU",
    "p50",
    "p75",
    "p95",
    "p99",
    "2xx 1",
    "TTFB (p75)",
    "LCP (p75)",
    "INP (p75)",
    "CLS (p75)",
    "FCP (p75)",
  ],
]);

Deno.test("pages in Russian with something in each place have no English of ours in them", async () => {
  await using app = await acme();
  const pages = await everyPage(app);
  await failedCronJob(app, pages);
  await app.owner.post("/account/language", { language: "ru", timeZone: "Europe/Moscow" });
  const left: string[] = [];
  for (const { path } of pages) {
    // The document of the API is in English.
    if (/sign-out|^\/api\b/.test(path)) continue;
    const { html, headers } = await app.owner.get(path);
    if (!headers.get("content-type")?.startsWith("text/html")) continue;
    const texts = new Set(textsOf(html).filter((text) => isEnglish(text)));
    left.push(...[...texts].filter((text) => !isWritten(text)).map((text) => `${path}: ${text}`));
  }
  assert.deepEqual(left, []);
  const changed = await app.services.sql<{ field: string }[]>`
    select distinct jsonb_object_keys(changes) as field from audit_entries
  `;
  const fields = changed.map(({ field }) => field);
  assert.ok(fields.length > 50, `${fields.length}`);
  assert.deepEqual(fields.filter((field) => fieldWords(field) === field), []);
});

/** A cron job with a schedule, and the issue that its failures opened. */
async function failedCronJob({ services }: Acme, pages: readonly PagePath[]): Promise<void> {
  const [, projectId = ""] =
    pages.map(({ path }) => /^\/projects\/(\d+)$/.exec(path)).find((found) => found !== null) ?? [];
  const schedule = { type: "interval", value: 5, unit: "minute" };
  const texts = monitorTexts("nightly-report", { errors: 1, missed: 3, timeouts: 0 });
  const records = [
    checkInRecord({ monitorConfig: JSON.stringify({ schedule }) }),
    errorEvent({ ...texts, type: "default", metadata: {} }),
  ];
  await services.writer.commit(projectId, { records, outcomes: [] });
}

function isWritten(text: string): boolean {
  return text.split(/: (?=The )/).every((part) => WRITTEN.has(part) || IS_NAME.test(part));
}

/** Addresses, versions, ids and names of fields. */
const IS_NAME = /^[#*/]?\S+[@/.:_]\S*$|^[a-z]+[A-Z]\w*$|^(?:[0-9a-f]{8}){1,2}$/;

/** Whether a text is not in Russian, and has words that are no names. */
function isEnglish(text: string): boolean {
  if (/\p{Script=Cyrillic}/u.test(text)) return false;
  const words = text.match(/[A-Za-z][A-Za-z'’]*/g) ?? [];
  return words.some((word) => !ALLOWED.has(word.toLowerCase()));
}

/** Walks the links of pages, each path once, whatever their queries. */
async function* pagesFrom(
  visitor: Visitor,
  paths: readonly string[],
): AsyncGenerator<[path: string, html: string]> {
  const waiting = [...paths];
  const seen = new Set(waiting);
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    const { status, html, headers } = await visitor.get(path);
    if (status !== 200 || !headers.get("content-type")?.startsWith("text/html")) continue;
    yield [path, html];
    for (const [, href = ""] of html.matchAll(/<a\b[^>]*? href="(\/[^"]*)"/g)) {
      const next = href.replaceAll("&amp;", "&").replace(/[?#].*$/, "");
      // The document of the API is in English.
      if (seen.has(next) || seen.size >= MAX_PAGES || next.startsWith("/api/")) continue;
      seen.add(next);
      waiting.push(next);
    }
  }
}

/** What people read on a page: its texts but for code, and what is read out. */
function textsOf(html: string): string[] {
  const body = html.replace(
    /<(script|style|svg|code|pre|kbd|datalist|option|textarea)\b.*?<\/\1>/gs,
    " ",
  );
  const texts = body.split(/<(?:"[^"]*"|[^">])*>/);
  const read = [...body.matchAll(/ (?:title|aria-label|placeholder|alt)="([^"]*)"/g)].map((
    [, text = ""],
  ) => text);
  return [...texts, ...read].flatMap((text) => text.split(" · ")).map((text) =>
    text.replace(/&\w+;|&#\d+;/g, " ").replace(/\s+/g, " ").trim()
  )
    .filter((text) => text !== "" && !IS_NAME.test(text));
}
