/** Units that others name in words, in UCUM's. */
const UCUM: Readonly<Record<string, string>> = {
  none: "",
  nanosecond: "ns",
  microsecond: "us",
  millisecond: "ms",
  second: "s",
  minute: "min",
  hour: "h",
  day: "d",
  week: "wk",
  bit: "bit",
  byte: "By",
  kilobyte: "kBy",
  kibibyte: "KiBy",
  megabyte: "MBy",
  mebibyte: "MiBy",
  gigabyte: "GBy",
  gibibyte: "GiBy",
  terabyte: "TBy",
  tebibyte: "TiBy",
  petabyte: "PBy",
  pebibyte: "PiBy",
  exabyte: "EBy",
  exbibyte: "EiBy",
  ratio: "1",
  percent: "%",
  celsius: "Cel",
  meter: "m",
  volt: "V",
  ampere: "A",
  joule: "J",
  watt: "W",
  gram: "g",
  hertz: "Hz",
};

/** Units of UCUM that somebody may write as such. */
const SHORT = new Set(Object.values(UCUM));
const WORD = /^[\p{L}\p{N}_ -]+$/u;

/**
 * A unit in words, such as `millisecond`, `seconds` or `request`, as UCUM: `ms`, `s`, `{request}`. What is UCUM stays.
 */
export function ucumUnit(unit: string): string {
  const word = unit.trim().toLowerCase();
  const singular = word === "celsius" ? word : word.replace(/s$/, "");
  const known = Object.hasOwn(UCUM, singular) ? UCUM[singular] : undefined;
  if (known !== undefined) return known;
  return SHORT.has(unit.trim()) || !WORD.test(word) ? unit.trim() : `{${unit.trim()}}`;
}

/** Endings that Prometheus' naming rules give names for their unit. */
const SUFFIX =
  /_(seconds|milliseconds|bytes|ratio|percent|celsius|volts|amperes|joules|watts|grams|meters|hertz)$/;

/** The unit that a Prometheus name ends in, in UCUM; `""` when in none. */
export function unitInName(name: string): string {
  const word = SUFFIX.exec(name)?.[1];
  return word === undefined ? "" : ucumUnit(word);
}
