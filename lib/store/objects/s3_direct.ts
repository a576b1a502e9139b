/**
 * Reading and writing objects of S3 without the SDK, which takes three to four times the processor time: a page that
 * merges a thousand profiles reads as many objects. Only what goes well is done here; all else is the SDK's, with its
 * attempts and its reasons.
 */
import { createHash, createHmac } from "node:crypto";
import type { S3Config } from "../../core/config.ts";

/** Of one request, from its beginning to its end; the SDK waits longer. */
const LIMIT_MS = 3_000;
/** Larger ones may take longer than that. */
const MAX_BYTES = 1024 * 1024;
/** So long all is left to the SDK after something went wrong: a store that is away costs few vain attempts. */
const REST_MS = 10_000;

/** What a direct request came to; null where the SDK has to do it. */
export interface DirectS3 {
  /** The bytes; undefined when there is surely no such object. */
  get(key: string): Promise<{ readonly bytes: Uint8Array | undefined } | null>;
  /** Whether it is stored. */
  put(key: string, bytes: Uint8Array, contentType: string | undefined): Promise<boolean>;
  close(): void;
}

export function directS3(config: S3Config): DirectS3 {
  const client = Deno.createHttpClient({});
  const bucket = new URL(`${config.endpoint.replace(/\/+$/, "")}/${config.bucket}/`);
  const signer = new S3Signer(config);
  let restsUntil = 0;

  async function send<T>(
    request: SignedRequest,
    read: (response: Response) => Promise<T | null>,
  ): Promise<T | null> {
    if (performance.now() < restsUntil) return null;
    const abort = new AbortController();
    const timer = setTimeout(() => abort.abort(), LIMIT_MS);
    let result: T | null = null;
    try {
      const { method, url, body = null } = request;
      const headers = signer.headersOf(request, new Date());
      result = await read(
        await fetch(url, {
          ...{ method, headers, client, signal: abort.signal, redirect: "manual" },
          body: body as Uint8Array<ArrayBuffer> | null,
        }),
      );
    } catch {
      // The SDK finds out why.
    } finally {
      clearTimeout(timer);
    }
    if (result === null) restsUntil = performance.now() + REST_MS;
    return result;
  }

  return {
    get: (key) =>
      send({ method: "GET", url: new URL(key, bucket) }, async (response) => {
        const bytes = await response.bytes();
        if (response.status === 200) return { bytes };
        const isMissing = response.status === 404 &&
          new TextDecoder().decode(bytes).includes("<Code>NoSuchKey</Code>");
        return isMissing ? { bytes: undefined } : null;
      }),
    async put(key, body, contentType) {
      if (body.length > MAX_BYTES) return false;
      const headers = contentType === undefined ? {} : { "content-type": contentType };
      const request = { method: "PUT", url: new URL(key, bucket), body, headers } as const;
      const isStored = await send(request, async (response) => {
        await response.bytes();
        return response.status === 200 || null;
      });
      return isStored ?? false;
    },
    close: () => client.close(),
  };
}

/** A request for one object. Its address needs no escapes, as keys have none. */
export interface SignedRequest {
  readonly method: "GET" | "PUT";
  readonly url: URL;
  readonly body?: Uint8Array;
  /** Beside those that it gets here; names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
}

const EMPTY = sha256("");

/** Signs requests by AWS Signature Version 4, with all in their head. */
export class S3Signer {
  #day = "";
  #key: Uint8Array = new Uint8Array();

  constructor(
    private readonly config: Pick<S3Config, "region" | "accessKeyId" | "secretAccessKey">,
  ) {}

  /** All headers that the request is to have. @param now when it is sent */
  headersOf(request: SignedRequest, now: Date): Record<string, string> {
    const { method, url, body, headers: others = {} } = request;
    const time = now.toISOString().replace(/[-:]|\.\d+/g, "");
    const content = body === undefined ? EMPTY : sha256(body);
    const headers: Record<string, string> = {
      ...others,
      "host": url.host,
      "x-amz-content-sha256": content,
      "x-amz-date": time,
    };
    const names = Object.keys(headers).sort();
    const signed = names.join(";");
    const lines = names.map((name) => `${name}:${headers[name]?.trim()}\n`).join("");
    const asked = [method, url.pathname, "", lines, signed, content].join("\n");
    const scope = `${time.slice(0, 8)}/${this.config.region}/s3/aws4_request`;
    const said = ["AWS4-HMAC-SHA256", time, scope, sha256(asked)].join("\n");
    const signature = createHmac("sha256", this.#keyOf(time.slice(0, 8))).update(said).digest(
      "hex",
    );
    return {
      ...headers,
      authorization: `AWS4-HMAC-SHA256 Credential=${this.config.accessKeyId}/${scope}, ` +
        `SignedHeaders=${signed}, Signature=${signature}`,
    };
  }

  /** The key of a day. @param day `YYYYMMDD` */
  #keyOf(day: string): Uint8Array {
    if (day === this.#day) return this.#key;
    const { region, secretAccessKey } = this.config;
    let key: string | Uint8Array = `AWS4${secretAccessKey}`;
    for (const part of [day, region, "s3", "aws4_request"]) {
      key = createHmac("sha256", key).update(part).digest();
    }
    this.#day = day;
    return this.#key = key as Uint8Array;
  }
}

function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}
