import { extname, join, relative, sep } from "node:path";
import type { FileKind, FileRoute } from "../file_routes.ts";
import { compareRouteIds, toPattern } from "./route_pattern.ts";

/** A file of the routes folder, before its module is loaded. */
export interface CrawledRoute extends Omit<FileRoute<unknown>, "mod"> {
  file: string;
  /** Whether its module may wait for the first request. */
  isLazy: boolean;
}

const KINDS: Record<string, FileKind> = {
  _app: "app",
  _error: "error",
  _layout: "layout",
  _middleware: "middleware",
};

/** Finds the modules of islands, and the files of the routes folder in the order to register. */
export async function crawl(
  { islandDir, routeDir }: { islandDir: string; routeDir: string },
): Promise<{ islands: string[]; routes: CrawledRoute[] }> {
  const inRoutes = (await filesIn(routeDir)).filter(isModule);
  const islands = [
    ...(await filesIn(islandDir)).filter(isModule),
    ...inRoutes.filter((file) => privateFolder(file) === "_islands"),
  ];
  const routes = await Promise.all(
    inRoutes.filter((file) => privateFolder(file) === null).map((file) => describe(file, routeDir)),
  );
  return { islands, routes: routes.sort((a, b) => compareRouteIds(a.id, b.id)) };
}

async function describe(file: string, routeDir: string): Promise<CrawledRoute> {
  const path = relative(routeDir, file).replaceAll(sep, "/");
  const id = "/" + path.slice(0, -extname(path).length);
  const folderId = id.slice(0, id.lastIndexOf("/"));
  const name = id.slice(folderId.length + 1);
  if (name === "_404" || name === "_500") {
    throw new Error(`Cannot use routes${id}: write routes${folderId}/_error instead`);
  }

  const kind = KINDS[name] ?? "route";
  // The text decides, as upstream: a module is loaded early only if it changes its own pattern.
  const isLazy = kind === "route" && !(await Deno.readTextFile(file)).includes("routeOverride");
  const pattern = kind === "route" ? toPattern(id) : "*";
  const folder = toPattern(`${folderId}/index`, { keepGroups: true });
  return { id, kind, pattern, folder, file, isLazy };
}

function isModule(file: string): boolean {
  return /\.[jt]sx?$/.test(file) && !/[._]test\.[jt]sx?$/.test(file);
}

/** The name of the `(_…)` folder that a file is in: such folders are no part of the URL space. */
function privateFolder(file: string): string | null {
  return /[\\/]\((_[^\\/]+)\)[\\/]/.exec(file)?.[1] ?? null;
}

/** All files below a folder, in a stable order; none if there is no such folder. */
export async function filesIn(folder: string): Promise<string[]> {
  try {
    const entries = await Array.fromAsync(Deno.readDir(folder));
    entries.sort((a, b) => a.name < b.name ? -1 : 1);
    const files = await Promise.all(entries.map(({ name, isDirectory }) => {
      const path = join(folder, name);
      return isDirectory ? filesIn(path) : [path];
    }));
    return files.flat();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}
