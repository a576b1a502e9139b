/**
 * Runs the tests that reach a store, on the stores that the TEST_* variables name: what never touches one behaves the
 * same on all. Arguments are handed on to `deno test`.
 */
import { dirname, join, normalize } from "node:path";

/** Whoever imports one of these has a store. */
const STORES = ["database.ts", "objects.ts", "server_stores.ts"].map((name) =>
  `test/support/${name}`
);
/** Of the stock clients' tests, those about what stores do; the others are about protocols. */
const END_TO_END = [
  "accounting",
  "citus",
  "disk_full",
  "durability",
  "faults",
  "isolates",
  "move",
  "object_store_away",
  "reissue",
  "stock_clients",
].map((name) => `test/e2e/${name}_test.ts`);
const SPECIFIER = /from "([^"]+)"|^import "([^"]+)"/gm;

const known = new Map<string, boolean>();

function reachesStore(file: string): boolean {
  const answer = known.get(file);
  if (answer !== undefined) return answer;
  known.set(file, STORES.includes(file));
  const reaches = STORES.includes(file) || importsOf(file).some(reachesStore);
  known.set(file, reaches);
  return reaches;
}

/** What a file of `test/` imports from `test/`. */
function importsOf(file: string): string[] {
  return [...Deno.readTextFileSync(file).matchAll(SPECIFIER)].flatMap(([, from, bare]) => {
    const specifier = from ?? bare ?? "";
    if (specifier.startsWith("@/test/")) return [specifier.slice(2)];
    const path = normalize(join(dirname(file), specifier));
    return specifier.startsWith(".") && path.startsWith("test/") && /\.tsx?$/.test(path)
      ? [path]
      : [];
  });
}

function testFiles(folder: string): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) => {
    const path = `${folder}/${name}`;
    if (isDirectory) return name === "fixtures" ? [] : testFiles(path);
    return /_test\.tsx?$/.test(name) ? [path] : [];
  });
}

const chosen = testFiles("test").sort().filter((file) =>
  file.startsWith("test/e2e/")
    ? END_TO_END.includes(file)
    // What a browser draws does not depend on the stores.
    : reachesStore(file) && !file.includes("_in_chromium_")
);
const { code } = await new Deno.Command(Deno.execPath(), {
  args: ["test", "-A", "--sanitize-ops", "--sanitize-resources", ...Deno.args, ...chosen],
  stdout: "inherit",
  stderr: "inherit",
}).output();
Deno.exit(code);
