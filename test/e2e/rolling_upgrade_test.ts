/**
 * The life of an installation of several instances under load: one of the version before goes on beside new ones, one is upgraded, one
 * is killed, one is added, one hangs. Nothing that was acknowledged is lost, counted twice or told twice.
 */
import assert from "node:assert/strict";
import { alertInput } from "../support/alert_input.ts";
import { api } from "../support/api_client.ts";
import { signIn } from "../support/browserless.ts";
import { envelopeUrl, errorEnvelope, type MadeEvent } from "../support/envelopes.ts";
import { spoolEmptied } from "../support/load.ts";
import { findOlderVersion, olderVersion } from "../support/older_version.ts";
import { ADMIN_TOKEN, type Server, startServer } from "../support/server.ts";
import { hasSharedStores, sharedStores } from "../support/shared_stores.ts";
import { storedIds } from "../support/stored_ids.ts";
import { waitFor } from "../support/wait_for.ts";
import { webhookReceiver } from "../support/webhook_receiver.ts";
import { totalsOfCsv } from "./accounting/ledger.ts";

/** Longer than every lease that is held while something is told or sent. */
const HANG_MS = 65_000;
const SENDERS = 4;
/** A balancer gives up on an instance that hangs, and asks another. */
const BALANCER_MS = 3_000;
const PACE_MS = 50;
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
  const goOn = (what: string) => {
    const before = load.acknowledged.size;
    return waitFor(
      `acknowledgements ${what}`,
      () => load.acknowledged.size > before + 50 || null,
      60_000,
    );
  };
  await goOn("of the version before");

  // Its migrations run beside the three that know nothing of them.
  const added = await start();
  balancer.add(added);
  await goOn("with an instance of the new version");

  balancer.remove(upgraded);
  assert.equal(await upgraded.stop(), 0);
  balancer.add(await start());
  await goOn("with one upgraded");

  await dies.kill();
  await goOn("with one killed");
  balancer.remove(dies);

  const wake = added.hang();
  await goOn("while one hangs");
  await new Promise((resolve) => setTimeout(resolve, HANG_MS));
  wake();
  await goOn("after it went on");
  assert.ok((balancer.answered.get(stays.url) ?? 0) > 50, "the version before serves on");
  await waitFor("the alert", () => hook.received[0], TOLD_MS);
  await load.stop();

  await spoolEmptied(added);
  assert.deepEqual(await storedIds(stays, load.acknowledged), load.acknowledged);
  assert.equal(await countedErrors(added, id), load.sent.size);
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

/** Asks one instance after the other, as whatever stands before several of them does. */
class Balancer {
  readonly answered = new Map<string, number>();
  #turn = 0;
  #servers: readonly Server[];

  constructor(private readonly dsn: string, servers: readonly Server[]) {
    this.#servers = servers;
  }

  add(server: Server): void {
    this.#servers = [...this.#servers, server];
  }

  remove(server: Server): void {
    this.#servers = this.#servers.filter((each) => each !== server);
  }

  /** Sends until one of them has taken it: the same request, as clients and balancers do. */
  async send(body: string): Promise<void> {
    while (true) {
      const server = this.#servers[this.#turn++ % this.#servers.length];
      if (server === undefined) throw new Error("No instance is left");
      if (await this.#ask(server.url, body) === 200) {
        this.answered.set(server.url, (this.answered.get(server.url) ?? 0) + 1);
        return;
      }
    }
  }

  async #ask(url: string, body: string): Promise<number | null> {
    const own = new URL(this.dsn);
    own.port = new URL(url).port;
    try {
      const signal = AbortSignal.timeout(BALANCER_MS);
      const response = await fetch(envelopeUrl(own.href), { method: "POST", body, signal });
      await response.body?.cancel();
      return response.status;
    } catch {
      return null;
    }
  }
}

interface BalancedLoad extends AsyncDisposable {
  readonly sent: ReadonlySet<string>;
  readonly acknowledged: ReadonlySet<string>;
  stop(): Promise<void>;
}

function sendThrough(
  balancer: Balancer,
  make: () => MadeEvent = () => errorEnvelope(),
): BalancedLoad {
  const [sent, acknowledged] = [new Set<string>(), new Set<string>()];
  let isStopped = false;
  const sender = async () => {
    while (!isStopped) {
      const { eventId, body } = make();
      sent.add(eventId);
      await balancer.send(body);
      acknowledged.add(eventId);
      await new Promise((resolve) => setTimeout(resolve, PACE_MS));
    }
  };
  const done = Promise.all(Array.from({ length: SENDERS }, sender));
  const stop = async () => {
    isStopped = true;
    await done;
  };
  return { sent, acknowledged, stop, [Symbol.asyncDispose]: stop };
}

/** Errors of a project that were accepted this month, as the Usage page counts them. */
async function countedErrors(server: Server, projectId: string): Promise<number> {
  const admin = await signIn(server.url);
  const [organization] = await api<{ slug: string }[]>(server.url, ADMIN_TOKEN, "/organizations/");
  const month = new Date().toISOString().slice(0, "2026-11".length);
  const path = `/organizations/${organization?.slug}/settings/usage/csv?month=${month}`;
  return totalsOfCsv((await admin.get(path)).text).get(`${projectId} error accepted`) ?? 0;
}
