import type { Grouping } from "../../records/mod.ts";
import { cspValues } from "./csp.ts";
import { isMessage } from "./event_kind.ts";
import type { NormalizedEvent, Stacktrace } from "./normalized_event.ts";
import { builtinGroup } from "./builtin_rules.ts";
import { relevantExceptions } from "./exception_tree.ts";
import { exceptionValues, framesOf } from "./exception_values.ts";
import { isDefault, resolveElement } from "./fingerprint.ts";
import { hasAppFrame, stackValues } from "./frames.ts";
import { groupHash, md5 } from "./hash.ts";
import { parameterize } from "./parameterize.ts";
import { GROUPING_VERSION, type GroupingVersion } from "./version.ts";

/**
 * Decides which issue an event belongs to: by what the client says (checksum, fingerprint), else by exceptions
 * and their stacks, else by the message without what varies.
 */
export function groupEvent(event: NormalizedEvent): Grouping {
  const hash = hashOf(event, GROUPING_VERSION);
  // The first version differs from the second for stacks of browsers only.
  const before: GroupingVersion[] = event.platform === "javascript" ? [2, 1] : [2];
  const older = new Set(before.map((version) => hashOf(event, version)));
  older.delete(hash);
  return { version: GROUPING_VERSION, hashes: [hash, ...older] };
}

const MD5_HASH = /^[0-9a-f]{32}$/i;

function hashOf(event: NormalizedEvent, version: GroupingVersion): string {
  const { checksum, fingerprint = [] } = event;
  if (checksum) return MD5_HASH.test(checksum) ? checksum.toLowerCase() : md5(checksum);

  const isCustom = fingerprint.length > 0 && !fingerprint.every(isDefault);
  if (!isCustom) return defaultHash(event, version);
  const values = fingerprint.map((element) =>
    isDefault(element) ? defaultHash(event, version) : resolveElement(element, event)
  );
  return groupHash("fingerprint", values);
}

function defaultHash(event: NormalizedEvent, version: GroupingVersion): string {
  const builtin = builtinGroup(event);
  if (builtin) return groupHash("builtin", [builtin]);
  for (const [strategy, valuesOf] of STRATEGIES) {
    const values = valuesOf(event, version);
    if (values.length > 0) return groupHash(strategy, values);
  }
  return groupHash("nothing", []);
}

/** What an event contributes to its group; empty when it has nothing of the kind. */
type Strategy = (event: NormalizedEvent, version: GroupingVersion) => readonly string[];

/** The first that contributes decides. */
const STRATEGIES: readonly (readonly [name: string, strategy: Strategy])[] = [
  ["exceptions", chainValues],
  ["threads", (event, version) => loneStackValues(threadStack(event), version, event.platform)],
  ["stack", (event, version) => loneStackValues(event.stacktrace, version, event.platform)],
  ["template", templateValues],
  ["csp", (event) => event.csp ? cspValues(event.csp) : []],
  ["message", messageValues],
];

function chainValues(event: NormalizedEvent, version: GroupingVersion): readonly string[] {
  if (isMessage(event)) return [];
  const rules = { from: framesOf(event, version), version };
  return relevantExceptions(event, version)?.grouped
    .flatMap((exception) => exceptionValues(exception, rules, event)) ?? [];
}

function loneStackValues(
  stacktrace: Stacktrace | undefined,
  version: GroupingVersion,
  platform: string,
): readonly string[] {
  const from = hasAppFrame(stacktrace, platform, version) ? "app" : "system";
  return stackValues(stacktrace, { from, version }, platform);
}

/** The stack of the one thread that crashed, else of the one that was running, else of the only one. */
function threadStack(event: NormalizedEvent): Stacktrace | undefined {
  const threads = event.threads?.values ?? [];
  for (const candidates of [threads.filter((t) => t.crashed), threads.filter((t) => t.current)]) {
    if (candidates.length === 1) return candidates[0]?.stacktrace;
  }
  return threads.length === 1 ? threads[0]?.stacktrace : undefined;
}

function templateValues({ template }: NormalizedEvent): readonly string[] {
  return [template?.filename, template?.context_line?.trim()].filter((part) => part !== undefined);
}

/** The template says more than what it was filled with. */
function messageValues({ logentry }: NormalizedEvent): readonly string[] {
  const text = logentry?.message ?? logentry?.formatted;
  return text ? [parameterize(text)] : [];
}
