import type { Hold, Session } from "./session.ts";

const READ_BYTES = 64 * 1024;
const NO_ENCRYPTION = new TextEncoder().encode("N");

/** Where the database listens: a socket file, or a port of the loopback interface (0: any free one). */
export type SocketAddress =
  | { readonly transport: "unix"; readonly path: string }
  | { readonly transport: "tcp"; readonly port: number };

/** By this name of theirs connections of the intake go before others. */
export const INTAKE = "watchpost intake";
/**
 * A statement with a limit ends after this at the latest: nothing else runs meanwhile, and a commit gives up after
 * five seconds.
 */
const MAX_LIMIT_MS = 4_000;

interface SocketServer {
  readonly address: SocketAddress;
  /** Stops listening and closes all connections; resolves when none holds the session. */
  close(): Promise<void>;
}

/**
 * Offers the session to any number of connections of the Postgres protocol.
 *
 * `@electric-sql/pglite-socket` does the same per message, not per exchange, and so hands one connection's
 * answers to another as soon as two of them use unnamed statements at once.
 */
export function serveSession(session: Session, address: SocketAddress): SocketServer {
  const listener = address.transport === "unix"
    ? Deno.listen(address)
    : Deno.listen({ hostname: "127.0.0.1", port: address.port });
  const open = new Map<Deno.Conn, Promise<void>>();

  const accepting = (async () => {
    for await (const conn of listener as AsyncIterable<Deno.Conn>) {
      open.set(conn, serveConnection(conn, session).finally(() => open.delete(conn)));
    }
  })();

  return {
    address: listener.addr.transport === "tcp"
      ? { transport: "tcp", port: listener.addr.port }
      : address,
    async close() {
      listener.close();
      await accepting;
      for (const conn of open.keys()) hangUp(conn);
      await Promise.all(open.values());
    },
  };
}

async function serveConnection(conn: Deno.Conn, session: Session): Promise<void> {
  try {
    const messages = new MessageBuffer();
    const read = readerOf(conn, messages);
    const client = await greet(conn, session, messages, read);
    if (client !== null) await converse(conn, session, messages, read, client);
  } catch {
    // The client went away or the engine died: the driver sees a closed connection and makes a new one.
  } finally {
    hangUp(conn);
  }
}

/** What a client asked for when it came. */
interface Client {
  readonly searchPath: string;
  readonly isUrgent: boolean;
}

/** Start-up: no encryption, no password. Null if the client left. */
async function greet(
  conn: Deno.Conn,
  session: Session,
  messages: MessageBuffer,
  read: Read,
): Promise<Client | null> {
  while (true) {
    const startup = messages.takeStartup();
    if (startup === null) {
      if (!await read()) return null;
    } else if (asksForEncryption(startup)) {
      await write(conn, NO_ENCRYPTION);
    } else {
      const hold = await session.acquire();
      try {
        for (const chunk of await session.exchange(startup)) await write(conn, chunk);
      } finally {
        hold.release();
      }
      const parameters = startupParameters(startup);
      return {
        searchPath: parameters.get("search_path") ?? "public",
        isUrgent: parameters.get("application_name") === INTAKE,
      };
    }
  }
}

async function converse(
  conn: Deno.Conn,
  session: Session,
  messages: MessageBuffer,
  read: Read,
  { searchPath, isUrgent }: Client,
): Promise<void> {
  let hold: Hold | null = null;
  let limitMs: number | null = null;
  try {
    while (true) {
      const exchange = messages.takeExchange();
      if (exchange === "terminate") return;
      if (exchange === null) {
        if (!await read()) return;
        continue;
      }
      if (hold === null) {
        hold = await session.acquire(isUrgent);
        await session.useSearchPath(searchPath);
      }
      limitMs = limitIn(exchange) ?? limitMs;
      const reply = await session.exchange(exchange, limitMs);
      if (endsIdle(reply)) {
        hold.release();
        hold = null;
        limitMs = null;
      }
      for (const chunk of reply) await write(conn, chunk);
    }
  } finally {
    if (hold !== null) await session.reset().finally(hold.release);
  }
}

const QUERY = "Q".charCodeAt(0);
const LIMIT = /\bset local statement_timeout = (\d+)/;

/**
 * The limit that a transaction sets itself, in milliseconds, when this exchange does so. Postgres takes the statement
 * as well, but its timers do not run while it does.
 *
 * @returns null for all else
 */
export function limitIn(exchange: Uint8Array): number | null {
  if (exchange[0] !== QUERY) return null;
  const [, ms] = LIMIT.exec(new TextDecoder().decode(exchange)) ?? [];
  return ms === undefined || ms === "0" ? null : Math.min(Number(ms), MAX_LIMIT_MS);
}

/** Waits for more bytes of a client. False when it left. */
type Read = () => Promise<boolean>;

