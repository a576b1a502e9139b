import type { Logger } from "../core/log.ts";
import type { Sql } from "../store/database.ts";
import { readFamilies, saveFamilies } from "../metrics/families.ts";
import { withTimeLimit } from "../core/waiting.ts";
import {
  FamilyMemory,
  familyType,
  MAX_OF_PROJECT,
  numberOfType,
  seriesNames,
} from "../formats/prometheus/families.ts";

/** Prometheus says everything again once a minute. */
const READ_EVERY_MS = 30_000;
/** Samples do not wait for what is said of them. */
const LIMIT_MS = 2_000;

interface LastRead {
  readonly at: number;
  readonly until: Date;
  /** Whether something was known then: `memory` forgets. */
  readonly isKnown: boolean;
}

/**
 * Keeps what remote write 1.0 says of metrics in Postgres, so that the samples of the next request are understood by
 * whichever process takes them, and after a start as well. Never throws: without it names tell the types.
 */
export class FamilyStore {
  readonly memory: FamilyMemory = new FamilyMemory();
  readonly #reads = new Map<string, LastRead>();

  constructor(private readonly sql: Sql, private readonly log: Logger) {}

  /** Makes sure that `memory` knows what other processes were told of a project, half a minute ago at most. */
  async ready(projectId: string, now: number = Date.now()): Promise<void> {
    const read = this.#reads.get(projectId);
    const last = read?.isKnown && !this.memory.has(projectId) ? undefined : read;
    if (last !== undefined && now - last.at < READ_EVERY_MS) return;
    try {
      const since = last?.until ?? null;
      const reading = readFamilies(this.sql, projectId, since, MAX_OF_PROJECT);
      const { families, until } = await withTimeLimit(reading, LIMIT_MS);
      for (const { name, type, unit, help } of families) {
        this.memory.load(projectId, name, { type: familyType(type), unit, help });
      }
      this.#reads.set(projectId, { at: now, until, isKnown: this.memory.has(projectId) });
    } catch (error) {
      this.log.warn("cannot read what is known of metrics", { project: projectId, error });
    }
  }

  /** Writes what `memory` was told of a project and did not know. */
  async save(projectId: string): Promise<void> {
    const changed = this.memory.takeChanged(projectId);
    if (changed.size === 0) return;
    const families = [...changed].map(([name, { type, unit, help }]) => ({
      name,
      type: numberOfType(type),
      unit,
      help,
    }));
    // A family of the very name of a series says more of it than one of a part of the name.
    const descriptions = new Map(families.flatMap(({ name, help }) =>
      seriesNames(name)
        .filter((series) => series === name || this.memory.nameOf(projectId, series) === name)
        .map((series) => [series, help] as const)
    ));
    const described = [...descriptions].filter(([, help]) => help !== "")
      .map(([name, description]) => ({ name, description }));
    try {
      const saving = saveFamilies(this.sql, projectId, families, described);
      await withTimeLimit(saving, LIMIT_MS);
    } catch (error) {
      this.memory.putBack(projectId, changed);
      this.log.warn("cannot keep what is known of metrics", { project: projectId, error });
    }
  }
}
