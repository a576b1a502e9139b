/** An export, asked for and waited for and written into a folder. */
import { join } from "node:path";
import { type Api, ApiRefused, ask } from "./api.ts";
import { ended } from "./send.ts";

/** @returns where the archive is */
export async function download(api: Api, project: string, folder: string): Promise<string> {
  const exports = `/api/0/projects/${project}/exports/`;
  const asked = await ask(api, exports, {
    method: "POST",
    body: "{}",
    headers: { "content-type": "application/json" },
  });
  const { id }: { id: string } = await asked.json();
  const done = await ended(api, `${exports}${id}/`);
  if (done.state === "failed") throw new ApiRefused(done.error);
  const file = await ask(api, `${exports}${id}/download/`);
  await Deno.mkdir(folder, { recursive: true });
  const path = join(folder, `${project.replace("/", "-")}.zip`);
  // Whole or not at all: a download that breaks off leaves no archive behind that looks like one.
  const part = `${path}.part`;
  await file.body?.pipeTo((await Deno.create(part)).writable);
  await Deno.rename(part, path);
  return path;
}
