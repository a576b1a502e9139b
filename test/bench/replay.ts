/** Runs wrk over prepared requests, each of which is sent once. */
import { type LoadResult, parseWrk } from "./wrk.ts";
import type { Encoding, MadeRequest } from "./mixed/requests.ts";

const THREADS = 2;

export interface Replay {
  readonly url: string;
  /** Addresses, used in turn; a key that is no part of its address stands behind it, after a blank. */
  readonly paths: readonly string[];
  readonly seconds: number;
  /** Requests a second; 0 is as fast as answers come. */
  readonly rate: number;
  readonly connections?: number;
  /** How the bodies are made. @default gzip */
  readonly encoding?: Encoding;
  readonly contentType?: string;
}

/** Requests on disk, as the load generator reads them. */
export interface PreparedRequests extends AsyncDisposable {
  readonly directory: string;
  readonly count: number;
  /** Median size before compression, and as sent. */
  readonly medianBytes: number;
  readonly medianSentBytes: number;
}

/** Makes `count` requests. */
export async function prepareRequests(
  count: number,
  make: (index: number) => MadeRequest,
): Promise<PreparedRequests> {
  const directory = await Deno.makeTempDir({ prefix: "watchpost-load-" });
  const sizes: number[] = [];
  const sent: number[] = [];
  for (let thread = 0; thread < THREADS; thread++) {
    using bodies = await Deno.open(`${directory}/bodies.${thread}`, { create: true, write: true });
    const lengths: number[] = [];
    for (let index = thread; index < count; index += THREADS) {
      const { body, bytes } = make(index);
      await new Blob([new Uint8Array(body)]).stream().pipeTo(bodies.writable, {
        preventClose: true,
      });
      lengths.push(body.length);
      sizes.push(bytes);
    }
    sent.push(...lengths);
    await Deno.writeTextFile(`${directory}/lengths.${thread}`, lengths.join(" "));
  }
  return {
    directory,
    count,
    medianBytes: median(sizes),
    medianSentBytes: median(sent),
    [Symbol.asyncDispose]: () => Deno.remove(directory, { recursive: true }),
  };
}

/** Sends them. @throws {Error} when wrk is missing or prints no figures */
export async function replay(
  { directory }: PreparedRequests,
  { url, paths, seconds, rate, connections = 64, encoding = "gzip", contentType = "" }: Replay,
): Promise<LoadResult> {
  await Deno.writeTextFile(`${directory}/paths`, paths.join("\n"));
  const { stdout, stderr } = await new Deno.Command("wrk", {
    args: [
      ...["-t", String(THREADS), "-c", String(connections), "-d", `${seconds}s`],
      ...["--latency", "--timeout", "10s", "-s", new URL("replay.lua", import.meta.url).pathname],
      url,
    ],
    env: {
      BENCH_DIR: directory,
      BENCH_RATE: String(rate / THREADS),
      BENCH_ENCODING: encoding,
      BENCH_TYPE: contentType,
    },
  }).output();
  return parseWrk(new TextDecoder().decode(stdout), new TextDecoder().decode(stderr));
}

function median(values: number[]): number {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
