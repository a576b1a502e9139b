/** `deno task passwords`: lets people sign in with passwords again, when no provider works any more. */
import { setProviderOnly } from "./lib/accounts/providers/policy.ts";
import { ConfigError, readConfig } from "./lib/core/config.ts";
import { createLogger } from "./lib/core/log.ts";
import { openStores } from "./lib/server/services.ts";

try {
  const config = readConfig(Deno.env.toObject());
  await using stores = await openStores(config, createLogger(config.logFormat));
  await setProviderOnly(stores.kv, false, null);
  console.log("People can sign in with a password again.");
} catch (error) {
  console.error(error instanceof ConfigError ? error.message : error);
  Deno.exitCode = 1;
}
