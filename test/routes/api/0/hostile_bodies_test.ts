/** Bodies that are taken, with one place of them that says what no store or calendar takes. */
import assert from "node:assert/strict";
import { testApi } from "@/test/support/api_people.ts";
import { FIELD_TEXTS } from "@/test/support/hostile_values.ts";
import { changedTexts } from "@/test/support/sample_body.ts";
import { DASHBOARDS } from "@/test/support/whole_settings.ts";
import { fill, freshParams } from "./access_params.ts";
import { RULES } from "./access_rules.ts";

/** With more in them than those that rights are tried with. */
const WHOLE: Readonly<Record<string, unknown>> = {
  "PUT /projects/:organization/:project/dashboards/:dashboard": {
    version: 1,
    dashboard: DASHBOARDS[0],
  },
};

Deno.test("whatever any place of a body that is taken says, it ends in no error of ours", async (t) => {
  await using api = await testApi({ allowPrivateWebhooks: true });
  for (const { method, pattern, body, status: expected = 0 } of RULES) {
    if (body === undefined) continue;
    const whole = WHOLE[`${method} ${pattern}`] ?? body;
    await t.step(`${method} ${pattern}`, async () => {
      const ask = async (path: string, body: unknown) =>
        (await api.call<unknown>("owner", path, { method, body })).status;
      const path = fill(pattern, await freshParams(api, pattern));
      for (const value of FIELD_TEXTS) {
        for (const changed of changedTexts(whole, value)) {
          const status = await ask(path, changed);
          assert.ok(status < 500, `${method} ${path} ${changed}: ${status}`);
        }
      }
      // As it is, it is taken: the others were looked at.
      const status = await ask(fill(pattern, await freshParams(api, pattern)), whole);
      assert.ok(status < 300 || status === expected, String(status));
    });
  }
});
