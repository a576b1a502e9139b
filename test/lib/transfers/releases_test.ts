import assert from "node:assert/strict";
import { unzipSync } from "fflate";
import type { Project } from "@/lib/accounts/projects.ts";
import { setCommits } from "@/lib/releases/commits.ts";
import { createDeploy } from "@/lib/releases/deploys.ts";
import { ensureRelease } from "@/lib/releases/releases.ts";
import { sendSentry, TOKEN, type Transferred, transferred } from "../../support/transferred.ts";

const HEADERS = { authorization: `Bearer ${TOKEN}`, "content-type": "application/json" };
const iso = (ms: number) => new Date(ms).toISOString();
const NOW = Date.now();
const SHOP = encodeURIComponent("shop@1.0");

async function tell(
  { send }: Transferred,
  project: Project,
  path: string,
  body: unknown,
  method = "POST",
): Promise<void> {
  const address = `/api/0/projects/acme/${project.slug}/releases/${path}`;
  const answer = await send(address, { method, headers: HEADERS, body: JSON.stringify(body) });
  assert.ok(answer.ok, await answer.text());
}

/** Releases as tools and events make them. */
async function sendAll(world: Transferred): Promise<void> {
  const { project } = world;
  await tell(world, project, "", {
    version: "shop@1.0",
    ref: "main",
    url: "https://ci.example.com/1",
    dateReleased: iso(NOW - 90_123),
    commits: [{
      id: "b".repeat(40),
      repository: "acme/shop",
      author_name: "Ann",
      author_email: "ann@example.com",
      message: "Fixes SHOP-1",
      timestamp: iso(NOW - 200_456),
      patch_set: [{ path: "src/cart.ts", type: "M" }, { path: "src/new.ts", type: "A" }],
    }, { id: "a".repeat(40), author_email: "bob@example.com", timestamp: iso(NOW - 300_000) }],
    refs: [{ repository: "acme/shop", commit: "b".repeat(40), previousCommit: "c".repeat(40) }],
  });
  await tell(world, project, `${SHOP}/deploys/`, {
    environment: "production",
    name: "blue",
    url: "https://ci.example.com/deploys/1",
    dateStarted: iso(NOW - 70_000),
    dateFinished: iso(NOW - 60_000),
  });
  await tell(world, project, `${SHOP}/deploys/`, {
    environment: "staging",
    dateFinished: iso(NOW - 80_000),
  });
  await tell(world, project, "", { version: "shop@0.9" });
  await tell(world, project, encodeURIComponent("shop@0.9") + "/", { status: "archived" }, "PUT");
  await sendSentry(world);
}

/** All that the API says of a project's releases, but for ids and the name of the project. */
async function answersOf({ read }: Transferred, project: Project) {
  const releases = await read<{ version: string }[]>(project, "/releases/");
  const parts = await Promise.all(releases.map(async ({ version }) => {
    const base = `/releases/${encodeURIComponent(version)}`;
    return await Promise.all(
      ["", "/commits", "/commitfiles", "/deploys", "/previous-with-commits"].map((path) =>
        read<unknown>(project, `${base}${path}/`)
      ),
    );
  }));
  const link = await read<unknown>(project, `/stacktrace-link/?file=src/cart.ts&release=${SHOP}`);
  return JSON.parse(JSON.stringify([releases, parts, link], (key, value) => {
    if (key === "projects") return value.map(({ newGroups }: { newGroups: number }) => newGroups);
    return key === "id" && !/^[abc]{40}/.test(value) ? undefined : value;
  }));
}

function linesIn(archive: Uint8Array): Record<string, unknown>[] {
  const text = new TextDecoder().decode(unzipSync(archive)["releases.jsonl"]);
  return text.trim().split("\n").map((line) => JSON.parse(line));
}

