/**
 * The life of an installation of several instances under load: one of the version before goes on beside new ones, one is upgraded, one
 * is killed, one is added, one hangs. Nothing that was acknowledged is lost, counted twice or told twice.
 */
import assert from "node:assert/strict";
import { alertInput } from "../support/alert_input.ts";
import { api } from "../support/api_client.ts";
import { Balancer, sendThrough } from "../support/balancer.ts";
import { spoolEmptied } from "../support/load.ts";
import { findOlderVersion, olderVersion } from "../support/older_version.ts";
import { ADMIN_TOKEN, type Server, startServer } from "../support/server.ts";
import { hasSharedStores, sharedStores } from "../support/shared_stores.ts";
import { countedAccepted, storedIds } from "../support/stored_ids.ts";
import { waitFor } from "../support/wait_for.ts";
import { webhookReceiver } from "../support/webhook_receiver.ts";

/** Longer than every lease that is held while something is told or sent. */
const HANG_MS = 65_000;
/** An evaluation, and a lease that has to run out before. */
const TOLD_MS = 120_000;

const older = await findOlderVersion();

Deno.test({
  name:
    "three instances under load, of which one stays on the version before, one is upgraded, one is killed and one hangs for a minute, while one is added: everything acknowledged is stored and counted once, and told once",
  ignore: older === null || !hasSharedStores,
  fn: story,
});

async function story(): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const { root } = opened.use(await olderVersion(older ?? ""));
  const stores = opened.use(await sharedStores(false));
  const hook = opened.use(webhookReceiver());
  const env = { SERVICE_INGEST_RATE_PER_SEC: "100000", SERVICE_ALLOW_PRIVATE_WEBHOOKS: "true" };
  const start = async (place: { root?: URL } = {}) =>
    opened.use(await startServer(env, stores, 1, place));
  const stays = await start({ root });
  const upgraded = await start({ root });
  const dies = await start({ root });

  const { id, slug, serverDsn } = await stays.createProject("Shop");
  await watchErrors(stays, slug, `${hook.origin}/told`);
  const balancer = new Balancer(serverDsn, [stays, upgraded, dies]);
  await using load = sendThrough(balancer);
  await load.goesOn("of the version before");

  // Its migrations run beside the three that know nothing of them.
  const added = await start();
  balancer.add(added);
  await load.goesOn("with an instance of the new version");

  balancer.remove(upgraded);
  assert.equal(await upgraded.stop(), 0);
  balancer.add(await start());
  await load.goesOn("with one upgraded");

  await dies.kill();
  await load.goesOn("with one killed");
  balancer.remove(dies);

  const wake = added.hang();
  await load.goesOn("while one hangs");
  await new Promise((resolve) => setTimeout(resolve, HANG_MS));
  wake();
  await load.goesOn("after it went on");
  assert.ok((balancer.answered.get(stays.url) ?? 0) > 50, "the version before serves on");
  await waitFor("the alert", () => hook.received[0], TOLD_MS);
  await load.stop();

  await spoolEmptied(added);
  assert.deepEqual(await storedIds(stays, load.acknowledged), load.acknowledged);
  assert.equal(await countedAccepted(added, id, "error"), load.sent.size);
  const notices = hook.received.flatMap(({ text }) => noticesIn(text));
  assert.equal(new Set(notices).size, notices.length, "each notice is told once");
}

/** Fires on the first error of a minute, and tells a webhook. */
async function watchErrors({ url }: Server, slug: string, hook: string): Promise<void> {
  const [organization] = await api<{ slug: string }[]>(url, ADMIN_TOKEN, "/organizations/");
  const path = `/projects/${organization?.slug}/${slug}`;
  const send = <T>(below: string, body: unknown) =>
    api<T>(url, ADMIN_TOKEN, path + below, { method: "POST", body });
  const channel = await send<{ id: string }>("/channels/", {
    type: "webhook",
    name: "Hook",
    url: hook,
  });
  await send("/alerts/", alertInput({ channelIds: [channel.id] }));
}

function noticesIn(text: string): string[] {
  const body: { notices: { id: string }[] } = JSON.parse(text);
  return body.notices.map(({ id }) => id);
}
