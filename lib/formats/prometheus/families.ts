import type { Metric, MetricKind } from "../../records/mod.ts";
import { LIMITS } from "../metrics/limits.ts";
import { ucumUnit, unitInName } from "../metrics/units.ts";

/** Of all projects; a large Prometheus has two thousand. Then those of the one that has sent none for longest go. */
const MAX_FAMILIES = 40_000;
/** Of one project. */
export const MAX_OF_PROJECT = 10_000;

/**
 * Types of metrics as remote write 1.0 has them: by themselves, once a minute, apart from the samples. Until something
 * is known of a metric, its name tells the type. What was told and is new waits to be kept by `ingest/family_store.ts`.
 */
export class FamilyMemory {
  readonly #projects = new Map<string, Map<string, Family>>();
  readonly #changed = new Map<string, Map<string, Family>>();
  #size = 0;
  #revision = 0;

  /** Another number whenever something else is known of metrics. */
  get revision(): number {
    return this.#revision;
  }

  /** Remembers a family of a project, and that this is to be kept when it is new. */
  set(projectId: string, name: string, { type, unit, help }: Family): void {
    if (name === "" || name.length > LIMITS.name) return;
    const family = {
      type,
      unit: unit.slice(0, LIMITS.unit),
      help: help.slice(0, LIMITS.description),
    };
    const known = this.#projects.get(projectId)?.get(name);
    this.load(projectId, name, family);
    if (known !== undefined && isSame(known, family)) return;
    if (this.#projects.get(projectId)?.get(name) !== family) return;
    const changed = this.#changed.get(projectId) ?? new Map<string, Family>();
    this.#changed.set(projectId, changed.set(name, family));
  }

  /** Remembers a family of a project that is kept already. */
  load(projectId: string, name: string, family: Family): void {
    const families = this.#projects.get(projectId) ?? new Map<string, Family>();
    this.#projects.delete(projectId);
    this.#projects.set(projectId, families);
    if (families.size >= MAX_OF_PROJECT && !families.has(name)) return;
    const known = families.get(name);
    if (known === undefined || !isSame(known, family)) this.#revision++;
    this.#size -= families.size;
    families.set(name, family);
    this.#size += families.size;
    this.#forget();
  }

  /** Whether anything is known of a project. */
  has(projectId: string): boolean {
    return this.#projects.has(projectId);
  }

  /** What is known of the family that a series belongs to, or null. */
  of(projectId: string, seriesName: string): Family | null {
    const name = this.nameOf(projectId, seriesName);
    return name === null ? null : this.#projects.get(projectId)?.get(name) ?? null;
  }

  /** The name of the family that a series belongs to, or null when nothing is known of it. */
  nameOf(projectId: string, seriesName: string): string | null {
    const families = this.#projects.get(projectId);
    if (families === undefined) return null;
    return familyNames(seriesName).find((name) => families.has(name)) ?? null;
  }

  /** What was told of a project and is not kept yet; whoever takes it keeps it, or puts it back. */
  takeChanged(projectId: string): ReadonlyMap<string, Family> {
    const changed = this.#changed.get(projectId) ?? new Map<string, Family>();
    this.#changed.delete(projectId);
    return changed;
  }

  /** Takes back what could not be kept, but for what has changed again. */
  putBack(projectId: string, families: ReadonlyMap<string, Family>): void {
    const changed = this.#changed.get(projectId) ?? [];
    this.#changed.set(projectId, new Map([...families, ...changed]));
  }

  #forget(): void {
    const [oldest] = this.#projects;
    if (this.#size <= MAX_FAMILIES || oldest === undefined) return;
    const [projectId, families] = oldest;
    this.#size -= families.size;
    this.#revision++;
    this.#projects.delete(projectId);
    this.#changed.delete(projectId);
  }
}

function isSame(a: Family, b: Family): boolean {
  return a.type === b.type && a.unit === b.unit && a.help === b.help;
}

/** Types of metric families, by their numbers on the wire. */
const TYPES = [
  "unknown",
  "counter",
  "gauge",
  "histogram",
  "gauge_histogram",
  "summary",
  "info",
  "state_set",
] as const;
type FamilyType = (typeof TYPES)[number];

/** What is known of a family of metrics: `http_seconds` of `http_seconds_bucket`, `http_seconds_sum` … */
export interface Family {
  readonly type: FamilyType;
  /** In words, as `seconds`; `""` when unknown. */
  readonly unit: string;
  readonly help: string;
}

/** Type of a family by its number. */
export function familyType(number: number): FamilyType {
  return TYPES[number] ?? "unknown";
}

/** Number of a type. */
export function numberOfType(type: FamilyType): number {
  return TYPES.indexOf(type);
}

const SUFFIXES = ["total", "bucket", "count", "sum", "created", "info", "gsum", "gcount"];

/** The names that the series of a family may have, its own first. */
export function seriesNames(family: string): string[] {
  return [family, ...SUFFIXES.map((suffix) => `${family}_${suffix}`)];
}

const COUNTS = /_(?:bucket|count|gcount)$/;
const ADDS_UP = /_(?:bucket|count|sum)$/;
const SUFFIX = new RegExp(`_(?:${SUFFIXES.join("|")})$`);
const LOOKS_LIKE_COUNTER = /_(?:total|bucket|count|sum)$/;

/** The names that the family of a series may have, the likeliest first. */
function familyNames(name: string): string[] {
  return SUFFIX.test(name) ? [name, name.replace(SUFFIX, "")] : [name];
}

/**
 * The metric that a series of numbers belongs to. Where nobody said its type, its name tells: what ends in `_total`,
 * `_count`, `_sum` or `_bucket` adds up, all else is a level.
 */
export function metricOf(name: string, family: Family | null): Metric {
  return {
    name,
    kind: kindOf(name, family?.type ?? "unknown"),
    unit: unitOf(name, family),
    description: (family?.help ?? "").slice(0, LIMITS.description),
  };
}

/** The metric that a series of native histograms belongs to. */
export function histogramOf(name: string, family: Family | null): Metric {
  return { ...metricOf(name, family), kind: "histogram" };
}

function kindOf(name: string, type: FamilyType): MetricKind {
  switch (type) {
    case "counter":
      return name.endsWith("_created") ? "gauge" : "counter";
    case "histogram":
    case "summary":
      return ADDS_UP.test(name) ? "counter" : "gauge";
    case "unknown":
      return LOOKS_LIKE_COUNTER.test(name) ? "counter" : "gauge";
    default:
      return "gauge";
  }
}

function unitOf(name: string, family: Family | null): string {
  if (name.endsWith("_created")) return "s";
  if (COUNTS.test(name)) return "";
  const unit = ucumUnit(family?.unit ?? "");
  return (unit || unitInName(name.replace(/_(?:total|sum|gsum)$/, ""))).slice(0, LIMITS.unit);
}
