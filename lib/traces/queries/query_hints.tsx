import { type Message, rich, t } from "../../core/language/translate.ts";
import type { Span } from "../../records/mod.ts";
import type { PageScope } from "../../releases/request_scope.ts";
import { Alert } from "../../ui/components/panel.tsx";
import { formatDuration } from "../../ui/format.ts";
import type { NamedCategory } from "./load_queries.ts";
import type { GroupCalls } from "./query_calls.ts";
import { traceHref, transactionHref } from "../../ui/links.ts";

interface HintListProps {
  readonly pageScope: PageScope;
  readonly category: NamedCategory;
  readonly hints: readonly Hint[];
}

/** What examples give away, where it was seen, and how to mend it. */
export function HintList({ pageScope: { project, scope }, category, hints }: HintListProps) {
  return (
    <>
      {hints.map((hint) => {
        const { title, remedy } = adviceOn(hint, category);
        const { kind, transaction, traceId, spanId, totalMs } = hint;
        const seen = {
          duration: formatDuration(totalMs),
          trace: (words: string) => (
            <a class="link" href={traceHref(project.id, traceId, spanId, scope)}>{words}</a>
          ),
        };
        return (
          <Alert key={kind} kind="warning" title={title}>
            <p>
              {transaction === ""
                ? rich(
                  "Seen in <trace>this trace</trace>, where they took {duration} together.",
                  seen,
                )
                : rich(
                  "Seen in {transaction}, in <trace>this trace</trace>, where they took {duration} together.",
                  {
                    ...seen,
                    transaction: (
                      <a class="link" href={transactionHref(project.id, scope, transaction)}>
                        <bdi>{transaction}</bdi>
                      </a>
                    ),
                  },
                )} {withCode(t(remedy))}
            </p>
          </Alert>
        );
      })}
    </>
  );
}

/** What stands between backticks as code. */
function withCode(text: string) {
  return text.split("`").map((part, place) =>
    place % 2 === 0 ? part : <code key={place} class="font-mono text-sm">{part}</code>
  );
}

/** A hint in words, and what to do about it. */
interface Advice {
  readonly title: string;
  readonly remedy: Message;
}

const JOIN: Partial<Readonly<Record<NamedCategory, Message>>> = {
  db:
    "Fetch all rows at once: a join, `where id in (…)`, or the eager loading of your ORM (`include`, `select_related`, `with`, `preload`).",
  http:
    "Ask for all of them in one request, if the other side can; if not, send the requests at the same time instead of waiting for each.",
  cache: "Read all keys in one round trip (`MGET`, `getMany`, a pipeline).",
  queue: "Send the messages as one batch.",
  rpc: "Use a call that takes a list, or send the calls at the same time.",
};
const KEEP: Message =
  "Keep the first response for as long as the transaction takes and pass it on, or put it into a cache.";

/** Says what a hint means for work of a category. */
function adviceOn({ kind, times }: Hint, category: NamedCategory): Advice {
  return kind === "in_a_row"
    ? {
      title: t(IN_A_ROW[category] ?? "The same call ran {n} times in a row: N+1", { n: times }),
      remedy: JOIN[category] ?? KEEP,
    }
    : {
      title: t("The very same call was made {n} times in one transaction", { n: times }),
      remedy: KEEP,
    };
}

const IN_A_ROW: Partial<Readonly<Record<NamedCategory, Message>>> = {
  db: "This statement ran {n} times in a row: N+1",
  http: "This request ran {n} times in a row: N+1",
  cache: "This cache operation ran {n} times in a row: N+1",
  queue: "This queue operation ran {n} times in a row: N+1",
  rpc: "This call ran {n} times in a row: N+1",
};

export interface Hint {
  /** `in_a_row`: the same work with other values; `repeated`: the very same call. */
  readonly kind: "in_a_row" | "repeated";
  /** The most that one transaction had. */
  readonly times: number;
  /** What these took together. */
  readonly totalMs: number;
  /** Where: the transaction's name, or `""`, its trace and the first of the spans. */
  readonly transaction: string;
  readonly traceId: string;
  readonly spanId: string;
}

