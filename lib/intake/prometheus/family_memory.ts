import { LIMITS } from "../metrics/limits.ts";
import { type Family, familyNames } from "./metric_types.ts";

/** Of all projects; a large Prometheus has two thousand. Then those of the one that has sent none for longest go. */
const MAX_FAMILIES = 40_000;
/** Of one project. */
const MAX_OF_PROJECT = 10_000;

/**
 * Types of metrics as remote write 1.0 has them: by themselves, once a minute, apart from the samples. Until the first
 * of them has come after a start, names tell the types.
 */
export class FamilyMemory {
  readonly #projects = new Map<string, Map<string, Family>>();
  #size = 0;

  /** Remembers a family of a project. */
  set(projectId: string, name: string, { type, unit, help }: Family): void {
    if (name === "" || name.length > LIMITS.name) return;
    const families = this.#projects.get(projectId) ?? new Map<string, Family>();
    this.#projects.delete(projectId);
    this.#projects.set(projectId, families);
    if (families.size >= MAX_OF_PROJECT && !families.has(name)) return;
    this.#size -= families.size;
    families.set(name, {
      type,
      unit: unit.slice(0, LIMITS.unit),
      help: help.slice(0, LIMITS.description),
    });
    this.#size += families.size;
    this.#forget();
  }

  /** What is known of the family that a series belongs to, or null. */
  of(projectId: string, seriesName: string): Family | null {
    const families = this.#projects.get(projectId);
    if (families === undefined) return null;
    for (const name of familyNames(seriesName)) {
      const family = families.get(name);
      if (family !== undefined) return family;
    }
    return null;
  }

  #forget(): void {
    const [oldest] = this.#projects;
    if (this.#size <= MAX_FAMILIES || oldest === undefined) return;
    const [projectId, families] = oldest;
    this.#size -= families.size;
    this.#projects.delete(projectId);
  }
}
