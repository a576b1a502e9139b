import { gzipSync } from "node:zlib";
import { PprofBuilder, type PprofHead, type PprofLabel } from "../../lib/formats/pprof/encode.ts";
import type { Delivery } from "../send.ts";
import type { Random } from "../story.ts";

/** A profile that a service of the shop uploads. */
export interface Upload {
  /** Of the address: `service` and what else is known. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Gzip-compressed pprof. */
  body(): Uint8Array<ArrayBuffer>;
}

/** An upload on its way. @param dsn of a server key: others may not send profiles */
export function uploadDelivery(dsn: string, { parameters, body }: Upload): Delivery {
  const { protocol, host, pathname, username } = new URL(dsn);
  const prefix = pathname.slice(0, pathname.lastIndexOf("/"));
  const query = new URLSearchParams(parameters);
  return {
    url: `${protocol}//${host}${prefix}/api/v1/profiles/pprof?${query}`,
    headers: { authorization: `Bearer ${username}`, "content-type": "application/octet-stream" },
    body,
  };
}

/** Nanoseconds since 1970. */
export function nanosOf(at: Date): bigint {
  return BigInt(at.getTime()) * 1_000_000n;
}

/** Writes stacks of calls as a pprof profile. */
export class PprofStacks {
  readonly #builder: PprofBuilder;
  readonly #mapping: number;

  /** @param binary path of the program */
  constructor(head: PprofHead, binary: string) {
    this.#builder = new PprofBuilder(head);
    this.#mapping = this.#builder.mapping(binary);
  }

  /** Adds a sample. @param frames the outermost function first */
  add(
    frames: readonly Call[],
    values: readonly bigint[],
    labels: readonly PprofLabel[] = [],
  ): void {
    const locations = frames.map((frame) => this.#locationOf(frame)).reverse();
    this.#builder.sample(locations, values, labels);
  }

  /** The profile, compressed as profilers do it. */
  toGzip(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(gzipSync(this.#builder.toBytes()));
  }

  #locationOf({ name, file, line }: Call): number {
    const id = this.#builder.function(name, file);
    const mapping = this.#mapping;
    return this.#builder.location([{ function: id, line, column: 0 }], { mapping });
  }
}

/** A function that is running, with what it calls. */
export interface Call {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  /** How often a profiler finds this very function running, compared with all others. */
  readonly self: number;
  readonly calls: readonly Call[];
}

/** A stack, and how often a profiler finds it. */
export interface WeightedStack {
  /** The outermost function first. */
  readonly frames: readonly Call[];
  readonly weight: number;
}

/** A {@linkcode Call}. */
export function call(
  name: string,
  file: string,
  line: number,
  self: number,
  ...calls: readonly Call[]
): Call {
  return { name, file, line, self, calls };
}

/** All stacks below some calls that are ever found. */
export function stacksOf(
  calls: readonly Call[],
  outer: readonly Call[] = [],
): readonly WeightedStack[] {
  return calls.flatMap((inner) => {
    const frames = [...outer, inner];
    const below = stacksOf(inner.calls, frames);
    return inner.self > 0 ? [{ frames, weight: inner.self }, ...below] : below;
  });
}

/** Looks so many times: how often each stack was found, without those that were not. */
export function sampled(
  stacks: readonly WeightedStack[],
  times: number,
  random: Random,
): ReadonlyMap<WeightedStack, number> {
  const total = stacks.reduce((sum, { weight }) => sum + weight, 0);
  const found = new Map<WeightedStack, number>();
  for (let time = 0; time < times; time++) {
    let left = random.next() * total;
    const stack = stacks.find(({ weight }) => (left -= weight) < 0);
    if (stack !== undefined) found.set(stack, (found.get(stack) ?? 0) + 1);
  }
  return found;
}
