/** What the stacks and messages of issues say: the rows that a search within them reads. */
import { createHash } from "node:crypto";
import type { SearchTexts } from "../records/mod.ts";
import type { Transaction } from "../store/database.ts";
import { saveRows, type Table } from "../store/write_rows.ts";

/** A text of an issue. */
export interface IssueText {
  readonly projectId: string;
  readonly issueId: string;
  /** With the digit of its kind before it. */
  readonly text: string;
  readonly textId: string;
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
}

/** 63 bits as decimal text, the same for the same text. */
export function textIdOf(text: string): string {
  return (createHash("md5").update(text).digest().readBigUInt64LE(0) >> 1n).toString();
}

/** The texts of an event's values and stacks, each once. */
export function textsOf(
  { projectId, issueId, day }: Pick<IssueText, "projectId" | "issueId" | "day">,
  together: readonly SearchTexts[],
): IssueText[] {
  const texts = new Set(together.flatMap((each) => each.split("\0")));
  return [...texts].map((text) => ({ projectId, issueId, day, text, textId: textIdOf(text) }));
}

/** Stores texts; those that are there stay. These rows are the last that a transaction locks. */
export async function saveTexts(tx: Transaction, texts: readonly IssueText[]): Promise<void> {
  await Promise.all([
    saveRows(tx, SEARCH_TEXTS, distinctTexts(texts)),
    saveRows(tx, ISSUE_TEXTS, texts),
  ]);
}

/** The texts themselves, once for a project. */
const SEARCH_TEXTS: Table<IssueText> = {
  name: "search_texts",
  key: ["id"],
  columns: {
    id: ["bigint", ({ textId }) => textId],
    kind: ["smallint", ({ text }) => Number(text[0])],
    text: ["text", ({ text }) => text.slice(1)],
    seen_on: ["date", ({ day }) => day, "replace"],
  },
  changesIf: "known.seen_on < excluded.seen_on",
};

/** Which issue has which. */
const ISSUE_TEXTS: Table<IssueText> = {
  name: "issue_texts",
  key: ["text_id", "issue_id"],
  columns: {
    text_id: ["bigint", ({ textId }) => textId],
    issue_id: ["bigint", ({ issueId }) => issueId],
  },
};

/** Each text once, with its newest day. */
function distinctTexts(texts: readonly IssueText[]): IssueText[] {
  const distinct = new Map<string, IssueText>();
  for (const text of texts) {
    const key = `${text.projectId}/${text.textId}`;
    const same = distinct.get(key);
    if (same === undefined || same.day < text.day) distinct.set(key, text);
  }
  return [...distinct.values()];
}
