import * as Sentry from "npm:@sentry/deno@10.75.2";
import { createRequire } from "node:module";

const { OPTIONS, tell } = createRequire(import.meta.url)("./story.cjs");

Sentry.init({ ...OPTIONS, dsn: Deno.env.get("SENTRY_DSN") });
Deno.exit(await tell(Sentry) ? 0 : 1);
