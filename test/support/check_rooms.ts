/**
 * Holds the imports of `lib` to the plan of the house (docs/architecture.md): a room imports only rooms that stand lower,
 * nouns know each other by their doors alone, no file is in a circle, and no import climbs more than two folders.
 * Type-only imports count as well.
 *
 *   deno run --allow-read test/support/check_rooms.ts
 */
import { dirname, join, normalize } from "node:path";

/** From the ground up; rooms on one line do not know each other. */
const FLOORS = [
  ["core"],
  ["records"],
  ["accounts", "formats", "store", "ui"],
  ["api"],
  ["audit"],
  ["usage"],
  ["sourcemaps"],
  ["releases"],
  ["logs"],
  ["errors"],
  ["metrics"],
  ["profiles"],
  ["traces"],
  ["explore"],
  ["alerts"],
  ["notifications"],
  ["dashboards"],
  ["monitors"],
  ["sites"],
  ["end_users"],
  ["transfers"],
  ["projects"],
  ["ingest"],
  ["server"],
];
const NOUNS = FLOORS.slice(FLOORS.findIndex(([room]) => room === "audit"), -2).flat();
/** What nouns may use of each other: `mod.ts`, the scope of pages, and what a browser must get without all the rest. */
const DOOR =
  /\/mod\.ts$|^lib\/releases\/request_scope\.ts$|^lib\/profiles\/(?:profile_part|words)\.ts$/;
const SPECIFIER = /^(?:import|export|\} from)\b[^"';]*"([^"]+)"|\bimport\("([^"]+)"\)/gm;

const faults: string[] = [];
const files = new Map([...sources("lib"), ...sources("islands"), ...sources("routes")]);
const graph = new Map([...files].map(([file, text]) => [file, importsOf(file, text)]));
for (const [file, targets] of graph) targets.forEach((target) => checkArrow(file, target));
circles().forEach((circle) => faults.push(`circle: ${circle.join(" -> ")}`));
if (faults.length > 0) {
  console.error(
    `${faults.join("\n")}\n\n${faults.length} imports are not as the plan of the house says`,
  );
  Deno.exit(1);
}

function* sources(folder: string): Generator<[string, string]> {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    const path = `${folder}/${name}`;
    // The stand-in for Fresh is a package of its own, with upstream's structure.
    if (isDirectory && path !== "lib/fresh") yield* sources(path);
    else if (/\.tsx?$/.test(name)) yield [path, Deno.readTextFileSync(path)];
  }
}

function importsOf(file: string, text: string): string[] {
  return [...text.matchAll(SPECIFIER)].map(([, still, lazy]) => still ?? lazy ?? "").flatMap(
    (specifier) => {
      if (specifier.startsWith("../../../")) faults.push(`climbs: ${file} -> ${specifier}`);
      const target = specifier.startsWith("@/")
        ? specifier.slice(2)
        : normalize(join(dirname(file), specifier));
      return /^[.@]\.?\//.test(specifier) && files.has(target) ? [target] : [];
    },
  );
}

function floorOf(file: string): number {
  const [top, room] = file.split("/");
  if (top !== "lib") return FLOORS.length;
  const floor = FLOORS.findIndex((rooms) => rooms.includes(room ?? ""));
  if (floor < 0) faults.push(`no room: ${file}`);
  return floor;
}

/** Islands are drawn by the pages of nouns, and made of parts of the same nouns: no file is in a circle, though. */
function checkArrow(file: string, target: string): void {
  if (target.startsWith("islands/") || roomOf(file) === roomOf(target)) return;
  if (floorOf(target) >= floorOf(file)) faults.push(`up: ${file} -> ${target}`);
  const isForeign = [file, target].every((each) => NOUNS.includes(each.split("/")[1] ?? ""));
  if (isForeign && !DOOR.test(target)) faults.push(`past the door: ${file} -> ${target}`);
}

function roomOf(file: string): string {
  return file.split("/").slice(0, file.startsWith("lib/") ? 2 : 1).join("/");
}

/** One circle for each file that a depth-first walk meets again on its own way. */
function circles(): string[][] {
  const found: string[][] = [];
  const done = new Set<string>();
  const walk = (file: string, way: string[]) => {
    if (way.includes(file)) return void found.push([...way.slice(way.indexOf(file)), file]);
    if (done.has(file)) return;
    for (const target of graph.get(file) ?? []) walk(target, [...way, file]);
    done.add(file);
  };
  for (const file of files.keys()) walk(file, []);
  return found;
}