Deno.test("releases come back with commits, files and deploys as they were", async (t) => {
  await using world = await transferred();
  const { project, services: { sql }, organization } = world;
  await sendAll(world);
  const before = await answersOf(world, project);
  const versions = ["shop@0.9", "shop@1.0", "shop@1.1", "shop@1.2", "shop@1.3"];
  const archive = await world.exported(project);

  await t.step("a line is a release of the API", async () => {
    const lines = linesIn(archive);
    assert.deepEqual(lines.map(({ version }) => version), versions);
    const { madeBy, refs: _, commitsFrom: __, commits, deploys, ...answer } = lines[1] ?? {};
    assert.deepEqual(answer, await world.read(project, `/releases/${SHOP}/`));
    assert.equal(madeBy, "tool");
    assert.deepEqual(deploys, await world.read(project, `/releases/${SHOP}/deploys/`));
    assert.ok(Array.isArray(commits));
    assert.deepEqual(
      commits.map(({ patch_set: _, ...commit }) => commit),
      await world.read(project, `/releases/${SHOP}/commits/`),
    );
  });

  const copy = await world.empty("Copy");
  const done = await world.imported(copy, "export.zip", archive);
  assert.deepEqual([done.state, done.lastError], ["done", ""]);
  const { releases, commits, deploys, unreadable } = done.counts;
  assert.deepEqual([releases, commits, deploys, unreadable], [5, 2, 2, undefined]);
  const after = await answersOf(world, copy);
  await t.step("every answer of the API is the same", () => assert.deepEqual(after, before));

  await t.step("no issue is resolved by what commits say", async () => {
    const { length } = await sql`select from release_fixes where project_id = ${copy.id}`;
    assert.equal(length, 0);
  });

  await t.step("a second import changes nothing, there or where it came from", async () => {
    for (const each of [copy, project]) {
      const { counts } = await world.imported(each, "export.zip", archive);
      assert.deepEqual([counts.releases, counts.commits, counts.deploys], Array(3).fill(undefined));
      assert.deepEqual(await answersOf(world, each), before);
    }
  });

  await t.step("events that came before their releases make no difference", async () => {
    const later = await world.empty("Later");
    const files = unzipSync(archive);
    for (const name of ["events.jsonl", "issues.jsonl", "transactions.jsonl", "releases.jsonl"]) {
      await world.imported(later, name, files[name] ?? "");
    }
    assert.deepEqual(await answersOf(world, later), before);
  });

  await t.step("what is there stays, and what is missing is added", async () => {
    const other = await world.empty("Other");
    await ensureRelease(sql, other.id, "shop@1.0", { ref: "release", status: "archived" });
    await setCommits(sql, organization.id, other.id, "shop@1.0", [{
      id: "f",
      repository: "acme/shop",
      authorName: "",
      authorEmail: "",
      message: "Own",
      committedAt: new Date(),
      files: [],
    }]);
    await world.imported(other, "export.zip", archive);
    const release = await world.read<Record<string, unknown>>(other, `/releases/${SHOP}/`);
    assert.equal(release.ref, "release");
    assert.equal(release.status, "archived");
    assert.equal(release.url, "https://ci.example.com/1");
    assert.equal(release.dateReleased, iso(NOW - 90_123));
    assert.deepEqual([release.commitCount, release.deployCount], [1, 2]);
  });
});

