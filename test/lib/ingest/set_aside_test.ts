import assert from "node:assert/strict";
import { listKeys } from "@/lib/accounts/keys.ts";
import { createProject } from "@/lib/accounts/projects.ts";
import { Decoder, WorkerEnded } from "@/lib/ingest/decoders.ts";
import { receive } from "@/lib/ingest/pipeline.ts";
import { sentryEnvelope } from "@/lib/ingest/protocols/sentry.ts";
import { expireAside } from "@/lib/ingest/lost_requests.ts";
import { replayInto } from "@/lib/ingest/replay.ts";
import { SetAside } from "@/lib/ingest/set_aside.ts";
import { decodeRequests } from "@/lib/ingest/spool_objects.ts";
import { workerThatEndsOver } from "../../support/decode_workers.ts";
import { errorEnvelope } from "../../support/envelopes.ts";
import { faultyIntake } from "../../support/faulty_intake.ts";
import { logLines } from "../../support/log_lines.ts";
import { refuseRows } from "../../support/refusing_trigger.ts";
import { silentLogger } from "../../support/silent_logger.ts";
import { spooledRequest } from "../../support/spooled_request.ts";
import { testObjects } from "../../support/stores.ts";
import { authHeader, type TestIntake, testIntake } from "../../support/test_intake.ts";
import { waitFor } from "../../support/wait_for.ts";
import { WORKERS } from "../../support/throw_away_database.ts";

/** A second project beside that of an intake. */
async function neighbour({ services, send, organization, outcomes }: TestIntake) {
  const { kv, sql } = services;
  const { id } = await createProject(kv, {
    organizationId: organization.id,
    name: "Other",
    platform: "node",
  });
  const [key] = await listKeys(kv, id);
  const headers = authHeader(key?.publicKey ?? "");
  return {
    id,
    post: (body: string) => send(`/api/${id}/envelope/`, { method: "POST", body, headers }),
    async stored() {
      const rows = await sql`select 1 from events where project_id = ${id}`;
      return rows.length;
    },
    outcomes: (expected: Record<string, number>) => outcomes(expected, id),
  };
}

for (const code of ["0A000", "42501", "42P01", "XX000", "P0001"]) {
  Deno.test(`requests that Postgres refuses with ${code} are set aside, others are stored at once, and trying again stores each once`, async () => {
    await using intake = await testIntake();
    const { services, project, storedIds } = intake;
    const { sql, spool } = services;
    const other = await neighbour(intake);
    const heal = await refuseRows(sql, "events", code, project.id);

    const refused = Array.from({ length: 7 }, () => errorEnvelope());
    const good = Array.from({ length: 20 }, () => errorEnvelope());
    const answers = await Promise.all([
      ...refused.map(({ body }) => intake.post(body)),
      ...good.map(({ body }) => other.post(body)),
    ]);
    for (const answer of answers) assert.equal(answer.status, 200);
    await Promise.all(answers.map((answer) => answer.body?.cancel()));
    // Right after their answers: none of them waited in the spool.
    assert.equal(await other.stored(), good.length);
    assert.equal((await spool.state()).waitingObjects, 0);
    const { requests, bytes, groups } = await spool.aside.state();
    assert.equal(requests, refused.length);
    assert.ok(bytes > 0);
    assert.deepEqual(groups.map(({ projectId, code }) => [projectId, code]), [[project.id, code]]);
    assert.deepEqual(await storedIds(), []);
    await other.outcomes({ accepted: good.length });

    // In vain: it is as it was.
    assert.equal(await spool.aside.tryAgain(), refused.length);
    spool.lookAgain();
    await waitFor("them to be set aside again", async () => {
      const { requests } = await spool.aside.state();
      return requests === refused.length && (await spool.state()).waitingObjects === 0 || null;
    });

    await heal();
    await spool.aside.tryAgain({ projectId: project.id, code });
    spool.lookAgain();
    const stored = await waitFor("them to be stored", async () => {
      const ids = await storedIds();
      return ids.length === refused.length ? ids : null;
    });
    assert.deepEqual(stored.toSorted(), refused.map(({ eventId }) => eventId).toSorted());
    assert.equal((await spool.aside.state()).requests, 0);
    await intake.outcomes({ accepted: refused.length });
  });
}

Deno.test("a request of outcomes alone is set aside as well", async () => {
  await using intake = await testIntake();
  const { sql, spool } = intake.services;
  const heal = await refuseRows(sql, "outcome_journal", "0A000", intake.project.id);
  const report = {
    timestamp: Date.now() / 1000,
    discarded_events: [{ reason: "queue_overflow", category: "error", quantity: 3 }],
  };
  const body = [{}, { type: "client_report" }, report].map((line) => JSON.stringify(line));
  const answer = await intake.post(body.join("\n"));
  assert.equal(answer.status, 200);
  await answer.body?.cancel();
  assert.equal((await spool.aside.state()).requests, 1);
  await heal();
  await spool.aside.tryAgain();
  spool.lookAgain();
  await intake.outcomes({ accepted: 1, "client_discard/queue_overflow": 3 });
});

