import type { Measurement } from "../../records/mod.ts";
import type { JsonObject } from "../json.ts";

const ATTRIBUTE = /^browser\.web_vital\.(lcp|cls|fcp|fp|ttfb|inp)\.value$/;
const REQUEST_TIME = "browser.web_vital.ttfb.request_time";
const VITALS: ReadonlySet<string> = new Set(["lcp", "cls", "fcp", "fp", "ttfb", "inp", "fid"]);
const INP_ORIGIN = /\bbrowser\.inp$/;

/** What is known of a span that may measure how a page felt. */
export interface VitalSource {
  /** As measured by SDKs that send measurements beside the attributes. */
  readonly measurements: readonly Measurement[];
  readonly attributes: JsonObject;
  readonly origin: string;
  readonly durationMs: number;
}

/**
 * The measurements of a span, Web Vitals among them wherever SDKs put those: each name once, and no vital below zero,
 * which broken clocks make.
 */
export function readVitals(
  { measurements, attributes, origin, durationMs }: VitalSource,
): readonly Measurement[] {
  const sent = measurements.filter(isPlausible);
  const more = inAttributes(attributes).filter(({ name }) => !hasName(sent, name));
  const all = more.length === 0 ? sent : [...sent, ...more];
  const isInp = INP_ORIGIN.test(origin) && !hasName(all, "inp");
  return isInp ? [...all, { name: "inp", value: durationMs, unit: "millisecond" }] : all;
}

function isPlausible({ name, value }: Measurement): boolean {
  return value >= 0 || !VITALS.has(name);
}

function hasName(measurements: readonly Measurement[], wanted: string): boolean {
  return measurements.some(({ name }) => name === wanted);
}

function inAttributes(attributes: JsonObject): Measurement[] {
  const found: Measurement[] = [];
  for (const key in attributes) {
    if (!key.startsWith("browser.web_vital.")) continue;
    const name = key === REQUEST_TIME ? "ttfb.requestTime" : ATTRIBUTE.exec(key)?.[1];
    const value = attributes[key];
    if (name === undefined || typeof value !== "number" || value < 0) continue;
    found.push({ name, value, unit: name === "cls" ? "" : "millisecond" });
  }
  return found;
}
