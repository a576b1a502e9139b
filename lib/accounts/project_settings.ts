import { projectChanged } from "./changes.ts";
import type { Project } from "./projects.ts";
import { keyOf } from "./kv_keys.ts";
import { conflict, untilCommitted } from "./until_committed.ts";

/** What is taken out of telemetry before it is stored. */
export interface PrivacySettings {
  /** Take out what is secret by its name or its looks. */
  readonly scrubs: boolean;
  /** Names of fields that are secrets here, beside the well-known ones; compared without case and punctuation. */
  readonly extraFields: readonly string[];
  /** Names of fields that are never hidden. */
  readonly safeFields: readonly string[];
  /** False: no address of a user is stored or filled in. */
  readonly keepsAddresses: boolean;
}

/** What a project does not want to hear of: counted as filtered and not stored. */
export interface FilterSettings {
  readonly browserExtensions: boolean;
  readonly localhost: boolean;
  readonly legacyBrowsers: boolean;
  readonly crawlers: boolean;
  /** Patterns with `*`. */
  readonly releases: readonly string[];
  /** Patterns with `*`, matched against messages and `type: value` of exceptions. */
  readonly messages: readonly string[];
  /** Addresses and CIDR ranges. */
  readonly addresses: readonly string[];
}

/** Read with the project on every ingest request: keep it small. */
export interface ProjectSettings {
  /** Requests a second, at most the instance's limit; null for that one. */
  readonly ratePerSec: number | null;
  /** Share of traces whose performance data is kept, 0 to 1. */
  readonly sampleRate: number;
  /** Up to here a transaction's duration satisfies (Apdex), in milliseconds. */
  readonly apdexMs: number;
  /** Where a line of source can be read, with `{file}` and `{line}` to fill in; `""`: nobody said. */
  readonly sourceLink: string;
  /** What paths in profiles begin with, and paths in the repository do not. */
  readonly sourceRoot: string;
  readonly privacy: PrivacySettings;
  readonly filters: FilterSettings;
  /** One rule a line: matchers, `->`, fingerprint. */
  readonly fingerprintRules: string;
}

export const DEFAULT_SETTINGS: ProjectSettings = Object.freeze({
  ratePerSec: null,
  sampleRate: 1,
  apdexMs: 300,
  sourceLink: "",
  sourceRoot: "",
  privacy: Object.freeze({
    scrubs: true,
    extraFields: [],
    safeFields: [],
    keepsAddresses: true,
  }),
  filters: Object.freeze({
    browserExtensions: false,
    localhost: false,
    legacyBrowsers: false,
    crawlers: false,
    releases: [],
    messages: [],
    addresses: [],
  }),
  fingerprintRules: "",
});

/** The settings of a project: what was never set has its default. */
export function settingsOf({ settings = {} }: Pick<Project, "settings">): ProjectSettings {
  return {
    ...DEFAULT_SETTINGS,
    ...settings,
    privacy: { ...DEFAULT_SETTINGS.privacy, ...settings.privacy },
    filters: { ...DEFAULT_SETTINGS.filters, ...settings.filters },
  };
}

/**
 * Changes settings of a project; the parts named replace those before. Values are the caller's to check.
 *
 * @returns the changed project, or null when there is none of this id
 */
export function updateSettings(
  kv: Deno.Kv,
  projectId: string,
  changes: Partial<ProjectSettings>,
): Promise<Project | null> {
  return untilCommitted<Project | null>("update the settings", async () => {
    const entry = await kv.get<Project>(keyOf.project(projectId));
    if (entry.value === null) return null;
    const changed = { ...entry.value, settings: { ...entry.value.settings, ...changes } };
    if (!(await kv.atomic().check(entry).set(entry.key, changed).commit()).ok) return conflict;
    projectChanged(kv, projectId);
    return changed;
  });
}
