/**
 * Values times a fraction, in whole numbers that add up: the sum of any run of them is at most one off its own share,
 * since it is the running sum that is rounded. In depth-first order a run is what every subtree is.
 *
 * @param by the fraction's numerator, `of` its denominator, above 0
 */
export function sharedOut(values: BigInt64Array, by: bigint, of: bigint): BigInt64Array {
  if (by === of) return values;
  const shares = new BigInt64Array(values.length);
  let sum = 0n;
  let shared = 0n;
  for (let place = 0; place < values.length; place++) {
    const value = values[place] as bigint;
    if (value === 0n) continue;
    sum += value;
    const next = rounded(sum * by, of);
    shares[place] = next - shared;
    shared = next;
  }
  return shares;
}

/** Halves away from 0, so that a sum and its negative stay each other's negative. */
function rounded(value: bigint, of: bigint): bigint {
  const half = of / 2n;
  return (value < 0n ? value - half : value + half) / of;
}
