import { addressInFile } from "../pprof/address_in_file.ts";
import type { PprofBuilder } from "../pprof/encode.ts";
import { lineNumber } from "../pprof/line_number.ts";
import { textIn } from "../attributes.ts";
import type { JsonObject } from "../json.ts";
import { LIMITS } from "./profiles_limits_2.ts";
import type { OtlpDictionary, OtlpLocation } from "./profiles_model_2.ts";
import type { Work } from "./work.ts";

const BUILD_IDS = [
  "process.executable.build_id.gnu",
  "process.executable.build_id.go",
  "process.executable.build_id.htlhash",
] as const;

/** Puts locations of a dictionary into a profile, each when it is first asked for. */
export class Locations {
  readonly #ids = new Map<number, number>();
  readonly #stacks = new Map<number, readonly number[]>();
  readonly #frameTypes = new Map<string, number>();

  constructor(
    private readonly builder: PprofBuilder,
    private readonly dictionary: OtlpDictionary,
    private readonly work: Work,
  ) {}

  /** The locations of a stack, the leaf first; what is not in the dictionary is left out. @throws {TooMuchWork} */
  stack(place: number): readonly number[] {
    let stack = this.#stacks.get(place);
    if (stack === undefined) {
      const { locations, stacks } = this.dictionary;
      const places = (stacks[place] ?? []).slice(-LIMITS.depth)
        .filter((each) => each < locations.length);
      this.work.spend(places.length);
      this.#stacks.set(place, stack = places.map((each) => this.#location(each)));
    }
    return stack;
  }

  /** What kinds of frames there were, as `cpython`, the most frequent first. */
  get frameTypes(): string[] {
    return [...this.#frameTypes].sort(([, a], [, b]) => b - a).map(([type]) => type);
  }

  #location(place: number): number {
    const known = this.#ids.get(place);
    if (known !== undefined) return known;
    const location = this.dictionary.locations[place] as OtlpLocation;
    const type = textIn(this.#attributes(location.attributes), "profile.frame.type");
    if (type !== "") this.#frameTypes.set(type, (this.#frameTypes.get(type) ?? 0) + 1);
    const id = this.#add(location);
    this.#ids.set(place, id);
    return id;
  }

  #add(location: OtlpLocation): number {
    const { builder } = this;
    const { functions, texts } = this.dictionary;
    this.work.spend(Math.min(location.lines.length, LIMITS.lines));
    const lines = location.lines.slice(0, LIMITS.lines).flatMap((line) => {
      const named = line.function === 0 ? undefined : functions[line.function];
      if (named === undefined) return [];
      const name = texts[named.name] ?? "";
      const id = builder.function(name, texts[named.filename] ?? "", {
        systemName: texts[named.systemName] || name,
        startLine: lineNumber(named.startLine),
      });
      return [{ function: id, line: lineNumber(line.line), column: lineNumber(line.column) }];
    });
    return builder.location(lines, {
      mapping: this.#mapping(location.mapping),
      // One function is one place, wherever it was called from.
      address: lines.length === 0 ? this.#addressInFile(location) : 0n,
    });
  }

  #mapping(place: number): number {
    const mapping = place === 0 ? undefined : this.dictionary.mappings[place];
    if (mapping === undefined) return 0;
    const attributes = this.#attributes(mapping.attributes);
    return this.builder.mapping(
      this.dictionary.texts[mapping.filename] ?? "",
      textIn(attributes, ...BUILD_IDS),
    );
  }

  /** The same in every process, where the binary's place in memory is known. */
  #addressInFile({ address, mapping: place }: OtlpLocation): bigint {
    const mapping = place === 0 ? undefined : this.dictionary.mappings[place];
    return mapping === undefined ? address : addressInFile(address, mapping);
  }

  #attributes(places: readonly number[]): JsonObject {
    const { attributes, texts } = this.dictionary;
    const some = places.slice(0, LIMITS.attributes);
    this.work.spend(some.length);
    return Object.fromEntries(some.flatMap((place) => {
      const attribute = attributes[place];
      return attribute === undefined ? [] : [[texts[attribute.key] ?? "", attribute.value]];
    }));
  }
}
