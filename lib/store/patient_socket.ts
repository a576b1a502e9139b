import { Buffer } from "node:buffer";
import { once } from "node:events";
import { isIP, Socket } from "node:net";
import { connect as encrypt } from "node:tls";

/** Enough for everything that is due when the connection breaks. */
const CLOSE_DELAY_MS = 20;
/** Postgres closes at once what was told farewell; whatever else is still open has nobody at its other end. */
const FAREWELL_MS = 200;
const TLS_TIMEOUT_MS = 5_000;
/** Length 8, then the number that asks for encryption instead of naming a protocol version. */
const SSL_REQUEST = new Uint8Array([0, 0, 0, 8, 4, 210, 22, 47]);
const YES = "S".charCodeAt(0);
/** With this Postgres ends what it says to a new connection (ReadyForQuery, idle); before that it may still refuse it. */
const READY = Buffer.from("5a0000000549", "hex");

/** Where to connect: what `postgres` hands to its `socket` option, as far as needed here. */
interface Address {
  readonly host: readonly string[];
  readonly port: readonly number[];
  readonly path?: string | false | undefined;
}

/** Whether to encrypt (`prefer`: if the server can), and whether to check the server's certificate. */
interface Encryption {
  readonly isRequired: boolean;
  readonly isVerified: boolean;
}

/** The sockets of a pool: the driver forgets some of them before they have closed. */
export class PoolSockets {
  readonly #open = new Map<Socket, Promise<void>>();
  readonly #opening = new Set<Promise<Socket>>();
  readonly #ended = new AbortController();

  /** @param onBreak is told when a connection that queries could be sent to ends and nobody has asked for that */
  constructor(private readonly onBreak: () => void) {}

