const MAX = 2n ** 63n - 1n;
const MIN = -(2n ** 63n);

/** The nearest whole number that Postgres can hold in a `bigint`: sums of many samples may pass it. */
export function clampedInt64(value: bigint): bigint {
  if (value > MAX) return MAX;
  return value < MIN ? MIN : value;
}
