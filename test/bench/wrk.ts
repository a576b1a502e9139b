/** Runs wrk over prepared envelopes and reads its figures. */
import { compressed, envelopeHeader, envelopeRest, VARIANTS } from "./payloads.ts";

const THREADS = 2;
const CONNECTIONS = 64;

export interface LoadResult {
  readonly requestsPerSec: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly errors: number;
}

/**
 * @param paths envelope endpoints of several projects, key included, used in turn
 * @param maxRequests how many ids to prepare; more than the service can take in `seconds`
 * @throws {Error} when wrk is missing or prints no figures
 */
export async function runWrk(
  url: string,
  paths: readonly string[],
  encoding: "plain" | "gzip",
  seconds: number,
  maxRequests: number,
): Promise<LoadResult> {
  const directory = await Deno.makeTempDir({ prefix: "watchpost-load-" });
  try {
    await prepare(directory, paths, encoding, maxRequests);
    const { stdout, stderr } = await new Deno.Command("wrk", {
      args: [
        ...["-t", String(THREADS), "-c", String(CONNECTIONS), "-d", `${seconds}s`],
        ...["--latency", "--timeout", "10s", "-s", new URL("load.lua", import.meta.url).pathname],
        url,
      ],
      env: { BENCH_DIR: directory, BENCH_ENCODING: encoding },
    }).output();
    return parseWrk(new TextDecoder().decode(stdout), new TextDecoder().decode(stderr));
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

async function prepare(
  directory: string,
  paths: readonly string[],
  encoding: "plain" | "gzip",
  maxRequests: number,
): Promise<void> {
  const encode = new TextEncoder();
  const header = encoding === "gzip"
    ? compressed.header
    : (id: string) => encode.encode(envelopeHeader(id));
  const rest = encoding === "gzip"
    ? compressed.rest
    : (variant: number) => encode.encode(envelopeRest(variant));
  await Deno.writeTextFile(`${directory}/paths`, paths.join("\n"));
  await Deno.writeTextFile(`${directory}/variants`, String(VARIANTS));
  for (let variant = 0; variant < VARIANTS; variant++) {
    await Deno.writeFile(`${directory}/rest.${variant}`, rest(variant));
  }
  for (let thread = 0; thread < THREADS; thread++) {
    const headers = Array.from(
      { length: Math.ceil(maxRequests / THREADS) },
      () => header(crypto.randomUUID().replaceAll("-", "")),
    );
    await Deno.writeTextFile(
      `${directory}/lengths.${thread}`,
      headers.map((bytes) => bytes.length).join(" "),
    );
    await Deno.writeFile(`${directory}/headers.${thread}`, await concat(headers));
  }
}

async function concat(parts: readonly Uint8Array[]): Promise<Uint8Array> {
  return new Uint8Array(await new Blob(parts.map((part) => new Uint8Array(part))).arrayBuffer());
}

/** Reads what wrk prints. @throws {Error} when there are no figures */
export function parseWrk(stdout: string, stderr: string): LoadResult {
  const rate = /Requests\/sec:\s+([\d.]+)/.exec(stdout);
  const p50 = /50%\s+([\d.]+)(us|ms|s)/.exec(stdout);
  const p99 = /99%\s+([\d.]+)(us|ms|s)/.exec(stdout);
  if (rate === null || p50 === null || p99 === null) {
    throw new Error(`wrk failed: ${stdout}${stderr}`);
  }
  const refused = /Non-2xx or 3xx responses: (\d+)/.exec(stdout);
  return {
    requestsPerSec: Number(rate[1]),
    p50Ms: milliseconds(p50),
    p99Ms: milliseconds(p99),
    errors: Number(refused?.[1] ?? 0),
  };
}

function milliseconds([, value, unit]: RegExpExecArray): number {
  const factor = unit === "us" ? 0.001 : unit === "ms" ? 1 : 1000;
  return Number(value) * factor;
}
