import assert from "node:assert/strict";
import { api } from "../support/api_client.ts";
import { mailServer } from "../support/mail_server.ts";
import { ADMIN_TOKEN, startServer } from "../support/server.ts";
import { serverStores } from "../support/server_stores.ts";
import { waitFor } from "../support/wait_for.ts";
import { webhookReceiver } from "../support/webhook_receiver.ts";

const INTERVAL_SEC = 20;
/** An incident is certain within the interval and half a minute; a process that was killed keeps its claim for a while. */
const PROMISE_MS = INTERVAL_SEC * 1_000 + 30_000;
const AFTER_CRASH_MS = PROMISE_MS + 60_000;

interface Check {
  readonly dateDue: string;
  readonly status: string;
}

Deno.test("a site that stops is told by mail and webhook once, over two crashes, and so is its recovery", async () => {
  await using stores = await serverStores();
  await using mail = await mailServer({ hasNoTls: true });
  await using hook = webhookReceiver();
  await using site = webhookReceiver();
  const env = {
    SMTP_HOST: "127.0.0.1",
    SMTP_PORT: String(mail.port),
    SMTP_SECURITY: "none",
    SMTP_FROM: "Watchpost <alerts@example.test>",
    SERVICE_ALLOW_PRIVATE_WEBHOOKS: "true",
    SERVICE_MONITOR_ALLOW: "127.0.0.1",
  };
  let server = await startServer(env, stores);
  try {
    const project = await server.createProject("Uptime");
    const organizations = await api<{ slug: string }[]>(server.url, ADMIN_TOKEN, "/organizations/");
    const path = `/projects/${organizations[0]?.slug}/${project.slug}`;
    const call = <T>(below: string, body?: unknown) =>
      api<T>(
        server.url,
        ADMIN_TOKEN,
        path + below,
        body === undefined ? {} : { method: "POST", body },
      );
    const channelIds: string[] = [];
    for (
      const channel of [
        { type: "email", name: "Ops", addresses: ["ops@example.test"] },
        { type: "webhook", name: "Hook", url: `${hook.origin}/uptime` },
      ]
    ) channelIds.push((await call<{ id: string }>("/channels/", channel)).id);
    const { id } = await call<{ id: string }>("/uptime/", {
      name: "Front page",
      intervalSec: INTERVAL_SEC,
      channelIds,
      target: { kind: "http", url: `${site.origin}/` },
    });
    const checks = () => call<Check[]>(`/uptime/${id}/checks/`);
    await waitFor("the first check", async () => (await checks())[0], PROMISE_MS);

    // Killed between the first failure and the one that is certain.
    site.answerWith(() => new Response("broken", { status: 500 }));
    const failed = async () => (await checks()).find(({ status }) => status === "down");
    await waitFor("a failed check", failed, PROMISE_MS);
    await server.kill();
    server = await startServer(env, stores);
    await waitFor("the webhook", () => hook.received[0], AFTER_CRASH_MS);
    await waitFor("the mail", () => mail.mails[0], AFTER_CRASH_MS);
    await waitFor("both to be noted as sent", async () => {
      const sent = await Promise.all(channelIds.map(async (channel) => {
        const [delivery] = await call<{ state: string }[]>(`/channels/${channel}/deliveries/`);
        return delivery?.state === "sent";
      }));
      return sent.every(Boolean) || null;
    });

    await server.kill();
    site.answerWith(() => new Response("fine"));
    server = await startServer(env, stores);
    await waitFor("the second webhook", () => hook.received[1], AFTER_CRASH_MS);
    await waitFor("the second mail", () => mail.mails[1], AFTER_CRASH_MS);
    assert.equal(hook.received.length, 2);
    assert.match(hook.received[0]?.text ?? "", /Front page is down/);
    assert.match(hook.received[1]?.text ?? "", /Front page is up again after/);

    const incidents = await call<{ dateClosed: string | null }[]>(`/uptime/${id}/incidents/`);
    assert.equal(incidents.length, 1);
    assert.ok(incidents[0]?.dateClosed);
    const due = (await checks()).map(({ dateDue }) => dateDue);
    assert.equal(new Set(due).size, due.length);
  } finally {
    await server[Symbol.asyncDispose]();
  }
});
