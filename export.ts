/**
 * `deno task export ORGANIZATION/PROJECT FOLDER`: all data of a project as an archive in a folder. WATCHPOST_URL and
 * WATCHPOST_TOKEN (a token with the scope people:data) say where it is; see docs/export.md.
 */
import { ApiRefused } from "./lib/transfers/client/api.ts";
import { download } from "./lib/transfers/client/download.ts";
import { watchpostFrom } from "./lib/transfers/client/options.ts";

try {
  const [project = "", folder = "", ...others] = Deno.args;
  if (!/^[^/]+\/[^/]+$/.test(project) || folder === "" || others.length > 0) {
    throw new ApiRefused("Say what and where to: deno task export ORGANIZATION/PROJECT FOLDER");
  }
  const api = watchpostFrom(Deno.env.toObject());
  console.log(await download(api, project, folder));
} catch (error) {
  console.error(error instanceof ApiRefused ? error.message : error);
  Deno.exitCode = 1;
}
