/** OTLP as JSON, as the Collector's file exporter writes it: what other programs read of us. */
import type { Json } from "../json.ts";

/** `AnyValue`. */
export type AnyValue = Readonly<Record<string, unknown>>;

/** `KeyValue`. */
export interface KeyValue {
  readonly key: string;
  readonly value: AnyValue;
}

/** `InstrumentationScope`. */
export interface ScopeJson {
  readonly name?: string;
  readonly version?: string;
}

/** @param attributes values of JSON */
export function keyValues(attributes: Readonly<Record<string, unknown>>): KeyValue[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));
}

function anyValue(value: unknown): AnyValue {
  switch (typeof value) {
    case "string":
      return { stringValue: value };
    case "boolean":
      return { boolValue: value };
    case "number":
      return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
    case "object":
      if (value === null) return {};
      return Array.isArray(value)
        ? { arrayValue: { values: value.map(anyValue) } }
        : { kvlistValue: { values: keyValues({ ...value }) } };
    default:
      return {};
  }
}

/** Reads an attribute back. */
export function textAttribute(attributes: unknown, name: string): string | null {
  if (!Array.isArray(attributes)) return null;
  const found: unknown = attributes.find((each) => each?.key === name);
  const text = (found as { value?: { stringValue?: Json } } | undefined)?.value?.stringValue;
  return typeof text === "string" ? text : null;
}

/** Nanoseconds since 1970 as JSON has 64 bits. @param seconds with microseconds @param fine nanoseconds beyond them */
export function nanosOf(seconds: number, fine = 0): string {
  return String(BigInt(Math.round(seconds * 1e6)) * 1_000n + BigInt(fine));
}

/** The same of milliseconds, which may have a fraction of microseconds; 0: unset. */
export function nanosOfMs(milliseconds: number): string {
  return String(BigInt(Math.round(milliseconds * 1_000)) * 1_000n);
}

/** Who sent something, as attributes of a resource; what is `""` says nothing. */
export function senderAttributes(
  { service = "", environment = "", release = "", server = "", sdk = "", platform = "" }: {
    readonly service?: string;
    readonly environment?: string;
    readonly release?: string;
    readonly server?: string;
    /** `name/version`. */
    readonly sdk?: string;
    readonly platform?: string;
  },
): Record<string, string> {
  const slash = sdk.lastIndexOf("/");
  const named = {
    "service.name": service,
    "service.version": release,
    "deployment.environment.name": environment,
    "host.name": server,
    "telemetry.sdk.name": slash < 0 ? sdk : sdk.slice(0, slash),
    "telemetry.sdk.version": slash < 0 ? "" : sdk.slice(slash + 1),
    "telemetry.sdk.language": platform === "other" ? "" : platform,
  };
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== ""));
}
