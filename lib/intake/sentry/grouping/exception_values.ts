import type { Exception, NormalizedEvent } from "../normalized_event.ts";
import { hasAppFrame, type StackRules, stackValues } from "./frames.ts";
import { parameterize } from "./parameterize.ts";

/**
 * What one exception contributes to its group: its type, then the stack where there is one, else its value
 * without what varies. A type that the SDK made up says nothing.
 */
export function exceptionValues(
  { type, value, stacktrace, mechanism }: Exception,
  rules: StackRules,
  platform: string,
): string[] {
  const stack = stackValues(stacktrace, rules, platform);
  const what = stack.length === 0 && value ? [parameterize(value)] : stack;
  return type && !mechanism?.synthetic ? [type, ...what] : what;
}

/** Only the application's frames count, if any exception of the event has some. */
export function framesOf(event: NormalizedEvent): StackRules["from"] {
  return event.exception?.values.some((exception) => hasAppFrame(exception.stacktrace))
    ? "app"
    : "system";
}
