/** Recognises what is sent in place of a profile, so that a refusal can say what it is. */

/** How far into a body there is anything to recognise. */
const HEAD_BYTES = 4_096;
/** A longer first line is no sentence about an error. */
const MAX_QUOTED = 200;
const latin1 = new TextDecoder("latin1");

const MAGIC: readonly (readonly [start: string, name: string])[] = [
  ["\x28\xb5\x2f\xfd", "zstd data: compress with gzip, or not at all"],
  ["\xfd7zXZ\x00", "xz data: compress with gzip, or not at all"],
  ["\x04\x22\x4d\x18", "lz4 data: compress with gzip, or not at all"],
  ["BZh", "bzip2 data: compress with gzip, or not at all"],
  ["PK\x03\x04", "a zip archive: compress with gzip, or not at all"],
  ["FLR\x00", "a recording of Java Flight Recorder, not a pprof profile"],
  ["PERFILE2", "data of Linux perf, not a pprof profile"],
  ["\x7fELF", "a program, not a pprof profile"],
  ["\x00\x00\x00\x00", "a profile in the legacy binary format of gperftools, not pprof"],
  ["H4sI", "base64 text: send the bytes themselves"],
];

const TEXTS: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/^go 1\.\d+ trace/, "an execution trace of Go, not a pprof profile"],
  [
    /^(heap|goroutine|threadcreate|mutex|block) profile: |^goroutine \d+ \[|^--- (contention|mutex|threadcreate):/,
    "a profile as text: remove debug=1 from the address that it is taken from",
  ],
  [
    /^--- ?\w+( \d+)? ?---|^%warn|^MAPPED_LIBRARIES:/,
    "a profile in a legacy text format, not pprof",
  ],
  [/^\s*[{[][^]*"\$schema"[^]*speedscope/, "a profile of speedscope (JSON), not pprof"],
  [/^\s*\{[^]*"(nodes|timeDeltas)"\s*:/, "a .cpuprofile of V8 (JSON), not pprof"],
  [/^\s*[{[][^]*"traceEvents"/, "a trace of Chrome (JSON), not a pprof profile"],
  [/^\s*[{[]/, "JSON, not a pprof profile"],
  [
    /^\s*<(!doctype html|html|head|body)/i,
    "an HTML page, perhaps of an error, not a pprof profile",
  ],
  [/^\s*<[!?\w]/, "XML, not a pprof profile"],
  [/^[^\n]*;[^\n]* -?\d+\r?(\n|$)/, "collapsed stacks, not a pprof profile"],
];

/** Without those of eight bits, which are parts of characters in UTF-8. */
const CONTROLS = /(?![\t\n\r\x7f-\x9f])\p{Cc}/u;

/** What a body is when it is no pprof, as `JSON, not a pprof profile`; null for what may be one. */
export function otherFormat(bytes: Uint8Array): string | null {
  const head = latin1.decode(bytes.subarray(0, HEAD_BYTES));
  const magic = MAGIC.find(([start]) => head.startsWith(start));
  if (magic !== undefined) return magic[1];
  const text = head.startsWith("\xef\xbb\xbf") ? head.slice(3) : head;
  // Every pprof has a control character among its first few bytes, as a length or a place in its strings.
  if (CONTROLS.test(text)) return TEXTS[0]?.[0].test(text) ? TEXTS[0][1] : null;
  return TEXTS.find(([pattern]) => pattern.test(text))?.[1] ??
    `${quoted(text)}, not a pprof profile`;
}

/** What a program answers in place of its profile says why there is none, as `Could not enable CPU profiling: …`. */
function quoted(text: string): string {
  const [line = ""] = text.trim().split(/[\r\n]/);
  const isSentence = line.length <= MAX_QUOTED && /^[A-Za-z]+ [\x20-\x7e]+$/.test(line);
  return isSentence ? `the text "${line}"` : "text";
}
