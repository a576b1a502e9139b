/** Numbers as people write them: whole ones, or with a few digits behind the point. */

const POWERS = Array.from({ length: 10 }, (_, digits) => 10 ** digits);
/** Beyond this, doubles are no longer exact. */
const LIMIT = 2 ** 53;

/** What a scale gives to multiply with. */
export function powerOf(digits: number): number {
  return POWERS[digits] ?? NaN;
}

/**
 * How many digits behind the point all values have at most, 0 to 9.
 *
 * @returns -1 when some has more, or is so large that it cannot be scaled without loss
 */
export function scaleOf(values: ArrayLike<number>): number {
  let digits = 0;
  let power = 1;
  for (let place = 0; place < values.length; place++) {
    const value = values[place] ?? 0;
    while (Math.round(value * power) / power !== value) {
      digits++;
      if (digits >= POWERS.length) return -1;
      power = POWERS[digits] ?? NaN;
    }
  }
  // More digits for one may be too many for another.
  for (let place = 0; place < values.length; place++) {
    const value = values[place] ?? 0;
    const scaled = Math.round(value * power);
    if (!(Math.abs(scaled) < LIMIT) || scaled / power !== value) return -1;
  }
  return digits;
}

/**
 * A sum without the noise of adding binary fractions up.
 *
 * @param digits that all of its parts have behind the point, -1: any
 */
export function decimalsOf(sum: number, digits: number): number {
  if (digits <= 0) return sum;
  const power = powerOf(digits);
  const scaled = Math.round(sum * power);
  return Math.abs(scaled) < LIMIT ? scaled / power : sum;
}
