/** Compiled maps in the object store: made when they are needed first, and kept beside the file they are made of. */
import type { Logger } from "../../core/log.ts";
import type { ObjectStore } from "../../store/objects/store.ts";
import type { Artifact } from "../artifacts/lookup.ts";
import { TABLE_VERSION } from "./map_table.ts";
import { type Problem, problem } from "./problems.ts";
import type { FoundMap } from "./resolve.ts";
import { JobFailed, type Thread } from "./threads.ts";
import type { PackedFile } from "./worker.ts";

/** A compiled map; `scopes` is null when its minified file was not uploaded. */
export type Table =
  | { readonly table: Uint8Array; readonly scopes: Uint8Array | null }
  | { readonly problem: Problem };

export interface Tables {
  /** The table of a map, which is made when there is none. Never throws. */
  get(found: FoundMap): Promise<Table>;
}

/** Names what is made of an uploaded file: deleted with it. */
export function tableKeys(objectKey: string): { readonly table: string; readonly scopes: string } {
  const key = `${objectKey}.${TABLE_VERSION}`;
  return { table: `${key}.table`, scopes: `${key}.scopes` };
}

const OPEN_BRACE = 0x7b;

/** @param compiler does the work that may take long */
export function openTables(
  objects: Pick<ObjectStore, "get" | "put">,
  compiler: Thread,
  log: Pick<Logger, "warn">,
): Tables {
  const underWay = new Map<string, Promise<Table>>();

  async function read(found: FoundMap): Promise<Table> {
    const keys = tableKeys(found.artifact.objectKey);
    const stored = await objects.get(keys.table);
    const made = stored === null ? await compiled(found) : asTable(stored);
    if ("problem" in made) return made;
    const { table } = made;
    if (found.minified === null) return { table, scopes: null };
    const scopes = await objects.get(keys.scopes) ??
      await namesOf(found.minified, table, keys.scopes);
    return { table, scopes };
  }

  async function compiled(found: FoundMap): Promise<{ table: Uint8Array } | { problem: Problem }> {
    const file = await packedFile(found.artifact);
    if (file === null) return { problem: gone() };
    const { table: key } = tableKeys(found.artifact.objectKey);
    let made;
    try {
      made = await compiler.run("compile", { file, isInline: found.isInline });
    } catch (error) {
      // What was cut off is no fault of the map: the next process reads it.
      if (!(error instanceof JobFailed) || error.isStopped) throw error;
      made = { problem: problem("too_large", `The source map cannot be used: ${error.message}`) };
    }
    const bytes = "table" in made ? made.table : new TextEncoder().encode(JSON.stringify(made));
    await objects.put(key, bytes);
    return made;
  }

  /** Without them frames keep the names that browsers gave them. */
  async function namesOf(code: Artifact, table: Uint8Array, key: string) {
    try {
      const file = await packedFile(code);
      if (file === null) return null;
      const { scopes } = await compiler.run("scopes", { file, table });
      await objects.put(key, scopes);
      return scopes;
    } catch (error) {
      log.warn("cannot read the functions of a minified file", { url: code.url, error });
      return null;
    }
  }

  async function packedFile({ objectKey, sizeBytes }: Artifact): Promise<PackedFile | null> {
    const packed = await objects.get(objectKey);
    return packed && { packed, sizeBytes };
  }

  return {
    get(found) {
      const key = found.artifact.objectKey;
      const same = underWay.get(key);
      if (same !== undefined) return same;
      const work = read(found).catch((error): Table => {
        log.warn("cannot read a source map", { key, error });
        return { problem: problem("unavailable", "The source map could not be read just now.") };
      }).finally(() => underWay.delete(key));
      underWay.set(key, work);
      return work;
    },
  };
}

function asTable(stored: Uint8Array): { table: Uint8Array } | { problem: Problem } {
  return stored[0] === OPEN_BRACE
    ? JSON.parse(new TextDecoder().decode(stored))
    : { table: stored };
}

function gone(): Problem {
  return problem("no_map_of_file", "The source map was deleted.");
}
