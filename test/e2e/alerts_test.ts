import assert from "node:assert/strict";
import { alertInput } from "../support/alert_input.ts";
import { api } from "../support/api_client.ts";
import { mailServer } from "../support/mail_server.ts";
import { ADMIN_TOKEN, type Server, startServer } from "../support/server.ts";
import { serverStores } from "../support/server_stores.ts";
import { waitFor } from "../support/wait_for.ts";
import { webhookReceiver } from "../support/webhook_receiver.ts";

const PROMISE_MS = 60_000;
/** A process that was killed keeps the right to judge for a while. */
const AFTER_CRASH_MS = 120_000;
const SEND_EVERY_MS = 1_000;

interface Transition {
  readonly from: string;
  readonly to: string;
  readonly notice: string;
  readonly value: number | null;
}

Deno.test("an alert fires within a minute, mails, posts, survives a crash, and is over again", async () => {
  await using stores = await serverStores();
  await using mail = await mailServer({ hasNoTls: true });
  await using hook = webhookReceiver();
  const env = {
    SMTP_HOST: "127.0.0.1",
    SMTP_PORT: String(mail.port),
    SMTP_SECURITY: "none",
    SMTP_FROM: "Watchpost <alerts@example.test>",
    SERVICE_ALLOW_PRIVATE_WEBHOOKS: "true",
  };
  let server = await startServer(env, stores);
  try {
    const project = await server.createProject("Alerts");
    const path = `/projects/${await organizationOf(server)}/${project.slug}`;
    const call = <T>(below: string, body?: unknown) =>
      api<T>(
        server.url,
        ADMIN_TOKEN,
        path + below,
        body === undefined ? {} : { method: "POST", body },
      );
    const channels = [
      { type: "email", name: "Ops", addresses: ["ops@example.test"] },
      { type: "webhook", name: "Hook", url: `${hook.origin}/alerts` },
    ];
    const channelIds: string[] = [];
    for (const channel of channels) {
      channelIds.push((await call<{ id: string }>("/channels/", channel)).id);
    }
    using gauge = startGauge(() => server.url, new URL(project.serverDsn).username);
    const query = { id: "a", metric: "queue.depth", aggregation: "last", filter: [], groupBy: [] };
    const rule = await call<{ id: string }>("/alerts/", {
      ...alertInput({ name: "Queue", channelIds, noData: "keep" }),
      source: { kind: "metric", queries: [query], judged: "a" },
      condition: { comparison: ">", critical: 100 },
    });
    gauge.value = 500;
    const crossedAt = Date.now();
    const posted = await waitFor("the webhook", () => hook.received[0], PROMISE_MS);
    assert.ok(Date.now() - crossedAt < PROMISE_MS);
    assert.deepEqual(noticesIn(posted.text).map(({ state }) => state), ["firing"]);
    const mailed = await waitFor("the mail", () => mail.mails[0]);
    assert.deepEqual(mailed.to, ["ops@example.test"]);
    assert.match(mailed.text, /queue\.depth/);

    await server.kill();
    server = await startServer(env, stores);
    gauge.value = 5;
    await waitFor("the end of it", () => hook.received[1], AFTER_CRASH_MS);
    await waitFor("the mail about its end", () => mail.mails[1]);
    const history = await call<Transition[]>(`/alerts/${rule.id}/history/`);
    assert.deepEqual(
      history.map(({ from, to, notice, value }) => [from, to, notice, value]),
      [["firing", "ok", "sent", 5], ["ok", "firing", "sent", 500]],
    );
    const states = hook.received.flatMap(({ text }) => noticesIn(text).map(({ state }) => state));
    assert.deepEqual(states, ["firing", "resolved"]);
    assert.equal(mail.mails.length, 2);
  } finally {
    await server.stop();
  }
});

function noticesIn(text: string): readonly { readonly state: string }[] {
  const body: { notices: { state: string }[] } = JSON.parse(text);
  return body.notices;
}

async function organizationOf(server: Server): Promise<string> {
  const [organization] = await api<{ slug: string }[]>(server.url, ADMIN_TOKEN, "/organizations/");
  return organization?.slug ?? "";
}

/** Sends a gauge once a second, whether anybody listens or not. */
function startGauge(urlOf: () => string, key: string): Disposable & { value: number } {
  const gauge = { value: 5, [Symbol.dispose]: () => clearInterval(timer) };
  const timer = setInterval(() => {
    const point = { timeUnixNano: `${Date.now()}000000`, asDouble: gauge.value };
    const metrics = [{ name: "queue.depth", unit: "1", gauge: { dataPoints: [point] } }];
    fetch(`${urlOf()}/v1/metrics`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ resourceMetrics: [{ resource: {}, scopeMetrics: [{ metrics }] }] }),
    }).then((response) => response.body?.cancel(), () => {});
  }, SEND_EVERY_MS);
  return gauge;
}
