import type { Frame } from "../sentry/normalized_event.ts";
import {
  baseName,
  exceptionOf,
  linesOf,
  MAX_FRAMES,
  numbered,
  type ParsedException,
  type Section,
} from "./parsed_exception.ts";

/** `	at app//com.shop.Cart.pay(Cart.java:12)`; OpenTelemetry for PHP prints its stacks like this as well. */
const JAVA_FRAME = /^\s*at (?:[^\s()/$]{0,200}\/{1,2}){0,2}([^\s()]{1,700})\(([^()]{0,400})\)/;
const JAVA_CAUSE = /^\s*Caused by: (.*)$/;
const JAVA_OMITTED = /^\s*\.\.\. (\d{1,6}) (?:more|common frames omitted)/;
/** Exceptions of `try` with resources, indented together with their causes. */
const JAVA_SUPPRESSED = /^(\s*)Suppressed: /;

/** A stack as Java, Kotlin and Scala print it, with its chain of causes. The first cause comes first. */
export function parseJava(text: string): ParsedException[] {
  const sections: Section[] = [{ title: [], frames: [] }];
  let suppressedIndent: number | null = null;
  for (const line of linesOf(text)) {
    const indent = line.search(/\S/);
    const [, blanks] = JAVA_SUPPRESSED.exec(line) ?? [];
    if (blanks !== undefined) suppressedIndent = blanks.length;
    else if (suppressedIndent === null || indent < suppressedIndent) readJavaLine(line, sections);
    if (suppressedIndent !== null && indent >= 0 && indent < suppressedIndent) {
      suppressedIndent = null;
    }
  }
  return sections.reverse().map((section) =>
    exceptionOf(section, /^Exception in thread ".{0,200}" /)
  );
}

function readJavaLine(line: string, sections: Section[]): void {
  const current = sections.at(-1);
  if (current === undefined) return;
  const [, cause] = JAVA_CAUSE.exec(line) ?? [];
  const [, omitted] = JAVA_OMITTED.exec(line) ?? [];
  const frame = readJavaFrame(line);
  if (cause !== undefined) sections.push({ title: [cause], frames: [] });
  else if (frame !== null) {
    if (current.frames.length < MAX_FRAMES) current.frames.push(frame);
  } else if (omitted !== undefined) restoreOmitted(current, sections.at(-2), Number(omitted));
  else if (current.frames.length === 0) current.title.push(line);
}

/** A cause's stack leaves out what it has in common with the exception around it. */
function restoreOmitted({ frames }: Section, around: Section | undefined, count: number): void {
  const room = MAX_FRAMES - frames.length;
  const shared = around?.frames.slice(-count).slice(0, Math.max(0, room)) ?? [];
  if (count > 0) frames.push(...shared.map((frame) => ({ ...frame })));
}

function readJavaFrame(line: string): Frame | null {
  const [, name, place] = JAVA_FRAME.exec(line) ?? [];
  if (name === undefined || place === undefined) return null;
  const [, file, lineno] = /^(.+?)(?::(\d{1,9}))?$/.exec(place) ?? [];
  const dot = name.lastIndexOf(".");
  const isKnown = file !== undefined && file !== "Unknown Source" && file !== "Native Method";
  return {
    function: name.slice(dot + 1),
    ...(dot > 0 && { module: name.slice(0, dot) }),
    ...(isKnown && { filename: file, ...numbered(lineno) }),
    in_app: !JAVA_FOREIGN.test(name),
  };
}

const JAVA_FOREIGN =
  /^(?:javax?|jdk|sun|com\.sun|jakarta|kotlinx?|scala|groovy|android|androidx|dalvik|clojure|org\.(?:springframework|apache|hibernate|eclipse|jboss|codehaus|junit|postgresql|slf4j|aopalliance|glassfish)|io\.(?:netty|opentelemetry|undertow|vertx|micrometer|grpc|ktor|micronaut|quarkus|reactivex)|reactor|akka|ch\.qos|com\.(?:google|mysql|zaxxer|fasterxml|intellij|mongodb)|net\.bytebuddy|okhttp3|retrofit2)\./;

