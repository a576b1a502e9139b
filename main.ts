import { readConfig } from "./lib/core/config.ts";
import { createLogger } from "./lib/core/log.ts";
import { thisIsolate } from "./lib/server/isolate.ts";
import { openServices } from "./lib/server/services.ts";
import { createApp } from "./lib/server/app.tsx";

const config = readConfig(Deno.env.toObject());
const { number } = thisIsolate();
const log = createLogger(config.logFormat, undefined, number === 1 ? {} : { isolate: number });

/** The stores and everything on them; whoever serves `app` closes them. */
export const services = await openServices(config, log);

/** The app; the build in `_fresh/` finds it under this name. */
export const app = createApp(services);
