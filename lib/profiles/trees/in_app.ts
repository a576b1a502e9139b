import type { Frame } from "./stack_profile.ts";

const SCRIPT_LIBRARY =
  /^(?:node:|ext:|internal\/|deno:|bun:|native|<anonymous>|https:\/\/(?:jsr\.io|deno\.land|esm\.sh|cdn\.jsdelivr\.net|unpkg\.com)\/|(?:chrome|moz|safari-web)-extension:)|[/\\]?node_modules[/\\]|[/\\]npm[/\\]registry\.npmjs\.org[/\\]|[/\\]\.(?:yarn|pnpm)[/\\]/;
const GO_LIBRARY = /\/(?:pkg\/mod|vendor)\/|\/go\/src\/|\/libexec\/src\//;
/** Import paths of Go's own packages have no dot in their first part; programs have `main` or a host. */
const GO_OWN_LIBRARY =
  /^(?:archive|bufio|builtin|bytes|cmp|compress|container|context|crypto|database|debug|encoding|errors|expvar|flag|fmt|go|hash|html|image|index|internal|io|iter|log|maps|math|mime|net|os|path|plugin|reflect|regexp|runtime|slices|sort|strconv|strings|structs|sync|syscall|testing|text|time|unicode|unique|unsafe|vendor|weak)[./]/;
const PYTHON_LIBRARY =
  /[/\\](?:site-packages|dist-packages)[/\\]|[/\\][Ll]ib(?:64)?[/\\]python\d[\d.]*[/\\]|[/\\]Lib[/\\]|^<(?:frozen|string|stdin)/;
const RUBY_LIBRARY = /[/\\](?:gems|bundler|rubygems)[/\\]|[/\\]lib[/\\]ruby[/\\]|^<internal:/;
const PHP_LIBRARY = /[/\\]vendor[/\\]/;
const JVM_LIBRARY =
  /^(?:javax?|jdk|sun|com\.sun|jakarta|kotlinx?|scala|groovy|android|androidx|dalvik|clojure|org\.(?:springframework|apache|hibernate|eclipse|jboss|codehaus|junit|postgresql|slf4j|glassfish)|io\.(?:netty|opentelemetry|undertow|vertx|micrometer|grpc)|reactor|akka|ch\.qos|com\.(?:google|mysql|zaxxer|fasterxml)|net\.bytebuddy|okhttp3|retrofit2)\./;
const DOTNET_LIBRARY =
  /^(?:System|Microsoft|MS|OpenTelemetry|Npgsql|Newtonsoft|mscorlib|coreclr)(?:[.!]|$)/;
const RUST_LIBRARY =
  /^<?&?(?:std|core|alloc|tokio|hyper|futures|rayon|backtrace)::|[/\\]\.cargo[/\\]registry[/\\]|[/\\]rustc[/\\]/;
/** Kernels, virtual machines, and what has no name but an address. */
const SYSTEM =
  /^\[|^0x[0-9a-f]+$|^\((?:program|idle|root|garbage collector)\)$|^Garbage Collection$|_\[k\]$/;

/**
 * Whether a function is the application's own code: as the client says, else by where its source is and what its
 * package is called, which is a guess.
 *
 * @param platform as `go`, `node`, `python`; any other is judged by all that is known of languages
 */
export function isInApp(frame: Frame, platform: string): boolean {
  if (frame.isInApp !== null) return frame.isInApp;
  if (SYSTEM.test(frame.name)) return false;
  return !librariesOf(platform).some((isLibrary) => isLibrary(frame));
}

type Judge = (frame: Frame) => boolean;

const go: Judge = ({ name, file }) => GO_LIBRARY.test(file) || GO_OWN_LIBRARY.test(name);
const script: Judge = ({ file }) => SCRIPT_LIBRARY.test(file);
const python: Judge = ({ file }) => PYTHON_LIBRARY.test(file);
const ruby: Judge = ({ file }) => RUBY_LIBRARY.test(file);
const php: Judge = ({ file }) => PHP_LIBRARY.test(file);
// Some of Java's profilers write `java/lang/Thread.run`.
const jvm: Judge = ({ name, module }) =>
  [name, module].some((text) => JVM_LIBRARY.test(text.replaceAll("/", ".")));
const dotnet: Judge = ({ name, module }) =>
  DOTNET_LIBRARY.test(name) || DOTNET_LIBRARY.test(module);
const rust: Judge = ({ name, file }) => RUST_LIBRARY.test(name) || RUST_LIBRARY.test(file);

const JUDGES: Readonly<Record<string, readonly Judge[]>> = {
  go: [go],
  node: [script],
  javascript: [script],
  bun: [script],
  deno: [script],
  python: [python],
  ruby: [ruby],
  php: [php],
  java: [jvm],
  android: [jvm],
  kotlin: [jvm],
  csharp: [dotnet],
  dotnet: [dotnet],
  rust: [rust],
};

function librariesOf(platform: string): readonly Judge[] {
  const [language = ""] = platform.split("-", 1);
  if (Object.hasOwn(JUDGES, language)) return JUDGES[language] ?? [];
  // Names of other languages may look like those of Go's packages: `log.info`, `time.sleep`.
  const goByFile: Judge = (frame) => frame.file.endsWith(".go") && go(frame);
  return [goByFile, script, python, ruby, php, jvm, dotnet, rust];
}