/** `   at Shop.Cart.Pay(Int32 id) in /src/Cart.cs:line 12` */
const DOTNET_CALL = /^\s+at ([^\s()]{1,700}(?: [^\s()]{1,100})?)\(.*\)$/;
const DOTNET_PLACE = /^(.+?)(?::line (\d{1,9}))?$/;
const DOTNET_INNER = /^\s*---> (?:\(Inner Exception #\d+\) )?(.*?)(?:<---)?$/;
const DOTNET_END_OF_INNER = /^\s*--- End of inner exception stack trace ---/;
const DOTNET_SEPARATOR = /^\s*---/;

/** `ToString()` of a .NET exception: inner ones stand inside the outer. The innermost comes first. */
export function parseDotnet(text: string): ParsedException[] {
  const open: Section[] = [{ title: [], frames: [] }];
  const done: Section[] = [];
  for (const line of linesOf(text)) {
    const current = open.at(-1);
    if (current === undefined) break;
    const [, inner] = DOTNET_INNER.exec(line) ?? [];
    const frame = readDotnetFrame(line);
    if (inner !== undefined) {
      // Parts of an aggregate follow the stack of the whole: they are no causes of each other.
      if (current.frames.length > 0) break;
      open.push({ title: [inner], frames: [] });
    } else if (DOTNET_END_OF_INNER.test(line)) {
      if (open.length > 1) done.push(open.pop() ?? current);
    } else if (frame !== null) {
      if (current.frames.length < MAX_FRAMES) current.frames.push(frame);
    } else if (current.frames.length === 0 && !DOTNET_SEPARATOR.test(line)) {
      current.title.push(line);
    }
  }
  return [...done, ...open.reverse()].map((section) => exceptionOf(section));
}

/** What the compiler makes of `async` and of lambdas: `Cart.<Pay>d__5.MoveNext`, `Cart.<>c.<Pay>b__0`. */
const DOTNET_GENERATED = /^(.*?)\.(?:<>c[\w<>]*\.)?<(\w{1,200})>[\w|]*(?:\.MoveNext)?$/;

function readDotnetFrame(line: string): Frame | null {
  const end = line.lastIndexOf(") in ") + 1;
  const [, sent] = DOTNET_CALL.exec(end > 0 ? line.slice(0, end) : line) ?? [];
  if (sent === undefined) return null;
  const [, path, lineno] = DOTNET_PLACE.exec(end > 0 ? line.slice(end + " in ".length) : "") ?? [];
  const [, owner, method] = DOTNET_GENERATED.exec(sent) ?? [];
  const name = owner === undefined ? sent : `${owner}.${method}`;
  const dot = name.lastIndexOf(".", name.endsWith(".ctor") ? name.length - 6 : name.length);
  return {
    function: name.slice(dot + 1),
    ...(dot > 0 && { module: name.slice(0, dot) }),
    ...(path !== undefined && { filename: baseName(path), abs_path: path, ...numbered(lineno) }),
    in_app: !/^(?:System|Microsoft|MS|OpenTelemetry|Npgsql|Newtonsoft|mscorlib)\./.test(name),
  };
}

const GOROUTINE = /^goroutine \d+ \[/;
const GO_PLACE = /^\s+(\S.{0,900}?):(\d{1,9})(?: \+0x[\da-f]+)?$/;

/** `debug.Stack()` of Go, or the `%+v` of `pkg/errors`: the first goroutine. One exception without a title. */
export function parseGo(text: string): ParsedException[] {
  const frames: Frame[] = [];
  let call: string | null = null;
  let goroutines = 0;
  for (const line of linesOf(text)) {
    if (GOROUTINE.test(line) && goroutines++ > 0) break;
    const [, path, lineno] = GO_PLACE.exec(line) ?? [];
    if (path !== undefined && call !== null) {
      if (frames.length < MAX_FRAMES) frames.push(goFrame(call, path, lineno));
      call = null;
    } else call = readGoCall(line);
  }
  return [{ type: "", value: "", frames: frames.reverse() }];
}

/** `main.(*Cart).Pay(0xc000012345, {0x1, 0x2})`, or `created by main.main in goroutine 1`. */
function readGoCall(line: string): string | null {
  const call = line.replace(/^created by /, "").replace(/ in goroutine \d+$/, "");
  const name = call.endsWith(")") ? call.slice(0, openingOfLast(call)) : call;
  return name === "" || /\s/.test(name) ? null : name;
}

/** Where the last pair of parentheses, which may hold others, begins. */
function openingOfLast(call: string): number {
  let depth = 0;
  for (let at = call.length - 1; at >= 0; at--) {
    if (call[at] === ")") depth++;
    else if (call[at] === "(" && --depth === 0) return at;
  }
  return call.length;
}

/** The package ends at the first dot after the last slash: `github.com/shop/cart.(*Cart).Pay`. */
function goFrame(call: string, path: string, lineno: string | undefined): Frame {
  const dot = call.indexOf(".", call.lastIndexOf("/", call.search(/[[(]|$/)) + 1);
  const module = dot > 0 ? call.slice(0, dot) : "";
  return {
    function: dot > 0 ? call.slice(dot + 1) : call,
    ...(module !== "" && { module: module.replaceAll("%2e", ".") }),
    filename: importPathOf(path),
    abs_path: path,
    ...numbered(lineno),
    in_app: isOwnGoCode(module, path),
  };
}

/** Modules and Go's own sources by what an import names. */
function importPathOf(path: string): string {
  return path.replace(/^.*(?:\/pkg\/mod\/|\/vendor\/|\/go\/src\/)/, "");
}

function isOwnGoCode(module: string, path: string): boolean {
  if (/\/(?:pkg\/mod|vendor)\/|\/go\/src\/|\/libexec\/src\//.test(path)) return false;
  return !/^(?:runtime|internal|net\/http|go\.opentelemetry\.io)(?:\/|$)/.test(module);
}
