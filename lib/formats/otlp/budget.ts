import { LIMITS } from "./profiles_limits_2.ts";
import { tooManyParts, tooManyProfiles } from "./profiles_refusals.ts";

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
