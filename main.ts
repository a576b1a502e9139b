import { readConfig } from "./lib/core/config.ts";
import { createLogger } from "./lib/core/log.ts";
import { thisIsolate } from "./lib/server/isolate.ts";
import { BugReports, reportingLog } from "./lib/server/own_telemetry/bugs.ts";
import { startOwnTelemetry } from "./lib/server/own_telemetry/start.ts";
import { openServices, type Services } from "./lib/server/services.ts";
import { createApp } from "./lib/server/app.tsx";

const config = readConfig(Deno.env.toObject());
const { number } = thisIsolate();
const bugs = new BugReports();
const plainLog = createLogger(config.logFormat, undefined, number === 1 ? {} : { isolate: number });

const opened = await openServices(config, reportingLog(plainLog, bugs));
const telemetry = startOwnTelemetry(opened, bugs);

/** The stores and everything on them; whoever serves `app` closes them. */
export const services: Services = {
  ...opened,
  async close(others) {
    await telemetry.close();
    await opened.close(others);
  },
};

/** The app; the build in `_fresh/` finds it under this name. */
export const app = createApp(services);
