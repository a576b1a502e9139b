const SENDERS = 8;
const MAX_TRIES = 20;

/** One request that is to be made. */
export interface Delivery {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Made when it is sent: envelopes tell the time of that. */
  body(): string | Uint8Array<ArrayBuffer>;
}

/** An envelope on its way. @param url the envelope endpoint with its key */
export function envelopeDelivery(url: string, envelope: Envelope): Delivery {
  return { url, headers: {}, body: () => serialize(envelope) };
}

/**
 * Makes the requests, a few at a time, and waits as long as the service asks for. Once an address refuses its key, nothing
 * more is sent there.
 *
 * @param onDone called after each, whether it was taken or not
 */
export async function sendAll(
  deliveries: readonly Delivery[],
  onDone: () => void = () => {},
): Promise<{ sent: number; refused: number }> {
  const queue = deliveries.values();
  const result = { sent: 0, refused: 0 };
  const closed = new Set<string>();
  const sender = async () => {
    for (const delivery of queue) {
      if (!closed.has(delivery.url) && await send(delivery, closed)) result.sent++;
      else result.refused++;
      onDone();
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, sender));
  return result;
}

async function send({ url, headers, body }: Delivery, closed: Set<string>): Promise<boolean> {
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    const response = await fetch(url, { method: "POST", headers, body: body() });
    const answer = await response.text();
    if (response.ok) return true;
    if (response.status !== 429 && response.status !== 503) {
      const isKnown = closed.has(url);
      if (response.status === 401 || response.status === 403) closed.add(url);
      if (!isKnown) console.error(`${new URL(url).pathname}: ${response.status} ${answer}`);
      return false;
    }
    const seconds = Number(response.headers.get("retry-after") ?? 1);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
  return false;
}

/** What SDKs post: a header, and items of a header and a payload each. */
export interface Envelope {
  readonly header: Readonly<Record<string, unknown>>;
  readonly items: readonly Item[];
}

export interface Item {
  readonly header: Readonly<Record<string, unknown>>;
  /** JSON, or text as it is. */
  readonly payload: unknown;
}

/** The envelope as it goes over the wire. */
export function serialize({ header, items }: Envelope): string {
  const lines = [JSON.stringify({ ...header, sent_at: new Date().toISOString() })];
  for (const item of items) {
    const text = typeof item.payload === "string" ? item.payload : JSON.stringify(item.payload);
    const length = new TextEncoder().encode(text).length;
    lines.push(JSON.stringify({ ...item.header, length }), text);
  }
  return lines.join("\n");
}

/** A request of an OpenTelemetry exporter. */
export interface OtlpRequest {
  readonly signal: "traces" | "logs" | "metrics";
  readonly body: Readonly<Record<string, unknown>>;
}

/** It on its way. @param dsn of a server key: others may not send OTLP */
export function otlpDelivery(dsn: string, { signal, body }: OtlpRequest): Delivery {
  return { ...keyed(dsn, `/v1/${signal}`, "application/json"), body: () => JSON.stringify(body) };
}

/** A profile that a service of the shop uploads. */
export interface Upload {
  /** Of the address: `service` and what else is known. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Gzip-compressed pprof. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** It on its way. @param dsn of a server key: others may not send profiles */
export function uploadDelivery(dsn: string, { parameters, bytes }: Upload): Delivery {
  const path = `/api/v1/profiles/pprof?${new URLSearchParams(parameters)}`;
  return { ...keyed(dsn, path, "application/octet-stream"), body: () => bytes };
}

function keyed(dsn: string, path: string, type: string): Omit<Delivery, "body"> {
  const { protocol, host, pathname, username } = new URL(dsn);
  const prefix = pathname.slice(0, pathname.lastIndexOf("/"));
  return {
    url: `${protocol}//${host}${prefix}${path}`,
    headers: { authorization: `Bearer ${username}`, "content-type": type },
  };
}

/** Says how far sending has come: on a terminal in one line that changes, elsewhere in a line for each tenth. */
export class Progress {
  readonly #begun: number;
  #done = 0;
  #said = 0;

  /**
   * @param total how many there are to do
   * @param write what takes the text, as `Deno.stdout` does
   * @param isTerminal whether a line can be written over
   * @param now in milliseconds
   */
  constructor(
    readonly total: number,
    readonly write: (text: string) => void,
    readonly isTerminal: boolean,
    readonly now: () => number = Date.now,
  ) {
    this.#begun = now();
  }

  /** One more is done. */
  step(): void {
    this.#done++;
    const parts = this.isTerminal ? 100 : 10;
    const reached = Math.floor(this.#done * parts / this.total);
    if (reached === this.#said) return;
    this.#said = reached;
    const line = `${this.#done.toLocaleString("en")} of ${this.total.toLocaleString("en")}${
      this.#done < this.total ? `, about ${this.#left()} left` : ""
    }`;
    const isLast = this.#done === this.total;
    this.write(this.isTerminal ? `\r\x1b[K${line}${isLast ? "\n" : ""}` : `${line}\n`);
  }

  #left(): string {
    const seconds = Math.ceil(
      (this.now() - this.#begun) / 1000 / this.#done * (this.total - this.#done),
    );
    return seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
  }
}
