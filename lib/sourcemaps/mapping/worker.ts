/** Entry of the threads in which maps are compiled and looked up: what is hard to read does not hold the app up. */
import { unpackFile } from "../artifacts/stored_files.ts";
import { deobfuscate, type JvmStacks } from "../proguard/deobfuscate.ts";
import { MappingFile } from "../proguard/mapping_file.ts";
import { compileMap } from "./compile_map.ts";
import { lookUp, type OpenTable, openTable, type Place, type Position } from "./look_up.ts";
import { MapTable } from "./map_table.ts";
import { inspectFile, type Inspection, mapInside } from "./minified_file.ts";
import { BadMap, type Problem, problem } from "./problems.ts";
import { packScopes, readScopes } from "./scopes.ts";

/** An uploaded file as it is stored. */
export interface PackedFile {
  readonly packed: Uint8Array;
  /** As it is when it is unpacked. */
  readonly sizeBytes: number;
}

/** Positions of one file to look up. */
export interface Wanted {
  /** Of its table. */
  readonly key: string;
  /** The table and the scopes, where the thread said that it does not have them. */
  readonly bytes: { readonly table: Uint8Array; readonly scopes: Uint8Array | null } | null;
  readonly positions: readonly Position[];
}

/** What the thread is asked, and what it answers. */
export interface Jobs {
  /** Makes the table of a map, or of the one inside a minified file. */
  readonly compile: {
    ask: { readonly file: PackedFile; readonly isInline: boolean };
    answer: { readonly table: Uint8Array } | { readonly problem: Problem };
  };
  /** Finds the functions of a minified file. */
  readonly scopes: {
    ask: { readonly file: PackedFile; readonly table: Uint8Array };
    answer: { readonly scopes: Uint8Array };
  };
  /** What a minified file says of its map. */
  readonly inspect: { ask: { readonly file: PackedFile }; answer: Inspection };
  /** Null for a file whose table is not here. */
  readonly lookUp: {
    ask: { readonly files: readonly Wanted[] };
    answer: { readonly files: readonly ((Place | null)[] | null)[] };
  };
  /** Names the stacks of a JVM event; `unknown` are the keys of files that are not here. */
  readonly deobfuscate: {
    ask: { readonly files: readonly MappingWanted[]; readonly stacks: JvmStacks };
    answer: {
      readonly stacks: JvmStacks;
      readonly named: number;
      readonly unknown: readonly string[];
    };
  };
}

/** A mapping file of ProGuard. */
export interface MappingWanted {
  readonly key: string;
  /** Null where the thread may have it open. */
  readonly file: PackedFile | null;
}

export type JobName = keyof Jobs;

export interface Request<J extends JobName = JobName> {
  readonly id: number;
  readonly job: J;
  readonly ask: Jobs[J]["ask"];
}

export interface Report<J extends JobName = JobName> {
  readonly id: number;
  /** Null when the job failed, of which `error` tells. */
  readonly answer: Jobs[J]["answer"] | null;
  readonly error: string;
}

/** Of tables that are kept open. */
const KEPT_BYTES = 64 * 2 ** 20;

/** The most recently used last. */
const open = new Map<string, OpenTable>();
/** The same of mapping files. */
const openMappings = new Map<string, { readonly mapping: MappingFile; readonly bytes: number }>();

const RUN: { readonly [J in JobName]: (ask: Jobs[J]["ask"]) => Jobs[J]["answer"] } = {
  compile({ file, isInline }) {
    try {
      const bytes = unpacked(file);
      return { table: compileMap(isInline ? mapInside(bytes) : bytes) };
    } catch (error) {
      if (!(error instanceof BadMap)) throw error;
      return { problem: problem(error.kind, error.message) };
    }
  },
  scopes({ file, table }) {
    const code = new TextDecoder().decode(unpacked(file));
    return { scopes: packScopes(readScopes(code, new MapTable(table))) };
  },
  inspect({ file }) {
    return inspectFile(unpacked(file));
  },
  lookUp({ files }) {
    return {
      files: files.map(({ key, bytes, positions }) => {
        const table = bytes === null ? open.get(key) : openTable(bytes.table, bytes.scopes);
        if (table === undefined) return null;
        keep(open, key, table);
        return lookUp(table, positions);
      }),
    };
  },
  deobfuscate({ files, stacks }) {
    const opened = files.map(openMapping);
    const mappings = opened.filter((each) => typeof each !== "string");
    const named = deobfuscate(stacks, mappings);
    return { stacks, named, unknown: opened.filter((each) => typeof each === "string") };
  },
};

function openMapping({ key, file }: MappingWanted): MappingFile | string {
  const opened = openMappings.get(key) ??
    (file && { mapping: new MappingFile(unpacked(file)), bytes: file.sizeBytes });
  if (opened === null) return key;
  keep(openMappings, key, opened);
  return opened.mapping;
}

function unpacked({ packed, sizeBytes }: PackedFile): Uint8Array {
  return unpackFile(packed, sizeBytes);
}

function keep<T extends { readonly bytes: number }>(
  among: Map<string, T>,
  key: string,
  opened: T,
): void {
  among.delete(key);
  among.set(key, opened);
  let kept = 0;
  for (const { bytes } of among.values()) kept += bytes;
  for (const [oldest, { bytes }] of among) {
    if (kept <= KEPT_BYTES || among.size === 1) return;
    among.delete(oldest);
    kept -= bytes;
  }
}

self.addEventListener("message", ({ data: { id, job, ask } }: MessageEvent<Request>) => {
  let report: Report;
  try {
    const run = RUN[job] as (ask: Request["ask"]) => Report["answer"];
    report = { id, answer: run(ask), error: "" };
  } catch (error) {
    report = { id, answer: null, error: String(error) };
  }
  self.postMessage(report, { transfer: transferable(report.answer) });
});

function transferable(answer: Report["answer"]): ArrayBuffer[] {
  if (answer === null) return [];
  const bytes = "table" in answer ? answer.table : "scopes" in answer ? answer.scopes : null;
  const isWhole = bytes !== null && bytes.buffer.byteLength === bytes.byteLength;
  return isWhole ? [bytes.buffer as ArrayBuffer] : [];
}
