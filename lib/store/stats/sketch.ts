/**
 * How values are spread, in few bytes: counts in buckets whose bounds grow by a fixed factor, so that any quantile is
 * right to about one percent whatever the size of the values. The buckets are those of OpenTelemetry's exponential
 * histograms (positive range, scale 5), and merging adds up counts: it loses nothing and knows no order.
 *
 * As bytes, sketches are merged by writing them one behind the other, which a store can do that knows nothing of them.
 */

import { ByteReader, ByteWriter } from "../../core/bytes.ts";

/** 2^SCALE buckets for each doubling. */
const SCALE = 5;
const PER_DOUBLING = 2 ** SCALE;
/** Greatest distance between a quantile and the truth, as a share of it. */
export const RELATIVE_ERROR = (2 ** (1 / PER_DOUBLING) - 1) / (2 ** (1 / PER_DOUBLING) + 1);

/** Where buckets of values from 2^-32 to 2^32 are added up at first: sketches of a month repeat them thousands of times. */
const SUMS = new Float64Array(64 * PER_DOUBLING);

/** For all sketches: each is a few bytes, and there are thousands. */
const WRITER = new ByteWriter();

/** A stretch of values, `from` excluded and `to` included, and how many are in it. */
export interface Bucket {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** Counts of values that are not negative. */
export class Sketch {
  /** Zeros, and what is below or no number: they have no logarithm. */
  #zeros = 0;
  /** Of all buckets, without zeros: each quantile asks for it. */
  #sum = 0;
  /** Count by index; bucket `i` holds what is above base^i, up to base^(i+1). */
  #counts = new Map<number, number>();
  /** Whether the indexes ascend, as those of bytes do: sorting them for each quantile was most of a page's work. */
  #isSorted = true;
  #greatest = -Infinity;
  /** Bytes that are not read yet: most sketches of a commit are written again as they came. */
  #unread: Uint8Array[] = [];

  /** @throws {RangeError} when the bytes were not written by `toBytes()` */
  static of(...parts: readonly Uint8Array[]): Sketch {
    const sketch = new Sketch();
    for (const part of parts) sketch.addBytes(part);
    return sketch;
  }

  get count(): number {
    this.#read();
    return this.#zeros + this.#sum;
  }

  /** Negative values and those that are no number count as 0. */
  add(value: number, count = 1): void {
    if (value > 0 && Number.isFinite(value)) this.#addTo(indexOf(value), count);
    else this.#zeros += count;
  }

  /** Adds what sketches hold that stand one behind the other. @throws {RangeError} as `of()` */
  addBytes(bytes: Uint8Array): void {
    const reader = new ByteReader(bytes);
    let [first, last] = [SUMS.length, -1];
    try {
      while (!reader.isAtEnd) {
        this.#zeros += reader.varint();
        let index = 0;
        for (let left = reader.varint(); left > 0; left--) {
          index += reader.signed();
          const place = index + SUMS.length / 2;
          const count = reader.varint();
          if (place < 0 || place >= SUMS.length) {
            this.#addTo(index, count);
            continue;
          }
          SUMS[place] = (SUMS[place] ?? 0) + count;
          first = Math.min(first, place);
          last = Math.max(last, place);
        }
      }
    } finally {
      this.#takeSums(first, last);
    }
  }

  /** The same, read when it is needed: only then it is seen that bytes are damaged. */
  addUnread(bytes: Uint8Array): void {
    this.#unread.push(bytes);
  }

  #read(): void {
    if (this.#unread.length === 0) return;
    const parts = this.#unread;
    this.#unread = [];
    for (const part of parts) this.addBytes(part);
  }

  /** Adds what has been summed up, and leaves zeros. */
  #takeSums(first: number, last: number): void {
    const isFirst = this.#counts.size === 0;
    for (let place = first; place <= last; place++) {
      const count = SUMS[place] ?? 0;
      if (count === 0) continue;
      const index = place - SUMS.length / 2;
      if (isFirst) {
        this.#counts.set(index, count);
        this.#sum += count;
        this.#greatest = index;
      } else this.#addTo(index, count);
      SUMS[place] = 0;
    }
  }

