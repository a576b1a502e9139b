import { PprofError } from "./pprof_error.ts";
import { seededHash } from "../../core/seeded_hash.ts";
import { wide } from "./wire_reader.ts";

/**
 * Where in its table each id stands. Most profiles number from 1, and need no more than that; ids of others may be
 * anything of 64 bits, such as addresses.
 */
export class IdIndex {
  #count = 0;
  #isCounting = true;
  #hasIds = false;
  readonly #lows: Uint32Array;
  readonly #highs: Uint32Array;
  /** Slots of a hash table with places, from 1 on; 0 is free. */
  #slots = new Uint32Array(0);

  /** @param what one of the things, as a refusal names it; @param capacity how many there are */
  constructor(readonly what: string, capacity: number) {
    this.#lows = new Uint32Array(capacity);
    this.#highs = new Uint32Array(capacity);
  }

  /** Takes the id of the next one. Nothing is found under id 0. @throws {PprofError} when another has the id */
  add(low: number, high: number): void {
    const place = this.#count++;
    this.#lows[place] = low;
    this.#highs[place] = high;
    if (low !== 0 || high !== 0) this.#hasIds = true;
    if (this.#isCounting && low === this.#count && high === 0) return;
    if (this.#isCounting) this.#index(place);
    this.#isCounting = false;
    this.#insert(place);
  }

  /** The place of an id, -1 for none. */
  find(low: number, high: number): number {
    if (this.#isCounting) return high === 0 && low > 0 && low <= this.#count ? low - 1 : -1;
    return (this.#slots[this.#slotOf(low, high)] ?? 0) - 1;
  }

  /** The id of a place. */
  idOf(place: number): bigint {
    return wide(this.#lows[place] ?? 0, this.#highs[place] ?? 0);
  }

  /** Whether there is something, and nothing of it has an id. */
  get isWithoutIds(): boolean {
    return this.#count > 0 && !this.#hasIds;
  }

  #index(count: number): void {
    let size = 16;
    while (size < 2 * this.#lows.length) size *= 2;
    this.#slots = new Uint32Array(size);
    for (let place = 0; place < count; place++) this.#insert(place);
  }

  #insert(place: number): void {
    const low = this.#lows[place] ?? 0;
    const high = this.#highs[place] ?? 0;
    if (low === 0 && high === 0) return;
    const slot = this.#slotOf(low, high);
    if (this.#slots[slot] !== 0) {
      throw new PprofError(`two ${this.what}s have the id ${wide(low, high)}`);
    }
    this.#slots[slot] = place + 1;
  }

  /** Where an id is, or the free slot where it would be. */
  #slotOf(low: number, high: number): number {
    const mask = this.#slots.length - 1;
    let slot = seededHash(low, high) & mask;
    for (;;) {
      const place = (this.#slots[slot] ?? 0) - 1;
      if (place < 0 || (this.#lows[place] === low && this.#highs[place] === high)) return slot;
      slot = (slot + 1) & mask;
    }
  }
}