Deno.test("what is stored while a request is set aside needs no second try", async () => {
  await using intake = await testIntake();
  const { sql, spool } = intake.services;
  const heal = await refuseRows(sql, "events", "XX000", null);
  const { eventId, body } = errorEnvelope();
  assert.equal((await intake.post(body)).status, 200);
  await heal();
  // The client has sent it once more; then somebody tries again, twice.
  assert.equal((await intake.post(body)).status, 200);
  assert.deepEqual(await intake.storedIds(), [eventId]);
  await spool.aside.tryAgain();
  spool.lookAgain();
  await intake.outcomes({ accepted: 1, duplicate: 1 });
  assert.deepEqual(await intake.storedIds(), [eventId]);
  assert.equal((await spool.aside.state()).requests, 0);
});

Deno.test("when no more can be set aside such requests are refused, and others are stored", async () => {
  const { log, lines } = logLines();
  await using intake = await testIntake({ setAsideMaxBytes: 0 }, log);
  const other = await neighbour(intake);
  await refuseRows(intake.services.sql, "events", "0A000", intake.project.id);
  const { body } = errorEnvelope();
  for (const _ of [1, 2]) {
    const answer = await intake.post(body);
    assert.equal(answer.status, 503);
    assert.equal(answer.headers.get("retry-after"), "10");
    await answer.body?.cancel();
  }
  assert.equal((await other.post(errorEnvelope().body)).status, 200);
  assert.equal(await other.stored(), 1);
  const told = lines.filter(({ message }) => /no more requests can be set aside/.test(message));
  assert.equal(told.length, 1, "one line a minute");
});

Deno.test("the log tells where it failed, and no values", async () => {
  const { log, lines } = logLines();
  await using intake = await testIntake({}, log);
  await refuseRows(intake.services.sql, "events", "0A000", null);
  const { body } = errorEnvelope("My secret text");
  await intake.post(body);
  const [line] = lines.filter(({ message }) => /trying again does not mend it/.test(message));
  assert.equal(line?.fields.code, "0A000");
  // Of Citus it is the coordinator that says so.
  const routine = WORKERS.length > 0 ? "ReportResultError" : "exec_stmt_raise";
  assert.equal(line?.fields.routine, routine);
  assert.doesNotMatch(JSON.stringify(lines), /secret text|refused:/);
});

/** Posts an envelope whose decoder has a bug, as it may have until the next version. */
async function postToBroken(intake: TestIntake, body: string): Promise<Response> {
  const { services, path, auth, project } = intake;
  const request = new Request(`http://localhost${path}`, { method: "POST", body, headers: auth });
  const decode = () => {
    throw new TypeError("Cannot read properties of 'My secret text'");
  };
  const arrival = { url: new URL(request.url), projectId: project.id, clientAddress: null };
  return await receive(request, { ...sentryEnvelope, decode }, services, arrival);
}

Deno.test("a request that a decoder fails on is acknowledged and kept, and stored once the decoder is mended", async () => {
  const { log, lines } = logLines();
  await using intake = await testIntake({}, log);
  const { spool } = intake.services;
  const { eventId, body } = errorEnvelope();
  const answer = await postToBroken(intake, body);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("access-control-allow-origin"), "*");
  const { groups } = await spool.aside.state();
  assert.deepEqual(groups.map(({ code, requests }) => [code, requests]), [["unreadable", 1]]);
  const [line] = lines.filter(({ message }) => /^requests are set aside/.test(message));
  assert.equal(line?.fields.error, "TypeError");
  assert.match(String(line?.fields.at), /set_aside_test\.ts/);
  assert.doesNotMatch(JSON.stringify(lines), /secret text/);
  await spool.aside.tryAgain();
  spool.lookAgain();
  await intake.outcomes({ accepted: 1 });
  assert.deepEqual(await intake.storedIds(), [eventId]);
  assert.equal((await spool.aside.state()).requests, 0);
});

Deno.test("a request that a decoder fails on is asked for again when there is no room to keep it", async () => {
  await using intake = await testIntake({ setAsideMaxBytes: 0 });
  const answer = await postToBroken(intake, errorEnvelope().body);
  assert.equal(answer.status, 503);
  assert.equal(answer.headers.get("retry-after"), "10");
});

