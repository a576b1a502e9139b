import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { testKv } from "../../support/kv.ts";
import { assertWithinLimit, type Granted, note } from "../../support/permits.ts";
import type { GrantedWindows, SenderSettings } from "./rates_sender.ts";

const SENDER = new URL("./rates_sender.ts", import.meta.url);
const CONFIG = new URL("../../../deno.json", import.meta.url);

/** A sender that is ready to begin. */
interface Sender {
  begin(epoch: number): Promise<GrantedWindows>;
}

async function worker(settings: SenderSettings): Promise<Sender> {
  const worker = new Worker(SENDER, { type: "module" });
  const answer = () =>
    new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => resolve(data);
      worker.onerror = ({ message }) => reject(new Error(message));
    });
  assert.equal(await answer(), "ready");
  return {
    async begin(epoch) {
      worker.postMessage({ settings, epoch });
      const windows = await answer();
      worker.terminate();
      return windows as GrantedWindows;
    },
  };
}

async function process(settings: SenderSettings): Promise<Sender> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "-c",
      fileURLToPath(CONFIG),
      fileURLToPath(SENDER),
      JSON.stringify(settings),
    ],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const output = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const first = await output.read();
  assert.match(first.value ?? "", /ready/);
  return {
    async begin(epoch) {
      await new Response(String(epoch)).body?.pipeTo(child.stdin);
      let text = "";
      for (let part = await output.read(); !part.done; part = await output.read()) {
        text += part.value;
      }
      assert.equal((await child.status).code, 0);
      return JSON.parse(text);
    },
  };
}

Deno.test("four workers and two processes on one store never exceed the limit together, and use it", async () => {
  await using test = await testKv();
  const limit = 200;
  const settings = { path: test.path, limit, limiters: 2, speed: 4, windows: 12 };
  const senders = await Promise.all([
    ...Array.from({ length: 4 }, () => worker(settings)),
    ...Array.from({ length: 2 }, () => process(settings)),
  ]);
  const epoch = Date.now();
  const results = await Promise.all(senders.map((sender) => sender.begin(epoch)));
  const granted: Granted = new Map();
  for (const [window, permits] of results.flat()) note(granted, window, permits);

  assertWithinLimit(granted, limit);
  assert.ok(results.filter((windows) => windows.length > 0).length > 1, "several took part");
  const total = [...granted.values()].reduce((a, b) => a + b);
  assert.ok(total >= limit * 4, `${total} of at most ${limit * 13} were granted`);
});
