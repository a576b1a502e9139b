import assert from "node:assert/strict";
import { deleteAged } from "@/lib/store/project_retention.ts";
import { createAhead, ensurePartitions } from "@/lib/store/partitions.ts";
import { testDatabase } from "../../support/database.ts";
import { testObjects } from "../../support/objects.ts";
import { errorEvent } from "../../support/error_event.ts";
import {
  attachmentRecord,
  logRecord,
  sessionRecord,
  transactionRecord,
} from "../../support/records.ts";
import { testWriter } from "../../support/writer.ts";

const DAY_MS = 86_400_000;
const never = new AbortController().signal;

Deno.test("what a project keeps for less time is deleted by kind, and other kinds and projects keep theirs", async () => {
  await using database = await testDatabase();
  await using stores = await testObjects();
  const { sql } = database;
  const { objects } = stores;
  const old = { timestamp: new Date(Date.now() - 10 * DAY_MS) };
  await createAhead(sql);
  await ensurePartitions(sql, [old.timestamp]);
  {
    await using writer = testWriter(sql);
    for (const projectId of ["1", "2"]) {
      for (const time of [old, {}]) {
        const attachment = attachmentRecord(time);
        await objects.put(attachment.blob.key, attachment.blob.bytes);
        await writer.commit(projectId, {
          records: [
            errorEvent(time),
            errorEvent({ ...time, group: "old" in time ? "new" : "both" }),
            transactionRecord(time),
            logRecord(time),
            sessionRecord(time),
            attachment,
          ],
          outcomes: [],
        });
      }
    }
  }
  const counts = async () => {
    const [row] = await sql`
      select ${
      sql.unsafe(
        ["events", "event_ids", "transactions", "logs", "sessions", "attachments"].map((table) =>
          `(select array_agg(n order by project) from (select project_id as project, count(*)::int as n from ${table} group by 1) as of_project) as ${table}`
        ).join(", "),
      )
    }
    `;
    return { ...row };
  };
  assert.deepEqual(await counts(), {
    events: [4, 4],
    event_ids: [4, 4],
    transactions: [2, 2],
    logs: [2, 2],
    sessions: [2, 2],
    attachments: [2, 2],
  });

  const rows = await deleteAged({ sql, objects }, {
    projectId: "1",
    days: { errors: 5, logs: 5 },
  }, never);

  assert.ok(rows >= 4);
  assert.deepEqual(await counts(), {
    events: [2, 4],
    event_ids: [2, 4],
    transactions: [2, 2],
    logs: [1, 2],
    sessions: [2, 2],
    // Files go with what they belong to.
    attachments: [1, 2],
  });
  assert.equal((await Array.fromAsync(objects.list("attachments/"))).length, 3);

  await deleteAged({ sql, objects }, {
    projectId: "1",
    days: { transactions: 5, sessions: 5, metrics: 5, profiles: 5, checks: 5 },
  }, never);
  const { transactions, sessions } = await counts();
  assert.deepEqual({ transactions, sessions }, { transactions: [1, 2], sessions: [1, 2] });
});
