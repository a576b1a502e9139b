/** What stock SDKs make of our refusals: no storm of repeats, and silence for as long as they are told. */
import assert from "node:assert/strict";
import { listKeys, reissueKey, updateKey } from "../../lib/accounts/keys.ts";
import { updateSettings } from "../../lib/accounts/projects.ts";
import { setMonthlyQuota } from "../../lib/accounts/quotas.ts";
import { type ListeningApp, listeningApp } from "../support/listening_app.ts";
import { goClient, nodeClient, pythonClient } from "./clients/install.ts";

const CAPTURED = 20;
/** Client reports come on top, and Node repeats a request once on a connection that broke. */
const A_FEW = 5;

const clients = {
  Node: await nodeClient("reactions_node"),
  Python: await pythonClient("reactions_python"),
  Go: await goClient("reactions_go"),
};

interface Answered {
  readonly statuses: number[];
  readonly accepted: number;
}

/** Runs a client against an app that somebody has prepared to refuse. */
async function answers(
  client: { run(dsn: string): Promise<void> },
  prepare: (app: ListeningApp) => Promise<void>,
): Promise<Answered> {
  await using app = await listeningApp();
  await prepare(app);
  await client.run(app.serverDsn);
  await app.services.refusals.close();
  const { sql, writer } = app.services;
  await writer.close();
  const refused = await sql<{ status: number }[]>`select status from refused_requests`;
  const [row] = await sql<{ count: number }[]>`select count(*)::int as count from events`;
  return { statuses: refused.map(({ status }) => status), accepted: row?.count ?? 0 };
}

const firstKey = async ({ services: { kv }, projectId }: ListeningApp) =>
  (await listKeys(kv, projectId)).find(({ type }) => type === "server")?.publicKey ?? "";

for (const [name, client] of Object.entries(clients)) {
  const test = (what: string, fn: (run: NonNullable<typeof client>) => Promise<void>) =>
    Deno.test({
      name: `the stock ${name} SDK ${what}`,
      ignore: client === null,
      fn: async () => {
        if (client !== null) await fn(client);
      },
    });

  test("does not repeat what is refused with 401", async (run) => {
    const { statuses, accepted } = await answers(run, async (app) => {
      await reissueKey(app.services.kv, await firstKey(app));
    });
    assert.equal(accepted, 0);
    assert.ok(statuses.every((status) => status === 401));
    assert.ok(statuses.length <= CAPTURED + A_FEW, `${statuses.length} requests`);
  });

  test("does not repeat what is refused with 403", async (run) => {
    const { statuses } = await answers(run, async (app) => {
      await updateKey(app.services.kv, await firstKey(app), {
        type: "browser",
        allowedOrigins: ["https://shop.example.com"],
      });
    });
    assert.ok(statuses.length > 0 && statuses.every((status) => status === 403));
    assert.ok(statuses.length <= CAPTURED + A_FEW, `${statuses.length} requests`);
  });

  test("keeps quiet for the rest of the month once a quota is used up", async (run) => {
    const { statuses, accepted } = await answers(
      run,
      async ({ services: { kv }, organization }) => {
        await setMonthlyQuota(kv, organization.id, 3);
      },
    );
    assert.ok(accepted <= 3);
    assert.ok(statuses.every((status) => status === 429));
    assert.ok(statuses.length <= A_FEW, `${statuses.length} requests after the first refusal`);
  });

  test("backs off for a second when it is over the rate", async (run) => {
    const { statuses, accepted } = await answers(run, async ({ services: { kv }, projectId }) => {
      await updateSettings(kv, projectId, { ratePerSec: 1 });
    });
    assert.ok(accepted >= 1 && accepted < CAPTURED);
    assert.ok(statuses.length <= A_FEW, `${statuses.length} requests refused`);
  });
}
