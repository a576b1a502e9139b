import { keyOf } from "./kv_keys.ts";
import { conflict, untilCommitted } from "./until_committed.ts";

/** The next free id, and how to take it. */
export interface NextId {
  /** Decimal, from 1 on; never used again, even after a deletion. */
  readonly id: string;
  /** Adds the check and the write that take the id; the commit fails when somebody was faster. */
  take(atomic: Deno.AtomicOperation): Deno.AtomicOperation;
}

/** Looks up the id that the next organization or project gets. */
export async function nextId(
  kv: Deno.Kv,
  kind: "organization" | "project",
): Promise<NextId> {
  const highest = await kv.get<number>(keyOf.sequence(kind));
  const next = (highest.value ?? 0) + 1;
  return {
    id: String(next),
    take: (atomic) => atomic.check(highest).set(highest.key, next),
  };
}

/** Makes sure that no id up to this one is given out any more. */
export async function raiseSequence(
  kv: Deno.Kv,
  kind: "organization" | "project",
  highest: number,
): Promise<void> {
  await untilCommitted("raise the ids", async () => {
    const entry = await kv.get<number>(keyOf.sequence(kind));
    if ((entry.value ?? 0) >= highest) return null;
    return (await kv.atomic().check(entry).set(entry.key, highest).commit()).ok ? null : conflict;
  });
}

/** Whether a text can be the id of an organization or a project: decimal, from 1, no leading zero. */
export function isId(text: string): boolean {
  return /^[1-9]\d{0,14}$/.test(text);
}
