import { stringify } from "devalue";
import { isValidElement } from "preact";
import { Slot } from "./island_root.ts";

/** What props may hold beyond what devalue knows, by the name under which the browser revives it. */
const REDUCERS = {
  Signal: (value: unknown) => isSignal(value) && isWritable(value) && [value.peek()],
  Computed: (value: unknown) => isSignal(value) && !isWritable(value) && [value.peek()],
  Slot: (value: unknown) =>
    isValidElement(value) && value.type === Slot && [Reflect.get(value.props, "id")],
  Entries: (value: unknown) => isUnusualObject(value) && Object.entries(value),
};

/** Writes the props of islands; what is shared between them stays shared. */
export function stringifyProps(props: unknown): string {
  return stringify(props, REDUCERS);
}

/** Known by its shape, because the app's copy of the signals library need not be ours. */
export function isSignal(value: unknown): value is { peek(): unknown } {
  return typeof value === "object" && value !== null && "peek" in value && "value" in value &&
    typeof value.peek === "function";
}

function isWritable(signal: object): boolean {
  const property = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(signal), "value");
  return property?.set !== undefined;
}

/** What keeps its class; devalue asks about the buffer of an array of bytes by itself. */
const KNOWN = [Array, ArrayBuffer, Date, Map, RegExp, Set, Uint8Array, URL];

/** All other objects travel as plain ones; devalue would refuse some of them, and a `__proto__` key. */
function isUnusualObject(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  if (KNOWN.some((known) => value instanceof known)) return false;
  if (Object.prototype.toString.call(value).startsWith("[object Temporal.")) return false;
  const prototype = Object.getPrototypeOf(value);
  return Object.hasOwn(value, "__proto__") ||
    (prototype !== null && prototype !== Object.prototype);
}
