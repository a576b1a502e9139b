import { needsSetup, setupCode } from "../accounts/setup.ts";
import type { Services } from "./services.ts";

/** Tells the person at the console where Watchpost is and how to sign in. */
export async function welcome(services: Services, address: Deno.NetAddr): Promise<void> {
  const { config, kv, log } = services;
  log.info("listening", { host: address.hostname, port: address.port });
  // What follows is for eyes, not for the log: the setup code must not end in a log store.
  for (const line of await lines(config, address.port, kv)) writeLine(line);
}

async function lines(
  config: Services["config"],
  port: number,
  kv: Deno.Kv,
): Promise<string[]> {
  // A port chosen by the system (PORT=0) is in no setting.
  const url = config.port === 0 ? `http://localhost:${port}` : config.baseUrl;
  if (!await needsSetup(kv)) return ["", `  Watchpost is at ${url}`, ""];
  return [
    "",
    `  Watchpost is at ${url}`,
    `  No account exists yet: open ${url}/sign-up and enter the setup code`,
    "",
    `      ${await setupCode(kv)}`,
    "",
  ];
}

function writeLine(line: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
}
