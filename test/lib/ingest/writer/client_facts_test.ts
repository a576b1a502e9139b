import assert from "node:assert/strict";
import { clientOf } from "@/lib/ingest/writer/tally_traces.ts";

const AGENTS = {
  edge: "Mozilla/5.0 (Windows NT 10.0) Chrome/142.0 Safari/537.36 Edg/142.0",
  iphone: "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0) Version/18.0 Mobile/15E148 Safari/604.1",
};

Deno.test("browser and kind of device are read from a user agent", () => {
  const facts = (agent: string) => clientOf({ "user_agent.original": agent });
  assert.deepEqual(facts(AGENTS.edge), { browser: "Edge", device: "desktop", country: "" });
  assert.deepEqual(facts(AGENTS.iphone), { browser: "Safari", device: "mobile", country: "" });
});

Deno.test("what a client names itself goes before what its agent tells", () => {
  assert.deepEqual(
    clientOf({
      "browser.name": "Brave",
      "device.family": "Pixel 8",
      "user.geo.country_code": "DE",
    }),
    { browser: "Brave", device: "mobile", country: "DE" },
  );
  assert.equal(clientOf({ "browser.mobile": true }).device, "mobile");
});

Deno.test("the system tells the kind of device where nothing else does", () => {
  assert.equal(clientOf({ "client_os.name": "iOS" }).device, "mobile");
  assert.equal(clientOf({ "os.name": "Windows" }).device, "desktop");
  assert.deepEqual(clientOf({}), { browser: "", device: "", country: "" });
});
