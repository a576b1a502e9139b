import assert from "node:assert/strict";
import { createOrganization } from "../support/organizations.ts";
import { listKeys, reissueKey } from "../../lib/accounts/keys.ts";
import { createProject } from "../../lib/accounts/projects.ts";
import { apiApp } from "../support/api_app.ts";
import { errorEnvelope } from "../support/envelopes.ts";
import { person } from "../support/people.ts";
import { testKv } from "../support/kv.ts";
import { testServices } from "../support/services.ts";
import { waitFor } from "../support/wait_for.ts";
import { buildServices } from "../../lib/server/services.ts";
import { silentLogger } from "../support/silent_logger.ts";
import { PATIENT } from "../support/writer.ts";

Deno.test("reissuing a key while clients send cuts the old DSN off from the next request on every instance", async () => {
  await using control = await testKv();
  await using opened = await testServices();
  // Two instances on one control store, each with connections of its own to it.
  const otherKv = await Deno.openKv(control.path);
  const { config, sql, objects } = opened.services;
  const one = buildServices(config, silentLogger, { kv: control.kv, sql, objects }, {
    writer: PATIENT,
  });
  const two = buildServices(config, silentLogger, { kv: otherKv, sql, objects }, {
    writer: PATIENT,
  });
  try {
    const owner = await person(control.kv, "owner");
    const { id } = await createOrganization(control.kv, { name: "Acme", ownerId: owner.id });
    const project = await createProject(control.kv, {
      organizationId: id,
      name: "Shop",
      platform: "node",
    });
    const [key] = await listKeys(control.kv, project.id);
    const old = key?.publicKey ?? "";
    const instances = [apiApp(one), apiApp(two)];
    let isReissued = false;
    const late: number[] = [];
    let accepted = 0;
    const sender = async (send: (typeof instances)[number]) => {
      while (!isReissued || late.length < 40) {
        const startedAfter = isReissued;
        const response = await send(`/api/${project.id}/envelope/?sentry_key=${old}`, {
          method: "POST",
          body: errorEnvelope().body,
        });
        await response.body?.cancel();
        if (startedAfter) late.push(response.status);
        else if (response.status === 200) accepted++;
      }
    };
    const load = Promise.all([...instances, ...instances].map(sender));
    await waitFor("the load", () => accepted > 40 || null);
    const reissued = await reissueKey(control.kv, old);
    isReissued = true;
    await load;
    assert.deepEqual([...new Set(late)], [401]);
    for (const send of instances) {
      const response = await send(
        `/api/${project.id}/envelope/?sentry_key=${reissued?.publicKey}`,
        { method: "POST", body: errorEnvelope().body },
      );
      assert.equal(response.status, 200);
      await response.body?.cancel();
    }
  } finally {
    await Promise.all([one.close(), two.close()]);
    otherKv.close();
  }
});