  /** Adds what another sketch holds. */
  merge(other: Sketch): void {
    this.#unread.push(...other.#unread);
    this.#zeros += other.#zeros;
    for (const [index, count] of other.#counts) this.#addTo(index, count);
  }

  #addTo(index: number, count: number): void {
    const before = this.#counts.get(index);
    if (before === undefined) {
      if (index < this.#greatest) this.#isSorted = false;
      else this.#greatest = index;
    }
    this.#counts.set(index, (before ?? 0) + count);
    this.#sum += count;
  }

  /** The count of zeros, that of buckets, and for each bucket the step from the last index and the count. */
  toBytes(): Uint8Array {
    const [only] = this.#unread;
    const isAsItCame = this.#unread.length === 1 && this.#zeros === 0 && this.#counts.size === 0;
    if (isAsItCame && only !== undefined) return only;
    const out = WRITER;
    const sorted = this.#sorted();
    out.clear();
    out.varint(this.#zeros);
    out.varint(sorted.size);
    let last = 0;
    for (const [index, count] of sorted) {
      out.signed(index - last);
      out.varint(count);
      last = index;
    }
    return out.written().slice();
  }

  /**
   * The value below which a share of all values lies; null when there are none.
   *
   * @param share 0.95 for the 95th percentile
   */
  quantile(share: number): number | null {
    const total = this.count;
    if (total === 0) return null;
    const rank = share * total;
    if (rank <= this.#zeros && this.#zeros > 0) return 0;
    let before = this.#zeros;
    let last = 0;
    for (const [index, count] of this.#sorted()) {
      last = index + 1;
      if (before + count >= rank) {
        return 2 ** ((index + Math.max(0, rank - before) / count) / PER_DOUBLING);
      }
      before += count;
    }
    return 2 ** (last / PER_DOUBLING);
  }

  /** How many values are at most `limit`; within its bucket they are taken to be spread evenly. */
  countUpTo(limit: number): number {
    this.#read();
    let sum = limit >= 0 ? this.#zeros : 0;
    if (limit <= 0) return sum;
    const position = Math.log2(limit) * PER_DOUBLING;
    for (const [index, count] of this.#counts) {
      sum += count * Math.min(1, Math.max(0, position - index));
    }
    return sum;
  }

  /** The buckets that hold something, ascending; zeros first, as a bucket from 0 to 0. */
  buckets(): Bucket[] {
    this.#read();
    const zeros = this.#zeros > 0 ? [{ from: 0, to: 0, count: this.#zeros }] : [];
    return [
      ...zeros,
      ...[...this.#sorted()].map(([index, count]) => ({
        from: 2 ** (index / PER_DOUBLING),
        to: 2 ** ((index + 1) / PER_DOUBLING),
        count,
      })),
    ];
  }

  /**
   * The mean of what becomes of the values; null when there are none. Each stands for its bucket: within one percent
   * the middle of it, so that what `of` made of a bucket can be kept.
   *
   * @param of gets the place of a bucket, of which {@linkcode middleOf} tells the value; null: of zeros
   */
  meanOf(of: (place: number | null) => number): number | null {
    const total = this.count;
    if (total === 0) return null;
    let sum = this.#zeros === 0 ? 0 : this.#zeros * of(null);
    for (const [place, count] of this.#sorted()) sum += count * of(place);
    return sum / total;
  }

  /** The counts by index, ascending. */
  #sorted(): ReadonlyMap<number, number> {
    this.#read();
    if (!this.#isSorted) {
      this.#counts = new Map([...this.#counts].sort(([a], [b]) => a - b));
      this.#isSorted = true;
    }
    return this.#counts;
  }
}

/** The middle of the bucket at a place, by the factor. */
export function middleOf(place: number): number {
  return Math.sqrt(2 ** (place / PER_DOUBLING) * 2 ** ((place + 1) / PER_DOUBLING));
}

/** Rounding may put a power of the base into the bucket above it: far less than a bucket is wide. */
function indexOf(value: number): number {
  return Math.ceil(Math.log2(value) * PER_DOUBLING) - 1;
}
