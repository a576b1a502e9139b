/**
 * Builds `_fresh/`: the messages of islands, styles through Tailwind's CLI, the scripts for pages of customers, then islands and the route snapshot
 * through Fresh.
 */
import { Builder } from "fresh/dev";
import { join } from "node:path";
import { buildScripts } from "./lib/sites/build_scripts.ts";
import { buildMessages } from "./lib/ui/build_messages.ts";
import { buildStyles } from "./lib/ui/build_styles.ts";

/** Made by the build itself, so they must not count as sources. */
const MADE = /\/static\/(?:styles\.css|messages\.\w+\.js)$/;
const BUILT = "_fresh/server.js";
/** What the build reads: the parts of pages stand beside the queries of their noun. */
const SOURCES = ["deno.json", "deno.lock", "routes", "islands", "static", "lib"];

export type Mode = "production" | "development";

/**
 * Builds styles, scripts, islands and routes of the app in `root`.
 *
 * @throws {Error} with the tool's own output when the styles do not compile
 */
export async function build(root: URL, mode: Mode): Promise<void> {
  await buildStyles({ minify: mode === "production" });
  await buildMessages();
  const folder = Deno.realPathSync(root);
  await buildScripts(join(folder, "_fresh"));
  const builder = new Builder({ root: folder });
  await builder.build({ mode, snapshot: "disk" });
  await emptyMetafile(join(folder, "_fresh"));
}

/** Upstream Fresh puts a list of all sources beside the scripts, where everybody may read it. */
async function emptyMetafile(outDir: string): Promise<void> {
  const scripts = join(outDir, "static/_fresh/js");
  for await (const { name } of Deno.readDir(scripts)) {
    const metafile = join(scripts, name, "metafile.json");
    if (modifiedAt(metafile) > 0) await Deno.writeTextFile(metafile, "{}");
  }
}

/** Whether `_fresh/` is missing or older than something it was built from. */
export function isStale(root: URL): boolean {
  const built = modifiedAt(new URL(BUILT, root));
  return built === 0 || SOURCES.some((source) => newest(new URL(source, root)) > built);
}

/** Milliseconds of the newest modification at or below `path`; 0 when there is nothing. */
function newest(path: URL): number {
  let latest = modifiedAt(path);
  if (!isDirectory(path)) return latest;
  for (const entry of Deno.readDirSync(path)) {
    const child = new URL(`${path.href}/${encodeURIComponent(entry.name)}`);
    if (MADE.test(child.pathname)) continue;
    latest = Math.max(latest, newest(child));
  }
  return latest;
}

function modifiedAt(path: URL | string): number {
  try {
    return Deno.statSync(path).mtime?.getTime() ?? 0;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return 0;
    throw error;
  }
}

function isDirectory(path: URL): boolean {
  return modifiedAt(path) > 0 && Deno.statSync(path).isDirectory;
}

if (import.meta.main) {
  await build(new URL("./", import.meta.url), "production");
  Deno.exit(0);
}
