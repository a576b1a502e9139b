import assert from "node:assert/strict";
import { errorEnvelope } from "../../support/envelopes.ts";
import { faultyIntake } from "../../support/faulty_intake.ts";
import { logLines } from "../../support/log_lines.ts";
import { testIntake } from "../../support/test_intake.ts";
import { waitFor } from "../../support/wait_for.ts";

Deno.test("while the clock is ten years back nothing is acknowledged, and it goes on when the clock is set", async () => {
  const { log, lines } = logLines();
  await using intake = await testIntake({}, log);
  const { now } = Date;
  const { eventId, body } = errorEnvelope();
  Date.now = () => now() - 10 * 365 * 86_400_000;
  try {
    const response = await intake.post(body);
    assert.equal(response.status, 503);
    assert.equal(response.headers.get("retry-after"), "60");
    assert.match(await response.text(), /clock of Watchpost is wrong/);
    const again = await intake.post(body);
    assert.equal(again.status, 503);
    await again.body?.cancel();
    const told = lines.filter(({ message }) => /the clock of this machine/.test(message));
    assert.equal(told.length, 1, "one line a minute, however many are refused");
  } finally {
    Date.now = now;
  }
  assert.equal((await intake.post(body)).status, 200);
  assert.deepEqual(await intake.storedIds(), [eventId]);
});

Deno.test("while Postgres is away requests are spooled, acknowledged, and stored when it is back", async () => {
  await using intake = await faultyIntake();
  const events = [1, 2, 3].map(() => errorEnvelope());
  intake.link.pause();
  for (const { eventId, body } of events) {
    const response = await intake.post(body);
    assert.equal(response.status, 200);
    assert.deepEqual(await response.json(), { id: eventId });
  }
  assert.ok((await intake.spooled()).length > 0);
  intake.link.resume();
  const stored = await waitFor("the replay", async () => {
    const ids = await intake.storedIds();
    return ids.length === events.length ? ids : null;
  });
  assert.deepEqual(stored.toSorted(), events.map(({ eventId }) => eventId).toSorted());
  await waitFor("an empty spool", async () => (await intake.spooled()).length === 0 || null);
});

Deno.test("an event that was stored before its answer was lost is not stored again by the replay", async () => {
  await using intake = await faultyIntake();
  const { eventId, body } = errorEnvelope();
  const emptySpool = () =>
    waitFor("an empty spool", async () => (await intake.spooled()).length === 0 || null);
  assert.equal((await intake.post(body)).status, 200);
  // On a busy machine the first one may have come late as well.
  await emptySpool();
  intake.link.pause();
  assert.equal((await intake.post(body)).status, 200);
  assert.equal((await intake.spooled()).length, 1);
  intake.link.resume();
  await emptySpool();
  assert.deepEqual(await intake.storedIds(), [eventId]);
});

Deno.test("while Postgres is away and the spool is full requests are refused with 503", async () => {
  await using intake = await faultyIntake({ spoolMaxBytes: 0 });
  intake.link.pause();
  const response = await intake.post(errorEnvelope().body);
  assert.equal(response.status, 503);
  assert.equal(response.headers.get("retry-after"), "10");
  assert.equal(response.headers.get("access-control-allow-origin"), "*");
  assert.deepEqual(await intake.spooled(), []);
});
