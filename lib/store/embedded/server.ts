import { asksForEncryption, endsIdle, MessageBuffer, startupParameters } from "./messages.ts";
import type { Hold, Session } from "./session.ts";

const READ_BYTES = 64 * 1024;
const NO_ENCRYPTION = new TextEncoder().encode("N");

/** Where the database listens: a socket file, or a port of the loopback interface (0: any free one). */
export type SocketAddress =
  | { readonly transport: "unix"; readonly path: string }
  | { readonly transport: "tcp"; readonly port: number };

export interface SocketServer {
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
    const searchPath = await greet(conn, session, messages);
    if (searchPath !== null) await converse(conn, session, messages, searchPath);
  } catch {
    // The client went away or the engine died: the driver sees a closed connection and makes a new one.
  } finally {
    hangUp(conn);
  }
}

/** Start-up: no encryption, no password. Returns the search path that the client asked for, null if it left. */
async function greet(
  conn: Deno.Conn,
  session: Session,
  messages: MessageBuffer,
): Promise<string | null> {
  while (true) {
    const startup = messages.takeStartup();
    if (startup === null) {
      if (!await readInto(conn, messages)) return null;
    } else if (asksForEncryption(startup)) {
      await write(conn, NO_ENCRYPTION);
    } else {
      const hold = await session.acquire();
      try {
        for (const chunk of await session.exchange(startup)) await write(conn, chunk);
      } finally {
        hold.release();
      }
      return startupParameters(startup).get("search_path") ?? "public";
    }
  }
}

async function converse(
  conn: Deno.Conn,
  session: Session,
  messages: MessageBuffer,
  searchPath: string,
): Promise<void> {
  let hold: Hold | null = null;
  try {
    while (true) {
      const exchange = messages.takeExchange();
      if (exchange === "terminate") return;
      if (exchange === null) {
        if (!await readInto(conn, messages)) return;
        continue;
      }
      if (hold === null) {
        hold = await session.acquire();
        await session.useSearchPath(searchPath);
      }
      const reply = await session.exchange(exchange);
      if (endsIdle(reply)) {
        hold.release();
        hold = null;
      }
      for (const chunk of reply) await write(conn, chunk);
    }
  } finally {
    if (hold !== null) await session.reset().finally(hold.release);
  }
}

async function readInto(conn: Deno.Conn, messages: MessageBuffer): Promise<boolean> {
  const chunk = new Uint8Array(READ_BYTES);
  const length = await conn.read(chunk);
  if (length === null) return false;
  messages.push(chunk.subarray(0, length));
  return true;
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
