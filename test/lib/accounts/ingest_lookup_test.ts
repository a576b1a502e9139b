import assert from "node:assert/strict";
import {
  bringOrganizationBack,
  putOrganizationAside,
} from "@/lib/accounts/deleted_organizations.ts";
import { bringBack, putAside } from "@/lib/accounts/deleted_projects.ts";
import { findIngest } from "@/lib/accounts/ingest_lookup.ts";
import { deleteKey, listKeys, reissueKey, updateKey } from "@/lib/accounts/keys.ts";
import { updateOrganization } from "@/lib/accounts/organizations.ts";
import {
  createProject,
  markFirstEvent,
  settingsOf,
  updateProject,
  updateSettings,
} from "@/lib/accounts/projects.ts";
import { setMonthlyQuota } from "@/lib/accounts/quotas.ts";
import { keyOf } from "@/lib/accounts/kv.ts";
import { changesMemory } from "@/lib/accounts/kv_changes.ts";
import { openKv } from "@/lib/accounts/open_kv.ts";
import { readConfig } from "@/lib/core/config.ts";
import { silentLogger } from "../../support/silent_logger.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { testKv } from "../../support/kv.ts";
import { createOrganization } from "../../support/organizations.ts";
import { person } from "../../support/people.ts";

async function world(kv: Deno.Kv) {
  const owner = await person(kv, "ann");
  const organization = await createOrganization(kv, { name: "Acme", ownerId: owner.id });
  const organizationId = organization.id;
  const project = await createProject(kv, { organizationId, name: "App", platform: "node" });
  const [server, browser] = await listKeys(kv, project.id);
  return {
    organizationId,
    project,
    server: server ?? assert.fail(),
    browser: browser ?? assert.fail(),
  };
}

Deno.test("whatever intake reads of a key, another instance's change of it holds from the next request on", async () => {
  await using test = await testKv();
  const { organizationId, project, server, browser } = await world(test.kv);
  using other = await Deno.openKv(test.path);
  const seen = async (publicKey = server.publicKey) => await findIngest(test.kv, publicKey);
  const knownTwice = async () => {
    // Twice: the first finds where the key belongs, the second remembers all of it.
    await seen();
    await seen();
  };

  await knownTwice();
  await updateKey(other, server.publicKey, { ratePerSec: 7 });
  assert.equal((await seen())?.key.ratePerSec, 7);
  await updateProject(other, project.id, { name: "Shop" });
  assert.equal((await seen())?.project.name, "Shop");
  await updateSettings(other, project.id, { sampleRate: 0.5 });
  assert.equal((await seen())?.project.settings?.sampleRate, 0.5);
  await markFirstEvent(other, project.id, new Date());
  assert.notEqual((await seen())?.project.firstEventAt, null);
  await setMonthlyQuota(other, organizationId, 9);
  assert.equal((await seen())?.monthlyQuota, 9);
  await setMonthlyQuota(other, organizationId, 0);
  assert.equal((await seen())?.monthlyQuota, 0);

  const keepsAddresses = async () =>
    settingsOf((await seen())?.project ?? assert.fail()).privacy.keepsAddresses;
  for (const keeps of [true, false]) {
    await updateOrganization(other, organizationId, { settings: { keepsAddresses: keeps } });
    assert.equal(await keepsAddresses(), keeps);
  }
  await putOrganizationAside(other, organizationId, "ann", []);
  assert.equal(await keepsAddresses(), true);
  await bringOrganizationBack(other, organizationId);
  assert.equal(await keepsAddresses(), false);

  await putAside(other, project.id, "ann");
  assert.equal(await seen(), null);
  await bringBack(other, organizationId, project.id);
  await knownTwice();
  const reissued = await reissueKey(other, server.publicKey);
  assert.equal(await seen(), null);
  assert.equal((await seen(reissued?.publicKey))?.key.id, server.id);
  assert.notEqual(await seen(browser.publicKey), null);
  assert.notEqual(await seen(browser.publicKey), null);
  await deleteKey(other, browser.publicKey);
  assert.equal(await seen(browser.publicKey), null);
});

