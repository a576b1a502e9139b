/**
 * Our groups of real events beside those of Sentry's own code, pair by pair: see test/fixtures/grouping. Every
 * difference has a reason that is written down here; one without fails, and so does a reason without a difference.
 */
import assert from "node:assert/strict";
import { toErrorEvent } from "@/lib/formats/sentry/error_event.ts";
import { decodeContext } from "@/test/support/decode_context.ts";

const CORPUS = new URL("../../../fixtures/grouping/", import.meta.url);
const REFERENCE: Record<string, number[]> = JSON.parse(
  await Deno.readTextFile(new URL("reference.json", CORPUS)),
);

interface Reason {
  readonly why: string;
  /** Who has the two in one group. */
  readonly joinedBy: "us" | "sentry";
  readonly files?: readonly string[];
  /** Both events come from these scenarios. */
  readonly scenarios: readonly string[];
  /** How many pairs. */
  readonly pairs: number;
}

const REASONS: readonly Reason[] = [
  {
    why: "a message is known by its words; the stack that JavaScript's SDK adds only tells who " +
      "calls the function that sends it, which would make one issue of everything a logger says",
    joinedBy: "sentry",
    scenarios: ["message"],
    pairs: 770,
  },
  {
    why: "dates and durations vary, in whatever notation (newer versions of Sentry know more too)",
    joinedBy: "us",
    scenarios: ["no stack"],
    pairs: 7,
  },
  {
    why: "how deep a recursion went is no new problem",
    joinedBy: "us",
    scenarios: ["recursion"],
    pairs: 1,
  },
  {
    why:
      "the types of wrapped errors count though only the outermost has a stack: Go makes it where " +
      "the error is sent",
    joinedBy: "sentry",
    files: ["go"],
    scenarios: ["wrapped once", "wrapped twice"],
    pairs: 4,
  },
  {
    why: "the file of a script counts: two scripts of a page are two places",
    joinedBy: "sentry",
    files: ["browser", "browser_minified"],
    scenarios: ["a served script", "a served chunk"],
    pairs: 8,
  },
  {
    why: "minified functions without a name say nothing beside named ones",
    joinedBy: "us",
    files: ["browser_minified"],
    scenarios: ["an event's listener", "uncaught in a timer"],
    pairs: 2,
  },
];

interface Difference {
  readonly file: string;
  readonly joinedBy: Reason["joinedBy"];
  readonly scenarios: readonly [string, string];
}

interface Comparison {
  readonly pairs: number;
  readonly joinedByBoth: number;
  readonly differences: readonly Difference[];
}

Deno.test("events of stock SDKs fall into Sentry's groups, but for differences that have a reason", async () => {
  const results = await Promise.all(Object.keys(REFERENCE).map(compare));
  const differences = results.flatMap((result) => result.differences);
  const reasonOf = (difference: Difference) =>
    REASONS.find((reason) => explains(reason, difference));
  assert.deepEqual(differences.filter((each) => reasonOf(each) === undefined), []);
  assert.deepEqual(
    REASONS.map((reason) => differences.filter((each) => reasonOf(each) === reason).length),
    REASONS.map(({ pairs }) => pairs),
  );
  const sum = (key: "pairs" | "joinedByBoth") =>
    results.reduce((total, result) => total + result[key], 0);
  // As docs/architecture.md says of grouping.
  assert.deepEqual(
    { pairs: sum("pairs"), joinedByBoth: sum("joinedByBoth"), differences: differences.length },
    { pairs: 46_907, joinedByBoth: 596, differences: 792 },
  );
});

function explains({ joinedBy, files, scenarios }: Reason, difference: Difference): boolean {
  return joinedBy === difference.joinedBy && (files?.includes(difference.file) ?? true) &&
    difference.scenarios.every((scenario) => scenarios.includes(scenario));
}

async function compare(file: string): Promise<Comparison> {
  const theirs = REFERENCE[file] ?? [];
  const events = await readCorpus(file);
  assert.equal(events.length, theirs.length);
  const ours = events.map(({ scenario: _, ...event }) => groupOf(event));
  const differences: Difference[] = [];
  let joinedByBoth = 0;
  for (let a = 0; a < events.length; a++) {
    for (let b = a + 1; b < events.length; b++) {
      const isOurs = ours[a] === ours[b];
      const isTheirs = theirs[a] === theirs[b];
      if (isOurs && isTheirs) joinedByBoth++;
      if (isOurs === isTheirs) continue;
      const scenarios = [events[a]?.scenario ?? "", events[b]?.scenario ?? ""] as const;
      differences.push({ file, joinedBy: isOurs ? "us" : "sentry", scenarios });
    }
  }
  return { pairs: events.length * (events.length - 1) / 2, joinedByBoth, differences };
}

Deno.test("errors and messages that differ are told apart, and those that repeat are held together", async () => {
  const events = await readCorpus("kinds");
  const groups = events.map(({ scenario: _, ...event }) => groupOf(event));
  const kindOf = new Map(events.map(({ scenario }, index) => [groups[index], scenario]));
  assert.deepEqual(
    groups.map((group) => kindOf.get(group)),
    events.map(({ scenario }) => scenario),
  );
  const kinds = new Set(events.map(({ scenario }) => scenario));
  assert.equal(new Set(groups).size, kinds.size);
});

async function readCorpus(file: string): Promise<{ readonly scenario: string }[]> {
  const text = await Deno.readTextFile(new URL(`${file}.jsonl`, CORPUS));
  return text.trimEnd().split("\n").map((line) => JSON.parse(line));
}

function groupOf(event: object): string {
  const record = toErrorEvent(event, { ...decodeContext(), sentAt: null });
  assert.ok(!("dropped" in record));
  return record.grouping.hashes[0];
}
