/** Units of metrics (UCUM) as the pages write them. */
import { type Message, message, t } from "../core/language/translate.ts";
import { type ChartUnit, formatValue } from "../ui/charts/chart_data.ts";
import { NONE } from "../ui/format.ts";

/** How values of a unit are drawn: times `factor` they are in `unit`. */
export interface MetricScale {
  readonly unit: ChartUnit;
  readonly factor: number;
}

const SCALES: Readonly<Record<string, MetricScale>> = {
  ns: { unit: "duration", factor: 1e-6 },
  us: { unit: "duration", factor: 1e-3 },
  ms: { unit: "duration", factor: 1 },
  s: { unit: "duration", factor: 1e3 },
  min: { unit: "duration", factor: 60e3 },
  h: { unit: "duration", factor: 3_600e3 },
  d: { unit: "duration", factor: 86_400e3 },
  By: { unit: "bytes", factor: 1 },
  kBy: { unit: "bytes", factor: 1e3 },
  MBy: { unit: "bytes", factor: 1e6 },
  GBy: { unit: "bytes", factor: 1e9 },
  TBy: { unit: "bytes", factor: 1e12 },
  KiBy: { unit: "bytes", factor: 1024 },
  MiBy: { unit: "bytes", factor: 1024 ** 2 },
  GiBy: { unit: "bytes", factor: 1024 ** 3 },
  TiBy: { unit: "bytes", factor: 1024 ** 4 },
  "%": { unit: "percent", factor: 0.01 },
  "": { unit: "number:", factor: 1 },
  "1": { unit: "number:", factor: 1 },
};

/** What people write who do not know UCUM, such as Prometheus' names of units. */
const SYNONYMS: Readonly<Record<string, string>> = {
  nanoseconds: "ns",
  microseconds: "us",
  milliseconds: "ms",
  seconds: "s",
  minutes: "min",
  hours: "h",
  days: "d",
  bytes: "By",
  percent: "%",
  ratio: "1",
};

/** Short forms of units that keep their values. */
const SUFFIXES: Readonly<Record<string, string>> = {
  Cel: "°C",
  "[degF]": "°F",
  bit: "bit",
  kbit: "kbit",
  Mbit: "Mbit",
};

/** What happens seldom is told by longer times; below the first figure in a time, the next one reads better. */
const RATE_TIMES = [["s", 1], ["min", 60], ["h", 3_600]] as const;
const LEAST_RATE = 0.1;

/**
 * How values of a unit are drawn.
 *
 * @param largest of the values, whatever its sign: small rates are told by the minute or hour
 */
export function scaleOf(ucum: string, largest = Infinity): MetricScale {
  const name = synonymOf(ucum);
  const known = Object.hasOwn(SCALES, name) ? SCALES[name] : undefined;
  if (known) return known;
  const base = name.endsWith("/s") ? name.slice(0, -2) : null;
  if (base === null) return { unit: `number:${suffixOf(name)}`, factor: 1 };
  const perSecond = synonymOf(base);
  const scale = Object.hasOwn(SCALES, perSecond) ? SCALES[perSecond] : undefined;
  if (scale?.unit === "bytes") return { unit: "bytesRate", factor: scale.factor };
  const [time, factor] = RATE_TIMES.find(([, seconds]) => largest * seconds >= LEAST_RATE) ??
    (largest === 0 ? RATE_TIMES[0] : RATE_TIMES[2]);
  return { unit: `number:${perSecond === "1" ? "" : suffixOf(perSecond)}/${time}`, factor };
}

/**
 * A value with its unit: `12.4 ms`, `1.21 GiB`, `12.3k requests/s`, `0.4 orders/h`; a dash for none.
 *
 * @param ucum unit of the value, as `s`, `By`, `{request}/s`; `""` for none
 */
export function formatMetric(value: number | null | undefined, ucum: string): string {
  if (value === null || value === undefined) return NONE;
  const { unit, factor } = scaleOf(ucum, Math.abs(value));
  return formatValue(value * factor, unit);
}

/** The unit as lists of metrics show it: `s`, `bytes`, `requests`; `""` for plain numbers. */
export function unitName(ucum: string): string {
  const name = synonymOf(ucum);
  if (name === "" || name === "1") return "";
  const said = Object.hasOwn(SAID, name) ? SAID[name] : undefined;
  return said === undefined ? suffixOf(name) : t(said);
}

/** Units that languages have words of their own for. */
const SAID: Readonly<Record<string, Message>> = {
  By: message("bytes"),
  ns: message("ns@@unit"),
  us: message("µs@@unit"),
  ms: message("ms@@unit"),
  s: message("s@@unit"),
  min: message("min@@unit"),
  h: message("h@@unit"),
};

/** Units come from outside: `constructor` is one like any other. */
function synonymOf(name: string): string {
  return Object.hasOwn(SYNONYMS, name) ? SYNONYMS[name] ?? name : name;
}

function suffixOf(name: string): string {
  const annotation = /^\{([^{}]*)\}$/.exec(name)?.[1];
  if (annotation !== undefined) return plural(annotation);
  return Object.hasOwn(SUFFIXES, name) ? SUFFIXES[name] ?? name : name.replaceAll(/[{}]/g, "");
}

/** Annotations are in the singular, as `{request}`; plurals that somebody wrote stay. */
function plural(noun: string): string {
  if (noun === "" || noun.endsWith("s")) return noun;
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}
