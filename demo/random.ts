/** Chance that repeats: the same seed fills the same demo. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number in [0, 1), by mulberry32. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from `min` to `max`, both included. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  /** Whether something happens that does so in `share` of all cases. */
  chance(share: number): boolean {
    return this.next() < share;
  }

  /**
   * A positive number as durations are: half of them below `median`, a few far above it.
   *
   * @param spread 0 is none; with 0.5 one in twenty is more than 2.3 times the median
   */
  around(median: number, spread = 0.35): number {
    const normal = Math.sqrt(-2 * Math.log(1 - this.next())) * Math.cos(2 * Math.PI * this.next());
    return median * Math.exp(spread * normal);
  }

  /** One of `items`, each as likely as the others. Throws a `RangeError` when there is none. */
  pick<T>(items: readonly T[]): T {
    const item = items[Math.floor(this.next() * items.length)];
    if (item === undefined) throw new RangeError("Cannot pick from an empty list");
    return item;
  }

  /** `length` lower-case hex digits. */
  hex(length: number): string {
    let digits = "";
    while (digits.length < length) digits += Math.floor(this.next() * 16).toString(16);
    return digits;
  }
}
