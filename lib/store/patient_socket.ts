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
  #isEnded = false;

  /** @param onBreak is told when an established connection ends and nobody has asked for it */
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
    if (this.#isEnded) queueMicrotask(() => socket.destroy());
    return socket;
  }

  /** For a pool that was ended: resolves when none is left. */
  async closed(): Promise<void> {
    this.#isEnded = true;
    const timer = setTimeout(() => {
      for (const socket of this.#open.keys()) socket.destroy();
    }, FAREWELL_MS);
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
      const socket = sockets.add(
        encryption === null ? new Socket() : await openEncrypted(address, encryption),
      );
      // The driver writes before the connection stands; a failure to connect arrives as an event.
      if (encryption === null) connect(socket, address);
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
async function openEncrypted(address: Address, encryption: Encryption): Promise<Socket> {
  const plain = new Socket();
  const timer = setTimeout(() => plain.destroy(new Error("TLS took too long")), TLS_TIMEOUT_MS);
  try {
    return await negotiate(plain, address, encryption);
  } catch (error) {
    plain.destroy();
    return failingSocket(error instanceof Error ? error : new Error("No TLS"));
  } finally {
    clearTimeout(timer);
  }
}

function failingSocket(error: Error): Socket {
  const failing = new Socket();
  // Once the driver listens, and before it writes.
  queueMicrotask(() => failing.destroy(error));
  return failing;
}

async function negotiate(plain: Socket, address: Address, encryption: Encryption): Promise<Socket> {
  const [host = "localhost"] = address.host;
  connect(plain, address);
  await once(plain, "connect");
  plain.write(SSL_REQUEST);
  const [answer]: Uint8Array[] = await once(plain, "data");
  if (answer?.[0] !== YES) {
    if (encryption.isRequired) throw new Error("Postgres does not offer TLS, which is required");
    return plain;
  }
  const secure = encrypt({
    socket: plain,
    rejectUnauthorized: encryption.isVerified,
    ...isIP(host) ? {} : { servername: host },
  });
  await once(secure, "secureConnect");
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
      if (event === "data") isEstablished = true;
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
