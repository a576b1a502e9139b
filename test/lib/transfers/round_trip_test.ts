import assert from "node:assert/strict";
import type { Project } from "@/lib/accounts/projects.ts";
import { roomIn } from "@/test/support/room_in.ts";
import { changeIssues, SYSTEM } from "@/lib/errors/mod.ts";
import { addNote } from "@/lib/errors/workflow/notes.ts";
import { HOUR_MS } from "@/lib/core/time.ts";
import { packedColumns, type PackedRow, withSpans } from "@/lib/store/spans/stored_spans.ts";
import {
  AT,
  OTLP_TRACE,
  sendOtlp,
  sendSentry,
  SENTRY_TRACE,
  type Transferred,
  transferred,
} from "../../support/transferred.ts";

interface Answers {
  readonly [name: string]: unknown;
}

const RANGE = `start=${new Date((AT - 3_600) * 1_000).toISOString()}&end=${
  new Date((AT + 1_200) * 1_000).toISOString()
}`;

/** Everything that the API and the store say of a project's data, without the names of the project and its issues. */
async function answersOf(world: Transferred, project: Project): Promise<Answers> {
  const { read, services: { sql } } = world;
  const issues = await read<Record<string, unknown>[]>(project, "/issues/?query=&statsPeriod=24h");
  const events = (await Promise.all(
    issues.map(({ id }) =>
      read<Record<string, unknown>[]>(project, `/issues/${id}/events/?full=1`)
    ),
  )).flat();
  const titles = new Map(issues.map(({ id, title }) => [id, title]));
  const metric = (name: string, aggregation: string) =>
    read<{ series: unknown }>(
      project,
      `/metrics/query/?metric=${name}&aggregation=${aggregation}&${RANGE}&step=60`,
    ).then(({ series }) => series);
  const top = await read<Record<string, unknown>>(
    project,
    `/profiles/top/?service=checkout&${RANGE}`,
  );
  const rows = await sql<(PackedRow & Record<string, unknown>)[]>`
    select ${packedColumns(sql)}, trace_id, batch_id, transaction, b."timestamp", s.environment,
      s.release, s.service, s.platform, s.sdk, s.resource
    from span_batches as b join span_sources as s using (project_id, source_id)
    where project_id = ${project.id} order by trace_id, batch_id
  `;
  const spans = (await withSpans(sql, project.id, rows)).map((
    { ids: _, bytes: __, chunkId: ___, place: ____, ...row },
  ) => row);
  return {
    events: events.map((event) => withoutPlace(event, titles)).sort(byText),
    issues: issues.map((issue) => withoutPlace(issue, titles)).sort(byText),
    comments: await sql`
      select issues.title, data->>'text' as text, actor_kind, created_at from issue_activity
      join issues on issues.project_id = issue_activity.project_id and issues.id = issue_id
      where issues.project_id = ${project.id} and issue_activity.type = 'note' order by created_at
    `,
    attachments: await sql`
      select event_id, attachment_id, filename, content_type, size_bytes from attachments
      where project_id = ${project.id} order by attachment_id
    `,
    transactions: await sql`
      select event_id, "timestamp", started_at, duration_ms, trace_id, span_id, sent_as, name, op,
        source, status, http_method, http_status, platform, environment, release, user_key, tags,
        measurements, client_sample_rate, service, route, is_failed
      from transactions where project_id = ${project.id} order by event_id
    `,
    spans,
    logs: await sql`
      select "timestamp", nanos, log_id, level, body, logger, server, environment, release, sdk,
        trace_id, span_id, attributes
      from logs where project_id = ${project.id} order by log_id
    `,
    requests: await metric("requests", "rate"),
    memory: await metric("memory", "avg"),
    latency: await metric("latency", "p95"),
    sizes: await metric("size", "p50"),
    labels: await sql`
      select name, kind, unit, description, temporality, labels from metric_series
      join metrics using (project_id, metric_id)
      where project_id = ${project.id} order by name, labels::text
    `,
    functions: top.functions,
    profiles: await sql`
      select profile_id, "timestamp", source, kind, service, instance, platform, environment,
        duration_ms, samples, types, totals, is_delta, labels
      from profiles where project_id = ${project.id} order by profile_id
    `,
  };
}

function byText(one: unknown, other: unknown): number {
  return JSON.stringify(one) < JSON.stringify(other) ? -1 : 1;
}

/** Ids and names of places differ; which issue an event is in is told by its title. */
function withoutPlace(
  { id, groupID, projectID: _, project: __, shortId: ___, permalink: ____, ...rest }: Record<
    string,
    unknown
  >,
  titles: ReadonlyMap<unknown, unknown>,
): Record<string, unknown> {
  for (const name of ["nextEventID", "previousEventID"]) delete rest[name];
  if (rest.priorityLockedAt) rest.priorityLockedAt = "some time";
  return rest.eventID === undefined ? rest : { ...rest, id, issue: titles.get(groupID) };
}

Deno.test("what is exported and imported into an empty project answers as it did before", async (t) => {
  await using world = await transferred();
  const { project, services, organization, owner } = world;
  await sendSentry(world);
  await sendOtlp(world);
  const issues = await world.read<{ id: string; title: string }[]>(project, "/issues/?query=");
  const place = { projectId: project.id, organizationId: organization.id };
  const [first, second] = issues.map(({ id }) => id);
  assert.ok(first && second);
  await changeIssues(services, project.id, [first], { status: { to: "resolved" } }, SYSTEM);
  await changeIssues(services, project.id, [second], {
    status: { to: "ignored" },
    priority: "low",
    assignee: { kind: "user", id: owner.id },
  }, SYSTEM);
  await addNote(services, { ...place, issueId: second }, owner.id, { text: "Known since May." });

  const archive = await world.exported(project);
  const copy = await world.empty("Copy");
  const done = await world.imported(copy, "export.zip", archive);
  assert.equal(done.state, "done", done.lastError);
  // Issues have a count for each of the last 24 hours.
  await roomIn(HOUR_MS, 45_000);
  const [before, after] = [await answersOf(world, project), await answersOf(world, copy)];
  for (const name of Object.keys(before)) {
    await t.step(`its ${name} are the same`, () => {
      assert.ok(JSON.stringify(before[name]).length > 10, "there is something to compare");
      assert.deepEqual(after[name], before[name]);
    });
  }

  await t.step("a second import of the same changes nothing", async () => {
    const again = await world.imported(copy, "export.zip", archive);
    assert.equal(again.state, "done", again.lastError);
    assert.equal(again.counts.events, undefined);
    assert.deepEqual(await answersOf(world, copy), after);
  });

  await t.step("so does one into the project that it came from", async () => {
    await world.imported(project, "export.zip", archive);
    assert.deepEqual(await answersOf(world, project), before);
  });

  await t.step("both traces are whole", async () => {
    for (const trace of [SENTRY_TRACE, OTLP_TRACE]) {
      const [one, other] = await Promise.all([project, copy].map(async (each) => {
        const { spans } = await world.read<{ spans: { projectId: string }[] }>(
          each,
          `/traces/${trace}/`,
        );
        return spans.map(({ projectId: _, ...span }) => span);
      }));
      assert.ok((one?.length ?? 0) >= 2);
      assert.deepEqual(other, one);
    }
  });
});
