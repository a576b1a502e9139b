import { gzipSync } from "node:zlib";
import { gunzip, MAX_GZIP_MEMBERS, TooManyMembers } from "../../core/inflate_engine.ts";
import { tooLarge } from "./decode.ts";
import { LIMITS, PprofError } from "./faults.ts";

/** A transport may compress what is compressed already. */
const MAX_LAYERS = 2;
/** Of one piece of what comes out: most profiles are one. */
const MAX_CHUNK_BYTES = 1024 * 1024;
const MIN_CHUNK_BYTES = 1024;

/**
 * Takes the gzip off a profile, known by its first bytes, and tells other formats from pprof. Synchronous on purpose:
 * `node:zlib` of Deno holds the thread either way, and one body at a time bounds the memory that bombs can claim.
 *
 * @param bytes as sent: plain, or under one or two layers of gzip
 * @returns the message, at most 32 MiB; `bytes` itself when it was not compressed
 * @throws {PprofError} too_large above that, when compressed more than a hundredfold or in too many pieces, invalid for gzip that is cut
 * short or damaged and for other formats, with its name
 */
export function inflatePprof(bytes: Uint8Array): Uint8Array {
  let plain = bytes;
  for (let layer = 0; layer < MAX_LAYERS && isGzip(plain); layer++) {
    plain = unpacked(plain, mostBytes(bytes.length));
  }
  if (isGzip(plain)) throw new PprofError(`it is under more than ${MAX_LAYERS} layers of gzip`);
  if (plain.length > LIMITS.rawBytes) throw tooLarge();
  if (plain.length === 0) throw new PprofError("it is empty");
  const other = otherFormat(plain);
  if (other !== null) throw new PprofError(`it is ${other}`);
  return plain;
}

/** Whether bytes are, or claim to be, compressed by gzip. */
export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** How many bytes so many may become. */
function mostBytes(compressed: number): number {
  const most = Math.max(compressed * LIMITS.compression, LIMITS.bytesOfAnyCompression);
  return Math.min(most, LIMITS.rawBytes);
}

function unpacked(bytes: Uint8Array, maxOutputLength: number): Uint8Array {
  try {
    return gunzip(bytes, { maxOutputLength, chunkSize: chunkBytes(bytes) });
  } catch (error) {
    throw refusalOf(error, maxOutputLength);
  }
}

/** As large as the last four bytes say that the content is, and a byte more, which tells the end from a full piece. */
function chunkBytes(bytes: Uint8Array): number {
  const said = bytes.length < 18
    ? 0
    : new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      .getUint32(bytes.length - 4, true);
  return Math.min(Math.max(said + 1, MIN_CHUNK_BYTES), MAX_CHUNK_BYTES);
}

function refusalOf(error: unknown, maxBytes: number): unknown {
  if (error instanceof TooManyMembers) {
    const limit = MAX_GZIP_MEMBERS.toLocaleString("en");
    return new PprofError(`it has more than ${limit} gzip members`, "too_large");
  }
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  switch (code) {
    case "ERR_BUFFER_TOO_LARGE":
      return maxBytes === LIMITS.rawBytes ? tooLarge() : new PprofError(
        `it is compressed more than ${LIMITS.compression}-fold, as no profile is`,
        "too_large",
      );
    case "Z_BUF_ERROR":
      return new PprofError("its gzip data end too early");
    case "Z_DATA_ERROR":
      return new PprofError("its gzip data are damaged");
    default:
      return error;
  }
}

/** How far into a body there is anything to recognise, and how far nearly always. */
const HEAD_BYTES = 4_096;
const FIRST_BYTES = 64;
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
function otherFormat(bytes: Uint8Array): string | null {
  const first = latin1.decode(bytes.subarray(0, FIRST_BYTES));
  const magic = MAGIC.find(([start]) => first.startsWith(start));
  if (magic !== undefined) return magic[1];
  // Every pprof has a control character among its first few bytes, as a length or a place in its strings.
  const head = CONTROLS.test(first) ? first : latin1.decode(bytes.subarray(0, HEAD_BYTES));
  const text = head.startsWith("\xef\xbb\xbf") ? head.slice(3) : head;
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

/** Takes a third of the time of the default level, and a tenth more bytes. */
const LEVEL = 2;

/** Compresses what is stored of a profile that did not come compressed. */
export function gzipProfile(bytes: Uint8Array): Uint8Array {
  return gzipSync(bytes, { level: LEVEL });
}
