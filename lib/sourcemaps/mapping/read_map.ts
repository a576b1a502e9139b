/** Source maps as JSON (ECMA-426, and what tools write beside it) → the parts of them that positions are looked up in. */
import { JsonMeter } from "../../formats/json.ts";
import { BadMap } from "./problems.ts";

/** What holds for generated code from one position to the next section; a plain map is one section. */
export interface Section {
  /** Where it begins in the generated file, from 0. */
  readonly line: number;
  readonly column: number;
  readonly mappings: string;
  /** With the map's root; null where a source has no name. */
  readonly sources: readonly (string | null)[];
  /** By source: its text, or null. */
  readonly contents: readonly (string | null)[];
  readonly names: readonly string[];
  /** Indexes of sources that are libraries, as the build tool says. */
  readonly ignored: ReadonlySet<number>;
  /** By source: Metro's names of functions. */
  readonly functions: readonly (FunctionNames | null)[];
}

/** `x_facebook_sources`: which function a line and column of a source are in. */
export interface FunctionNames {
  readonly names: readonly string[];
  readonly mappings: string;
}

/** An uploaded file may have as many bytes. */
const MAX_BYTES = 64 * 2 ** 20;
const MAX_MAPPINGS = 32 * 2 ** 20;
const MAX_SEGMENTS = 8_000_000;
/** An empty line costs nothing to write. */
const MAX_LINES = 2_000_000;
const MAX_SECTIONS = 20_000;
const MAX_NESTING = 4;
/** Sources with their texts, names: large applications have a hundred thousand. */
const JSON_BOUNDS = { parts: 4_000_000, names: 50_000 };

type Raw = Readonly<Record<string, unknown>>;

/**
 * Reads a map: version 3, plain, indexed (sectioned), Metro's and Hermes'.
 *
 * @throws {BadMap} with a sentence when it is none, or one that would take too much to use
 */
export function readMap(bytes: Uint8Array): Section[] {
  if (bytes.length > MAX_BYTES) {
    throw new BadMap(`The source map is larger than ${MAX_BYTES / 2 ** 20} MiB.`, "too_large");
  }
  const json = withoutJunk(bytes);
  if (!new JsonMeter(JSON_BOUNDS).admits(json)) {
    throw new BadMap("The source map has too many parts.", "too_large");
  }
  const sections: Section[] = [];
  addSections(parsed(json), { line: 0, column: 0 }, MAX_NESTING, sections);
  refuseBombs(sections);
  return sections.sort((a, b) => a.line - b.line || a.column - b.column);
}

const NEWLINE = 0x0a;
const JUNK = [0x29, 0x5d, 0x7d];

/** Some servers put `)]}'` on a line before JSON. */
function withoutJunk(bytes: Uint8Array): Uint8Array {
  if (!JUNK.every((byte, index) => bytes[index] === byte)) return bytes;
  const end = bytes.indexOf(NEWLINE);
  return end < 0 ? bytes.subarray(bytes.length) : bytes.subarray(end + 1);
}

function parsed(json: Uint8Array): Raw {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder().decode(json));
  } catch {
    throw new BadMap("The source map is not JSON.");
  }
  const map = asRaw(value);
  if (map === null) throw new BadMap("The source map is no JSON object.");
  return map;
}

function asRaw(value: unknown): Raw | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value as Raw : null;
}

interface Offset {
  readonly line: number;
  readonly column: number;
}

function addSections(map: Raw, at: Offset, nesting: number, sections: Section[]): void {
  if (sections.length >= MAX_SECTIONS) {
    throw new BadMap(`The source map has more than ${MAX_SECTIONS} sections.`, "too_large");
  }
  if (!Array.isArray(map.sections)) {
    sections.push(sectionOf(map, at));
    return;
  }
  if (nesting === 0) throw new BadMap("The sections of the source map are nested too deeply.");
  for (const each of map.sections.slice(0, MAX_SECTIONS + 1)) {
    const raw = asRaw(each);
    const inner = asRaw(raw?.map);
    // A section that is elsewhere (`url`) was not uploaded with it.
    if (inner === null) continue;
    const own = asRaw(raw?.offset);
    const line = asIndex(own?.line) ?? 0;
    const column = asIndex(own?.column) ?? 0;
    addSections(
      inner,
      {
        line: at.line + line,
        // Columns count from the enclosing section only on the line that it begins on.
        column: line === 0 ? at.column + column : column,
      },
      nesting - 1,
      sections,
    );
  }
}

function sectionOf(map: Raw, at: Offset): Section {
  if (typeof map.mappings !== "string") {
    throw new BadMap('The source map has no "mappings", so it is none.');
  }
  const root = typeof map.sourceRoot === "string" ? map.sourceRoot : "";
  const sources = asList(map.sources).map((source) =>
    typeof source === "string" ? withRoot(source, root) : null
  );
  const contents = asList(map.sourcesContent);
  return {
    ...at,
    mappings: map.mappings,
    sources,
    contents: sources.map((_, index) => asText(contents[index])),
    // Some tools write numbers.
    names: asList(map.names).map((name) => typeof name === "string" ? name : String(name ?? "")),
    ignored: new Set(
      asList(map.ignoreList ?? map.x_google_ignoreList).flatMap((index) => asIndex(index) ?? []),
    ),
    functions: functionsOf(map.x_facebook_sources),
  };
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function asText(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

function asIndex(value: unknown): number | null {
  return Number.isInteger(value) && Number(value) >= 0 && Number(value) < 2 ** 31
    ? Number(value)
    : null;
}

/** Joined as text: resolving as a URL would take `//` and `..` out of names such as `webpack://app/./src/a.ts`. */
function withRoot(source: string, root: string): string {
  if (root === "" || /^(?:\/|https?:)/.test(source)) return source;
  return `${root.replace(/\/$/, "")}/${source}`;
}

function functionsOf(value: unknown): (FunctionNames | null)[] {
  return asList(value).map((entry) => {
    const first = asRaw(asList(entry)[0]);
    if (typeof first?.mappings !== "string") return null;
    return {
      mappings: first.mappings,
      names: asList(first.names).map((name) => String(name ?? "")),
    };
  });
}

/** Counts before anything is decoded: a few megabytes of `;` or `A,` would make gigabytes. */
function refuseBombs(sections: readonly Section[]): void {
  let length = 0;
  let separators = 0;
  let lines = 0;
  const count = (text: string) => {
    length += text.length;
    if (length > MAX_MAPPINGS) {
      const most = MAX_MAPPINGS / 2 ** 20;
      throw new BadMap(`The mappings of the source map are longer than ${most} MiB.`, "too_large");
    }
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code === SEMICOLON) lines++;
      else if (code === COMMA) separators++;
    }
    separators++;
  };
  for (const { mappings, functions } of sections) {
    count(mappings);
    for (const each of functions) if (each !== null) count(each.mappings);
  }
  if (separators + lines > MAX_SEGMENTS || lines > MAX_LINES) {
    const most = MAX_SEGMENTS.toLocaleString("en");
    throw new BadMap(`The source map has more than ${most} positions.`, "too_large");
  }
}

const SEMICOLON = 0x3b;
const COMMA = 0x2c;
