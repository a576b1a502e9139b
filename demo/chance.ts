/** Chance that repeats, and the rhythm of the day. */

/** The same seed fills the same demo. */
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

  /** One of `items`, each as likely as its weight says. */
  pick<T>(items: readonly T[], weightOf: (item: T) => number = () => 1): T {
    let left = this.next() * items.reduce((sum, item) => sum + weightOf(item), 0);
    const item = items.find((each) => (left -= weightOf(each)) < 0) ?? items.at(-1);
    if (item === undefined) throw new RangeError("Cannot pick from an empty list");
    return item;
  }

  /** `length` lower-case hex digits. */
  hex(length: number): string {
    return Array.from({ length }, () => this.integer(0, 15).toString(16)).join("");
  }

  /** A copy in which texts have something for `<3..9>` (a number of these), `<a|b>` (one of these) and `<hex8>` (digits). */
  filled<T>(template: T): T {
    const text = JSON.stringify(template).replace(
      /<(?:(\d+)\.\.(\d+)|hex(\d+)|([^<>"\\]*\|[^<>"\\]*))>/g,
      (_, min, max, digits, choices) =>
        min !== undefined
          ? String(this.integer(Number(min), Number(max)))
          : digits !== undefined
          ? this.hex(Number(digits))
          : this.pick(choices.split("|")),
    );
    return JSON.parse(text);
  }
}

/** An id that no other run has: a second demo must not be nothing but repeats. */
export function newId(): string {
  return crypto.randomUUID().replaceAll("-", "");
}

/** Hour of the day, UTC, at which most people come. */
const BUSIEST = 16;

/** How much is going on in the shop: between a sixth at night and 1. */
export function activity(at: Date): number {
  const hour = at.getUTCHours() + at.getUTCMinutes() / 60;
  const wave = (1 + Math.cos(((hour - BUSIEST) / 24) * 2 * Math.PI)) / 2;
  const isWeekend = at.getUTCDay() % 6 === 0;
  return (0.16 + 0.84 * wave ** 1.5) * (isWeekend ? 0.75 : 1);
}
