/**
 * The language in which the demo describes code. A line is a function with the place where it stands:
 *
 *     showCart @ /app/src/cart/show.ts:21:7
 *
 * Trees of calls and errors with their stacks are made of such lines.
 */

/** A function that is running. */
export interface Frame {
  readonly name: string;
  readonly file: string;
  /** 0 when unknown. */
  readonly line: number;
  readonly column: number;
}

function frameOf(text: string): Frame {
  const [, name = text, file = "", line = "0", column = "0"] =
    /^(.*?) @ (.+?):(\d+)(?::(\d+))?$/.exec(text) ?? [];
  return { name, file, line: Number(line), column: Number(column) };
}

/** A stack, and how often a profiler finds it, compared with others. */
export interface WeightedStack {
  /** The outermost function first. */
  readonly frames: readonly Frame[];
  readonly weight: number;
}

/** What stacks are wanted of. */
interface Run {
  /** A block that is named so and the release holds for that release. */
  readonly release?: string;
  /** The block that `+route` stands for. */
  readonly route?: string;
}

interface Line {
  readonly indent: number;
  readonly text: string;
}

/**
 * Reads the code of a program: blocks, each a name with a colon and below it functions, below each those that it calls.
 *
 *     showCart:
 *       3 showCart @ APP/cart/show.ts:21     a profiler finds it running itself with this weight; 0 when there is none
 *         +query 22                          here stands the block `query`, in which a weight of `2*` is 2 · 22
 *
 * @param places what words at the beginning of files stand for, as `APP`
 * @returns a function that tells the stacks of a block
 */
export function program(text: string, places: Readonly<Record<string, string>> = {}) {
  const blocks = new Map<string, Line[]>();
  let lines: Line[] = [];
  for (const line of text.split("\n").filter((each) => each.trim() !== "")) {
    if (/^\S.*:$/.test(line)) blocks.set(line.slice(0, -1), lines = []);
    else lines.push({ indent: line.search(/\S/), text: placed(line.trim()) });
  }

  function placed(line: string): string {
    return line.replace(/ @ ([A-Z]+)\//, (all, word) => places[word] ? ` @ ${places[word]}/` : all);
  }

  return function stacksOf(name: string, run: Run = {}, times = 1): WeightedStack[] {
    const block = blocks.get(`${name} ${run.release}`) ?? blocks.get(name);
    if (block === undefined) throw new RangeError(`There is no code of ${name}`);
    const found: WeightedStack[] = [];
    const open: { readonly indent: number; readonly frame: Frame }[] = [];
    for (const { indent, text } of block) {
      while ((open.at(-1)?.indent ?? -1) >= indent) open.pop();
      const outer = open.map(({ frame }) => frame);
      const [, inner, factor = "1"] = /^\+(.+?)(?: (\d+))?$/.exec(text) ?? [];
      if (inner !== undefined) {
        const below = stacksOf(inner === "route" ? run.route ?? "" : inner, run, Number(factor));
        found.push(
          ...below.map(({ frames, weight }) => ({ frames: [...outer, ...frames], weight })),
        );
        continue;
      }
      const [, self = "0", star, rest = text] = /^(\d+)(\*?) (.*)$/.exec(text) ?? [];
      const frame = frameOf(rest);
      open.push({ indent, frame });
      const weight = Number(self) * (star ? times : 1);
      if (weight > 0) found.push({ frames: [...outer, frame], weight });
    }
    return found;
  };
}

/** A function in the stack of an error, with source code around its line and what its variables held. */
export interface ErrorFrame extends Frame {
  readonly before: readonly string[];
  readonly code: string | null;
  readonly after: readonly string[];
  readonly vars: Readonly<Record<string, string>>;
}

/** An exception, its outermost function first. */
export interface Thrown {
  readonly type: string;
  readonly message: string;
  readonly frames: readonly ErrorFrame[];
}

/**
 * Reads an error, and below it the errors that caused it, each with its functions:
 *
 *     PaymentError: the provider does not answer
 *       charge @ /app/src/orders/charge.ts:64:11
 *         | for (;;) {
 *         > throw new PaymentError()           the line itself
 *         = attempt 3                          a variable
 *     caused by SocketError: other side closed
 */
export function errors(text: string): Thrown[] {
  const all: { type: string; message: string; frames: Writable<ErrorFrame>[] }[] = [];
  for (const line of text.split("\n").filter((each) => each.trim() !== "")) {
    const frame = all.at(-1)?.frames.at(-1);
    const [, mark, rest = ""] = /^ {4}([|>=])(?: (.*))?$/.exec(line) ?? [];
    if (mark !== undefined && frame !== undefined) {
      if (mark === ">") frame.code = rest;
      else if (mark === "|") (frame.code === null ? frame.before : frame.after).push(rest);
      else frame.vars[rest.slice(0, rest.indexOf(" "))] = rest.slice(rest.indexOf(" ") + 1);
    } else if (line.startsWith("  ")) {
      all.at(-1)?.frames.push(
        { ...frameOf(line.trim()), before: [], code: null, after: [], vars: {} },
      );
    } else {
      const [, type = "", message = ""] = /^(?:caused by )?(.+?): (.*)$/.exec(line) ?? [];
      all.push({ type, message, frames: [] });
    }
  }
  return all;
}

type Writable<T> = {
  -readonly [K in keyof T]: T[K] extends readonly string[] ? string[]
    : T[K] extends Readonly<Record<string, string>> ? Record<string, string>
    : T[K];
};
