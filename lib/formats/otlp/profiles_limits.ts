import { Refusal } from "../../core/refusal.ts";
import { LIMITS as PPROF } from "../pprof/faults.ts";

/** How much of a request of profiles is taken at all: what a collector batches of many services fits. */
export const LIMITS = {
  /** Of the request, after decompression. */
  bytes: 32 * 1024 * 1024,
  profiles: 5_000,
  /** Messages and texts of any kind. */
  parts: 400_000,
  /** Resources and libraries together. */
  groups: 20_000,
  /** Values and names in JSON. */
  jsonParts: 600_000,
  /** Places in lists, as of locations in stacks. */
  places: 8_000_000,
  /** Values and times of samples. */
  values: 2_000_000,
  /** Of a profile: beyond, samples that were seen many times become one without their times. */
  timed: 100_000,
  /** Frames of all samples together, and what takes as long, see {@linkcode Work}. */
  work: 8_000_000,
  /** Deeper stacks lose what is nearest to the leaf. */
  depth: PPROF.depth,
  samples: PPROF.samples,
  /** Of one place: functions that were inlined into one another. */
  lines: 256,
  /** Of a sample, a location, a mapping. */
  attributes: PPROF.labelsPerSample,
  /** UTF-16 units of a function's name, or of a file's. */
  text: 16_384,
} as const;

/** A request of so many bytes that reading it would hold up all others. */
export function tooManyBytes(): Refusal {
  const mebibytes = LIMITS.bytes / (1024 * 1024);
  return new Refusal(
    413,
    `The request is larger than ${mebibytes} MiB without compression: let the exporter send smaller batches`,
    { kind: "too_large", reason: "profile_size" },
  );
}

/** A request of more profiles than one may have. */
function tooManyProfiles(): Refusal {
  const limit = LIMITS.profiles.toLocaleString("en");
  return new Refusal(
    413,
    `The request has more than ${limit} profiles: let the exporter send smaller batches`,
    { kind: "too_large", reason: "too_many_items" },
  );
}

/** A request of so many parts that reading it would hold up all others. */
export function tooManyParts(): Refusal {
  return new Refusal(
    413,
    "The request has too many parts (samples, locations, values): let the exporter send smaller batches",
    { kind: "too_large", reason: "too_many_parts" },
  );
}

/** Counts what a request is made of while it is read, and stops where it is too much. */
export class Budget {
  #profiles = 0;
  #parts = 0;
  #places = 0;
  #values = 0;
  #groups = 0;
  #samples = 0;

  /** Counts a resource or a library. @throws {Refusal} 413 for one too many */
  group(): void {
    if (++this.#groups > LIMITS.groups) throw tooManyParts();
  }

  /** Counts a sample of any profile. @throws {Refusal} 413 for one too many */
  sample(): void {
    if (++this.#samples > LIMITS.samples) throw tooManyParts();
  }

  /** Counts a profile. @throws {Refusal} 413 for one too many */
  profile(): void {
    if (++this.#profiles > LIMITS.profiles) throw tooManyProfiles();
  }

  /** Counts a message or a text. @throws {Refusal} 413 for one too many */
  part(): void {
    if (++this.#parts > LIMITS.parts) throw tooManyParts();
  }

  /** Counts elements of a list of places. @throws {Refusal} 413 for one too many */
  places(count = 1): void {
    this.#places += count;
    if (this.#places > LIMITS.places) throw tooManyParts();
  }

  /** Counts values or times. @throws {Refusal} 413 for one too many */
  values(count = 1): void {
    this.#values += count;
    if (this.#values > LIMITS.values) throw tooManyParts();
  }
}

/** The profiles of a request have taken all the time that one request may take. */
export class TooMuchWork extends Error {
  override readonly name = "TooMuchWork";
}

/**
 * Counts what writing a request's profiles costs: tables are shared, so that few bytes can name the same deep stack a
 * million times.
 */
export class Work {
  #left: number = LIMITS.work;

  /** @param steps about as much as writing so many frames @throws {TooMuchWork} when there is too much of it */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new TooMuchWork("Cannot convert profiles: they name too much");
  }
}
