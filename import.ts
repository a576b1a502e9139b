/**
 * `deno task import --to=ORGANIZATION/PROJECT [--settings] PATH`: brings a file, or the files below a folder, into a project.
 * With `--from=sentry|glitchtip|bugsink --url=… --token=… --project=…` in place of the path, all issues and events of a project
 * there. WATCHPOST_URL and WATCHPOST_TOKEN (a token with the scope people:data) say where they go; see docs/export.md.
 */
import { ApiRefused } from "./lib/transfers/client/api.ts";
import { foreignItems } from "./lib/transfers/client/foreign.ts";
import { importOptions, watchpostFrom } from "./lib/transfers/client/options.ts";
import { sendItems, sendPath } from "./lib/transfers/client/send.ts";

try {
  const { to, source } = importOptions(Deno.args, Deno.env.toObject());
  const api = watchpostFrom(Deno.env.toObject());
  if (source.kind === "path") {
    await sendPath(api, to, source.path, console.log, source.takesSettings);
  } else {
    const items = foreignItems(source.api, source.from, source.project);
    await sendItems(api, to, items, console.log);
  }
} catch (error) {
  console.error(error instanceof ApiRefused ? error.message : error);
  Deno.exitCode = 1;
}
