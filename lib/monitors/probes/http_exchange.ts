/** One request and its answer over a connection that stands, by HTTP/1.1 or HTTP/2. */
import http from "node:http";
import http2 from "node:http2";
import type { Socket } from "node:net";
import type { Readable } from "node:stream";
import { TLSSocket } from "node:tls";
import { ProbeFailure } from "./failure.ts";
import type { Observation } from "./observation.ts";

export interface Request {
  readonly url: URL;
  readonly method: string;
  /** By name in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

export interface Answer {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** There was more than is read. */
  readonly isCut: boolean;
}

/** Of an answer's body, in bytes, as sent and once more as unpacked: what is looked for further down is not found. */
export const MAX_READ_BYTES = 1024 * 1024;
const MAX_HEAD_BYTES = 32 * 1024;

/**
 * Sends a request and reads the answer.
 *
 * @param socket new and connected; destroyed by the caller
 * @throws {ProbeFailure} timeout, broken
 */
export async function exchange(
  socket: Socket,
  request: Request,
  seen: Observation,
): Promise<Answer> {
  const isHttp2 = socket instanceof TLSSocket && socket.alpnProtocol === "h2";
  const began = performance.now();
  const line = isHttp2 ? askHttp2(socket, request) : askHttp1(socket, request);
  try {
    const { status, headers, body } = await seen.within(line.head);
    seen.spend("firstByte", began);
    seen.status = status;
    seen.headers = headers;
    const reading = performance.now();
    const { bytes, isCut } = await seen.within(readBytes(body));
    seen.spend("download", reading);
    const { text, isCut: isUnpackedCut } = await seen.within(decode(bytes, headers));
    seen.body = text;
    return { status, headers, text, isCut: isCut || isUnpackedCut };
  } catch (error) {
    throw error instanceof ProbeFailure ? error : brokenBy(error);
  } finally {
    line.close();
  }
}

interface Head {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable;
}

interface Line {
  readonly head: Promise<Head>;
  close(): void;
}

function askHttp1(socket: Socket, { url, method, headers, body }: Request): Line {
  const { promise, resolve, reject } = Promise.withResolvers<Head>();
  const sent = http.request({
    createConnection: () => socket,
    method,
    path: url.pathname + url.search,
    maxHeaderSize: MAX_HEAD_BYTES,
    headers: {
      host: url.host,
      ...Object.fromEntries(headers),
      ...body === "" && ["GET", "HEAD"].includes(method) ? {} : {
        "content-length": String(new TextEncoder().encode(body).length),
      },
      connection: "close",
    },
  }, (response) => {
    response.on("error", () => {});
    resolve({
      status: response.statusCode ?? 0,
      headers: plainHeaders(response.headers),
      body: response,
    });
  });
  sent.on("error", reject);
  sent.on("upgrade", () => reject(new Error("it wants another protocol")));
  socket.once("close", () => reject(new Error("the host closed the connection")));
  sent.end(body);
  return { head: promise, close: () => sent.destroy() };
}

function askHttp2(socket: Socket, { url, method, headers, body }: Request): Line {
  const { promise, resolve, reject } = Promise.withResolvers<Head>();
  const session = http2.connect(url.origin, { createConnection: () => socket });
  session.on("error", reject);
  session.once("close", () => reject(new Error("the host closed the connection")));
  const stream = session.request({
    ":method": method,
    ":path": url.pathname + url.search,
    ...Object.fromEntries(headers),
  }, { endStream: false });
  stream.on("error", reject);
  stream.on("response", (answered) => {
    const { ":status": status = 0, ...rest } = answered;
    resolve({ status: Number(status), headers: plainHeaders(rest), body: stream });
  });
  stream.end(body);
  return {
    head: promise,
    close() {
      stream.destroy();
      session.destroy();
    },
  };
}

function plainHeaders(headers: http.IncomingHttpHeaders): Record<string, string> {
  const entries = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    entries.map(([name, value]) => [name.toLowerCase(), [value].flat().join(", ")]),
  );
}

interface Read {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly isCut: boolean;
}

/** As much of a stream as is read at all. */
async function readBytes(body: AsyncIterable<Uint8Array>): Promise<Read> {
  const chunks: Uint8Array[] = [];
  let room = MAX_READ_BYTES;
  for await (const chunk of body) {
    chunks.push(chunk.subarray(0, room));
    room -= chunk.length;
    if (room < 0) break;
  }
  const bytes = new Uint8Array(await new Blob(chunks as Uint8Array<ArrayBuffer>[]).arrayBuffer());
  return { bytes, isCut: room < 0 };
}

/** Some servers compress what nobody asked them to. */
const UNPACKED: Readonly<Record<string, CompressionFormat>> = {
  gzip: "gzip",
  "x-gzip": "gzip",
  deflate: "deflate",
};

async function decode(
  bytes: Uint8Array<ArrayBuffer>,
  headers: Answer["headers"],
): Promise<{ readonly text: string; readonly isCut: boolean }> {
  const format = UNPACKED[headers["content-encoding"]?.trim().toLowerCase() ?? ""];
  const read = format === undefined ? { bytes, isCut: false } : await unpack(bytes, format);
  const label = /charset\s*=\s*"?([\w-]+)/i.exec(headers["content-type"] ?? "")?.[1];
  return { text: decoderOf(label).decode(read.bytes), isCut: read.isCut };
}

function decoderOf(label: string | undefined): TextDecoder {
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder();
  }
}

/** Reads no more than fits; what is broken is told as far as it went. */
async function unpack(bytes: Uint8Array<ArrayBuffer>, format: CompressionFormat): Promise<Read> {
  const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream(format));
  const pieces = async function* () {
    try {
      for await (const piece of unpacked) yield piece;
    } catch {
      // Cut off on its way, or never what it says.
    }
  };
  return await readBytes(pieces());
}

function brokenBy(cause: unknown): ProbeFailure {
  const { code = "", message = String(cause) } = cause as NodeJS.ErrnoException;
  if (code === "HPE_HEADER_OVERFLOW") {
    return new ProbeFailure(
      "broken",
      `The response's headers have more than ${MAX_HEAD_BYTES} bytes.`,
    );
  }
  if (code.startsWith("HPE_") || /^Parse Error/.test(message)) {
    return new ProbeFailure("broken", "What came back is no HTTP.", { cause });
  }
  const said = message.replace(/\s+/g, " ").replace(/\.$/, "").slice(0, 200);
  return new ProbeFailure(
    "broken",
    `The connection broke before the response was whole: ${said}.`,
    {
      cause,
    },
  );
}
