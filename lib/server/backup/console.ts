/** What the commands of backups have in common: how far they are, and how they fail. */
import { ConfigError } from "../../core/config.ts";
import { DamagedPart } from "./parts.ts";

const TELL_EVERY_MS = 2_000;

/** Tells on the console how far something is, every other second. */
export function teller(): (progress: string) => void {
  let toldAt = performance.now();
  return (progress) => {
    if (performance.now() - toldAt < TELL_EVERY_MS) return;
    toldAt = performance.now();
    console.error(progress);
  };
}

/** `12.3 MB` */
export function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** Runs a command: one line for what an operator can mend, the stack for what only we can. */
export async function run(command: () => Promise<void>): Promise<void> {
  try {
    await command();
  } catch (error) {
    const isTheirs = error instanceof ConfigError || error instanceof DamagedPart;
    console.error(isTheirs ? error.message : error);
    Deno.exitCode = 1;
  }
}

/** @throws {ConfigError} with how it is called, for options that it does not have */
export function optionsOf(
  args: readonly string[],
  known: readonly string[],
  usage: string,
): { readonly words: readonly string[]; readonly options: ReadonlyMap<string, string> } {
  const words = args.filter((arg) => !arg.startsWith("--"));
  const options = new Map<string, string>();
  for (const arg of args.filter((arg) => arg.startsWith("--"))) {
    const [name = "", ...value] = arg.slice(2).split("=");
    if (!known.includes(name)) throw new ConfigError(usage);
    options.set(name, value.join("="));
  }
  if (words.length > 1) throw new ConfigError(usage);
  return { words, options };
}
