import type { Frame } from "./normalized_event.ts";

/** What a frame is judged by. */
export type JudgedFrame = Pick<
  Frame,
  "function" | "module" | "filename" | "abs_path" | "in_app" | "platform"
>;

/** What is known of a platform's runtime and of the SDK itself: a name of any of these is nobody's application. */
interface Known {
  readonly functions?: RegExp;
  readonly modules?: RegExp;
  /** Of a file's name or path. */
  readonly files?: RegExp;
}

const SCRIPT: Known = {
  // Angular's zones and the SDK itself wrap every callback of a browser.
  functions:
    /(?:^|\.)(?:global(?:ZoneAware)?(?:Capture)?Callback|sentryWrapped|drainMicroTaskQueue|executeListenerWithErrorHandling|wrapListenerIn_\w+)$|^_?Zone(?:Delegate|Task|Impl)?\.\w/,
  files:
    /^(?:node:|internal\/|ext:|deno:|native |\[native code\]$)|(?:^|[/\\])(?:polyfills(?:[-.][\w-]{1,64}){0,3}\.m?js$|node_modules[/\\](?:@sentry|@sentry-internal|@opentelemetry|zone\.js|core-js|regenerator-runtime)[/\\]|zone(?:\.umd|\.min|-evergreen|-node)?\.m?js$|(?:\.vite[/\\]deps[/\\])?zone__?js)/,
};

const NATIVE: Known = {
  functions:
    /^(?:<?&?(?:mut |dyn )*(?:std|core|alloc|backtrace|sentry|sentry_\w+)::|__rust_|rust_(?:begin_unwind|panic)|_start$|__libc_start|start_thread$|__pthread_start$|clone3?$)/,
  files: /^[/\\]rustc[/\\]/,
};

/** By platform, as events and frames name them. */
const KNOWN: ReadonlyMap<string, Known> = new Map([
  ...["javascript", "node"].map((platform) => [platform, SCRIPT] as const),
  ...["native", "rust", "c", "cpp"].map((platform) => [platform, NATIVE] as const),
  ["python", {
    modules: /^(?:sentry_sdk|opentelemetry)(?:\.|$)/,
    files: /[/\\]lib(?:64)?[/\\]python\d[\d.]*[/\\](?!site-packages|dist-packages)|^<frozen /,
  }],
  ["java", {
    modules:
      /^(?:javax?|jdk|sun|com\.sun|kotlinx?|scala|groovy|dalvik|android|io\.sentry|io\.opentelemetry)\./,
  }],
  ["csharp", { modules: /^(?:System|Microsoft|Sentry|OpenTelemetry)\./ }],
  ["go", {
    modules:
      /^(?:runtime|reflect|sync|testing|internal\/|net\/http|github\.com\/getsentry\/sentry-go|go\.opentelemetry\.io)(?:[/.]|$)/,
  }],
  ["ruby", { files: /^<internal:|[/\\]gems[/\\](?:sentry-|opentelemetry-)/ }],
  ["php", { functions: /^(?:Sentry|OpenTelemetry)\\/, files: /[/\\]vendor[/\\]sentry[/\\]/ }],
]);

/** Whether a frame is known to be of the runtime or the SDK, whatever the SDK says of it. @param platform of the event */
export function isRuntime(frame: JudgedFrame, platform: string): boolean {
  const { functions, modules, files } = KNOWN.get(frame.platform ?? platform) ?? {};
  return matches(functions, frame.function) || matches(modules, frame.module) ||
    matches(files, frame.abs_path) || matches(files, frame.filename);
}

/**
 * Whether a frame is the application's own: the one rule for groups, culprits, pages and the API. The SDK decides, but
 * some mark their own frames, and the runtime's, as the application's.
 *
 * @param platform of the event
 */
export function isInApp(frame: JudgedFrame, platform: string): boolean {
  return frame.in_app === true && !isRuntime(frame, platform);
}

function matches(pattern: RegExp | undefined, text: string | undefined): boolean {
  return pattern !== undefined && text !== undefined && pattern.test(text);
}
