import { addressInFile } from "../../formats/pprof/address_in_file.ts";
import type { PprofProfile } from "../../formats/pprof/profile.ts";
import { SDK_COMMENT } from "../../formats/pprof/sdk_comment.ts";
import type { FrameTable } from "./frame_table.ts";

/** The frames of every location of a profile: those of location `i` stand at `starts[i]` to `starts[i + 1]`. */
export interface LocationFrames {
  readonly starts: Uint32Array;
  /** Numbers of a {@linkcode FrameTable}, the outermost first: the other way round than in the profile. */
  readonly frames: Uint32Array;
}

/** Stands in for a stack that has no frames, so that totals are what the profile says. */
export const NO_STACK = {
  name: "<no stack>",
  file: "",
  module: "",
  line: 0,
  isInApp: null,
} as const;

interface Module {
  readonly name: string;
  /** The name's number in the table. */
  readonly text: number;
  readonly isInApp: boolean | null;
}

/** The frames of a profile's locations, put into a table. */
export function locationFrames(profile: PprofProfile, table: FrameTable): LocationFrames {
  const { locations } = profile;
  const texts = textNumbers(profile, table);
  const modules = modulesOf(profile, table);
  const unknown: Module = { name: "", text: 0, isInApp: null };
  const starts = new Uint32Array(locations.count + 1);
  const frames = new Uint32Array(locations.count + locations.lineFunctions.length);
  let length = 0;
  for (let location = 0; location < locations.count; location++) {
    starts[location] = length;
    const module = modules[locations.mappings[location] as number] ?? unknown;
    const first = locations.lineStarts[location] as number;
    const end = locations.lineStarts[location + 1] as number;
    for (let line = end - 1; line >= first; line--) {
      frames[length++] = frameOfLine(profile, table, texts, module, line);
    }
    if (first === end) frames[length++] = frameOfAddress(profile, table, module, location);
  }
  starts[locations.count] = length;
  return { starts, frames };
}

function frameOfLine(
  { functions, locations, strings }: PprofProfile,
  table: FrameTable,
  texts: (place: number) => number,
  module: Module,
  line: number,
): number {
  const place = locations.lineFunctions[line] as number;
  const file = functions.filenames[place] ?? 0;
  const name = functions.names[place] || functions.systemNames[place] || file;
  return table.addByTexts(
    strings[name] ? texts(name) : table.text("<unknown>"),
    texts(file),
    module.text,
    functions.startLines[place] || (locations.lines[line] ?? 0),
    module.isInApp,
  );
}

function frameOfAddress(
  { locations, mappings }: PprofProfile,
  table: FrameTable,
  module: Module,
  location: number,
): number {
  const mapping = locations.mappings[location] as number;
  const address = locations.addresses[location] as bigint;
  // As `[kernel]`.
  const isNoFile = module.name.startsWith("[");
  // Or else every process would have its own name for the same place in a library.
  const place = isNoFile ? address : addressInFile(address, {
    start: mappings.starts[mapping] ?? 0n,
    limit: mappings.limits[mapping] ?? 0n,
    offset: mappings.offsets[mapping] ?? 0n,
  });
  const binary = isNoFile ? module.name : `[${module.name}]`;
  const name = `${module.name === "" ? "" : `${binary} `}0x${place.toString(16)}`;
  return table.add({ name, file: "", module: module.name, line: 0, isInApp: module.isInApp });
}

/** From a place in the profile's strings to the number of the text, each looked up once. */
function textNumbers({ strings }: PprofProfile, table: FrameTable): (place: number) => number {
  const numbers = new Int32Array(strings.length).fill(-1);
  return (place) => {
    const known = numbers[place] ?? 0;
    if (known >= 0) return known;
    return numbers[place] = table.text(strings[place] as string);
  };
}

function modulesOf({ mappings, strings, comments }: PprofProfile, table: FrameTable): Module[] {
  const isFromSdk = comments.includes(SDK_COMMENT);
  return Array.from({ length: mappings.count }, (_, mapping) => {
    const filename = strings[mappings.filenames[mapping] as number] ?? "";
    const name = isFromSdk ? filename : basename(filename);
    const buildId = strings[mappings.buildIds[mapping] as number] ?? "";
    return {
      name,
      text: table.text(name),
      isInApp: isFromSdk && buildId === "app"
        ? true
        : isFromSdk && buildId === "library"
        ? false
        : null,
    };
  });
}

/** The last part of a path of either kind. */
function basename(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}
