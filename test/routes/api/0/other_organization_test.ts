/** Ids of another organization in addresses and bodies of somebody who owns this one. */
import assert from "node:assert/strict";
import { API_ROUTES } from "@/lib/server/api_table.ts";
import { type TestApi, testApi } from "@/test/support/api_people.ts";
import { changedAnywhere } from "@/test/support/sample_body.ts";
import { waitFor } from "@/test/support/wait_for.ts";
import { RULES } from "./access_rules.ts";
import { fill, freshParams } from "./access_params.ts";

type Params = Record<string, string>;

/** Of nothing anywhere, in the form of the other. */
function ofNothing(value: string): string {
  return /^\d+$/.test(value)
    ? "999999999"
    : value.replaceAll(/[0-9a-f]/gi, (c) => c === "1" ? "2" : "1");
}

/** The API, where the organization of the test is the one that the stranger owns. */
function asOther(api: TestApi): TestApi {
  return { ...api, ...api.otherWorld };
}

/** All that the other organization's owner is shown at addresses where things are changed as well. */
async function seenBy(api: TestApi, params: Params): Promise<Record<string, string>> {
  const seen: Record<string, string> = {};
  for (const [pattern, { GET, ...changing }] of Object.entries(API_ROUTES)) {
    if (GET === undefined || GET.file !== undefined || CHANGES.test(pattern)) continue;
    if (Object.keys(changing).length === 0) continue;
    const { status, body } = await api.call("stranger", fill(pattern, params));
    seen[pattern] = `${status} ${JSON.stringify(body).replaceAll(PASSING, "")}`;
  }
  return seen;
}

/** The same when nothing of it is on its way any more: some is counted and joined after it was stored. */
async function settled(api: TestApi, params: Params): Promise<Record<string, string>> {
  let seen = await seenBy(api, params);
  return await waitFor("all of what was sent", async () => {
    const last = seen;
    seen = await seenBy(api, params);
    return JSON.stringify(last) === JSON.stringify(seen) ? seen : null;
  });
}

/** What goes on by itself: figures, judgements and deliveries. */
const CHANGES =
  /stats|usage|openapi|audit|^\/auth|^\/users\/me|api-tokens|sessions|exports|imports|alerts|deliver|events$|\/metrics\/|uptime|monitors/;
/** Times, and the empty hours of a chart: at each full hour it has another one. */
const PASSING = /\d{4}-\d\d-\d\dT[\d:.]+Z|,?\[\d{10},0\]/g;

Deno.test("what names another organization's thing is answered as if there were none, and changes nothing there", async (t) => {
  await using api = await testApi({ allowPrivateWebhooks: true });
  const own = await freshParams(api);
  const other = await freshParams(asOther(api));
  const before = await settled(api, other);
  const ids = [...new Set(Object.values(other))].filter((id) => !Object.values(own).includes(id));
  // Who holds a link is shown what it is about.
  const rules = RULES.filter(({ pattern }) => !/shared\/issues/.test(pattern));
  for (const { method, pattern, body } of rules) {
    await t.step(`the address of ${method} ${pattern}`, async () => {
      for (const [, name = ""] of pattern.matchAll(/:(\w+)/g)) {
        const id = other[name];
        if (id === undefined || id === own[name]) continue;
        const ask = (named: string) =>
          api.call("owner", fill(pattern, { ...own, [name]: named }), { method, body });
        const [theirs, nobodys] = [await ask(id), await ask(ofNothing(id))];
        assert.equal(theirs.status, nobodys.status, `${name}: ${JSON.stringify(theirs.body)}`);
        const answer = JSON.stringify(theirs.body).replaceAll(id, ofNothing(id));
        assert.equal(answer, JSON.stringify(nobodys.body), name);
      }
    });
  }
  for (const { method, pattern, body } of rules) {
    if (body === undefined) continue;
    await t.step(`the body of ${method} ${pattern}`, async () => {
      for (const id of ids) {
        const others = ids.filter((each) => each !== id && each.length > 8);
        for (const value of [id, [id]]) {
          for (const changed of changedAnywhere(body, value)) {
            const sent = { method, body: changed };
            const answer = await api.call<unknown>("owner", fill(pattern, own), sent);
            assert.ok(answer.status < 500, `${JSON.stringify(changed)}: ${answer.status}`);
            const text = JSON.stringify(answer.body);
            assert.ok(!others.some((each) => text.includes(each)), text);
          }
        }
      }
    });
  }
  const after = await seenBy(api, other);
  assert.deepEqual(after, before);
});
