import {
  asCount,
  asEntries,
  asList,
  asObject,
  asObjects,
  asText,
  type JsonObject,
} from "./read.ts";
import { type Frame, framesOf } from "./stack.ts";

/** How an SDK came to capture an exception. */
export interface Mechanism {
  readonly type: string;
  /** Null when the SDK does not say. */
  readonly isHandled: boolean | null;
  readonly description: string;
  /** An http(s) address, or `""`. */
  readonly helpLink: string;
  /** Codes of the system and what else the SDK added, ready to show. */
  readonly facts: readonly (readonly [label: string, value: unknown])[];
}

export interface Exception {
  /** `""` for what only stands in for a message's stack. */
  readonly type: string;
  readonly value: string;
  readonly module: string;
  readonly mechanism: Mechanism | null;
  /** How it hangs together with the one above it; null for the first. */
  readonly link: { readonly isCause: boolean; readonly via: string } | null;
  /** Newest first. */
  readonly frames: readonly Frame[];
}

/** The exceptions of an event, outermost first: the one that people saw, then what caused it. */
export function exceptionsOf(event: JsonObject): readonly Exception[] {
  const platform = asText(event.platform);
  const raw = asObjects(event.exception).filter(isTelling).toReversed();
  const groups = new Set(
    raw.map((one) => asObject(one.mechanism))
      .filter((mechanism) => mechanism?.is_exception_group === true)
      .map((mechanism) => asCount(mechanism?.exception_id)),
  );
  return raw.map((one, index) => {
    const mechanism = asObject(one.mechanism);
    const isInGroup = groups.has(asCount(mechanism?.parent_id));
    return {
      type: asText(one.type),
      value: asText(one.value),
      module: asText(one.module),
      mechanism: mechanism && mechanismOf(mechanism),
      link: index === 0 ? null : { isCause: !isInGroup, via: asText(mechanism?.source) },
      frames: framesOf(one.stacktrace, platform),
    };
  });
}

/** Whether some exception escaped the program's own handling. */
export function isUnhandled(exceptions: readonly Exception[]): boolean {
  return exceptions.some(({ mechanism }) => mechanism?.isHandled === false);
}

function isTelling(raw: JsonObject): boolean {
  return asText(raw.type) !== "" || asText(raw.value) !== "" ||
    asList(asObject(raw.stacktrace)?.frames).length > 0;
}

function mechanismOf(raw: JsonObject): Mechanism {
  const helpLink = asText(raw.help_link);
  return {
    type: asText(raw.type),
    isHandled: typeof raw.handled === "boolean" ? raw.handled : null,
    description: asText(raw.description),
    helpLink: /^https?:\/\//i.test(helpLink) ? helpLink : "",
    facts: [
      ...asEntries(raw.meta).map(([name, value]): [string, unknown] => [name, value]),
      ...asEntries(raw.data),
    ],
  };
}
