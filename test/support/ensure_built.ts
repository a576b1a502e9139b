import { isStale } from "../../build.ts";

const ROOT = new URL("../../", import.meta.url);
/** Files that are locked while one of them builds; released by the system when a process ends. */
const LOCK = new URL(".cache/test_build.lock", ROOT);

/**
 * What `deno task build` makes: once for all test files, by the first that finds it missing or stale. In a process of its
 * own: upstream Fresh leaves the bundler's helper running, which the leak sanitizers would blame a test for.
 */
export async function ensureBuilt(): Promise<void> {
  await Deno.mkdir(new URL("./", LOCK), { recursive: true });
  using lock = await Deno.open(LOCK, { create: true, write: true });
  await lock.lock(true);
  if (!isStale(ROOT)) return;
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "build.ts"],
    cwd: ROOT,
    stdout: "null",
  }).output();
  if (!success) throw new Error(`Cannot build: ${new TextDecoder().decode(stderr)}`);
}