Deno.test("a request over which Workers end is acknowledged and kept, those beside it are stored, and no later try ends the process", async () => {
  const { log, lines } = logLines();
  await using intake = await testIntake({}, log);
  const { services, path, auth, project } = intake;
  const { spool } = services;
  const decoder = new Decoder({ url: workerThatEndsOver("ends Workers") });
  const post = (body: string) => {
    const req = new Request(`http://localhost${path}`, { method: "POST", body, headers: auth });
    const arrival = { url: new URL(req.url), projectId: project.id, clientAddress: null };
    return receive(req, sentryEnvelope, { ...services, decoder }, arrival);
  };
  const large = (text: string) => errorEnvelope(text + " ".repeat(300_000)).body;
  const kept = () => spool.aside.find({});
  await post(large("starts the Worker"));
  await waitFor("the Worker", () => Promise.resolve(decoder.isReady || null));
  const answers = await Promise.all(["before", "ends Workers", "behind"].map(large).map(post));
  assert.deepEqual(answers.map(({ status }) => status), [200, 200, 200]);
  await intake.outcomes({ accepted: 3 });
  assert.deepEqual((await kept()).map(({ code, requests }) => [code, requests]), [[
    "unreadable",
    1,
  ]]);
  const [line] = lines.filter(({ message }) => /^requests are set aside/.test(message));
  assert.equal(line?.fields.error, "WorkerEnded");

  // A newer version tries again what an older one has set aside.
  const replay = replayInto({ ...services, decoder });
  const [object] = await kept();
  const bytes = await services.objects.get(`set_aside/${object?.name}`) ?? new Uint8Array();
  const [request] = decodeRequests(bytes);
  assert.ok(request);
  await assert.rejects(replay(request), WorkerEnded);
  decoder.close();

  await spool.aside.tryAgain();
  spool.lookAgain();
  await intake.outcomes({ accepted: 4 });
  assert.deepEqual(await kept(), []);
});

Deno.test("what waited during an outage and cannot be stored then is set aside by the replay", async () => {
  await using intake = await faultyIntake();
  const { services: { sql }, link, project } = intake;
  const other = await neighbour(intake);
  const refused = errorEnvelope();
  const good = errorEnvelope();
  link.pause();
  assert.equal((await intake.post(refused.body)).status, 200);
  assert.equal((await other.post(good.body)).status, 200);
  await refuseRows(sql, "events", "0A000", project.id);
  link.resume();
  await waitFor("an empty spool", async () => (await intake.spooled()).length === 0 || null);
  assert.equal(await other.stored(), 1);
  assert.deepEqual(await intake.storedIds(), []);
  const { groups } = await intake.aside.state();
  assert.deepEqual(groups.map(({ code, requests }) => [code, requests]), [["0A000", 1]]);
});

Deno.test("requests that are set aside together share an object, by project and reason", async () => {
  await using store = await testObjects();
  const aside = new SetAside({
    objects: store.objects,
    log: silentLogger,
    maxBytes: 1_000_000,
    version: "1.2.3-rc_1",
  });
  const add = (projectId: string, code: string) =>
    aside.add(spooledRequest("x", { projectId }), code);
  await Promise.all([
    ...Array.from({ length: 30 }, () => add("7", "0A000")),
    ...Array.from({ length: 20 }, () => add("7", "")),
    ...Array.from({ length: 10 }, () => add("8", "0A000")),
  ]);
  const { requests, groups } = await aside.state();
  assert.equal(requests, 60);
  assert.deepEqual(
    groups.map(({ projectId, code, requests }) => [projectId, code, requests]),
    [["7", "0A000", 30], ["7", "error", 20], ["8", "0A000", 10]],
  );
  const [largest] = groups;
  assert.ok((largest?.objects.length ?? 99) <= 2);
  assert.equal(largest?.objects[0]?.version, "1.2.3-rc-1");
  assert.deepEqual(largest?.since, spooledRequest("x").receivedAt);
  const name = largest?.objects[0]?.name ?? "";
  const lost = await aside.delete({ name });
  assert.equal(lost.length, largest?.objects[0]?.requests);
  assert.equal((await aside.state()).requests, 60 - lost.length);
  await aside.close();
});

Deno.test("what is set aside goes with its retention, and with its project", async () => {
  await using intake = await testIntake({ retentionDays: 30 });
  const { services, project } = intake;
  const { spool } = services;
  const receivedAt = new Date();
  const old = new Date(Date.now() - 31 * 86_400_000);
  const kept = spooledRequest("kept", { projectId: project.id, receivedAt });
  await spool.aside.add(kept, "0A000");
  await spool.aside.add(spooledRequest("old", { projectId: project.id, receivedAt: old }), "42P01");
  await spool.aside.add(spooledRequest("gone", { projectId: "99", receivedAt }), "0A000");
  await expireAside({ ...services, retentionDays: 30 });
  const left = await spool.aside.find({});
  assert.deepEqual(left.map(({ projectId, code }) => [projectId, code]), [[project.id, "0A000"]]);
  await intake.outcomes({ "refused/deleted_unstored": 1 });
});
