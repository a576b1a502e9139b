/**
 * What issues of failed cron jobs say. It is stored in English, where searches, the API and other readers find it; pages
 * say it in the reader's language.
 */
import { storedWords } from "../core/language/stored_words.ts";
import { type Message, message, t } from "../core/language/translate.ts";
import { visible } from "../ui/json.ts";

/** Failed runs of an incident, by what they were. */
export interface FailedRuns {
  readonly errors: number;
  readonly missed: number;
  readonly timeouts: number;
}

/** What an issue is called, and where it is from. */
interface IssueTexts {
  readonly title: string;
  readonly culprit: string;
}

/** The texts of an incident's event, as they are stored: `Monitor failure: backup`, `3 missed check-ins detected`. */
export function monitorTexts(name: string, runs: FailedRuns): IssueTexts {
  const words = [[runs.errors, "failed"], [runs.missed, "missed"], [runs.timeouts, "timed out"]];
  const parts = words.filter(([count]) => count !== 0).map(([count, word]) =>
    `${count} ${word} ${count === 1 ? "check-in" : "check-ins"}`
  );
  return { title: `Monitor failure: ${name}`, culprit: `${parts.join(", ")} detected` };
}

/**
 * The texts of an issue as pages show them: with nothing hidden in them, and those of a failed cron job in the reader's
 * language. Its place tells it from a program that reports such a title itself.
 */
export function issueWords({ title, culprit }: IssueTexts): IssueTexts {
  const words = runsWords(culprit);
  if (words === null) return { title: visible(title), culprit: visible(culprit) };
  return { title: visible(titleWords(title)), culprit: words };
}

const titleWords = storedWords([message("Monitor failure: {name}")]);

const RUNS: Readonly<Record<string, Message>> = {
  "failed": message("{n} failed check-in|{n} failed check-ins"),
  "missed": message("{n} missed check-in|{n} missed check-ins"),
  "timed out": message("{n} timed out check-in|{n} timed out check-ins"),
};
const PART = "(\\d{1,9}) (failed|missed|timed out) check-ins?";
const IS_OF_RUNS = new RegExp(`^${PART}(?:, ${PART}){0,2} detected$`);

/** Null where a text tells of no runs. */
function runsWords(culprit: string): string | null {
  if (!IS_OF_RUNS.test(culprit)) return null;
  const parts = [...culprit.matchAll(new RegExp(PART, "g"))];
  const runs = parts.flatMap(([, count, word = ""]) => {
    const words = RUNS[word];
    return words === undefined ? [] : [t(words, { n: Number(count) })];
  });
  return t("{runs} detected", { runs: runs.join(", ") });
}
