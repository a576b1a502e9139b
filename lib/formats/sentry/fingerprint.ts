import type { NormalizedEvent } from "./normalized_event.ts";
import { crashFrame, mainException } from "./title.ts";

const VARIABLE = /\{\{\s*(\S+?)\s*\}\}/g;
const DEFAULT = /^\{\{\s*default\s*\}\}$/;

/** Whether an element of a fingerprint stands for the default grouping. */
export function isDefault(element: string): boolean {
  return DEFAULT.test(element);
}

/** An element of a client's fingerprint with its variables, as `{{ transaction }}`, replaced by their values. */
export function resolveElement(element: string, event: NormalizedEvent): string {
  return element.replace(VARIABLE, (_, name: string) => valueOf(name, event));
}

type Reader = (event: NormalizedEvent) => string | undefined;

const READERS: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ["transaction", (event) => event.transaction],
  ["level", (event) => event.level],
  ["logger", (event) => event.logger],
  [
    "message",
    ({ logentry, ...event }) =>
      logentry?.formatted ?? logentry?.message ?? event.exception?.values.at(-1)?.value,
  ],
  ["type", (event) => mainException(event)?.type],
  ["value", (event) => mainException(event)?.value],
  ["function", (event) => crashFrame(event)?.function],
  ["path", (event) => crashFrame(event)?.abs_path ?? crashFrame(event)?.filename],
  ["filename", (event) => crashFrame(event)?.filename],
  ["module", (event) => crashFrame(event)?.module],
  ["package", (event) => crashFrame(event)?.package],
]);

const ALIASES: ReadonlyMap<string, string> = new Map([
  ["error.type", "type"],
  ["error.value", "value"],
  ["stack.function", "function"],
  ["stack.abs_path", "path"],
  ["stack.filename", "filename"],
  ["stack.module", "module"],
  ["stack.package", "package"],
]);

function valueOf(variable: string, event: NormalizedEvent): string {
  if (variable.startsWith("tags.")) {
    const name = variable.slice("tags.".length);
    return tagOf(event, name) ?? `<no-value-for-tag-${name}>`;
  }
  const name = ALIASES.get(variable) ?? variable;
  const read = READERS.get(name);
  return read ? read(event) || `<no-${name}>` : `<unrecognized-variable-${variable}>`;
}

/** Sentry keeps these among the tags. */
function tagOf(event: NormalizedEvent, name: string): string | undefined {
  if (name === "environment" || name === "release" || name === "server_name") return event[name];
  return event.tags?.find(([key]) => key === name)?.[1];
}
