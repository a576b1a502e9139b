/** Sizes as people write them: `1500000`, `200GB`, `1.5 TiB`. */

const UNITS: Readonly<Record<string, number>> = {
  "": 1,
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
  PB: 1e15,
  KIB: 2 ** 10,
  MIB: 2 ** 20,
  GIB: 2 ** 30,
  TIB: 2 ** 40,
  PIB: 2 ** 50,
};

const SIZE = /^(\d{1,16}(?:\.\d{1,6})?) ?([KMGTP]?i?B|)$/i;

/** As {@linkcode readByteSize} reads it again, exactly: with the largest unit that leaves a whole number. */
export function writeByteSize(bytes: number): string {
  if (bytes === 0) return "0";
  const whole = Object.entries(UNITS).filter(([, factor]) => bytes % factor === 0);
  const [unit = ""] = whole.reduce((best, each) => each[1] > best[1] ? each : best, ["", 1]);
  return `${bytes / (UNITS[unit] ?? 1)}${unit.replace("I", "i")}`;
}

/** For those who have written something else. */
export const SIZE_RULE = "bytes, as 1500000, 200GB (of 1000) or 200GiB (of 1024)";

/** @returns whole bytes; null for text that is no size, or more than a number can hold exactly */
export function readByteSize(text: string): number | null {
  const [, number = "", unit = ""] = SIZE.exec(text.trim()) ?? [];
  const factor = UNITS[unit.toUpperCase()];
  if (number === "" || factor === undefined) return null;
  const bytes = Math.round(Number(number) * factor);
  return Number.isSafeInteger(bytes) ? bytes : null;
}
