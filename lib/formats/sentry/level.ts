import { type Level, LEVELS } from "../../records/mod.ts";

const ALIASES: ReadonlyMap<string, Level> = new Map([
  ...LEVELS.map((level) => [level, level] as const),
  ["log", "info"],
  ["notice", "info"],
  ["trace", "debug"],
  ["warn", "warning"],
  ["critical", "fatal"],
  ["alert", "fatal"],
  ["emergency", "fatal"],
]);

/** A level out of its names in all SDKs and Python's numbers (10 debug … 50 fatal), else the fallback. */
export function readLevel(value: unknown, fallback: Level): Level {
  if (typeof value === "string") {
    const known = ALIASES.get(value);
    if (known) return known;
    if (value.length > 16) return fallback;
    return ALIASES.get(value.trim().toLowerCase()) ?? fromNumber(Number(value)) ?? fallback;
  }
  return typeof value === "number" ? fromNumber(value) ?? fallback : fallback;
}

function fromNumber(value: number): Level | undefined {
  if (!(value >= 10)) return undefined;
  return LEVELS[Math.min(Math.floor(value / 10), LEVELS.length) - 1];
}