/** So many one after the other could have been one. */
const MIN_IN_A_ROW = 5;
/** So many equal ones have nothing new to tell. */
const MIN_REPEATED = 3;
/** Work of which many could be asked for at once. */
const JOINABLE: ReadonlySet<string> = new Set(["db", "http", "cache", "queue", "rpc"]);
/** `BEGIN` and `COMMIT` come with every piece of work. */
const IS_FRAME = /^\s*(?:begin|start|commit|rollback|savepoint|release|end|set)\b/i;
/** Only what reads can be kept for later. */
const IS_READ: Readonly<Record<string, RegExp>> = {
  db: /^\s*(?:select|with|show|h?m?get|hgetall|[sl]range|smembers|find(?:one)?|aggregate|count)\b/i,
  http: /^\s*(?:get|head)\b/i,
  cache: /./,
};
/** What a driver puts in the place of a value. */
const PLACEHOLDER = /\?|\$\d|%s|%\(\w+\)s|(?<!:):[a-z]\w*|@[a-z]\w*/i;
/** Attributes that hold values of a call. */
const VALUE = /^(?:db\.(?:query|operation)\.parameter\..*|url\.(?:full|query)|http\.query)$/;

/** What calls of one group within single transactions give away: at most one hint of each kind, the worst one. */
export function hintsOf(calls: readonly GroupCalls[]): Hint[] {
  const inARow = calls.map((each) => hintOf("in_a_row", each, longestRun(each.spans)));
  const repeated = calls.map((each) => hintOf("repeated", each, mostAlike(each.spans)));
  return [
    ...worst(inARow.filter(({ times }) => times >= MIN_IN_A_ROW)),
    ...worst(repeated.filter(({ times }) => times >= MIN_REPEATED)),
  ];
}

/** The longest row of spans of which each began when the one before had ended. */
function longestRun(spans: readonly Span[]): readonly Span[] {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const outer = spans.filter(({ category, group, parentSpanId }) =>
    JOINABLE.has(category) && !IS_FRAME.test(group) &&
    // A driver's span within that of the library above it is the same call.
    !ids.has(parentSpanId ?? "")
  ).sort((a, b) => a.start - b.start);
  const longest = { from: 0, length: 0 };
  let from = 0;
  let end = -Infinity;
  for (const [place, span] of outer.entries()) {
    if (span.start < end) from = place;
    end = Math.max(end, span.end);
    const length = place + 1 - from;
    if (length > longest.length) Object.assign(longest, { from, length });
  }
  return outer.slice(longest.from, longest.from + longest.length);
}

/** The largest set of spans that are equal with their values, as far as these are told. */
function mostAlike(spans: readonly Span[]): readonly Span[] {
  const told = spans.flatMap((span) => {
    const call = literalCall(span);
    return call === null ? [] : [{ call, span }];
  });
  let most: readonly Span[] = [];
  for (const alike of Map.groupBy(told, ({ call }) => call).values()) {
    if (alike.length > most.length) most = alike.map(({ span }) => span);
  }
  return most;
}

/** What the span read with all values; null when it is no read, or its values stand elsewhere. */
function literalCall({ category, description, name, group, data }: Span): string | null {
  const text = description || name;
  if (text === "" || !IS_READ[category]?.test(group)) return null;
  const values = Object.entries(data).filter(([key]) => VALUE.test(key));
  if (category === "db" && values.length === 0 && PLACEHOLDER.test(text)) return null;
  return JSON.stringify([text, values.sort(([a], [b]) => a < b ? -1 : 1)]);
}

function hintOf(kind: Hint["kind"], calls: GroupCalls, spans: readonly Span[]): Hint {
  return {
    kind,
    times: spans.length,
    totalMs: spans.reduce((sum, { start, end }) => sum + (end - start) * 1_000, 0),
    transaction: calls.transaction,
    traceId: calls.traceId,
    spanId: spans[0]?.spanId ?? "",
  };
}

function worst(hints: readonly Hint[]): Hint[] {
  return hints.toSorted((a, b) => b.times - a.times).slice(0, 1);
}
