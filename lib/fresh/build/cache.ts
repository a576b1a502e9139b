import type { ComponentType } from "preact";
import { isAbsolute, join } from "node:path";
import type { FileRoute } from "../file_routes.ts";
import { scriptFolder, setBuildId } from "./id.ts";

/** A file that can be asked for by its URL. */
export interface BuiltFile {
  /** Absolute, or relative to the project; bytes, if the build is kept in memory. */
  source: string | Uint8Array<ArrayBuffer>;
  contentType: string;
  hash: string;
}

/** A module of islands, with the URL of its bundle. */
export interface BuiltIslands {
  name: string;
  chunk: string;
  mod: Record<string, unknown>;
}

/** What a build results in: the exports of `_fresh/snapshot.js`. */
export interface Snapshot<State> {
  version: string;
  islands: BuiltIslands[];
  routes: FileRoute<State>[];
  files: Record<string, BuiltFile>;
}

/** One island: a component that also runs in the browser. */
export interface Island {
  /** Unique, and fit to be a variable's name. */
  name: string;
  exportName: string;
  chunk: string;
}

/** A build in use by an app. */
export class ProdBuildCache<State> {
  readonly routes: readonly FileRoute<State>[];
  readonly islands: Map<unknown, Island> = new Map();
  readonly clientEntry: string;
  #files: Map<string, BuiltFile>;

  constructor(readonly root: string, snapshot: Snapshot<State>) {
    setBuildId(snapshot.version);
    this.clientEntry = `${scriptFolder(snapshot.version)}fresh-runtime.js`;
    this.routes = snapshot.routes;
    this.#files = new Map(Object.entries(snapshot.files));
    this.#addIslands(snapshot.islands);
  }

  /** The file at a decoded path, or undefined. */
  file(pathname: string): BuiltFile | undefined {
    return this.#files.get(pathname);
  }

  /** Opens a file's content, with its size in bytes. */
  async open({ source }: BuiltFile): Promise<{ size: number; body: BodyInit; close(): void }> {
    if (typeof source !== "string") return { size: source.length, body: source, close() {} };

    const file = await Deno.open(isAbsolute(source) ? source : join(this.root, source));
    const { size } = await file.stat();
    return { size, body: file.readable, close: () => file.close() };
  }

  #addIslands(modules: BuiltIslands[]): void {
    const names = new Set<string>();
    for (const { mod, chunk, name: moduleName } of modules) {
      for (const [exportName, component] of Object.entries(mod)) {
        if (typeof component !== "function") continue;
        const name = uniqueName(exportName === "default" ? moduleName : exportName, names);
        this.islands.set(component as ComponentType, { name, exportName, chunk });
      }
    }
  }
}

/** Makes a name fit for a variable and different from those taken, and takes it. */
export function uniqueName(name: string, taken: Set<string>): string {
  const identifier = name.replaceAll(/[^\w$]+/g, "_").replace(/^(?=\d)/, "_");
  let unique = identifier;
  for (let count = 1; taken.has(unique); count++) unique = `${identifier}_${count}`;
  taken.add(unique);
  return unique;
}
