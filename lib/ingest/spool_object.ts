/** A request that could not be stored yet: its body as sent, and all that decoding it later needs. */
export interface SpooledRequest {
  readonly requestId: string;
  readonly protocol: string;
  readonly projectId: string;
  readonly publicKey: string;
  readonly receivedAt: Date;
  readonly clientAddress: string | null;
  readonly userAgent: string | null;
  readonly address: string;
  readonly contentType: string;
  readonly client: string | null;
  /** `Content-Encoding` of `body`. */
  readonly encoding: string;
  readonly body: Uint8Array;
}

type Head = Omit<SpooledRequest, "body" | "receivedAt" | "requestId"> & {
  readonly receivedAt: string;
  readonly requestId?: string;
};

/** What objects lack that an older version wrote. */
const LATER_FIELDS = { userAgent: null, address: "", contentType: "" };

/** The bytes before each part say how long it is. */
const LENGTH_BYTES = 4;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Turns a request into bytes that can stand in a row: length, head as JSON, length, body. */
export function encodeRequest({ body, ...head }: SpooledRequest): Uint8Array {
  const headBytes = encoder.encode(JSON.stringify(head));
  const bytes = new Uint8Array(2 * LENGTH_BYTES + headBytes.length + body.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, headBytes.length);
  bytes.set(headBytes, LENGTH_BYTES);
  view.setUint32(LENGTH_BYTES + headBytes.length, body.length);
  bytes.set(body, 2 * LENGTH_BYTES + headBytes.length);
  return bytes;
}

/**
 * Reads the requests of one spool object.
 *
 * @throws {RangeError | SyntaxError} when the bytes are not what `encodeRequest()` made
 */
export function decodeRequests(bytes: Uint8Array): SpooledRequest[] {
  const requests: SpooledRequest[] = [];
  const parts = new PartReader(bytes);
  while (!parts.isAtEnd) {
    const head: Head = { ...LATER_FIELDS, ...JSON.parse(decoder.decode(parts.next())) };
    requests.push({
      ...head,
      // Versions before had none: a new one stores what their event ids do not recognise.
      requestId: head.requestId ?? crypto.randomUUID(),
      receivedAt: new Date(head.receivedAt),
      body: parts.next(),
    });
  }
  return requests;
}

class PartReader {
  #offset = 0;
  readonly #view: DataView;

  constructor(private readonly bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get isAtEnd(): boolean {
    return this.#offset === this.bytes.length;
  }

  next(): Uint8Array {
    const start = this.#offset + LENGTH_BYTES;
    const end = start + this.#view.getUint32(this.#offset);
    if (end > this.bytes.length) throw new RangeError("Cannot read spool object: it is cut short");
    this.#offset = end;
    return this.bytes.subarray(start, end);
  }
}
