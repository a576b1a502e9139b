import type { PprofBuilder } from "../pprof/encode.ts";
import { lineNumber } from "../pprof/line_number.ts";
import { type Raw, readBoolean, readInteger, readText } from "../fields.ts";

const ADDRESS = /^0x[0-9a-f]{1,16}$/i;
const SCRIPTS = new Set(["node", "javascript", "bun", "deno"]);

/** Puts frames of SDKs into a profile, each when it is first asked for. */
export class FrameLocations {
  readonly #locations: Int32Array;

  /** @param platform as `python`; frames may name another */
  constructor(
    private readonly builder: PprofBuilder,
    private readonly frames: readonly Raw[],
    private readonly platform: string,
  ) {
    this.#locations = new Int32Array(frames.length);
  }

  /** The location of the frame at this place. */
  at(place: number): number {
    const known = this.#locations[place];
    if (known) return known;
    const location = this.#add(this.frames[place] ?? {});
    this.#locations[place] = location;
    return location;
  }

  /** Whether a frame is the application's own code; null when the client does not say. */
  isInApp(place: number): boolean | null {
    return readBoolean(this.frames[place]?.in_app) ?? null;
  }

  #add(frame: Raw): number {
    const { builder } = this;
    const isInApp = readBoolean(frame.in_app);
    const mapping = builder.mapping(
      textIn(frame, "module", "package"),
      isInApp === undefined ? "" : isInApp ? "app" : "library",
    );
    const name = textIn(frame, "function", "name");
    const address = addressOf(frame);
    if (name === "" && address !== 0n) return builder.location([], { mapping, address });
    const line = {
      function: builder.function(
        name || this.#unnamed(frame),
        textIn(frame, "abs_path", "filename", "file"),
      ),
      line: lineOf(frame.lineno ?? frame.line),
      column: lineOf(frame.colno ?? frame.column),
    };
    return builder.location([line], { mapping });
  }

  /** What V8 calls functions without names; elsewhere there are none. */
  #unnamed(frame: Raw): string {
    return SCRIPTS.has(readText(frame.platform) ?? this.platform) ? "anonymous" : "";
  }
}

function textIn(frame: Raw, ...names: readonly string[]): string {
  for (const name of names) {
    const text = readText(frame[name])?.trim();
    if (text) return text;
  }
  return "";
}

function lineOf(value: unknown): number {
  return lineNumber(readInteger(value) ?? 0);
}

/** 0 for none. */
function addressOf({ instruction_addr: sent }: Raw): bigint {
  if (typeof sent === "number") return BigInt(readInteger(sent) ?? 0);
  return typeof sent === "string" && ADDRESS.test(sent) ? BigInt(sent) : 0n;
}
