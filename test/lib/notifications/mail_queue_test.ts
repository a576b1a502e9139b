import assert from "node:assert/strict";
import { HOUR_MS } from "@/lib/core/time.ts";
import { enqueueMails, sendDueMails } from "@/lib/notifications/mail_queue.ts";
import { mailServer, smtpTo } from "@/test/support/mail_server.ts";
import { silentLogger } from "@/test/support/silent_logger.ts";
import { testDatabase } from "@/test/support/stores.ts";

const GO_ON = new AbortController().signal;

function mail(number: number) {
  const id = String(number).padStart(32, "0");
  return {
    organizationId: "1",
    id,
    mail: {
      to: ["ann@example.com"],
      subject: `Mail ${number}`,
      text: "Hello",
      html: "<p>Hello</p>",
      messageId: `<${id}@watch.example.com>`,
      references: null,
    },
  };
}

Deno.test("of several who send at once, each mail is sent by one; written again, it is not sent again", async () => {
  await using server = await mailServer();
  await using database = await testDatabase();
  const { sql } = database;
  const tools = { sql, smtp: smtpTo(server), log: silentLogger };
  const mails = [mail(1), mail(2), mail(3)];
  const now = new Date();
  await enqueueMails(sql, mails, now);
  const sent = await Promise.all([1, 2, 3].map(() => sendDueMails(tools, now, GO_ON)));
  const rest = await sendDueMails(tools, now, GO_ON);
  assert.equal(sent.reduce((sum, each) => sum + each, rest), 3);
  // Who hung meanwhile may come with the same once more.
  await enqueueMails(sql, mails, now);
  assert.equal(await sendDueMails(tools, new Date(now.getTime() + HOUR_MS), GO_ON), 0);
  assert.equal(server.mails.length, 3);
});
