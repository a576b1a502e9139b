import {
  GROUPING_VERSION,
  type GroupingVersion,
  hasAppFrame,
  type StackRules,
  stackValues,
} from "./frames.ts";
import type { Exception, NormalizedEvent } from "./normalized_event.ts";

/** The exceptions of an event that matter. */
interface RelevantExceptions {
  /** What decides the group, in a stable order. */
  readonly grouped: readonly Exception[];
  /** The one that users see: it names the issue. */
  readonly main: Exception;
}

/**
 * Which exceptions count. In a plain chain, cause first, all do, and the last one names the issue. In a tree with
 * exception groups (Python's ExceptionGroup, JS's AggregateError) the groups are only wrapping: if everything in
 * them is one and the same problem, that problem counts with the chain of its causes; else each distinct problem
 * does, beside the outermost group, which names the issue.
 */
export function relevantExceptions(
  event: NormalizedEvent,
  version: GroupingVersion = GROUPING_VERSION,
): RelevantExceptions | undefined {
  const values = event.exception?.values ?? [];
  const last = values.at(-1);
  if (!last) return undefined;
  if (values.length === 1) return { grouped: values, main: last };
  const tree = treeOf(values);
  if (!tree || !values.some(tree.isGroup)) {
    return { grouped: values, main: withoutWrapper(values) ?? last };
  }

  const problems = distinctProblems(tree, event, version);
  const [only, ...others] = problems;
  if (only && others.length === 0) return { grouped: tree.firstPath(only), main: only };
  return { grouped: [...problems, tree.root], main: tree.root };
}

/** What happened inside the groups, each kind of problem once, in an order that does not depend on the client's. */
function distinctProblems(
  tree: Tree,
  event: NormalizedEvent,
  version: GroupingVersion,
): Exception[] {
  const rules = { from: framesOf(event, version), version };
  const problems = new Map<string, Exception>();
  for (const problem of tree.problemsUnder(tree.root)) {
    const identity = exceptionValues(problem, rules, event).join("\n");
    if (!problems.has(identity)) problems.set(identity, problem);
  }
  return [...problems].sort(([a], [b]) => a < b ? -1 : 1).map(([, problem]) => problem);
}

interface Tree {
  readonly root: Exception;
  isGroup(exception: Exception): boolean;
  /** The first exceptions on each path from here that are no groups. */
  problemsUnder(exception: Exception): Exception[];
  /** The exception, its first child, that one's first child, and so on. */
  firstPath(exception: Exception): Exception[];
}

/** The tree that `exception_id` and `parent_id` draw, or undefined where they do not draw one. */
function treeOf(values: readonly Exception[]): Tree | undefined {
  const ids = new Set(values.map(({ mechanism }) => mechanism?.exception_id));
  if (ids.has(undefined) || ids.size < values.length) return undefined;
  const childrenById = Map.groupBy(values, ({ mechanism }) => mechanism?.parent_id);
  const root = values.find(({ mechanism }) => mechanism?.parent_id === undefined);
  if (!root) return undefined;

  const childrenOf = ({ mechanism }: Exception) => childrenById.get(mechanism?.exception_id) ?? [];
  const isGroup = (exception: Exception) =>
    exception.mechanism?.is_exception_group === true || childrenOf(exception).length > 1;
  // Ids are unique and the root has no parent, so what hangs below the root cannot contain a circle.
  const problemsUnder = (exception: Exception): Exception[] => {
    const children = childrenOf(exception);
    return isGroup(exception) && children.length > 0
      ? children.flatMap(problemsUnder)
      : [exception];
  };
  const firstPath = (exception: Exception): Exception[] => {
    const [child] = childrenOf(exception);
    return child ? [exception, ...firstPath(child)] : [exception];
  };
  return { root, isGroup, problemsUnder, firstPath };
}

const WRAPPER_TYPE =
  /(?:^|\.)(?:OnErrorNotImplementedException|CompositeException|UndeliverableException)$/;
const WRAPPER_VALUE = /^There was an error (?:during concurrent rendering|while hydrating)/;

/** RxJava and React wrap what was thrown in an exception that says nothing; its cause names the issue. */
function withoutWrapper(values: readonly Exception[]): Exception | undefined {
  const wrapper = values.at(-1);
  const isWrapper = WRAPPER_TYPE.test(wrapper?.type ?? "") ||
    WRAPPER_VALUE.test(wrapper?.value ?? "");
  return isWrapper ? values.at(-2) : undefined;
}

/**
 * What one exception contributes to its group: its type, then the stack where there is one, else its value
 * without what varies. A type that the SDK made up says nothing. Neither does the stack of its own that it gives to
 * what was thrown and is no error (`throw "text"`, `throw { status: 500 }`): that counts by what it says and by the
 * route, or whatever else the transaction is.
 */
export function exceptionValues(
  { type, value, stacktrace, mechanism }: Exception,
  rules: StackRules,
  { platform, transaction }: NormalizedEvent,
): readonly string[] {
  const stack = stackValues(stacktrace, rules, platform);
  if (mechanism?.synthetic && rules.from === "system" && rules.version >= 3 && stack.length > 0) {
    return ["thrown", ...[value, transaction].map((text) => parameterize(text ?? ""))];
  }
  const what = stack.length === 0 && value ? [parameterize(value)] : stack;
  return type && !mechanism?.synthetic ? [type, ...what] : what;
}

