import {
  asCount,
  asEntries,
  asList,
  asObject,
  asObjects,
  asText,
  type JsonObject,
} from "../../ui/read.ts";
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
  /** How many exception groups it is in. */
  readonly depth: number;
  /** Newest first. */
  readonly frames: readonly Frame[];
}

/**
 * The exceptions of an event, outermost first: the one that people saw, then what caused it. Members of a group follow
 * the group, each with what is below it.
 */
export function exceptionsOf(event: JsonObject): readonly Exception[] {
  const platform = asText(event.platform);
  const raw = asObjects(event.exception).filter(isTelling).toReversed();
  return inTree(raw).map(({ raw: one, depth, isMember }, index) => {
    const mechanism = asObject(one.mechanism);
    return {
      type: asText(one.type),
      value: asText(one.value),
      module: asText(one.module),
      mechanism: mechanism && mechanismOf(mechanism),
      link: index === 0 ? null : { isCause: !isMember, via: asText(mechanism?.source) },
      depth,
      frames: framesOf(one.stacktrace, platform),
    };
  });
}

interface Placed {
  readonly raw: JsonObject;
  readonly depth: number;
  readonly isMember: boolean;
}

/**
 * Puts exceptions in the order of the tree that their ids draw, each before what is below it. Where the ids draw none,
 * they are a chain in the order given.
 */
function inTree(raw: readonly JsonObject[]): Placed[] {
  const byId = new Map(raw.map((one) => [idOf(one), one]));
  const children = Map.groupBy(raw, parentOf);
  const isRoot = (one: JsonObject) => parentOf(one) === null || !byId.has(parentOf(one));
  if (byId.has(null) || byId.size < raw.length) {
    return raw.map((one) => ({ raw: one, depth: 0, isMember: false }));
  }
  const placed: Placed[] = [];
  const place = (one: JsonObject, depth: number, isMember: boolean): void => {
    placed.push({ raw: one, depth, isMember });
    for (const child of children.get(idOf(one)) ?? []) {
      const isInGroup = isMemberOf(child, one);
      place(child, isInGroup ? depth + 1 : depth, isInGroup);
    }
  };
  for (const one of raw.filter(isRoot)) place(one, 0, false);
  // A circle of parents hangs below no root.
  const seen = new Set(placed.map((each) => each.raw));
  const others = raw.filter((one) => !seen.has(one));
  return [...placed, ...others.map((one) => ({ raw: one, depth: 0, isMember: false }))];
}

function idOf(one: JsonObject): number | null {
  return asCount(asObject(one.mechanism)?.exception_id);
}

/** Python's SDK hangs each cause below the outermost group; the exception that it caused is numbered before it. */
function parentOf(one: JsonObject): number | null {
  const { source, parent_id } = asObject(one.mechanism) ?? {};
  const id = idOf(one);
  const isPythonCause = source === "__cause__" || source === "__context__";
  return isPythonCause && id !== null && id > 0 ? id - 1 : asCount(parent_id);
}

/** A group may have a cause beside its members, which SDKs number, as `exceptions[0]`. */
function isMemberOf(one: JsonObject, parent: JsonObject): boolean {
  const source = asText(asObject(one.mechanism)?.source);
  return asObject(parent.mechanism)?.is_exception_group === true &&
    (source === "" || /\[\d+\]$/.test(source));
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
