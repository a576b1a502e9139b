import { seededHash } from "../../core/seeded_hash.ts";

/**
 * Numbers rows of numbers in the order in which they first come. Texts as keys of a map would take several times as
 * long: each would have to be written first.
 */
export class RowIndex {
  /** Different rows so far: the last number that was given. */
  count = 0;
  #values = new Float64Array(256);
  /** Where each row's values end; those of row 1 begin at 0. */
  #ends = new Uint32Array(64);
  /** Rows by hash with open addressing; 0 is free. */
  #slots = new Uint32Array(128);

  /** @param row of any length, whole numbers up to 2^53 @returns its number, from 1; above all others for a new one */
  numberOf(row: readonly number[]): number {
    let slot = hashOf(row) & (this.#slots.length - 1);
    for (;;) {
      const known = this.#slots[slot] as number;
      if (known === 0) break;
      if (this.#holds(known, row)) return known;
      slot = (slot + 1) & (this.#slots.length - 1);
    }
    this.#slots[slot] = this.#add(row);
    if (this.count * 2 > this.#slots.length) this.#rehash();
    return this.count;
  }

  #holds(number: number, row: readonly number[]): boolean {
    const start = this.#ends[number - 1] as number;
    if ((this.#ends[number] as number) - start !== row.length) return false;
    for (let at = 0; at < row.length; at++) {
      if (this.#values[start + at] !== row[at]) return false;
    }
    return true;
  }

  #add(row: readonly number[]): number {
    const start = this.#ends[this.count] as number;
    const end = start + row.length;
    if (end > this.#values.length) {
      const values = new Float64Array(2 * end);
      values.set(this.#values);
      this.#values = values;
    }
    this.#values.set(row, start);
    this.count++;
    if (this.count === this.#ends.length) {
      const ends = new Uint32Array(2 * this.count);
      ends.set(this.#ends);
      this.#ends = ends;
    }
    this.#ends[this.count] = end;
    return this.count;
  }

  #rehash(): void {
    const slots = new Uint32Array(2 * this.#slots.length);
    const mask = slots.length - 1;
    for (let number = 1; number <= this.count; number++) {
      const row = this.#values.subarray(this.#ends[number - 1], this.#ends[number]);
      let slot = hashOf(row) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = number;
    }
    this.#slots = slots;
  }
}

function hashOf(row: ArrayLike<number>): number {
  let hash = row.length;
  for (let at = 0; at < row.length; at++) hash = seededHash(hash, row[at] as number);
  return hash;
}
