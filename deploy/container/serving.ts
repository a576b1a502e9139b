/**
 * A step of the image, after the build: leaves in `deno.json` and `deno.lock` only the packages that serving imports, and
 * fetches those alone. Otherwise Deno fetches every package that the lock names: bundlers, browsers and clients of the
 * tests, 270 MB. It changes files in the current folder, so it is for that of the image alone.
 *
 *   deno run -A deploy/container/serving.ts <an empty folder, the DENO_DIR of the image>
 */
import { join } from "node:path";

/** What a run needs beside the programs of the root folder. */
const OTHER_PROGRAMS = ["_fresh/server.js", "deploy/container/health.ts"];
/** Only builds, which are over. */
const NEVER_SERVED = ["build.ts"];
const LOCK = "deno.lock";
const MANIFESTS = ["deno.json", "lib/fresh/deno.json"];
/** Imports all programs, for as long as Deno is asked what they import. */
const ALL = "_serving.ts";
/** How Workers and programs of their own are named. */
const STARTED = /new URL\("(\.\/[\w./]+\.ts)", import\.meta\.url\)/g;
const UNREAD = /\.map$|\.d\.[cm]?ts$/;
const NPM_NAME = /^npm:\/?((?:@[^/@]+\/)?[^/@]+)/;

interface Graph {
  readonly modules: readonly {
    readonly dependencies?: readonly { readonly code?: { readonly specifier?: string } }[];
  }[];
}

/** Every file at which an isolate of the server, a Worker of it, or a task of its operator begins. */
export function programs(): string[] {
  const ofTheRoot = [...Deno.readDirSync(".")].map(({ name }) => name)
    .filter((name) => name.endsWith(".ts") && !NEVER_SERVED.includes(name));
  return [...ofTheRoot.sort(), ...OTHER_PROGRAMS, ...started("lib").sort()];
}

function started(folder: string): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) => {
    const path = join(folder, name);
    if (isDirectory) return started(path);
    if (!/\.tsx?$/.test(name)) return [];
    return [...Deno.readTextFileSync(path).matchAll(STARTED)].map(([, to = ""]) =>
      join(folder, to)
    );
  });
}

/** Names of the npm packages that programs import, at whatever depth of our own files. */
export async function packagesOf(programs: readonly string[]): Promise<ReadonlySet<string>> {
  await Deno.writeTextFile(ALL, programs.map((path) => `import "./${path}";\n`).join(""));
  const { modules } = await graphOf(ALL).finally(() => Deno.remove(ALL));
  const specifiers = modules.flatMap(({ dependencies = [] }) => dependencies)
    .map(({ code }) => NPM_NAME.exec(code?.specifier ?? "")?.[1]);
  return new Set(specifiers.filter((name) => name !== undefined));
}

async function graphOf(program: string): Promise<Graph> {
  return JSON.parse(await deno(["info", "--json", program]));
}

/** @returns what the manifest imports from npm from now on */
async function keepOnly(manifest: string, packages: ReadonlySet<string>): Promise<string[]> {
  const settings = JSON.parse(await Deno.readTextFile(manifest));
  const kept: string[] = [];
  for (const [name, target] of Object.entries<string>(settings.imports)) {
    const wanted = NPM_NAME.exec(target)?.[1];
    if (wanted === undefined) continue;
    if (packages.has(wanted)) kept.push(target);
    else delete settings.imports[name];
  }
  await Deno.writeTextFile(manifest, `${JSON.stringify(settings, null, 2)}\n`);
  return kept;
}

/** The lock also names what tests import by its version alone. Deno drops what nobody wants any more when it writes it anew. */
async function lockOnly(specifiers: ReadonlySet<string>): Promise<void> {
  const lock = JSON.parse(await Deno.readTextFile(LOCK));
  for (const name of Object.keys(lock.specifiers)) {
    if (!specifiers.has(name)) delete lock.specifiers[name];
  }
  await Deno.writeTextFile(LOCK, JSON.stringify(lock));
}

/** Maps and types of packages are for those who develop. */
async function removeUnread(folder: string): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = join(folder, name);
    if (isDirectory) await removeUnread(path);
    else if (UNREAD.test(name)) await Deno.remove(path);
  }
}

/** @param args of Deno @param env for it, beside what is there @returns its output */
async function deno(args: string[], env: Record<string, string> = {}): Promise<string> {
  const { success, stdout } = await new Deno.Command(Deno.execPath(), {
    args,
    env,
    stdin: "null",
    stderr: "inherit",
  }).output();
  if (!success) throw new Error(`deno ${args.join(" ")} failed`);
  return new TextDecoder().decode(stdout);
}

if (import.meta.main) {
  const [cache] = Deno.args;
  if (cache === undefined) throw new Error("Say which folder is to hold the packages");
  const all = programs();
  const packages = await packagesOf(all);
  const kept = await Promise.all(MANIFESTS.map((manifest) => keepOnly(manifest, packages)));
  await lockOnly(new Set(kept.flat()));
  await deno(["cache", ...all], { DENO_DIR: cache });
  await removeUnread(join(cache, "npm"));
}
