/**
 * Compiles `lib/ui/styles.css` with Tailwind's CLI into `static/styles.css`.
 *
 * The CLI looks for the package `tailwindcss` in a `node_modules` folder, which Deno does not make;
 * so the path of its style sheet is found here and written into the source that the CLI reads.
 */
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
// Makes Deno fetch the package before its style sheet is looked up below.
import "tailwindcss/package.json" with { type: "json" };

const ROOT = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
const SOURCE = join(ROOT, "lib/ui/styles.css");
const TARGET = join(ROOT, "static/styles.css");
/** Ignored by git, and on the disk of the target, so that a rename puts the result in place at once. */
const CACHE = join(ROOT, ".cache");
const PACKAGE_IMPORT = '@import "tailwindcss"';

/**
 * Writes the compiled style sheet; whoever reads it meanwhile sees the old one or the new one, whole.
 *
 * @param options.minify without blanks and comments; default true
 * @throws {Error} with the compiler's own words when the source does not compile
 */
export async function buildStyles({ minify = true }: { minify?: boolean } = {}): Promise<void> {
  await Deno.mkdir(CACHE, { recursive: true });
  const output = join(CACHE, `styles-${crypto.randomUUID()}.css`);
  const flags = minify ? ["--minify"] : [];
  const cli = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", "@tailwindcss/cli", "-i", "-", "-o", output, ...flags],
    // The paths in `@source` are relative to the style sheet, and the CLI reads it from stdin.
    cwd: dirname(SOURCE),
    stdin: "piped",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const writer = cli.stdin.getWriter();
  await writer.write(new TextEncoder().encode(await readSource()));
  await writer.close();
  const { success, stderr } = await cli.output();
  if (!success) {
    throw new Error(`Cannot compile lib/ui/styles.css: ${new TextDecoder().decode(stderr)}`);
  }
  // The folder counts as changed by a rename: who made the same again must not make the whole build stale.
  if (await textOf(TARGET) === await textOf(output)) await Deno.remove(output);
  else await Deno.rename(output, TARGET);
}

async function textOf(path: string): Promise<string | null> {
  try {
    return await Deno.readTextFile(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

async function readSource(): Promise<string> {
  const tailwind = createRequire(import.meta.url).resolve("tailwindcss/index.css");
  const source = await Deno.readTextFile(SOURCE);
  return source.replace(
    PACKAGE_IMPORT,
    `@import ${JSON.stringify(tailwind.replaceAll("\\", "/"))}`,
  );
}

if (import.meta.main) await buildStyles();
