import type { Exception, NormalizedEvent } from "./normalized_event.ts";
import { hasAppFrame, type StackRules, stackValues } from "./frames.ts";
import { parameterize } from "./parameterize.ts";
import type { GroupingVersion } from "./version.ts";

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
): string[] {
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
