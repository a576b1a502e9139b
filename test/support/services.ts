import { type Config, readConfig } from "../../lib/core/config.ts";
import type { Logger } from "../../lib/core/log.ts";
import { buildServices, type Services } from "../../lib/server/services.ts";
import { testDatabase } from "./database.ts";
import { testKv } from "./kv.ts";
import { testObjects } from "./objects.ts";
import { silentLogger } from "./silent_logger.ts";
import { PATIENT } from "./writer.ts";

export interface TestServices extends AsyncDisposable {
  readonly services: Services;
}

/**
 * All services on fresh stores.
 *
 * @param overrides settings other than the defaults
 * @param log where the log lines go
 */
export async function testServices(
  overrides: Partial<Config> = {},
  log: Logger = silentLogger,
): Promise<TestServices> {
  await using opened = new AsyncDisposableStack();
  const { kv } = opened.use(await testKv());
  const { objects } = opened.use(await testObjects());
  const { sql } = opened.use(await testDatabase());
  const config: Config = { ...readConfig({}), ...overrides };
  const services = buildServices(config, log, { kv, sql, objects }, { writer: PATIENT });
  opened.defer(() => services.close());
  const stores = opened.move();
  return { services, [Symbol.asyncDispose]: () => stores.disposeAsync() };
}
