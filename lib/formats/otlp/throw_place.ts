/** JavaScript, Java, .NET: the newest call comes first. */
const AT = /^[ \t]*at [^\n]{1,500}/m;
/** Ruby, where the newest comes first as well. */
const RUBY = /^[^\s:]{1,500}:\d+:in [^\n]{1,500}/m;
/** Python: the newest comes last. */
const PYTHON = /^[ \t]*File "[^"\n]{1,500}", line \d+, in [^\n]{1,500}/gm;

/**
 * The line of a stack's text that tells where an exception was thrown, whatever is above it in the stack; `""` where the
 * text does not tell, as Go's, which begins where the error was recorded.
 */
export function throwPlace(stack: string): string {
  const first = AT.exec(stack) ?? RUBY.exec(stack);
  const line = first?.[0] ?? stack.match(PYTHON)?.at(-1) ?? "";
  return line.trim();
}
