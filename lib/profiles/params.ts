/** What pages of profiles read out of their address, beside the scope. */
import { t } from "../core/language/translate.ts";
import type { ValueType } from "../formats/pprof/profile.ts";
import { readTypeId, typeId } from "../formats/pprof/sample_types.ts";
import { type Params, paramsOf } from "../ui/links.ts";
import { PROFILE_KINDS, type ProfileKind } from "../records/mod.ts";
import {
  aggregated,
  drawn,
  filtered,
  type FrameMatcher,
  frameMatcher,
  type Grouping,
  GROUPINGS,
  sandwich,
} from "./trees/reshape.ts";
import type { CallTree } from "./trees/stacks.ts";

export const PLAIN: Shape = {
  focus: "",
  ignore: "",
  isInverted: false,
  by: "function",
  function: "",
};

/** What profiles tell of, and which of their values. */
export interface ProfileValueChoice {
  readonly kind: ProfileKind;
  readonly type: ValueType;
}

export type LabelPair = readonly [key: string, value: string];

/** Texts are `""` when they are not asked for, ids null. */
export interface ProfilingParams {
  /** Null: what suits the profiles best. */
  readonly value: ProfileValueChoice | null;
  readonly transaction: string;
  readonly labels: readonly LabelPair[];
  /** 32 and 16 lower-case hex digits. */
  readonly traceId: string | null;
  readonly spanId: string | null;
  /** Of a continuous profiler, 32 lower-case hex digits. */
  readonly profilerId: string | null;
  readonly threadId: string | null;
  /** Of wall-clock profiles all threads, and not only those that served. */
  readonly allThreads: boolean;
  readonly shape: Shape;
  /** What is wrong, in a sentence, by the name of the parameter. Wrong parameters are left out. */
  readonly errors: Readonly<Record<string, string>>;
}

/** Nothing is asked for. */
export const NO_PARAMS: ProfilingParams = {
  value: null,
  transaction: "",
  labels: [],
  traceId: null,
  spanId: null,
  profilerId: null,
  threadId: null,
  allThreads: false,
  shape: PLAIN,
  errors: {},
};

const MAX_TEXT = 200;
const MAX_LABELS = 20;

/** Reads the parameters; what is wrong with them is told, and never throws. */
export function readProfilingParams(query: URLSearchParams): ProfilingParams {
  const errors: Record<string, string> = {};
  const id = (name: string, digits: number) => {
    const text = (query.get(name) ?? "").trim();
    const id = hexDigits(text, digits);
    if (id === null && text.replaceAll("-", "") !== "") {
      errors[name] = t("An id of {digits} hex digits is wanted here.", { digits });
    }
    return id;
  };
  return {
    value: readValue(query.get("profile_type") ?? "", errors),
    transaction: (query.get("transaction") ?? "").slice(0, MAX_TEXT),
    labels: readLabels(query.getAll("label"), errors),
    traceId: id("trace", 32),
    spanId: id("span", 16),
    profilerId: id("profiler", 32),
    threadId: (query.get("thread") ?? "").slice(0, MAX_TEXT) || null,
    allThreads: query.get("threads") === "all",
    shape: readShape(query, errors),
    errors,
  };
}

/** So many lower-case hex digits out of what clients write; null for anything else. */
export function hexDigits(text: string, digits: number): string | null {
  const id = text.replaceAll("-", "").toLowerCase();
  return id.length === digits && /^[0-9a-f]+$/.test(id) ? id : null;
}

/** The parameters as they stand in an address, in their one order, without what is default. */
export function profilingParams(params: ProfilingParams): Params {
  const { value, labels, allThreads } = params;
  return [
    ...paramsOf({
      profile_type: value && valueId(value),
      transaction: params.transaction,
      label: labels.map((pair) => pair.join("=")),
      trace: params.traceId,
      span: params.spanId,
      profiler: params.profilerId,
      thread: params.threadId,
      threads: allThreads ? "all" : null,
    }),
    ...shapeParams(params.shape),
  ];
}

/**
 * Parameters for links that hold each name once: labels stand in one, a line each.
 */
export function oncePerName(params: Params): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of params) {
    kept[name] = kept[name] === undefined ? value : `${kept[name]}\n${value}`;
  }
  return kept;
}

