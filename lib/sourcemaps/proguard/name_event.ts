/** Names the stacks of JVM events by the mapping files that were uploaded: reading them is the work of a thread. */
import type { Logger } from "../../core/log.ts";
import type { NormalizedEvent } from "../../formats/sentry/normalized_event.ts";
import type { Sql } from "../../store/database.ts";
import type { ObjectStore } from "../../store/objects/store.ts";
import { hyphenated } from "../artifacts/debug_ids.ts";
import { type Artifact, findArtifacts } from "../artifacts/lookup.ts";
import { ExpiringMap } from "../mapping/expiring_map.ts";
import type { MappedEvent } from "../mapping/map_event.ts";
import { type Problem, problem } from "../mapping/problems.ts";
import { JobFailed, thread } from "../mapping/threads.ts";
import type { MappingWanted } from "../mapping/worker.ts";
import { type JvmStacks, proguardIds, stacksOf } from "./deobfuscate.ts";

/** Of `errors` of an event, as Sentry has it. */
export const MISSING_MAPPING = "proguard_missing_mapping";

export interface JvmNamer {
  /** Names classes, methods and lines of an event as it was sent; never changes the event that is given. */
  name(projectId: string, event: NormalizedEvent): Promise<NamedEvent>;
  /** What was found out of a project holds no more. */
  forget(projectId: string): void;
  close(): void;
}

export interface NamedEvent extends MappedEvent {
  /** Uploads that helped. */
  readonly bundleIds: readonly string[];
}

interface Stores {
  readonly sql: Sql;
  readonly objects: ObjectStore;
  readonly log: Pick<Logger, "warn">;
}

/** A mapping of 100 MB takes seconds to look through; what is open is given back after a while. */
const NAMER = { limitMs: 60_000, idleMs: 60_000 };
const KNOWN_MS = 60_000;
/** What was missing may come at any time. */
const MISSING_MS = 5_000;
const REMEMBERED = 5_000;
/** An app has one mapping file; what names more is made up. */
const MAX_MAPPINGS = 5;

/** Opens the namer. Its thread starts with the first event that a mapping is there for. */
export function openJvmNamer({ sql, objects, log }: Stores): JvmNamer {
  const namer = thread({ log, ...NAMER });
  const known = new ExpiringMap<Artifact | "none">(REMEMBERED);

  async function find(projectId: string, ids: readonly string[]) {
    const asked = ids.filter((id) => known.get(`${projectId}\n${id}`) === undefined);
    const found = asked.length === 0
      ? []
      : await findArtifacts(sql, projectId, { debugIds: asked });
    for (const id of asked) {
      const own = found.find(({ type, debugId }) => type === "proguard" && debugId === id);
      known.set(`${projectId}\n${id}`, own ?? "none", own === undefined ? MISSING_MS : KNOWN_MS);
    }
    return ids.map((id) => {
      const artifact = known.get(`${projectId}\n${id}`);
      return { id, artifact: artifact === "none" ? undefined : artifact };
    });
  }

  /** Asks for what the thread has open, and then again with the files that it has not. */
  async function deobfuscated(artifacts: readonly Artifact[], stacks: JvmStacks) {
    const files = artifacts.map(({ objectKey }): MappingWanted => ({ key: objectKey, file: null }));
    const first = await namer.run("deobfuscate", { files, stacks });
    if (first.unknown.length === 0) return first;
    const read = await Promise.all(artifacts.map(async ({ objectKey, sizeBytes }) => {
      const packed = first.unknown.includes(objectKey) ? await objects.get(objectKey) : null;
      return { key: objectKey, file: packed && { packed, sizeBytes } };
    }));
    return await namer.run("deobfuscate", { files: read, stacks });
  }

  async function name(projectId: string, event: NormalizedEvent): Promise<NamedEvent> {
    const wanted = await find(projectId, proguardIds(event).slice(0, MAX_MAPPINGS));
    const artifacts = wanted.flatMap(({ artifact }) => artifact ?? []);
    const problems = new Map(
      wanted.filter(({ artifact }) => artifact === undefined).map(({ id }) => [id, missing(id)]),
    );
    const nothing = { stacks: stacksOf(event), named: 0, unknown: [] };
    const result = artifacts.length === 0
      ? nothing
      : await deobfuscated(artifacts, stacksOf(event)).catch((error) => {
        if (!(error instanceof JobFailed) || error.isStopped) throw error;
        const { id } = wanted.find(({ artifact }) => artifact !== undefined) ?? { id: "" };
        problems.set(id, problem("too_large", `The mapping cannot be used: ${error.message}`));
        return nothing;
      });
    return {
      event: { ...event, ...result.stacks, ...errorsWith(event, problems) },
      mappedFrames: result.named,
      unmapped: [...problems].map(([debugId, one]) => ({
        file: { path: "", debugId },
        problem: one,
      })),
      bundleIds: result.named > 0 ? artifacts.map(({ bundleId }) => bundleId) : [],
    };
  }

  return {
    name,
    forget(projectId) {
      known.deleteStarting(`${projectId}\n`);
    },
    close() {
      namer.close();
    },
  };
}

function missing(id: string): Problem {
  return problem(
    "no_map_for_debug_id",
    `No ProGuard mapping with UUID ${
      hyphenated(id)
    } was uploaded to this project: upload the mapping.txt of this very build.`,
  );
}

/** Without those of an earlier naming. */
function errorsWith(
  { errors: before = [] }: NormalizedEvent,
  problems: ReadonlyMap<string, Problem>,
): Pick<NormalizedEvent, "errors"> {
  const others = before.filter(({ type }) => type !== MISSING_MAPPING);
  const own = [...problems].map(([id, { sentence }]) => ({
    type: MISSING_MAPPING,
    symbolicator_type: "missing_mapping",
    mapping_uuid: hyphenated(id),
    message: sentence,
  }));
  const errors = [...others, ...own];
  return errors.length > 0 || before.length > 0 ? { errors } : {};
}
