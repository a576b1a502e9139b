/**
 * Which of an event's tags are stored in its row, and which in a set that it shares with others of its project: most tags
 * of a program are the same in thousands of its events.
 */
import { createHash } from "node:crypto";
import type { ErrorEvent } from "../../records/mod.ts";
import type { Table } from "../../store/write_rows.ts";
import type { FiledEvent } from "./events.ts";

/** A set of tags that events share, as it is written. */
export interface TagSet {
  readonly projectId: string;
  readonly known: KnownSet;
  /** `YYYY-MM-DD`, UTC, by the clock: it stays as long as any event that was written with it, old ones too. */
  readonly day: string;
}

/** The tags of an event as they are stored. */
export interface SplitTags {
  /** JSON text of an object. */
  readonly own: string;
  /** Null: all are its own. */
  readonly tagsId: string | null;
}

export interface Split {
  readonly tags: ReadonlyMap<FiledEvent, SplitTags>;
  /** Those that are not known to be stored. */
  readonly sets: readonly TagSet[];
}

export const TAG_SETS: Table<TagSet> = {
  name: "tag_sets",
  key: ["tags_id"],
  columns: {
    tags_id: ["bigint", ({ known }) => known.tagsId],
    tags: ["json", ({ known }) => known.tags],
    last_seen: ["date", ({ day }) => day, "replace"],
  },
  changesIf: "known.last_seen < excluded.last_seen",
};

/** A set that events had lately. */
interface KnownSet {
  /** Made of the tags: 63 bits as decimal text. */
  readonly tagsId: string;
  /** JSON text of an object. */
  readonly tags: string;
  /** The day on which it was written last; `""`: not yet. */
  storedOn: string;
}

/** What is known of the tags of a project. */
interface ProjectTags {
  /** By key: its values in this round; null where there are too many of them for a set. */
  readonly values: Map<string, Set<string> | null>;
  /** Of this round, by what is in them. */
  readonly sets: Map<string, KnownSet>;
  /** Events of this round. */
  events: number;
}

/** Keys that come when there are more stay in the rows. */
const MAX_KEYS = 150;
/** A set has so many characters at least; its id takes 8 bytes. */
const MIN_CHARACTERS = 32;
/** So many sets are made before it is asked whether they are worth it. */
const MIN_SETS = 500;
/** A set of fewer events costs more than it saves. */
const WORTHWHILE = 4;
/** Of a project and round. */
const MAX_SETS = 2_000;
/** Of all projects: some 30 MB at the most. */
const MAX_KNOWN = 40_000;

/**
 * Divides the tags of events, and knows which sets are stored already. Which keys are worth it is found out by trying:
 * where too many different sets come, the key with the most values stays in the rows from then on. Forgetting costs a
 * write that changes nothing; it never costs a tag. What names a user is in no set: it goes with the event.
 */
export class KnownTagSets {
  readonly #projects = new Map<string, ProjectTags>();
  #count = 0;

  /** @param today `YYYY-MM-DD`, UTC */
  split(events: readonly FiledEvent[], today = new Date().toISOString().slice(0, 10)): Split {
    const tags = new Map<FiledEvent, SplitTags>();
    const sets = new Map<string, TagSet>();
    for (const event of events) {
      const { projectId, row } = event;
      const [own, known] = this.#divide(projectId, row.event);
      tags.set(event, { own, tagsId: known?.tagsId ?? null });
      const day = row.day > today ? row.day : today;
      if (known === null || known.storedOn >= day) continue;
      const place = `${projectId}/${known.tagsId}`;
      if ((sets.get(place)?.day ?? "") < day) sets.set(place, { projectId, known, day });
    }
    return { tags, sets: [...sets.values()] };
  }

  /** To be called after the commit, and only then. */
  remember(sets: readonly TagSet[]): void {
    for (const { known, day } of sets) if (known.storedOn < day) known.storedOn = day;
  }

  #divide(projectId: string, event: ErrorEvent): [own: string, set: KnownSet | null] {
    const project = this.#of(projectId);
    const names = namesOfUser(event);
    const own: Tag[] = [];
    const shared: Tag[] = [];
    let text = "";
    for (const tag of event.tags) {
      const [key, value] = tag;
      if (!names.includes(value) && admit(project, key, value)) {
        shared.push(tag);
        // The lengths keep keys and values apart, whatever characters they have.
        text += `${key.length} ${value.length} ${key}${value}`;
      } else own.push(tag);
    }
    const set = text.length < MIN_CHARACTERS ? null : this.#setOf(project, text, shared);
    return set === null ? [jsonOf(event.tags), null] : [jsonOf(own), set];
  }

  /** Null when there are too many by now. */
  #setOf(project: ProjectTags, text: string, tags: readonly Tag[]): KnownSet | null {
    project.events++;
    const known = project.sets.get(text);
    if (known !== undefined) return known;
    const { size } = project.sets;
    const isWasted = size >= MIN_SETS && size * WORTHWHILE > project.events;
    if (isWasted || size >= MAX_SETS) {
      this.#count -= size;
      beginRound(project, isWasted);
      return null;
    }
    const json = jsonOf(tags);
    const set = { tagsId: idOf(json), tags: json, storedOn: "" };
    project.sets.set(text, set);
    this.#count++;
    return set;
  }

  #of(projectId: string): ProjectTags {
    if (this.#count > MAX_KNOWN) {
      for (const each of this.#projects.values()) beginRound(each, false);
      this.#count = 0;
    }
    let project = this.#projects.get(projectId);
    if (project === undefined) {
      project = { values: new Map(), sets: new Map(), events: 0 };
      this.#projects.set(projectId, project);
    }
    return project;
  }
}

type Tag = ErrorEvent["tags"][number];

/** Values of tags that say who the user is. */
function namesOfUser({ user, facts }: ErrorEvent): readonly string[] {
  const names = user === null ? [] : [user, user.slice(user.indexOf(":") + 1)];
  for (const [key, value] of facts) if (key.startsWith("user.")) names.push(value);
  return names;
}

/** Whether a tag may be in a set. */
function admit({ values }: ProjectTags, key: string, value: string): boolean {
  const known = values.get(key);
  if (known !== undefined) {
    known?.add(value);
    return known !== null;
  }
  if (values.size >= MAX_KEYS || key === "user" || key.startsWith("user.")) return false;
  values.set(key, new Set([value]));
  return true;
}

/** @param isNarrower without the key of the most values, and without those that are hardly ever the same */
function beginRound(project: ProjectTags, isNarrower: boolean): void {
  const { values, sets } = project;
  const sizes = [...values].map(([key, seen]) => ({ key, size: seen?.size ?? 0 }));
  const most = Math.max(...sizes.map(({ size }) => size));
  const tooMany = Math.min(most, sets.size / 2);
  for (const { key, size } of sizes) {
    if (isNarrower && size >= tooMany) values.set(key, null);
    else values.get(key)?.clear();
  }
  sets.clear();
  project.events = 0;
}

function jsonOf(tags: readonly Tag[]): string {
  return JSON.stringify(Object.fromEntries(tags));
}

function idOf(text: string): string {
  return (createHash("md5").update(text).digest().readBigUInt64LE(0) >> 1n).toString();
}