/** Only the application's frames count, if any exception of the event has some. */
export function framesOf(
  { exception, platform }: NormalizedEvent,
  version: GroupingVersion,
): StackRules["from"] {
  const isKnown = exception?.values.some(({ stacktrace }) =>
    hasAppFrame(stacktrace, platform, version)
  );
  return isKnown ? "app" : "system";
}

/**
 * The parts of a message that vary between occurrences of the same problem, each with the token that stands
 * for it. One pass; at each place the first rule that matches wins. Every repetition is bounded and starts
 * where a word starts, so that the time is linear in the length of the text.
 */
const RULES: readonly (readonly [token: string, pattern: RegExp])[] = [
  ["email", /(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}/],
  ["url", /\b(?:https?|wss?|ftp):\/\/[^\s"'<>]{1,2048}/],
  [
    "hostname",
    /(?<![\w.-])(?:[a-zA-Z0-9-]{1,63}\.){1,10}(?:com|net|org|edu|gov|io|dev|app|cloud|info|biz|xyz|site|online|shop|store|local|internal|lan|localdomain|eu|de|uk|us|fr|nl|ch|be|se|dk|fi|es|pt|cz|jp|cn|kr|br|au|ca|mx|ru|ua|tr|hu|gr|ie|nz|za|tv)(?![\w-]|\.\w)/,
  ],
  ["ip", /(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?!\.?\d)/],
  [
    "ip",
    /(?<![\w:.])(?=[a-fA-F\d:]{0,40}\d)(?:(?:[\da-fA-F]{1,4}:){7}[\da-fA-F]{1,4}|(?:[\da-fA-F]{1,4}:){1,6}(?::[\da-fA-F]{1,4}){1,6}|::(?:[\da-fA-F]{1,4}:){0,6}[\da-fA-F]{1,4})(?![\w:(])/,
  ],
  ["traceparent", /\b00-[\da-f]{32}-[\da-f]{16}-0[01]\b/],
  ["traceparent", /\b1-[\da-f]{8}-[\da-f]{24}\b/],
  ["uuid", /\b[\da-fA-F]{8}-[\da-fA-F]{4}-[\da-fA-F]{4}-[\da-fA-F]{4}-[\da-fA-F]{12}\b/],
  ["sha1", /\b[\da-fA-F]{40}\b/],
  ["md5", /\b[\da-fA-F]{32}\b/],
  [
    "date",
    /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:?\d\d(?::?\d\d(?:[.,]\d{1,9})?)?(?: ?(?:Z|[+-]\d\d:?\d\d))?)?\b/,
  ],
  ["date", /\b\d{8}T\d{4,6}(?:\.\d{1,9})?Z?\b/],
  [
    "date",
    /\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? )?\d{1,2}[ -](?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}[ -]\d{2,4}(?: \d\d:\d\d(?::\d\d)?(?: (?:[A-Z]{1,4}|[+-]\d{4}))?)?\b/,
  ],
  [
    "date",
    /\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6} \d{1,2},? \d{4}(?: \d\d:\d\d:\d\d(?: GMT[+-]\d{4}(?: \([\w ]{1,64}\))?)?)?/,
  ],
  ["date", /\bdatetime\.datetime\([\d, ]{1,64}\)/],
  ["date", /\b\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?[aApP][mM])?\b/],
  ["duration", /\b(?:\d{1,20}(?:\.\d{1,20})?ms|\d{1,20}\.\d{1,20}s)\b/],
  ["swift_txn_id", /\btx[\da-f]{21}-[\da-f]{10}\b/],
  ["hex", /\b0[xX][\da-fA-F]{1,512}\b/],
  [
    "hex",
    /\b(?:(?=[a-f]{0,128}\d)[\da-f]{8,128}|(?=[A-F]{0,128}\d)[\dA-F]{8,128})\b/,
  ],
  ["git_sha", /\b(?=[a-f]{0,7}\d)(?=\d{0,7}[a-f])[\da-f]{7}\b/],
  ["float", /(?:(?<!\w)-)?\b\d{1,20}\.\d{1,20}\b/],
  ["int", /(?:(?<!\w)-)?\b\d{1,7}\b/],
  ["quoted_str", /(?<==)(?:'[^'\n]{0,256}'|"[^"\n]{0,256}")/],
  ["bool", /(?<==)(?:true|false|True|False)\b/],
];

const ANY_RULE = new RegExp(RULES.map(([, pattern]) => `(${pattern.source})`).join("|"), "g");

/** Longer texts are cut before the work: nobody tells two problems apart by their thousandth letter. */
const MAX_LENGTH = 1_000;

/**
 * A message without what varies: `user 17 not found` → `user <int> not found`. Takes the first two lines that
 * are not empty.
 */
export function parameterize(message: string): string {
  return firstLines(message.slice(0, MAX_LENGTH)).replace(ANY_RULE, (match, ...groups) => {
    const rule = RULES[groups.findIndex((group) => group !== undefined)];
    return rule ? `<${rule[0]}>` : match;
  });
}

function firstLines(text: string): string {
  const lines = text.split(/\r\n|\r|\n/).map((line) => line.trim()).filter((line) => line !== "");
  return lines.slice(0, 2).join("\n");
}
