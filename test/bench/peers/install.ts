/** Fetches other programs in pinned versions, by the package clients that this machine has, into a folder of caches. */
import { join } from "node:path";

export const VERSIONS = {
  bugsink: "2.6.2",
  jaeger: "v1.76.0",
  victoriaMetrics: "v1.151.0",
} as const;

/** Compiling takes minutes. */
const LIMIT_MS = 20 * 60_000;

/** A program of a Go module, built here. @returns the path of the binary, or null after a line that says why */
export async function goProgram(
  name: string,
  program: string,
  version: string,
): Promise<string | null> {
  const dir = cacheOf(name, version);
  const binary = join(dir, name);
  if (await exists(binary)) return binary;
  await Deno.mkdir(dir, { recursive: true });
  const steps = [
    ["go", "mod", "init", "bench/peer"],
    ["go", "get", "-tool", `${program}@${version}`],
    ["go", "build", "-o", binary, program],
  ];
  return await ran(name, steps, dir) ? binary : null;
}

/** A Python package in an environment of its own. @returns the folder of its programs, or null as above */
export async function pythonPrograms(name: string, version: string): Promise<string | null> {
  const dir = cacheOf(name, version);
  const bin = join(dir, "bin");
  // Written last.
  const mark = join(dir, "installed");
  if (await exists(mark)) return bin;
  const steps = [
    ["python3", "-m", "venv", dir],
    [join(bin, "pip"), "install", "--quiet", `${name}==${version}`],
    ["touch", mark],
  ];
  return await ran(name, steps) ? bin : null;
}

function cacheOf(name: string, version: string): string {
  const caches = Deno.env.get("XDG_CACHE_HOME") || join(Deno.env.get("HOME") || "/tmp", ".cache");
  return join(caches, "watchpost-bench", `${name}-${version}`);
}

async function ran(name: string, steps: readonly string[][], dir?: string): Promise<boolean> {
  console.error(`installing ${name} …`);
  if (dir !== undefined) await Deno.remove(join(dir, "go.mod")).catch(() => {});
  for (const [command = "", ...args] of steps) {
    const problem = await problemOf(command, args, dir);
    if (problem === null) continue;
    console.error(`skipped: ${name}: ${problem}`);
    return false;
  }
  return true;
}

/** Why a command failed, in a line; null when it did not. */
async function problemOf(command: string, args: string[], dir?: string): Promise<string | null> {
  try {
    const { success, stderr } = await new Deno.Command(command, {
      args,
      ...dir === undefined ? {} : { cwd: dir },
      signal: AbortSignal.timeout(LIMIT_MS),
      stdout: "null",
    }).output();
    if (success) return null;
    const said = new TextDecoder().decode(stderr).trim().split("\n").at(-1) ?? "";
    return `${command} ${args[0] ?? ""} failed: ${said}`;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return `${command} is not installed`;
    return `${command} failed: ${String(error)}`;
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await Deno.stat(path);
    return true;
  } catch {
    return false;
  }
}
