/** What a server does while the object store gives no answer. A real process, and a store that really is away. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { api } from "../support/api_client.ts";
import { signIn } from "../support/browserless.ts";
import { envelopeUrl, errorEnvelope, type MadeEvent, post } from "../support/envelopes.ts";
import { readiness } from "../support/load.ts";
import { ADMIN_TOKEN, type Server, startServer } from "../support/server.ts";
import { serverStores } from "../support/server_stores.ts";

Deno.test("an object store that is away costs attachments, and never the errors beside them", async () => {
  await using stores = await serverStores();
  // Whatever `TEST_S3_ENDPOINT` says: a folder can be taken away.
  const env = Object.fromEntries(
    Object.entries(stores.env).filter(([name]) => name === "DATABASE_URL"),
  );
  await using server = await startServer({}, { ...stores, env });
  const project = await server.createProject("Files");
  const url = envelopeUrl(project.serverDsn);
  const attachment = `{"type":"attachment","filename":"a.txt","length":5}\nhello\n`;
  const blobs = join(stores.dataDir, "blobs");
  await Deno.rename(blobs, `${blobs}.away`);
  await Deno.writeTextFile(blobs, "in the way");

  const during = errorEnvelope();
  assert.equal(await post(url, `${during.body}\n${attachment}`), 200, "the error is taken");
  const alone = `{"event_id":"${during.eventId}"}\n${attachment}`;
  const refused = await fetch(url, { method: "POST", body: alone });
  await refused.body?.cancel();
  assert.equal(refused.status, 503);
  assert.match(refused.headers.get("retry-after") ?? "", /^\d+$/);
  const state = await readiness(server);
  assert.deepEqual([state.failing, state.intake], [["objects"], "ok"]);

  await Deno.remove(blobs);
  await Deno.rename(`${blobs}.away`, blobs);
  const after = errorEnvelope();
  assert.equal(await post(url, `${after.body}\n${attachment}`), 200);
  assert.equal((await readiness(server)).status, "ready");
  const admin = await signIn(server.url);
  const pageOf = async ({ eventId }: MadeEvent) => {
    const issueId = await issueOf(server, project.slug, eventId);
    return await admin.get(`/projects/${project.id}/issues/${issueId}/events/${eventId}`);
  };
  assert.ok(!(await pageOf(during)).text.includes("a.txt"));
  assert.ok((await pageOf(after)).text.includes("a.txt"));
});

async function issueOf(server: Server, slug: string, eventId: string): Promise<string> {
  const [organization] = await api<{ slug: string }[]>(server.url, ADMIN_TOKEN, "/organizations/");
  const path = `/projects/${organization?.slug}/${slug}/events/${eventId}/`;
  return (await api<{ groupID: string }>(server.url, ADMIN_TOKEN, path)).groupID;
}
