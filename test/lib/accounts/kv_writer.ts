/** A Worker that writes to a KV file as fast as it can once it is told to, and reports what became of that. */
import { openKv } from "@/lib/accounts/open_kv.ts";
import { readConfig } from "@/lib/core/config.ts";
import { silentLogger } from "../../support/silent_logger.ts";

/** Writes that go on at a time. */
export const LANES = [1, 2, 3, 4];

export interface WriterSettings {
  readonly dataDir: string;
  readonly name: string;
  readonly writes: number;
}

self.onmessage = async ({ data: settings }: MessageEvent<WriterSettings>) => {
  const kv = await openKv(
    readConfig({ SERVICE_DATA_DIR: settings.dataDir }),
    silentLogger,
    "isolate",
  );
  self.postMessage("ready");
  self.onmessage = async () => {
    self.postMessage(await write(kv, settings).catch(String));
    kv.close();
  };
};

/** Nobody else writes these records: each commit that reaches the store changes what it has checked. */
async function write(kv: Deno.Kv, { name, writes }: WriterSettings): Promise<string> {
  await Promise.all(LANES.map(async (lane) => {
    const key = ["own", name, lane];
    for (let done = 0; done < writes; done++) {
      const entry = await kv.get<number>(key);
      const change = kv.atomic().check(entry).set(key, (entry.value ?? 0) + 1);
      if (!(await change.commit()).ok) throw new Error("Somebody else has written this");
      if (done % 4 === 0) await kv.set([...key, done], done);
    }
  }));
  return "written";
}
