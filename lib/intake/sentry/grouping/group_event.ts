import type { Grouping } from "../../../telemetry/records.ts";
import { cspValues } from "../csp.ts";
import { isMessage } from "../event_kind.ts";
import type { NormalizedEvent, Stacktrace } from "../normalized_event.ts";
import { builtinGroup } from "./builtin_rules.ts";
import { relevantExceptions } from "./exception_tree.ts";
import { exceptionValues, variantOf } from "./exception_values.ts";
import { isDefault, resolveElement } from "./fingerprint.ts";
import { hasAppFrame, stackValues } from "./frames.ts";
import { groupHash, md5 } from "./hash.ts";
import { parameterize } from "./parameterize.ts";

/**
 * Kept with every group. Count it up when the same event would get another hash, and let `groupEvent()` give
 * the hash of the version before as a second one, so that old issues go on.
 */
export const GROUPING_VERSION = 1;

/**
 * Decides which issue an event belongs to: by what the client says (checksum, fingerprint), else by exceptions
 * and their stacks, else by the message without what varies.
 */
export function groupEvent(event: NormalizedEvent): Grouping {
  return { version: GROUPING_VERSION, hashes: [hashOf(event)] };
}

const MD5_HASH = /^[0-9a-f]{32}$/i;

function hashOf(event: NormalizedEvent): string {
  const { checksum, fingerprint = [] } = event;
  if (checksum) return MD5_HASH.test(checksum) ? checksum.toLowerCase() : md5(checksum);

  const isCustom = fingerprint.length > 0 && !fingerprint.every(isDefault);
  if (!isCustom) return defaultHash(event);
  const values = fingerprint.map((element) =>
    isDefault(element) ? defaultHash(event) : resolveElement(element, event)
  );
  return groupHash("fingerprint", values);
}

function defaultHash(event: NormalizedEvent): string {
  const builtin = builtinGroup(event);
  if (builtin) return groupHash("builtin", [builtin]);
  for (const [strategy, valuesOf] of STRATEGIES) {
    const values = valuesOf(event);
    if (values.length > 0) return groupHash(strategy, values);
  }
  return groupHash("nothing", []);
}

/** What an event contributes to its group; empty when it has nothing of the kind. */
type Strategy = (event: NormalizedEvent) => readonly string[];

/** The first that contributes decides. */
const STRATEGIES: readonly (readonly [name: string, strategy: Strategy])[] = [
  ["exceptions", chainValues],
  ["threads", (event) => loneStackValues(threadStack(event), event.platform)],
  ["stack", (event) => loneStackValues(event.stacktrace, event.platform)],
  ["template", templateValues],
  ["csp", (event) => event.csp ? cspValues(event.csp) : []],
  ["message", messageValues],
];

function chainValues(event: NormalizedEvent): readonly string[] {
  if (isMessage(event)) return [];
  const variant = variantOf(event);
  return relevantExceptions(event)?.grouped
    .flatMap((exception) => exceptionValues(exception, variant, event.platform)) ?? [];
}

function loneStackValues(stacktrace: Stacktrace | undefined, platform: string): readonly string[] {
  return stackValues(stacktrace, hasAppFrame(stacktrace) ? "app" : "system", platform);
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
