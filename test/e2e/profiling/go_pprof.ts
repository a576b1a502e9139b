/** What Go's own tool says of profiles. */
import type { ValueType } from "@/lib/formats/pprof/profile.ts";

/** A function as `go tool pprof -top` lists it, in the unit of the profile. */
export interface GoRow {
  readonly name: string;
  readonly flat: bigint;
  readonly cum: bigint;
}

export interface GoTop {
  /** Of all values without their signs, which memory that was freed has. */
  readonly total: bigint;
  readonly rows: readonly GoRow[];
}

/** Which lines of a list are wanted. */
export interface GoTopOptions {
  /** @default all functions */
  readonly rows?: number;
  /** Label and value of the samples that count. @default all samples */
  readonly label?: readonly [key: string, value: string];
  /** A profile that is taken away. @default none */
  readonly base?: Uint8Array;
}

/** What the tool calls the units, when it shall not round. */
const EXACT_UNITS: Readonly<Record<string, string>> = {
  nanoseconds: "ns",
  bytes: "B",
  count: "count",
};

/** Whether `go tool pprof` runs here; says so when it does not. */
export async function hasGoPprof(): Promise<boolean> {
  try {
    const { success } = await new Deno.Command("go", {
      args: ["version"],
      stdout: "null",
      stderr: "null",
    }).output();
    if (success) return true;
  } catch {
    // Not installed.
  }
  console.warn("skipped: Go is not installed, whose pprof is compared with");
  return false;
}

/**
 * Flat and cumulative values of functions, those that take most first.
 *
 * @param profiles files of pprof, gzip-compressed or not, which the tool adds up
 * @throws {Error} with what the tool says, when it can not read them
 */
export async function goTop(
  profiles: readonly Uint8Array[],
  { type, unit }: ValueType,
  { rows = 0, label, base }: GoTopOptions = {},
): Promise<GoTop> {
  const directory = await Deno.makeTempDir({ prefix: "watchpost-pprof-" });
  try {
    const written = async (bytes: Uint8Array, name: string | number) => {
      const file = `${directory}/${name}.pb`;
      await Deno.writeFile(file, bytes);
      return file;
    };
    const files = await Promise.all(profiles.map(written));
    const exact = EXACT_UNITS[unit] ?? unit;
    return parseTop(
      await goPprof([
        ...["-top", `-nodecount=${rows}`, "-nodefraction=0", "-edgefraction=0"],
        ...[`-sample_index=${type}`, `-unit=${exact}`, "-symbolize=none"],
        // The total of these samples, and not that of all.
        ...(label ? ["-relative_percentages", `-tagfocus=${label[0]}=^${label[1]}$`] : []),
        ...(base ? [`-base=${await written(base, "base")}`] : []),
        ...files,
      ]),
    );
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

async function goPprof(args: readonly string[]): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command("go", {
    args: ["tool", "pprof", ...args],
  }).output();
  if (!success) throw new Error(`go tool pprof: ${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout);
}

const TOTAL = / of (-?\d+)[A-Za-z]* total$/m;
const ROW = /^\s*(-?\d+)[A-Za-z]*\s+\S+\s+\S+\s+(-?\d+)[A-Za-z]*\s+\S+ {2}(.+)$/;
/** What the tool adds to names of functions that have no place of their own, which merged stacks do not tell. */
const INLINE = / \((?:partial-)?inline\)$/;

function parseTop(text: string): GoTop {
  const [, total] = TOTAL.exec(text) ?? [];
  if (total === undefined) throw new Error(`go tool pprof printed no total:\n${text}`);
  const rows = text.split("\n").flatMap((line): GoRow[] => {
    const [, flat, cum, name] = ROW.exec(line) ?? [];
    if (flat === undefined || cum === undefined || name === undefined) return [];
    return [{ flat: BigInt(flat), cum: BigInt(cum), name: name.replace(INLINE, "") }];
  });
  return { total: BigInt(total), rows };
}