/** All that comes over a connection is read into one piece of memory: one for each read would be megabytes a second. */
function readerOf(conn: Deno.Conn, messages: MessageBuffer): Read {
  const chunk = new Uint8Array(READ_BYTES);
  return async () => {
    const length = await conn.read(chunk);
    if (length === null) return false;
    messages.push(chunk.subarray(0, length));
    return true;
  };
}

async function write(conn: Deno.Conn, bytes: Uint8Array): Promise<void> {
  let written = 0;
  while (written < bytes.length) written += await conn.write(bytes.subarray(written));
}

function hangUp(conn: Deno.Conn): void {
  try {
    conn.close();
  } catch {
    // Already closed.
  }
}

const INITIAL_BYTES = 64 * 1024;
const LENGTH_BYTES = 4;
const TYPE_BYTES = 1;

/** Query, Sync, Flush, FunctionCall, CopyDone, CopyFail: after these the client reads. */
const EXCHANGE_ENDS = new Set([..."QSHFcf"].map((letter) => letter.charCodeAt(0)));
const TERMINATE = "X".charCodeAt(0);

/**
 * Cuts the bytes of a Postgres client into exchanges: runs of messages that end where the client waits for an
 * answer. Format: https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
export class MessageBuffer {
  #bytes = new Uint8Array(INITIAL_BYTES);
  #start = 0;
  #end = 0;
  /** Up to here messages are known to be complete but no exchange has ended. */
  #scanned = 0;

  /** Adds a copy of what was read from the socket. */
  push(chunk: Uint8Array): void {
    this.#makeRoom(chunk.length);
    this.#bytes.set(chunk, this.#end);
    this.#end += chunk.length;
  }

  /** Takes the start-up message, which has a length but no type; null while incomplete. */
  takeStartup(): Uint8Array<ArrayBuffer> | null {
    const available = this.#end - this.#start;
    if (available < LENGTH_BYTES) return null;
    const length = this.#uint32(this.#start);
    return available < length ? null : this.#take(this.#start + length);
  }

  /** Takes the next whole exchange, `"terminate"` when the client says good-bye; null while incomplete. */
  takeExchange(): Uint8Array<ArrayBuffer> | "terminate" | null {
    while (this.#end - this.#scanned >= TYPE_BYTES + LENGTH_BYTES) {
      const type = this.#bytes[this.#scanned] ?? 0;
      const messageEnd = this.#scanned + TYPE_BYTES + this.#uint32(this.#scanned + TYPE_BYTES);
      if (messageEnd > this.#end) return null;
      if (type === TERMINATE) return "terminate";
      this.#scanned = messageEnd;
      if (EXCHANGE_ENDS.has(type)) return this.#take(messageEnd);
    }
    return null;
  }

  #take(end: number): Uint8Array<ArrayBuffer> {
    const taken = this.#bytes.slice(this.#start, end);
    this.#start = end;
    this.#scanned = end;
    return taken;
  }

  #makeRoom(length: number): void {
    if (this.#end + length <= this.#bytes.length) return;
    const used = this.#end - this.#start;
    const target = used + length > this.#bytes.length
      ? new Uint8Array(Math.max(this.#bytes.length * 2, used + length))
      : this.#bytes;
    target.set(this.#bytes.subarray(this.#start, this.#end));
    this.#bytes = target;
    this.#scanned -= this.#start;
    this.#start = 0;
    this.#end = used;
  }

  #uint32(offset: number): number {
    return new DataView(this.#bytes.buffer).getUint32(offset);
  }
}

const READY_FOR_QUERY_BYTES = 6;
const READY_FOR_QUERY = "Z".charCodeAt(0);
const IDLE = "I".charCodeAt(0);

/** Whether an answer ends with "ready, outside of any transaction". */
export function endsIdle(reply: readonly Uint8Array[]): boolean {
  const tail = reply.slice(-READY_FOR_QUERY_BYTES).flatMap((chunk) => [
    ...chunk.subarray(-READY_FOR_QUERY_BYTES),
  ]).slice(-READY_FOR_QUERY_BYTES);
  return tail.length === READY_FOR_QUERY_BYTES && tail[0] === READY_FOR_QUERY && tail[5] === IDLE;
}

/** Parameters of a start-up message, such as `user` and `search_path`. */
export function startupParameters(message: Uint8Array): Map<string, string> {
  const words = new TextDecoder().decode(message.subarray(2 * LENGTH_BYTES)).split("\0");
  const parameters = new Map<string, string>();
  for (let i = 0; i + 1 < words.length && words[i] !== ""; i += 2) {
    parameters.set(words[i] ?? "", words[i + 1] ?? "");
  }
  return parameters;
}

const SSL_REQUEST = 80877103;
const GSS_REQUEST = 80877104;

/** Whether a start-up message only asks for encryption, which a socket inside the machine does not need. */
export function asksForEncryption(message: Uint8Array): boolean {
  const code = new DataView(message.buffer, message.byteOffset).getUint32(LENGTH_BYTES);
  return code === SSL_REQUEST || code === GSS_REQUEST;
}
