import type { PprofProfile } from "../../formats/pprof/profile.ts";
import { isKey } from "../trees/sample_labels.ts";

/** A thread that samples name. */
export interface ProfiledThread {
  readonly id: string;
  /** `""` when nobody named it. */
  readonly name: string;
  /** The one that ran what the profile was taken for. */
  readonly isActive: boolean;
  readonly samples: number;
}

interface Draft {
  name: string;
  isActive: boolean;
  samples: number;
}

/** As Python, the JVM and Node call theirs. */
const MAIN_THREAD = /^main(?:[ _-]?thread)?$/i;

/** The threads of profiles, the active ones first, then the main one and those of most samples; none when samples name none. */
export function threadsOf(profiles: readonly PprofProfile[]): ProfiledThread[] {
  const threads = new Map<string, Draft>();
  for (const profile of profiles) addThreads(threads, profile);
  return [...threads].map(([id, facts]) => ({ id, ...facts })).sort(compareThreads);
}

/** The same with the threads that are known to have served, where samples do not say. */
export function withServing(
  threads: readonly ProfiledThread[],
  serving: readonly string[],
): ProfiledThread[] {
  return threads.map((thread) => ({ ...thread, isActive: serving.includes(thread.id) }))
    .sort(compareThreads);
}

/** Puts threads into the order in which people look for them. */
export function compareThreads(
  a: ProfiledThread,
  b: ProfiledThread,
): number {
  return Number(b.isActive) - Number(a.isActive) ||
    Number(MAIN_THREAD.test(b.name)) - Number(MAIN_THREAD.test(a.name)) ||
    b.samples - a.samples || (a.id < b.id ? -1 : 1);
}

/** What a thread is called. */
export function threadTitle({ id, name }: Pick<ProfiledThread, "id" | "name">): string {
  return name === "" ? `thread ${id}` : name;
}

function addThreads(threads: Map<string, Draft>, { samples, strings }: PprofProfile): void {
  const { starts, keys, texts, numbers } = samples.labels;
  // There may be a million labels, of a few keys only.
  const used = [...new Set(keys)];
  const keyOf = (name: string) => used.find((key) => isKey(strings[key] ?? "", name)) ?? -1;
  const [idKey, nameKey] = [keyOf("thread_id"), keyOf("thread_name")];
  const activeKey = used.find((key) => strings[key] === "active_thread") ?? -1;
  if (idKey < 0) return;
  for (let sample = 0; sample < samples.count; sample++) {
    let [id, name, isActive] = [null as string | null, "", false];
    for (let at = starts[sample] ?? 0; at < (starts[sample + 1] ?? 0); at++) {
      const key = keys[at];
      if (key !== idKey && key !== nameKey && key !== activeKey) continue;
      const place = texts[at] ?? 0;
      const text = place === 0 ? String(numbers[at]) : strings[place] ?? "";
      if (key === idKey) id = text;
      else if (key === nameKey) name = text;
      else isActive = text === "true";
    }
    if (id === null) continue;
    const known = threads.get(id) ?? { name: "", isActive: false, samples: 0 };
    threads.set(id, known);
    known.name ||= name;
    known.isActive ||= isActive;
    known.samples++;
  }
}
