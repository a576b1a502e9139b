import type { Frame } from "../sentry/normalized_event.ts";
import {
  linesOf,
  MAX_FRAMES,
  numbered,
  type ParsedException,
  splitTitle,
} from "./parsed_exception.ts";

/** `	at app//com.shop.Cart.pay(Cart.java:12)`; OpenTelemetry for PHP prints its stacks like this as well. */
const FRAME = /^\s*at (?:[^\s()/$]{0,200}\/{1,2}){0,2}([^\s()]{1,700})\(([^()]{0,400})\)/;
const CAUSE = /^\s*Caused by: (.*)$/;
const OMITTED = /^\s*\.\.\. (\d{1,6}) (?:more|common frames omitted)/;
/** Exceptions of `try` with resources, indented together with their causes. */
const SUPPRESSED = /^(\s*)Suppressed: /;

interface Section {
  readonly title: string[];
  /** Newest call first, as in the text. */
  readonly frames: Frame[];
}

/** A stack as Java, Kotlin and Scala print it, with its chain of causes. The first cause comes first. */
export function parseJava(text: string): ParsedException[] {
  const sections: Section[] = [{ title: [], frames: [] }];
  let suppressedIndent: number | null = null;
  for (const line of linesOf(text)) {
    const indent = line.search(/\S/);
    const [, blanks] = SUPPRESSED.exec(line) ?? [];
    if (blanks !== undefined) suppressedIndent = blanks.length;
    else if (suppressedIndent === null || indent < suppressedIndent) readLine(line, sections);
    if (suppressedIndent !== null && indent >= 0 && indent < suppressedIndent) {
      suppressedIndent = null;
    }
  }
  return sections.reverse().map(({ title, frames }) => ({
    ...splitTitle(title.join("\n").replace(/^Exception in thread ".{0,200}" /, "")),
    frames: frames.reverse(),
  }));
}

function readLine(line: string, sections: Section[]): void {
  const current = sections.at(-1);
  if (current === undefined) return;
  const [, cause] = CAUSE.exec(line) ?? [];
  const [, omitted] = OMITTED.exec(line) ?? [];
  const frame = readFrame(line);
  if (cause !== undefined) sections.push({ title: [cause], frames: [] });
  else if (frame !== null) {
    if (current.frames.length < MAX_FRAMES) current.frames.push(frame);
  } else if (omitted !== undefined) restore(current, sections.at(-2), Number(omitted));
  else if (current.frames.length === 0) current.title.push(line);
}

/** A cause's stack leaves out what it has in common with the exception around it. */
function restore({ frames }: Section, around: Section | undefined, count: number): void {
  const room = MAX_FRAMES - frames.length;
  const shared = around?.frames.slice(-count).slice(0, Math.max(0, room)) ?? [];
  if (count > 0) frames.push(...shared.map((frame) => ({ ...frame })));
}

function readFrame(line: string): Frame | null {
  const [, name, place] = FRAME.exec(line) ?? [];
  if (name === undefined || place === undefined) return null;
  const [, file, lineno] = /^(.+?)(?::(\d{1,9}))?$/.exec(place) ?? [];
  const dot = name.lastIndexOf(".");
  const isKnown = file !== undefined && file !== "Unknown Source" && file !== "Native Method";
  return {
    function: name.slice(dot + 1),
    ...(dot > 0 && { module: name.slice(0, dot) }),
    ...(isKnown && { filename: file, ...numbered(lineno) }),
    in_app: !FOREIGN.test(name),
  };
}

const FOREIGN =
  /^(?:javax?|jdk|sun|com\.sun|jakarta|kotlinx?|scala|groovy|android|androidx|dalvik|clojure|org\.(?:springframework|apache|hibernate|eclipse|jboss|codehaus|junit|postgresql|slf4j|aopalliance|glassfish)|io\.(?:netty|opentelemetry|undertow|vertx|micrometer|grpc|ktor|micronaut|quarkus|reactivex)|reactor|akka|ch\.qos|com\.(?:google|mysql|zaxxer|fasterxml|intellij|mongodb)|net\.bytebuddy|okhttp3|retrofit2)\./;
