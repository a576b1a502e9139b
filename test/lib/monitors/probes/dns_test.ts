import assert from "node:assert/strict";
import { look } from "../../../support/probe_targets.ts";
import { mx, nameServer, txt, type Zone } from "../../../support/name_server.ts";

const ZONE: Zone = {
  "site.test A": [Uint8Array.of(93, 184, 216, 34), Uint8Array.of(93, 184, 216, 35)],
  "site.test TXT": [txt("v=spf1 ", "-ALL"), txt("other")],
  "site.test MX": [mx(10, "Mail.site.test")],
};

Deno.test("probe() compares the records of a name as sets", async () => {
  await using server = await nameServer(ZONE);
  const kind = async (type: string, expected: string | null, match = "equals") => {
    const input = { kind: "dns", name: "Site.Test", type, expected, match };
    return (await look({ ...input, nameServer: server.address })).problem?.kind;
  };
  assert.equal(await kind("A", null), undefined);
  assert.equal(await kind("A", "93.184.216.35\n93.184.216.34"), undefined);
  assert.equal(await kind("A", "93.184.216.34"), "record");
  assert.equal(await kind("A", "93.184.216.34", "contains"), undefined);
  assert.equal(await kind("A", "93.184.216.36", "contains"), "record");
  assert.equal(await kind("TXT", "v=spf1 -ALL", "contains"), undefined);
  assert.equal(await kind("MX", "10 mail.site.TEST."), undefined);
  assert.equal(await kind("AAAA", null), "dns");
});

Deno.test("probe() tells a name that is not there from a name server that is silent", async () => {
  await using server = await nameServer(ZONE);
  const input = { kind: "dns", name: "none.test" };
  const { problem, phases } = await look({ ...input, nameServer: server.address });
  assert.deepEqual(problem, {
    kind: "dns",
    sentence: "There is no record of type A for none.test.",
  });
  assert.equal(phases.tls, null);
  await using silent = await nameServer(null);
  const hung = await look({ ...input, nameServer: silent.address, timeoutMs: 1_000 });
  assert.equal(hung.problem?.kind, "timeout");
});

Deno.test("probe() shows no addresses of our own network", async () => {
  await using server = await nameServer({ "db.test A": [Uint8Array.of(10, 0, 0, 5)] });
  const input = { kind: "dns", name: "db.test", expected: "1.1.1.1" };
  const { problem, body } = await look({ ...input, nameServer: server.address });
  assert.equal(body, "");
  assert.equal(
    problem?.sentence,
    "The records are not the expected ones: found others; expected 1.1.1.1.",
  );
});
