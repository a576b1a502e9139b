import { connectEmbedded, connectServer, type Sql } from "../../lib/store/database.ts";

/** A connection to a test's database that can be broken. */
export interface FaultyLink extends AsyncDisposable {
  readonly sql: Sql;
  /** Bytes are held back in both directions, and new connections hang, until `resume()`. */
  pause(): void;
  resume(): void;
  /** Breaks all connections; new ones work. */
  cut(): void;
  /** Breaks a connection right after it has passed on the next message that contains `text`. */
  cutAfter(text: string): void;
  /** Pauses before the next message that contains `text`. Resolves then. */
  pauseBefore(text: string): Promise<void>;
}

/** Opens a pool on the database of `sql` that goes through a small proxy on the loopback. */
export function faultyLink(sql: Sql): FaultyLink {
  const { host, port, path, database, user, pass, connection } = sql.options;
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const pairs = new Set<Pair>();
  let gate = openGate();
  let trigger: Uint8Array | null = null;
  let awaited: { readonly text: Uint8Array; readonly seen: () => void } | null = null;

  function passing(bytes: Uint8Array): Promise<void> {
    if (awaited !== null && contains(bytes, awaited.text)) {
      gate = closedGate();
      awaited.seen();
      awaited = null;
    }
    return gate.passed;
  }

  function dial(): Promise<Deno.Conn> {
    return path
      ? Deno.connect({ transport: "unix", path })
      : Deno.connect({ hostname: String(host[0]), port: Number(port[0]) });
  }

  async function connect(client: Deno.Conn): Promise<void> {
    const server = await dial().catch(() => null);
    if (server === null) return closeQuietly(client);
    const pair: Pair = { close: () => [client, server].forEach(closeQuietly) };
    pairs.add(pair);
    const outward = pump(client, server, passing, (bytes) => {
      if (trigger === null || !contains(bytes, trigger)) return;
      trigger = null;
      pair.close();
    });
    const inward = pump(server, client, () => gate.passed, () => {});
    await Promise.race([outward, inward]);
    pair.close();
    await Promise.all([outward, inward]);
    pairs.delete(pair);
  }

  const connections: Promise<void>[] = [];
  const accepting = (async () => {
    for await (const client of listener) connections.push(connect(client));
  })();

  const searchPath = connection.search_path;
  const broken = typeof searchPath === "string"
    ? connectEmbedded({ transport: "tcp", port: listener.addr.port }, { searchPath })
    : connectServer(`postgres://${user}:${pass}@127.0.0.1:${listener.addr.port}/${database}`);
  return {
    sql: broken,
    pause: () => gate = closedGate(),
    resume() {
      gate.open();
    },
    cut: () => pairs.forEach((pair) => pair.close()),
    cutAfter: (text) => trigger = new TextEncoder().encode(text),
    pauseBefore(text) {
      const { promise, resolve } = Promise.withResolvers<void>();
      awaited = { text: new TextEncoder().encode(text), seen: resolve };
      return promise;
    },
    async [Symbol.asyncDispose]() {
      await broken.end({ timeout: 0.2 });
      listener.close();
      pairs.forEach((pair) => pair.close());
      // What it has held back goes nowhere any more.
      gate.open();
      await accepting;
      await Promise.all(connections);
    },
  };
}

interface Pair {
  close(): void;
}

interface Gate {
  readonly passed: Promise<void>;
  open(): void;
}

function closedGate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { passed: promise, open: resolve };
}

function openGate(): Gate {
  const gate = closedGate();
  gate.open();
  return gate;
}

/** Copies until one side ends; a broken connection is an end like any other. */
async function pump(
  from: Deno.Conn,
  to: Deno.Conn,
  passed: (bytes: Uint8Array) => Promise<void>,
  afterWrite: (bytes: Uint8Array) => void,
): Promise<void> {
  const buffer = new Uint8Array(65_536);
  try {
    for (let size = await from.read(buffer); size !== null; size = await from.read(buffer)) {
      const bytes = buffer.subarray(0, size);
      await passed(bytes);
      for (let sent = 0; sent < size;) sent += await to.write(bytes.subarray(sent));
      afterWrite(bytes);
    }
  } catch {
    // Closed by the other pump, or by the test.
  }
}

function contains(bytes: Uint8Array, part: Uint8Array): boolean {
  return new TextDecoder("latin1").decode(bytes).includes(new TextDecoder("latin1").decode(part));
}

function closeQuietly(connection: Deno.Conn): void {
  try {
    connection.close();
  } catch {
    // Closed already.
  }
}
