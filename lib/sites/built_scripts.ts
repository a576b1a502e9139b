/** The scripts for pages of customers, as build_scripts.ts has left them. */
import { type BuiltScripts, MANIFEST, SCRIPTS_FOLDER } from "./script_files.ts";

/** How a bundle can be sent; in the order in which it is, to who understands several. */
const ENCODINGS = [["br", ".br"], ["gzip", ".gz"]] as const;

export interface PageScripts extends BuiltScripts {
  /** The bundle's bytes, plain (`identity`) and compressed. */
  readonly bytes: ReadonlyMap<string, Uint8Array<ArrayBuffer>>;
}

const FOLDER = new URL(`../../_fresh/${SCRIPTS_FOLDER}/`, import.meta.url);

let scripts: Promise<PageScripts> | undefined;

/**
 * Reads the scripts once; they change with a build, and a build needs a new start.
 *
 * @throws {Deno.errors.NotFound} when the app has not been built
 */
export function pageScripts(): Promise<PageScripts> {
  scripts ??= readScripts().catch((error) => {
    scripts = undefined;
    throw error;
  });
  return scripts;
}

async function readScripts(): Promise<PageScripts> {
  const built: BuiltScripts = JSON.parse(await Deno.readTextFile(new URL(MANIFEST, FOLDER)));
  const read = (ending: string) => Deno.readFile(new URL(built.bundle + ending, FOLDER));
  const bytes = new Map([["identity", await read("")]]);
  for (const [encoding, ending] of ENCODINGS) bytes.set(encoding, await read(ending));
  return { ...built, bytes };
}

/**
 * The best encoding of the bundle that a client takes.
 *
 * @param accepted its `Accept-Encoding`, or null
 */
export function encodingFor(accepted: string | null): string {
  const taken = (accepted ?? "").toLowerCase().split(",").map((each) => each.trim())
    .filter((each) => !/;\s*q=0(?:\.0*)?$/.test(each))
    .map((each) => each.replace(/\s*;.*$/, ""));
  const [best = "identity"] = ENCODINGS.map(([name]) => name).filter((name) =>
    taken.includes(name)
  );
  return best;
}
