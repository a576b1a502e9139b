/** What people want to be told of by mail. */
import { conflict, keyOf, prefixOf, untilCommitted, updateRecord } from "../accounts/kv.ts";

export interface Preferences {
  /** An issue was assigned to them, or to a team of theirs. */
  readonly assigned: boolean;
  /** Somebody named them in a comment. */
  readonly mentioned: boolean;
  /** New issues that ownership rules, or suspect commits of theirs, say are theirs. */
  readonly owned: boolean;
  /** Comments on, and changes of, issues that they take part in. */
  readonly participating: boolean;
  /** Issues of theirs came back, or got much worse. */
  readonly returned: boolean;
  /** What they did themselves. */
  readonly own: boolean;
  /** The week of their projects, on Monday. */
  readonly weekly: boolean;
  /** Ids of projects of which they want to hear nothing. */
  readonly mutedProjects: readonly string[];
}

interface StoredPreferences extends Preferences {
  /** The Monday (`YYYY-MM-DD`, UTC) up to which the week was reported. */
  readonly reportedUntil?: string;
}

export const DEFAULT_PREFERENCES: Preferences = Object.freeze({
  assigned: true,
  mentioned: true,
  owned: true,
  participating: true,
  returned: true,
  own: false,
  weekly: false,
  mutedProjects: [],
});

/** Those that are yes or no, in the order of the form. */
export const SWITCHES = [
  "assigned",
  "mentioned",
  "owned",
  "participating",
  "returned",
  "own",
  "weekly",
] as const satisfies readonly (keyof Preferences)[];

export async function preferencesOf(kv: Deno.Kv, userId: string): Promise<Preferences> {
  const { value } = await kv.get<StoredPreferences>(keyOf.notices(userId));
  return value === null ? DEFAULT_PREFERENCES : { ...DEFAULT_PREFERENCES, ...value };
}

/** More projects than anybody looks after. */
const MAX_MUTED = 1_000;

export async function setPreferences(
  kv: Deno.Kv,
  userId: string,
  preferences: Preferences,
): Promise<void> {
  const mutedProjects = preferences.mutedProjects.slice(0, MAX_MUTED);
  await untilCommitted("keep what somebody wants to be told of", async () => {
    const entry = await kv.get<StoredPreferences>(keyOf.notices(userId));
    const changed = { ...entry.value, ...preferences, mutedProjects };
    return (await kv.atomic().check(entry).set(entry.key, changed).commit()).ok ? true : conflict;
  });
}

/** Who wants a report of a week that they have not got yet. @param monday `YYYY-MM-DD`, the end of the week */
export async function whoWantsReport(kv: Deno.Kv, monday: string): Promise<string[]> {
  const userIds: string[] = [];
  for await (const { key, value } of kv.list<StoredPreferences>({ prefix: prefixOf.notices() })) {
    if (value.weekly && (value.reportedUntil ?? "") < monday) userIds.push(String(key.at(-1)));
  }
  return userIds;
}

export async function noteReported(kv: Deno.Kv, userId: string, monday: string): Promise<void> {
  await updateRecord<StoredPreferences>(
    kv,
    "note a report",
    keyOf.notices(userId),
    (stored) => ({ ...stored, reportedUntil: monday }),
  );
}
