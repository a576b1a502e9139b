/**
 * `deno task reset-password EMAIL [--second-factor]`: a new password for who gets none by mail, such as the last administrator.
 * It is asked for, or read from standard input. With `--second-factor`, authenticator, recovery codes and passkeys are removed
 * at once. Watchpost must be stopped when its stores are embedded.
 */
import { openKv } from "./lib/accounts/open_kv.ts";
import { resetAtConsole } from "./lib/server/account/reset_at_console.ts";
import { ConfigError, readConfig } from "./lib/core/config.ts";
import { InvalidInput } from "./lib/core/errors.ts";
import { createLogger } from "./lib/core/log.ts";
import { lockEmbeddedData } from "./lib/server/data_lock.ts";

async function readPassword(): Promise<string> {
  if (Deno.stdin.isTerminal()) return prompt("New password:") ?? "";
  return (await new Response(Deno.stdin.readable).text()).replace(/\r?\n$/, "");
}

try {
  const [email = "", ...options] = Deno.args;
  if (email === "" || options.some((each) => each !== "--second-factor")) {
    throw new ConfigError("Name the account: deno task reset-password EMAIL [--second-factor]");
  }
  const config = readConfig(Deno.env.toObject());
  const lock = config.kv === "file" ? await lockEmbeddedData(config) : null;
  const kv = await openKv(config, createLogger(config.logFormat));
  try {
    const password = await readPassword();
    const dropsFactors = options.includes("--second-factor");
    console.log(await resetAtConsole(kv, { email, password, dropsFactors }));
  } finally {
    kv.close();
    lock?.release();
  }
} catch (error) {
  const isOurs = error instanceof ConfigError || error instanceof InvalidInput;
  console.error(isOurs ? error.message : error);
  Deno.exitCode = 1;
}
