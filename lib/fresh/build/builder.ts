import { createHash } from "node:crypto";
import { basename, extname, relative, resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type App, setBuildCache } from "../app.ts";
import type { RouteModule } from "../file_routes.ts";
import { bundle } from "./bundle.ts";
import { type BuiltFile, ProdBuildCache, uniqueName } from "./cache.ts";
import { contentType } from "./content_type.ts";
import { crawl, type CrawledRoute, filesIn } from "./crawl.ts";
import { writeBuild } from "./disk.ts";
import { scriptFolder } from "./id.ts";

/** Options of `new Builder()`; paths are absolute, file URLs, or relative to the root. */
export interface BuildOptions {
  /** @default Deno.cwd() */
  root?: string;
  /** @default "main.ts" */
  serverEntry?: string;
  /** @default "_fresh" */
  outDir?: string;
  /** @default "static" */
  staticDir?: string;
  /** @default "islands" */
  islandDir?: string;
  /** @default "routes" */
  routeDir?: string;
  /** The browsers to support, as esbuild names them. */
  target?: string | string[];
}

export interface ResolvedBuildConfig extends Required<BuildOptions> {
  buildId: string;
  mode: "development" | "production";
}

/** What a build has found and made, before modules are loaded. */
export interface Build {
  config: ResolvedBuildConfig;
  routes: CrawledRoute[];
  islands: { name: string; file: string; chunk: string }[];
  files: Record<string, BuiltFile>;
}

/** Turns a project's folders into something that an app can serve. */
// deno-lint-ignore no-explicit-any -- as upstream: a builder without a type fits every app
export class Builder<State = any> {
  readonly config: ResolvedBuildConfig;

  constructor(options: BuildOptions = {}) {
    const root = resolve(toPath(options.root ?? "."));
    const inRoot = (path: string) => resolve(root, toPath(path));
    this.config = {
      root,
      serverEntry: inRoot(options.serverEntry ?? "main.ts"),
      outDir: inRoot(options.outDir ?? "_fresh"),
      staticDir: inRoot(options.staticDir ?? "static"),
      islandDir: inRoot(options.islandDir ?? "islands"),
      routeDir: inRoot(options.routeDir ?? "routes"),
      target: options.target ?? ["chrome99", "firefox99", "safari15"],
      buildId: newBuildId(),
      mode: "production",
    };
  }

  /**
   * Builds the project, into the output folder or for this process only; one build at a time.
   *
   * @returns a function that makes an app use a build that is in memory
   */
  async build(
    options: { mode?: ResolvedBuildConfig["mode"]; snapshot?: "disk" | "memory" } = {},
  ): Promise<(app: App<State>) => void> {
    this.config.mode = options.mode ?? "production";
    const build = await this.#build();
    if (options.snapshot !== "memory") {
      await writeBuild(build);
      return () => {
        throw new Error("Cannot apply a build on disk: start _fresh/server.js");
      };
    }

    const cache = await load<State>(build);
    return (app) => setBuildCache(app, cache, app.config.mode);
  }

  async #build(): Promise<Build> {
    const { config } = this;
    const { islands: modules, routes } = await crawl(config);
    const islands = nameIslands(modules, config.buildId);
    const entryPoints = Object.fromEntries(islands.map(({ name, file }) => [name, file]));
    const scripts = await bundle({ ...config, entryPoints });

    const files = await staticFiles(config.staticDir);
    for (const [name, { contents, hash }] of scripts) {
      const source = contents as Uint8Array<ArrayBuffer>;
      const path = scriptFolder(config.buildId) + name;
      files[path] = { source, hash, contentType: contentType(name) };
    }
    return { config, routes, islands, files };
  }
}

/** Loads into this process what a build consists of. */
async function load<State>(build: Build): Promise<ProdBuildCache<State>> {
  const { config, files } = build;
  const islands = await Promise.all(
    build.islands.map(async ({ file, ...island }) => ({ ...island, mod: await importFile(file) })),
  );
  const routes = await Promise.all(build.routes.map(async ({ file, isLazy, ...route }) => {
    const importRoute = () => importFile(file) as Promise<RouteModule<State>>;
    return { ...route, mod: isLazy ? importRoute : await importRoute() };
  }));
  return new ProdBuildCache(config.root, { version: config.buildId, islands, routes, files });
}

async function importFile(file: string): Promise<Record<string, unknown>> {
  return await import(pathToFileURL(file).href);
}

function nameIslands(files: string[], buildId: string): Build["islands"] {
  const names = new Set(["fresh-runtime"]);
  return files.map((file) => {
    const name = uniqueName(basename(file, extname(file)), names);
    return { name, file, chunk: `${scriptFolder(buildId)}${name}.js` };
  });
}

async function staticFiles(folder: string): Promise<Record<string, BuiltFile>> {
  const files: Record<string, BuiltFile> = {};
  for (const file of await filesIn(folder)) {
    const path = "/" + relative(folder, file).replaceAll(sep, "/");
    const isHidden = /\/\.(?!well-known\/)/.test(path);
    if (isHidden) continue;
    const hash = createHash("sha256").update(await Deno.readFile(file)).digest("hex");
    files[path] = { source: file, contentType: contentType(file), hash };
  }
  return files;
}

/** The same for all machines that build the same commit, if the environment names it. */
function newBuildId(): string {
  const commit = Deno.env.get("DENO_DEPLOYMENT_ID") ?? Deno.env.get("GITHUB_SHA") ??
    Deno.env.get("CI_COMMIT_SHA") ?? crypto.randomUUID();
  return createHash("sha1").update(commit).digest("hex");
}

function toPath(pathOrUrl: string): string {
  return pathOrUrl.startsWith("file://") ? fileURLToPath(pathOrUrl) : pathOrUrl;
}
