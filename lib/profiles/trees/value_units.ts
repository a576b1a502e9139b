/** Units of values, as far as stacks of several profiles can be added up across them. */
import type { ValueType } from "../../formats/pprof/profile.ts";
import { foldedUnit, nanosecondsOf } from "../../formats/pprof/units.ts";

const BYTES: Readonly<Record<string, bigint>> = {
  b: 1n,
  byte: 1n,
  kb: 1n << 10n,
  kib: 1n << 10n,
  kilobyte: 1n << 10n,
  mb: 1n << 20n,
  mib: 1n << 20n,
  megabyte: 1n << 20n,
  gb: 1n << 30n,
  gib: 1n << 30n,
  gigabyte: 1n << 30n,
  tb: 1n << 40n,
  tib: 1n << 40n,
  terabyte: 1n << 40n,
};

/** The bytes of a unit of memory; null for other units. */
export function bytesOf(unit: string): bigint | null {
  const name = foldedUnit(unit);
  return Object.hasOwn(BYTES, name) ? BYTES[name] ?? null : null;
}

/** How many times `finer` goes into `coarser`; 1 for the same, null where it does not a whole number of times. */
export function timesFiner(finer: string, coarser: string): bigint | null {
  if (foldedUnit(finer) === foldedUnit(coarser)) return 1n;
  return ratio(nanosecondsOf(coarser), nanosecondsOf(finer)) ??
    ratio(bytesOf(coarser), bytesOf(finer));
}

/**
 * The place of a type among others: the same, else one of the same name whose unit can be scaled to it; -1 for none.
 * Names are the same up to a final `s`.
 */
export function findType(types: readonly ValueType[], { type, unit }: ValueType): number {
  const same = types.findIndex((other) => other.type === type && other.unit === unit);
  if (same >= 0) return same;
  return types.findIndex((other) =>
    foldedUnit(other.type) === foldedUnit(type) &&
    (timesFiner(other.unit, unit) ?? timesFiner(unit, other.unit)) !== null
  );
}

function ratio(coarser: bigint | null, finer: bigint | null): bigint | null {
  return coarser !== null && finer !== null && coarser % finer === 0n ? coarser / finer : null;
}
