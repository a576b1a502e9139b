import { LIMITS } from "./profiles_limits_2.ts";

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
