/**
 * A client of the rate limit in an isolate of its own: a Worker, or a process with its settings as the
 * only argument. Says `ready`, waits to be told when windows begin to count (in milliseconds since 1970),
 * takes permits as fast as it can, and tells what it was granted in each window.
 */
import { openRates } from "@/lib/accounts/rates.ts";
import { type Granted, note } from "../../support/permits.ts";

export interface SenderSettings {
  readonly path: string;
  readonly limit: number;
  /** Limiters that share this isolate's connection. */
  readonly limiters: number;
  /** Windows pass this much faster than seconds. */
  readonly speed: number;
  /** Ends after so many windows. */
  readonly windows: number;
}

export type GrantedWindows = [window: number, granted: number][];

async function run(settings: SenderSettings, epoch: number): Promise<GrantedWindows> {
  const kv = await Deno.openKv(settings.path);
  const granted: Granted = new Map();
  const limiters = Array.from({ length: settings.limiters });
  await Promise.all(limiters.map(() => send(kv, settings, epoch, granted)));
  kv.close();
  return [...granted];
}

async function send(
  kv: Deno.Kv,
  { speed, limit, windows }: SenderSettings,
  epoch: number,
  granted: Granted,
): Promise<void> {
  // The limiter's last look at its clock is the moment of its decision.
  let decidedAt = epoch;
  const now = () => (decidedAt = epoch + (Date.now() - epoch) * speed);
  const rates = openRates(kv, { now });
  while (now() < epoch + windows * 1000) {
    const { ok } = await rates.take("1", limit);
    if (ok) note(granted, Math.floor(decidedAt / 1000));
    else await new Promise((resolve) => setTimeout(resolve, 2));
  }
  await rates.close();
}

async function asProcess(settings: SenderSettings): Promise<void> {
  const say = (value: unknown) =>
    Deno.stdout.write(new TextEncoder().encode(`${JSON.stringify(value)}\n`));
  await say("ready");
  const epoch = Number(await new Response(Deno.stdin.readable).text());
  await say(await run(settings, epoch));
}

function asWorker(): void {
  self.onmessage = async ({ data }: MessageEvent<{ settings: SenderSettings; epoch: number }>) => {
    self.postMessage(await run(data.settings, data.epoch));
  };
  self.postMessage("ready");
}

if (Deno.args[0] !== undefined && import.meta.main) await asProcess(JSON.parse(Deno.args[0]));
else asWorker();
