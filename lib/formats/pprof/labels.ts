import { storable } from "../../core/errors.ts";
import type { Policy } from "../decode_context.ts";
import { clippedName } from "../fields.ts";
import { TEXT } from "../limits.ts";

/** What a client says of itself in parameters; texts are `""` when it does not. */
export interface SenderFacts {
  readonly service: string;
  readonly environment: string;
  readonly release: string;
  readonly instance: string;
}

const SERVICE = ["service_name", "service", "service.name"] as const;
const ENVIRONMENT = [
  "environment",
  "env",
  "deployment_environment",
  "deployment_environment_name",
  "deployment.environment",
  "deployment.environment.name",
] as const;
const RELEASE = ["release", "version", "service_version", "service.version", "service_git_ref"];
const INSTANCE = ["instance", "service_instance_id", "service.instance.id", "__session_id__"];
/** They stay labels as well, which people look for. */
const HOST = ["pod", "hostname", "host", "host.name"] as const;

/**
 * What is known of a sender, with labels for what its parameters do not say.
 *
 * @param labels lose those that are taken
 */
export function withLabels(stated: SenderFacts, labels: LabelValues): SenderFacts {
  return {
    service: stated.service || labels.take(...SERVICE),
    environment: stated.environment || labels.take(...ENVIRONMENT),
    release: stated.release || labels.take(...RELEASE),
    instance: stated.instance || labels.take(...INSTANCE) || labels.only(...HOST),
  };
}

/** The service that all samples are labelled with, or `""`. */
export function serviceIn(labels: LabelValues): string {
  return labels.only(...SERVICE);
}

const MAX_KEYS = 64;
const MAX_VALUES_A_KEY = 100;

/** The distinct values of labels. Those beyond the limits of a profile's index are left out. */
export class LabelValues {
  readonly #values = new Map<string, Set<string>>();

  /** Adds a value, cut to what an index row holds; nothing happens when either is empty. */
  add(key: string, value: string): void {
    const name = indexed(key);
    const text = indexed(value);
    if (name === "" || text === "") return;
    let values = this.#values.get(name);
    if (values === undefined) {
      if (this.#values.size >= MAX_KEYS) return;
      this.#values.set(name, values = new Set());
    }
    if (values.size < MAX_VALUES_A_KEY) values.add(text);
  }

  addAll(others: LabelValues): void {
    for (const [key, values] of others.#values) {
      for (const value of values) this.add(key, value);
    }
  }

  /** The value of the first of these labels that has exactly one; else `""`. */
  only(...keys: readonly string[]): string {
    for (const key of keys) {
      const [first, ...more] = this.#values.get(key) ?? [];
      if (first !== undefined && more.length === 0) return first;
    }
    return "";
  }

  /** As {@linkcode only}, and removes that label. */
  take(...keys: readonly string[]): string {
    for (const key of keys) {
      const value = this.only(key);
      if (value === "") continue;
      this.#values.delete(key);
      return value;
    }
    return "";
  }

  /** All labels, each key with its values. */
  lists(): Record<string, string[]> {
    return Object.fromEntries([...this.#values].map(([key, values]) => [key, [...values]]));
  }

  /** The same without what the project calls secret. */
  scrubbed(policy: Pick<Policy, "scrubObject">): Record<string, string[]> {
    return Object.fromEntries(
      [...this.#values].map(([key, values]) => [key, scrub(key, [...values], policy)]),
    );
  }
}

function scrub(key: string, values: string[], policy: Pick<Policy, "scrubObject">): string[] {
  const object = { [key]: values as string | string[] };
  policy.scrubObject(object);
  const left = object[key];
  if (left === undefined) return [];
  return Array.isArray(left) ? left.map(String) : [String(left)];
}

function indexed(text: string): string {
  return storable(clippedName(text, TEXT.name) ?? "");
}

const TRACE_LABELS: Readonly<Record<string, "trace_id" | "span_id" | "profile_id">> = {
  trace_id: "trace_id",
  traceid: "trace_id",
  otel_trace_id: "trace_id",
  otel_traceid: "trace_id",
  dd_trace_id: "trace_id",
  span_id: "span_id",
  spanid: "span_id",
  otel_span_id: "span_id",
  otel_spanid: "span_id",
  dd_span_id: "span_id",
  local_root_span_id: "span_id",
  profile_id: "profile_id",
  pyroscope_profile_id: "profile_id",
};

/** What pprof keeps for itself. */
const RESERVED_PREFIX = "pprof::";

const HEX_128 = /^[0-9a-f]{32}$/;
const HEX_64 = /^[0-9a-f]{16}$/;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const DECIMAL = /^[0-9]{1,20}$/;
const ZEROS = /^0*$/;
const MAX_UINT64 = (1n << 64n) - 1n;

/**
 * What kind of id a label holds, whatever its spelling (`Trace-Id`, `local root span id`); null for other labels.
 * `profile_id` is an older name for the id of a span.
 */
export function traceLabelOf(key: string): "trace_id" | "span_id" | "profile_id" | null {
  const name = key.trim().toLowerCase().replace(/[\s.\-]+/g, "_");
  return Object.hasOwn(TRACE_LABELS, name) ? TRACE_LABELS[name] ?? null : null;
}

/** Whether pprof keeps labels of this name for itself: they say nothing of the program. */
export function isReservedLabel(key: string): boolean {
  return key.startsWith(RESERVED_PREFIX);
}

/**
 * The id of a trace as 32 lower-case hex digits: of 32 or 16 of them, of a UUID, of a decimal number of 64 bits, or
 * of a numeric label, which is signed. Null for what is none, and for zero.
 */
export function traceIdOf(value: string | bigint): string | null {
  if (typeof value !== "string") return padded(hex64(value), 32);
  const text = value.trim().toLowerCase();
  if (UUID.test(text)) return padded(text.replaceAll("-", ""), 32);
  if (HEX_128.test(text)) return padded(text, 32);
  return padded(hexOfText(text), 32);
}

/**
 * The id of a span as 16 lower-case hex digits: of 16 of them, of a decimal number of 64 bits, or of a numeric
 * label, which is signed. Null for what is none, and for zero.
 */
export function spanIdOf(value: string | bigint): string | null {
  if (typeof value !== "string") return padded(hex64(value), 16);
  return padded(hexOfText(value.trim().toLowerCase()), 16);
}

/** Sixteen digits are taken for hex: as decimals, one id in two thousand would have so many. */
function hexOfText(text: string): string {
  if (HEX_64.test(text)) return text;
  if (!DECIMAL.test(text)) return "";
  const number = BigInt(text);
  return number > MAX_UINT64 ? "" : hex64(number);
}

function hex64(value: bigint): string {
  return BigInt.asUintN(64, value).toString(16);
}

function padded(hex: string, length: number): string | null {
  return ZEROS.test(hex) ? null : hex.padStart(length, "0");
}
