import assert from "node:assert/strict";
import { pause } from "@/lib/core/waiting.ts";
import { addressesOf, answerOf, differences, ofProject } from "@/test/support/api_walk.ts";
import { api } from "@/test/support/api_client.ts";
import { envelopeUrl } from "@/test/support/envelopes.ts";
import { command } from "@/test/support/command.ts";
import { livedInProject } from "@/test/support/lived_in_project.ts";
import { startLoad } from "@/test/support/load.ts";
import { ADMIN_TOKEN, startServer } from "@/test/support/server.ts";
import { serverStores } from "@/test/support/server_stores.ts";
import { tempDir } from "@/test/support/temp_dir.ts";
import { waitFor } from "@/test/support/wait_for.ts";

/** Acknowledged events of the load, before the backup begins. */
const BEFORE = 50;
/** Alerts are looked at each minute. */
const LOOKED_AT_LIMIT_MS = 180_000;
const LOOK_EVERY_MS = 1_000;
const KEY = "a key for the backups of a test";

/** Each instance would note its own time at which a rule that nobody has looked at yet is. */
async function alertsLookedAt(
  { url }: { readonly url: string },
  { organization, project }: { readonly organization: string; readonly project: string },
): Promise<void> {
  const path = `/projects/${organization}/${project}/alerts/`;
  await waitFor("alerts that are looked at", async () => {
    const rules = await api<{ dateEvaluated: string | null }[]>(url, ADMIN_TOKEN, path);
    if (rules.length > 0 && rules.every(({ dateEvaluated }) => dateEvaluated !== null)) return true;
    await pause(LOOK_EVERY_MS);
    return null;
  }, LOOKED_AT_LIMIT_MS);
}

Deno.test("a backup that is made under load has all that was acknowledged before, and restored it answers as the service does", async () => {
  await using stores = await serverStores();
  await using others = await serverStores(false);
  await using folder = await tempDir();
  await using server = await startServer({}, stores);
  const lived = await livedInProject(server);
  const loaded = await server.createProject("Loaded");
  const environment = (of: typeof stores) => ({
    SERVICE_DATA_DIR: of.dataDir,
    SERVICE_BACKUP_KEY: KEY,
    ...of.env,
  });

  const [organization] = await api<{ slug: string }[]>(server.url, ADMIN_TOKEN, "/organizations/");
  const about = { organization: organization?.slug ?? "", project: lived.slug };
  await alertsLookedAt(server, about);
  const load = startLoad(envelopeUrl(loaded.serverDsn), undefined, 1);
  await waitFor("load", () => load.acknowledged.size >= BEFORE || null);
  const acknowledged = [...load.acknowledged];
  const made = await command("backup.ts", [folder.path], environment(stores));
  const sentMeanwhile = load.acknowledged.size - acknowledged.length;
  await load.stop();
  assert.equal(made.code, 0, made.said);
  assert.ok(sentMeanwhile > 0);
  assert.deepEqual([...load.refused], []);
  const checked = await command("backup.ts", [folder.path, "--verify"], environment(stores));
  assert.equal(checked.code, 0, checked.said);

  const restored = await command("restore.ts", [folder.path], environment(others));
  assert.equal(restored.code, 0, restored.said);
  await using other = await startServer({}, others);
  const [asked, askedOther] = [server, other].map(({ url }) => ({ url, token: ADMIN_TOKEN }));
  assert.ok(asked && askedOther);
  for (const id of acknowledged) {
    const path = `/projects/${about.organization}/${loaded.slug}/events/${id}/`;
    assert.equal((await answerOf(askedOther, path)).status, 200, `${id} is missing`);
  }
  const addresses = await addressesOf(asked, about);
  assert.deepEqual(await differences(asked, askedOther, ofProject(addresses)), []);

  const again = await command("restore.ts", [folder.path], environment(others));
  assert.match(again.said, /in use by process/);
});