  /** Takes one that is new, and makes it close patiently. */
  add(socket: Socket): Socket {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#open.set(socket, promise);
    closePatiently(socket, this.onBreak, () => {
      this.#open.delete(socket);
      resolve();
    });
    // The driver may have been about to connect when its pool was ended.
    if (this.#ended.signal.aborted) queueMicrotask(() => socket.destroy());
    return socket;
  }

  /** Takes one that is there later. @param open does not reject, and comes to an end when the pool does */
  async addLater(open: (ended: AbortSignal) => Promise<Socket>): Promise<Socket> {
    const opening = open(this.#ended.signal).then((socket) => this.add(socket));
    this.#opening.add(opening);
    try {
      return await opening;
    } finally {
      this.#opening.delete(opening);
    }
  }

  /** For a pool that was ended: resolves when none is left. */
  async closed(): Promise<void> {
    this.#ended.abort(new Error("The pool has ended"));
    const timer = setTimeout(() => {
      for (const socket of this.#open.keys()) socket.destroy();
    }, FAREWELL_MS);
    await Promise.all(this.#opening);
    await Promise.all(this.#open.values());
    clearTimeout(timer);
  }
}

/**
 * Options for `postgres` that make its connections end in a way that it survives; see `lastingPool()`.
 *
 * @param sslMode of the address, as libpq names them: `disable`, `prefer`, `require`, `verify-full` …
 * @param isAllowed while it says no, connecting fails as if the server were away
 */
export function patientSockets(
  sslMode: string | null,
  sockets: PoolSockets,
  isAllowed: () => boolean = () => true,
) {
  const encryption = encryptionOf(sslMode);
  return {
    // The driver would encrypt over our socket, and close the encrypted one in its own way.
    ssl: false as const,
    socket: async (address: Address): Promise<Socket> => {
      if (!isAllowed()) {
        return sockets.add(failingSocket(new Error("The database is not up to date yet")));
      }
      if (encryption !== null) {
        return await sockets.addLater((ended) => openEncrypted(address, encryption, ended));
      }
      const socket = sockets.add(new Socket());
      // The driver writes before the connection stands; a failure to connect arrives as an event.
      connect(socket, address);
      return socket;
    },
  };
}

function encryptionOf(sslMode: string | null): Encryption | null {
  if (sslMode === null || sslMode === "disable" || sslMode === "false") return null;
  return {
    isRequired: sslMode !== "prefer" && sslMode !== "allow",
    isVerified: sslMode.startsWith("verify"),
  };
}

function connect(socket: Socket, { host, port, path }: Address): void {
  if (path) socket.connect(path);
  else socket.connect(port[0] ?? 5432, host[0] ?? "localhost");
}

/** Never rejects, which would cost the driver a connection of its pool: a failure arrives as an event, too. */
async function openEncrypted(
  address: Address,
  encryption: Encryption,
  ended: AbortSignal,
): Promise<Socket> {
  const plain = new Socket();
  // Whoever closes it before a word says nothing of an error.
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(new Error("TLS took too long")), TLS_TIMEOUT_MS);
  const onClose = () => over.abort(connectionClosed());
  const onEnd = () => over.abort(ended.reason);
  plain.once("close", onClose);
  ended.addEventListener("abort", onEnd);
  try {
    ended.throwIfAborted();
    return await negotiate(plain, address, encryption, over.signal);
  } catch (error) {
    plain.destroy();
    const reason: unknown = over.signal.aborted ? over.signal.reason : error;
    return failingSocket(reason instanceof Error ? reason : new Error("No TLS"));
  } finally {
    clearTimeout(timer);
    plain.off("close", onClose);
    ended.removeEventListener("abort", onEnd);
  }
}

function failingSocket(error: Error): Socket {
  const failing = new Socket();
  // Once the driver listens, and before it writes.
  queueMicrotask(() => failing.destroy(error));
  return failing;
}

async function negotiate(
  plain: Socket,
  address: Address,
  encryption: Encryption,
  signal: AbortSignal,
): Promise<Socket> {
  const [host = "localhost"] = address.host;
  connect(plain, address);
  await once(plain, "connect", { signal });
  plain.write(SSL_REQUEST);
  const [answer]: Uint8Array[] = await once(plain, "data", { signal });
  if (answer?.[0] !== YES) {
    if (encryption.isRequired) throw new Error("Postgres does not offer TLS, which is required");
    return plain;
  }
  const secure = encrypt({
    socket: plain,
    rejectUnauthorized: encryption.isVerified,
    ...isIP(host) ? {} : { servername: host },
  });
  await once(secure, "secureConnect", { signal });
  return secure;
}

/**
 * Changes how a socket ends: first comes an error, which fails all queries, then every write is answered by that
 * error, which fails what follows, such as ROLLBACK; a moment later, when nobody has more to send, it closes.
 */
function closePatiently(socket: Socket, onBreak: () => void, onClosed: () => void): void {
  const emit: (event: string, ...values: unknown[]) => boolean = socket.emit.bind(socket);
  const write: (bytes: Uint8Array, sent?: () => void) => boolean = socket.write.bind(socket);
  const end = socket.end.bind(socket);
  let failure: Error | null = null;
  let said: Uint8Array = new Uint8Array();
  let isEstablished = false;
  let isWanted = true;

  function fail(error: Error): boolean {
    failure = error;
    return socket.listenerCount("error") > 0 && emit("error", error);
  }

  function close(): boolean {
    if (isEstablished && isWanted) onBreak();
    if (failure === null) fail(connectionClosed());
    setTimeout(() => {
      // What the driver has put off until its turn ends goes first, on a busy machine as well.
      setImmediate(() => {
        // Without an error, as far as the driver knows: only then it fails what was sent in between.
        emit("close", false);
        onClosed();
      });
    }, CLOSE_DELAY_MS);
    return true;
  }

  Object.assign(socket, {
    emit(event: string, ...values: unknown[]): boolean {
      if (event === "close") return close();
      if (event === "error" && values[0] instanceof Error) return fail(values[0]);
      if (!isEstablished && event === "data" && values[0] instanceof Uint8Array) {
        said = Buffer.concat([said, values[0]]).subarray(-READY.length);
        isEstablished = READY.equals(said);
      }
      return emit(event, ...values);
    },
    write(bytes: Uint8Array, sent?: () => void): boolean {
      if (failure === null) return write(bytes, sent);
      return fail(failure);
    },
    end(farewell?: Uint8Array): Socket {
      // The driver takes its leave; without that, it is the answer to the end of the other side.
      if (farewell !== undefined) isWanted = false;
      return farewell === undefined ? end() : end(farewell);
    },
  });
}

/** What queries on a broken connection fail with. */
export function connectionClosed(): Error {
  return Object.assign(new Error("Postgres closed the connection"), { code: "CONNECTION_CLOSED" });
}
