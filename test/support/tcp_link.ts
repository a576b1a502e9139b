/** A small proxy on the loopback, before a server: what goes through can be held back, broken and refused. */
export interface TcpLink extends AsyncDisposable {
  readonly port: number;
  /** Bytes are held back in both directions, and new connections hang, until `resume()`. */
  pause(): void;
  /** Breaks all connections, and closes new ones at once, until `resume()`. */
  refuse(): void;
  resume(): void;
  /** Breaks all connections; new ones work. */
  cut(): void;
  /** Breaks a connection right after it has passed on the next message that contains `text`. */
  cutAfter(text: string): void;
  /** Pauses before the next message that contains `text`. Resolves then. */
  pauseBefore(text: string): Promise<void>;
}

/** @param dial connects to the server */
export function tcpLink(dial: () => Promise<Deno.Conn>): TcpLink {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const pairs = new Set<Pair>();
  let gate = openGate();
  let isPaused = false;
  let isRefusing = false;
  let trigger: Uint8Array | null = null;
  let awaited: { readonly text: Uint8Array; readonly seen: () => void } | null = null;

  function pause(): void {
    if (!isPaused) gate = closedGate();
    isPaused = true;
  }

  function pass(bytes: Uint8Array): Promise<void> {
    if (awaited !== null && contains(bytes, awaited.text)) {
      pause();
      awaited.seen();
      awaited = null;
    }
    return gate.passed;
  }

  async function connect(client: Deno.Conn): Promise<void> {
    const server = isRefusing ? null : await dial().catch(() => null);
    if (server === null) return closeQuietly(client);
    const pair: Pair = { close: () => [client, server].forEach(closeQuietly) };
    pairs.add(pair);
    const outward = pump(client, server, pass, (bytes) => {
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

  const connections = new Set<Promise<void>>();
  const accepting = (async () => {
    for await (const client of listener) {
      const connection = connect(client).finally(() => connections.delete(connection));
      connections.add(connection);
    }
  })();

  const cut = () => pairs.forEach((pair) => pair.close());
  return {
    port: listener.addr.port,
    pause,
    refuse() {
      isRefusing = true;
      cut();
    },
    resume() {
      isRefusing = isPaused = false;
      gate.open();
    },
    cut,
    cutAfter: (text) => trigger = new TextEncoder().encode(text),
    pauseBefore(text) {
      const { promise, resolve } = Promise.withResolvers<void>();
      awaited = { text: new TextEncoder().encode(text), seen: resolve };
      return promise;
    },
    async [Symbol.asyncDispose]() {
      listener.close();
      cut();
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
