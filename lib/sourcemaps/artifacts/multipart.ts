/** Files in forms: how uploads come. */
import { Buffer } from "node:buffer";
import { constants, createGunzip } from "node:zlib";
import { ApiError } from "../../api/route.ts";
import { runEngine } from "../../core/inflate_engine.ts";
import { readBody } from "../../core/read_body.ts";
import { MINUTE_MS } from "../../core/time.ts";

/** A slow line takes minutes for a large bundle. */
const BODY_TIMEOUT_MS = 5 * MINUTE_MS;
/** Headers of parts, in all. */
const FORM_BYTES = 256 * 1024;

/** A file of a form. */
export interface FormFile {
  /** Of its field. */
  readonly field: string;
  /** As the client says; a key and never a path. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

interface FormLimits {
  /** Of all files, as sent. */
  readonly maxBytes: number;
  readonly maxParts: number;
  readonly stopping: AbortSignal;
}

/**
 * Reads a form with files; fields that are none are left out.
 *
 * @throws {ApiError} 400 for what is no such form, or has too many parts; 415 for another content type
 * @throws {Refusal} as `readBody()`
 */
export async function readFiles(
  req: Request,
  { maxBytes, maxParts, stopping }: FormLimits,
): Promise<FormFile[]> {
  const type = req.headers.get("content-type") ?? "";
  const [, quoted, plain] =
    /^multipart\/form-data;.*\bboundary=(?:"([^"]+)"|([^;,\s]+))/i.exec(type) ??
      [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) {
    throw ApiError.detail(415, "Send the files as multipart/form-data.");
  }
  const bytes = await readBody(req, {
    maxBytes: maxBytes + FORM_BYTES,
    timeoutMs: BODY_TIMEOUT_MS,
    stopping,
  });
  // Counted before anything is made of them.
  if (countOf(bytes, `--${boundary}`, maxParts + 2) > maxParts + 1) {
    throw ApiError.detail(400, `Too many chunks: a request may have ${maxParts}.`);
  }
  return await parse(bytes, type);
}

function countOf(bytes: Uint8Array, text: string, most: number): number {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let count = 0;
  for (let at = buffer.indexOf(text); at >= 0 && count < most; at = buffer.indexOf(text, at + 1)) {
    count++;
  }
  return count;
}

async function parse(bytes: Uint8Array, type: string): Promise<FormFile[]> {
  // An empty form has an end and no part; the parser knows no such form.
  if (bytes.length === 0) return [];
  const form = await new Response(new Uint8Array(bytes), { headers: { "content-type": type } })
    .formData().catch(() => null);
  if (form === null) throw ApiError.detail(400, "The body is not whole multipart/form-data.");
  const files: FormFile[] = [];
  for (const [field, value] of form) {
    if (typeof value === "string") continue;
    files.push({ field, name: value.name, bytes: await value.bytes() });
  }
  return files;
}

/**
 * Unpacks gzip, and not a byte more than allowed.
 *
 * @throws {ApiError} 400 above `maxBytes` with `tooLarge` as its sentence, and for what is no whole gzip
 */
export function gunzip(bytes: Uint8Array, maxBytes: number, tooLarge: string): Uint8Array {
  try {
    const engine = createGunzip({ maxOutputLength: maxBytes });
    return runEngine(engine, bytes, constants.Z_FINISH).output;
  } catch (error) {
    const isTooLarge = error instanceof Error && "code" in error &&
      error.code === "ERR_BUFFER_TOO_LARGE";
    throw ApiError.detail(400, isTooLarge ? tooLarge : "A part is no whole gzip data.");
  }
}
