import type { Exception, NormalizedEvent } from "./normalized_event.ts";
import { exceptionValues, framesOf } from "./exception_values.ts";
import { GROUPING_VERSION, type GroupingVersion } from "./version.ts";

/** The exceptions of an event that matter. */
export interface RelevantExceptions {
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
  const tree = values.length > 1 ? treeOf(values) : undefined;
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
