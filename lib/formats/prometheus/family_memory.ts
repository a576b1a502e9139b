import { LIMITS } from "../metrics/limits.ts";
import { type Family, familyNames } from "./metric_types.ts";

/** Of all projects; a large Prometheus has two thousand. Then those of the one that has sent none for longest go. */
const MAX_FAMILIES = 40_000;
/** Of one project. */
export const MAX_OF_PROJECT = 10_000;

/**
 * Types of metrics as remote write 1.0 has them: by themselves, once a minute, apart from the samples. Until something
 * is known of a metric, its name tells the type. What was told and is new waits to be kept: `family_store.ts`.
 */
export class FamilyMemory {
  readonly #projects = new Map<string, Map<string, Family>>();
  readonly #changed = new Map<string, Map<string, Family>>();
  #size = 0;

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
    this.#projects.delete(projectId);
    this.#changed.delete(projectId);
  }
}

function isSame(a: Family, b: Family): boolean {
  return a.type === b.type && a.unit === b.unit && a.help === b.help;
}