Deno.test("of a release that projects share, only the own part goes and comes", async () => {
  await using world = await transferred();
  const { project, services: { sql }, organization } = world;
  await tell(world, project, "", { version: "shared@1", ref: "own" });
  const other = await world.empty("Secret sister");
  const text = "secret of the sister";
  await ensureRelease(sql, other.id, "shared@1", { ref: text, url: "https://sister.example" });
  await ensureRelease(sql, other.id, "sister@1");
  await setCommits(sql, organization.id, other.id, "shared@1", [{
    id: "f",
    repository: "sister/repository",
    authorName: text,
    authorEmail: "",
    message: text,
    committedAt: new Date(),
    files: [{ path: text, change: "M" }],
  }]);
  const deploy = { version: "shared@1", environment: "sister", name: text, url: "" };
  await createDeploy(sql, other.id, { ...deploy, startedAt: null, finishedAt: new Date() });
  const archive = await world.exported(project);
  assert.doesNotMatch(JSON.stringify(linesIn(archive)), /sister/i);

  const before = await answersOf(world, other);
  const copy = await world.empty("Copy");
  const line = {
    ...linesIn(archive)[0],
    url: "https://evil.example",
    projects: [{ id: Number(other.id), slug: other.slug }],
    projectId: other.id,
    organizationId: "1",
    commits: [{
      id: "f",
      message: "other",
      repository: { id: "1", name: "sister/repository", url: "https://evil.example" },
      patch_set: [{ path: "evil", type: "M" }],
    }],
    deploys: [{ id: "1", environment: "evil", dateFinished: iso(NOW) }],
  };
  const { counts } = await world.imported(copy, "a.jsonl", JSON.stringify(line) + "\n");
  assert.deepEqual(counts, { releases: 1, commits: 1, deploys: 1 });
  assert.deepEqual(await answersOf(world, other), before);
  const [repository] = await sql`select url from repositories where name = 'sister/repository'`;
  assert.equal(repository?.url, "");
});

Deno.test("a release with very many commits and deploys takes several lines and comes back whole", async () => {
  await using world = await transferred();
  const { project, services: { sql }, organization } = world;
  await ensureRelease(sql, project.id, "big");
  await setCommits(
    sql,
    organization.id,
    project.id,
    "big",
    Array.from({ length: 400 }, (_, index) => ({
      id: `c${index}`,
      repository: "acme/big",
      authorName: "Ann",
      authorEmail: "",
      message: crypto.getRandomValues(new Uint8Array(2_500)).toHex(),
      committedAt: new Date(NOW - index * 1_000),
      files: [{ path: `src/${index}.ts`, change: "M" as const }],
    })),
  );
  await sql`
    insert into deploys (project_id, version, environment, finished_at)
    select ${project.id}, 'big', 'e' || number, now() - number * interval '1 minute'
    from generate_series(1, 450) as number
  `;
  await sql`
    insert into releases (project_id, version, made_by)
    select ${project.id}, 'small' || number, 'event' from generate_series(1, 120) as number
  `;
  const archive = await world.exported(project);
  const big = linesIn(archive).filter(({ version }) => version === "big");
  assert.ok(big.length >= 3, `${big.length} lines`);
  assert.ok(big.every((line) => JSON.stringify(line).length < 2_000_000));
  const copy = await world.empty("Copy");
  const { counts } = await world.imported(copy, "export.zip", archive);
  assert.deepEqual([counts.releases, counts.commits, counts.deploys], [121, 400, 450]);
  const commitsOf = (id: string) =>
    sql`
      select place, commit_id, message, path from release_commits
      join commits using (project_id, repository_id, commit_id)
      join commit_files using (project_id, repository_id, commit_id)
      where project_id = ${id} order by place
    `;
  assert.deepEqual([...await commitsOf(copy.id)], [...await commitsOf(project.id)]);
  const again = await world.imported(copy, "export.zip", archive);
  assert.deepEqual([again.counts.releases, again.counts.commits], [undefined, undefined]);
});

Deno.test("an export of days has the releases that were made or used in them", async () => {
  await using world = await transferred();
  const { project, services: { sql } } = world;
  const days = (count: number) => new Date(NOW - count * 86_400_000);
  const made = async (version: string, createdAt: Date, lastEvent: Date | null = null) => {
    await sql`
      insert into releases (project_id, version, made_by, created_at, last_event)
      values (${project.id}, ${version}, 'tool', ${createdAt}, ${lastEvent})
    `;
  };
  await made("ancient", days(400));
  await made("old", days(20));
  await made("used", days(20), days(4));
  await made("deployed", days(20));
  await made("made", days(5));
  await made("later", days(1));
  await createDeploy(sql, project.id, {
    version: "deployed",
    environment: "production",
    name: "",
    url: "",
    startedAt: null,
    finishedAt: days(4),
  });
  const versions = async (range: object) =>
    linesIn(await world.exported(project, range)).map(({ version }) => version);
  assert.deepEqual(await versions({ since: days(6), until: days(2) }), [
    "deployed",
    "made",
    "used",
  ]);
  assert.equal((await versions({})).length, 6, "without days also what is older than all data");
});

