/** One measured value, such as `lcp` in `millisecond`. */
export interface Measurement {
  readonly name: string;
  readonly value: number;
  /** `""` for pure numbers. */
  readonly unit: string;
}
