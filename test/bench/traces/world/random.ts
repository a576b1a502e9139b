/** Numbers that look random and are the same in every run (sfc32). */
export class Random {
  readonly #state = new Uint32Array(4);

  constructor(seed: number) {
    this.#state.set([seed, 0x9e3779b9, 0x243f6a88, 1]);
    for (let i = 0; i < 16; i++) this.bits();
  }

  /** A whole number of 32 bits. */
  bits(): number {
    const [a = 0, b = 0, c = 0, counter = 0] = this.#state;
    const bits = (a + b + counter) >>> 0;
    this.#state.set([b ^ (b >>> 9), c + (c << 3), ((c << 21) | (c >>> 11)) + bits, counter + 1]);
    return bits;
  }

  /** 0 included, 1 excluded. */
  share(): number {
    return this.bits() / 2 ** 32;
  }

  /** Whether something of this probability happens. */
  chance(probability: number): boolean {
    return this.share() < probability;
  }

  /** A whole number below `limit`. */
  below(limit: number): number {
    return Math.floor(this.share() * limit);
  }

  /** One of a list; of an empty one there is none. @throws {RangeError} then */
  pick<T>(values: readonly T[]): T {
    const value = values[this.below(values.length)];
    if (value === undefined) throw new RangeError("Cannot pick: there is nothing");
    return value;
  }

  /** One of a list whose first values are the most frequent: the n-th about 1/n as often as the first. */
  pickRanked<T>(values: readonly T[]): T {
    const place = Math.floor(Math.exp(this.share() * Math.log(values.length + 1))) - 1;
    const value = values[place];
    if (value === undefined) throw new RangeError("Cannot pick: there is nothing");
    return value;
  }

  /** A duration around a median, with the long tail that durations have. */
  around(median: number): number {
    const normal = Math.sqrt(-2 * Math.log(1 - this.share())) *
      Math.cos(2 * Math.PI * this.share());
    return median * Math.exp(0.6 * normal);
  }

  /** So many lower-case hex digits; a multiple of eight. */
  hex(digits: number): string {
    let text = "";
    while (text.length < digits) text += this.bits().toString(16).padStart(8, "0");
    return text;
  }
}