Deno.test("an export has what was stored in the very moment in which it was asked for", async () => {
  await using world = await transferred();
  const { project, services: { sql } } = world;
  await ensureRelease(sql, project.id, "early");
  await sql`
    create function at_once() returns trigger language plpgsql as $$ begin
      update releases set created_at = now() where project_id = new.project_id;
      return new;
    end $$
  `;
  await sql`create trigger at_once after insert on transfers for each row execute function at_once()`;
  const archive = await world.exported(project);
  assert.deepEqual(linesIn(archive).map(({ version }) => version), ["early"]);
});

Deno.test("what no tool could say of a release is counted and left out", async () => {
  await using world = await transferred();
  const { project, services: { sql } } = world;
  const ok = { version: "a@1", shortVersion: "1", dateCreated: iso(NOW) };
  const deep = "[".repeat(5_000) + "]".repeat(5_000);
  const lines = [
    { ...ok, version: "" },
    { ...ok, version: "v".repeat(300) },
    { ...ok, ref: 7 },
    { ...ok, ref: "r".repeat(300) },
    { ...ok, url: "no address" },
    { ...ok, status: "gone" },
    { ...ok, refs: {} },
    { ...ok, refs: [{ repository: "a", commit: "c".repeat(100) }] },
    { ...ok, refs: Array(200).fill({ repository: "a", commit: "c" }) },
    { ...ok, refs: [{ repository: "a", commit: JSON.parse(deep) }] },
    {
      ...ok,
      version: "b@1",
      dateCreated: "9999-12-31T00:00:00Z",
      dateReleased: "-000001-01-01T00:00:00Z",
      firstEvent: 1e300,
      lastEvent: "+275000-01-01T00:00:00Z",
      commitCount: 1e9,
      commitsFrom: -1e9,
      refs: [{ repository: "a\0\ud800", commit: "c" }],
      commits: [
        7,
        { id: "" },
        { id: "a b" },
        { id: "x".repeat(65) },
        { id: "c", patch_set: [{ path: "a", type: "X" }] },
        { id: "c", patch_set: 7, message: {} },
        { id: "ok\0", message: "\0\udfff", author: "Ann", repository: 7, dateCreated: {} },
        { id: "ok", message: "twice" },
      ],
      deploys: [
        null,
        { environment: "a/b", dateFinished: iso(NOW) },
        { environment: "" },
        { environment: "p", dateFinished: "never" },
        { environment: "p", dateFinished: "9999-12-31", url: "" },
      ],
    },
    { ...ok, version: "c@1", commitsFrom: 1e9, commits: [{ id: "c" }], deploys: {} },
    { ...ok, version: "d@1", commits: Array.from({ length: 1_200 }, (_, id) => ({ id: `${id}` })) },
  ];
  const { state, counts } = await world.imported(
    project,
    "releases.jsonl",
    lines.map((line) => JSON.stringify(line)).join("\n"),
  );
  assert.equal(state, "done");
  assert.deepEqual(counts, {
    releases: 3,
    commits: 2 + 1_000,
    deploys: 1,
    unreadable: 10 + 6 + 4 + 200,
  });
  const rows = await sql<{ version: string; created_at: Date; last_event: Date | null }[]>`
    select version, created_at, released_at, last_event from releases
    where project_id = ${project.id} order by version
  `;
  assert.deepEqual(rows.map(({ version }) => version), ["b@1", "c@1", "d@1"]);
  const soon = new Date();
  assert.ok(
    rows.every(({ created_at, last_event }) => created_at <= soon && (last_event ?? soon) <= soon),
  );
  const [deploy] = await sql`select finished_at from deploys where project_id = ${project.id}`;
  assert.ok(deploy?.finished_at <= soon);
});
