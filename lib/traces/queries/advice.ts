import type { Hint } from "./hints.ts";
import type { NamedCategory } from "./tabs.ts";

/** A hint in words, and what to do about it. */
export interface Advice {
  readonly title: string;
  readonly remedy: string;
}

const JOIN: Partial<Readonly<Record<NamedCategory, string>>> = {
  db:
    "Fetch all rows at once: a join, `where id in (…)`, or the eager loading of your ORM (`include`, `select_related`, `with`, `preload`).",
  http:
    "Ask for all of them in one request, if the other side can; if not, send the requests at the same time instead of waiting for each.",
  cache: "Read all keys in one round trip (`MGET`, `getMany`, a pipeline).",
  queue: "Send the messages as one batch.",
  rpc: "Use a call that takes a list, or send the calls at the same time.",
};
const KEEP =
  "Keep the first answer for as long as the transaction takes and pass it on, or put it into a cache.";

/** Says what a hint means for work of a category. */
export function adviceOn({ kind, times }: Hint, category: NamedCategory): Advice {
  return kind === "in_a_row"
    ? {
      title: `${NAMES[category] ?? "The same call"} ran ${times} times in a row: N+1`,
      remedy: JOIN[category] ?? KEEP,
    }
    : { title: `The very same call was made ${times} times in one transaction`, remedy: KEEP };
}

const NAMES: Partial<Readonly<Record<NamedCategory, string>>> = {
  db: "This statement",
  http: "This request",
  cache: "This cache operation",
  queue: "This queue operation",
  rpc: "This call",
};
