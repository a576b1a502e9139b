import type { Raw } from "../fields.ts";
import { parseStack } from "../stack_text/parse_stack.ts";
import type { SentException } from "./sent_exception.ts";

/** Platforms by their names at Sentry, where those differ from the languages' names. */
const PLATFORMS: ReadonlyMap<string, string> = new Map([
  ["nodejs", "node"],
  ["webjs", "javascript"],
  ["deno-rust", "javascript"],
  ["dotnet", "csharp"],
  ["cpp", "native"],
  ["swift", "cocoa"],
  ["kotlin", "java"],
  ["scala", "java"],
  ["erlang", "elixir"],
]);

/** Sentry's name of the platform for a language of `telemetry.sdk.language`; `other` where none is named. */
export function sentryPlatform(language: string): string {
  return PLATFORMS.get(language) ?? (language === "" ? "other" : language);
}

/** Languages whose Sentry SDKs tell the package apart from the type. */
const WITH_MODULES = new Set(["java", "python"]);

/**
 * The exceptions of an event as Sentry has them, cause first; what the stack's text is not understood for is left out.
 *
 * @returns the values, and whether their stack was understood
 */
export function exceptionValues(
  { type, message, stack, isEscaped }: SentException,
  language: string,
): { readonly values: Raw[]; readonly hasFrames: boolean } {
  const parsed = stack === "" ? [] : parseStack(stack, language);
  const outermost = parsed.at(-1);
  const platform = sentryPlatform(language);
  const causes = parsed.slice(0, -1).map((cause): Raw => ({
    ...typeAndModule(cause.type, platform),
    value: cause.value,
    stacktrace: { frames: cause.frames },
  }));
  const main: Raw = {
    ...typeAndModule(type || outermost?.type || "", platform),
    value: message || outermost?.value || "",
    mechanism: { type: "opentelemetry", handled: !isEscaped },
    ...(outermost !== undefined && { stacktrace: { frames: outermost.frames } }),
  };
  return { values: [...causes, main], hasFrames: outermost !== undefined };
}

const QUALIFIED = /^([\w$.]+)\.([\w$]+)$/;

function typeAndModule(type: string, platform: string): Raw {
  const [, module, name] = WITH_MODULES.has(platform) ? QUALIFIED.exec(type) ?? [] : [];
  return name === undefined ? { type } : { type: name, module };
}