/** `cpu:cpu:nanoseconds`: kind, type and unit as one word. */
export function valueId({ kind, type }: ProfileValueChoice): string {
  return `${kind}:${typeId(type)}`;
}

/** Reads what {@linkcode valueId} wrote; null for anything else. */
export function readValueId(text: string): ProfileValueChoice | null {
  const [word = "", ...rest] = text.split(":");
  const kind = PROFILE_KINDS.find((each) => each === word);
  const type = readTypeId(rest.join(":"));
  return kind === undefined || type === null ? null : { kind, type };
}

function readValue(text: string, errors: Record<string, string>): ProfileValueChoice | null {
  if (text === "") return null;
  const value = text.length > MAX_TEXT ? null : readValueId(text);
  if (value === null) {
    errors.profile_type = t(
      "“{text}” is no type of profiles: it is written like cpu:cpu:nanoseconds.",
      { text: text.slice(0, 60) },
    );
  }
  return value;
}

/** Each is `key=value`; one parameter may hold several, a line each. */
function readLabels(texts: readonly string[], errors: Record<string, string>): LabelPair[] {
  const lines = texts.flatMap((text) => text.split(/[\r\n]+/)).map((line) => line.trim())
    .filter((line) => line !== "");
  if (lines.length > MAX_LABELS) {
    errors.label = t("At most {most} labels can be asked for.", { most: MAX_LABELS });
  }
  return lines.slice(0, MAX_LABELS).flatMap((line): LabelPair[] => {
    const at = line.indexOf("=");
    if (at > 0 && at < line.length - 1 && line.length <= 2 * MAX_TEXT) {
      return [[line.slice(0, at), line.slice(at + 1)]];
    }
    errors.label = t("“{text}” is no label: it is written like key=value.", {
      text: line.slice(0, 60),
    });
    return [];
  });
}

/** Texts as they stand in the address; `""` for none. */
export interface Shape {
  /** Regular expressions of functions. */
  readonly focus: string;
  readonly ignore: string;
  readonly isInverted: boolean;
  readonly by: Grouping;
  /** Name of the function whose callers and callees are shown. */
  readonly function: string;
}

/** Which half of a function's graph; null: the graph as a whole. */
export type Side = "callers" | "callees" | null;

const MAX_FUNCTION = 2_000;

function readShape(query: URLSearchParams, errors: Record<string, string>): Shape {
  const expression = (name: "focus" | "ignore") => {
    const text = query.get(name) ?? "";
    const matcher = text === "" ? null : frameMatcher(text);
    if (typeof matcher !== "string") return text;
    errors[name] = matcher;
    return "";
  };
  const by = query.get("by") || "function";
  const grouping = GROUPINGS.find((each) => each === by);
  if (grouping === undefined) {
    errors.by = t("Graphs can be drawn by {groupings}; not by “{by}”.", {
      groupings: GROUPINGS.join(", "),
      by: by.slice(0, 40),
    });
  }
  return {
    focus: expression("focus"),
    ignore: expression("ignore"),
    isInverted: query.get("invert") === "1",
    by: grouping ?? "function",
    function: (query.get("function") ?? "").slice(0, MAX_FUNCTION),
  };
}

/** The parameters of a shape, without what is default. */
export function shapeParams({ focus, ignore, isInverted, by, function: name }: Shape): Params {
  return paramsOf({
    focus,
    ignore,
    invert: isInverted ? "1" : null,
    by: by === "function" ? null : by,
    function: name,
  });
}

/** A tree, or a comparison, as a shape wants it; of `side` only that half of the function's graph. */
export function shaped<T extends CallTree>(tree: T, shape: Shape, side: Side = null): T {
  const chosen = filtered(tree, {
    focus: matcherOf(shape.focus),
    ignore: matcherOf(shape.ignore),
  });
  if (side === null) return drawn(chosen, shape);
  return aggregated(sandwich(chosen, ({ name }) => name === shape.function)[side], shape.by);
}

/** Expressions of a shape were checked when it was read. */
function matcherOf(text: string): FrameMatcher | undefined {
  const matcher = text === "" ? undefined : frameMatcher(text);
  return typeof matcher === "function" ? matcher : undefined;
}

/** Which half of a function's graph a script asks for. */
export function sideIn(query: URLSearchParams): Side {
  const side = query.get("side");
  return side === "callers" || side === "callees" ? side : null;
}