Deno.test("a request with keys that are known asks the store for one entry, however many they are", async () => {
  await using test = await testKv();
  const { server, browser } = await world(test.kv);
  const keys = [server.publicKey, browser.publicKey];
  const findAll = () => Promise.all(keys.map((key) => findIngest(test.kv, key)));
  let asked = 0;
  const { get, getMany } = test.kv;
  test.kv.get = (...given: Parameters<typeof get>) => {
    asked++;
    return get.apply(test.kv, given) as never;
  };
  test.kv.getMany = (...given: Parameters<typeof getMany>) => {
    asked += given[0].length;
    return getMany.apply(test.kv, given) as never;
  };
  await findAll();
  await findAll();
  asked = 0;
  const found = await findAll();
  assert.deepEqual(found.map((each) => each?.key.id), [server.id, browser.id]);
  assert.equal(asked, 1);
});

/** The embedded KV of a process, which alone has it, and how often it is asked. */
async function ownKv() {
  await using opened = new AsyncDisposableStack();
  const dir = opened.use(await tempDir());
  const config = readConfig({ SERVICE_DATA_DIR: dir.path });
  const kv = await openKv(config, silentLogger);
  opened.defer(() => kv.close());
  let asked = 0;
  for (const name of ["get", "getMany"] as const) {
    const ask = kv[name].bind(kv) as (...given: unknown[]) => unknown;
    Object.assign(kv, {
      [name]: (...given: unknown[]) => {
        asked++;
        return ask(...given);
      },
    });
  }
  const kept = opened.move();
  return {
    kv,
    config,
    asked: () => asked,
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

Deno.test("a KV that this process alone has is asked again only when the process has changed it", async () => {
  await using own = await ownKv();
  const { kv } = own;
  const { server: { publicKey } } = await world(kv);
  await findIngest(kv, publicKey);
  await findIngest(kv, publicKey);
  const before = own.asked();
  await findIngest(kv, publicKey);
  assert.equal(own.asked(), before);
  await updateKey(kv, publicKey, { ratePerSec: 7 });
  assert.equal((await findIngest(kv, publicKey))?.key.ratePerSec, 7);
  await deleteKey(kv, publicKey);
  assert.equal(await findIngest(kv, publicKey), null);
});

Deno.test("one look tells of all keys that what was written has nothing to do with them", async () => {
  await using own = await ownKv();
  const { kv } = own;
  const { server, browser } = await world(kv);
  for (const { publicKey } of [server, browser, server, browser]) await findIngest(kv, publicKey);
  await kv.set(["anything"], true);
  const before = own.asked();
  await findIngest(kv, server.publicKey);
  await findIngest(kv, browser.publicKey);
  assert.equal(own.asked(), before + 1);
});

Deno.test("what another isolate of this process changes holds from the next request on as well", async () => {
  await using own = await ownKv();
  const { kv, config } = own;
  const { server: { publicKey } } = await world(kv);
  const worker = new Worker(new URL("key_disabler.ts", import.meta.url), { type: "module" });
  const { promise: ready, resolve: isReady } = Promise.withResolvers<void>();
  const { promise: done, resolve: isDone } = Promise.withResolvers<void>();
  worker.onmessage = ({ data }) => data === "ready" ? isReady() : isDone();
  await ready;
  await findIngest(kv, publicKey);
  await findIngest(kv, publicKey);
  worker.postMessage({ dataDir: config.dataDir, memory: changesMemory(), publicKey });
  await done;
  assert.equal((await findIngest(kv, publicKey))?.key.isActive, false);
  worker.terminate();
});

Deno.test("a process beside the one that serves changes other things of the embedded KV alone", async () => {
  await using own = await ownKv();
  const { project, organizationId, server: { publicKey } } = await world(own.kv);
  using beside = await openKv(own.config, silentLogger, "beside");
  const changes = [
    () => updateKey(beside, publicKey, { isActive: false }),
    () => deleteKey(beside, publicKey),
    () => updateProject(beside, project.id, { name: "Shop" }),
    () => putAside(beside, project.id, "ann"),
    () => setMonthlyQuota(beside, organizationId, 9),
    () => updateOrganization(beside, organizationId, { settings: { keepsAddresses: true } }),
    () => beside.set(keyOf.project(project.id), {}),
  ];
  for (const change of changes) {
    await assert.rejects(
      async () => await change(),
      /^TypeError: Cannot change \w+ while the service runs/,
    );
  }
  assert.equal((await findIngest(own.kv, publicKey))?.key.isActive, true);
  await beside.set(keyOf.lastBackup(), "now");
  assert.equal((await own.kv.get(keyOf.lastBackup())).value, "now");
});
