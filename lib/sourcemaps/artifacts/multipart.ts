/** Files in forms: how uploads come. */
import { ApiError } from "../../api/route.ts";
import { gunzip } from "../../core/inflate_engine.ts";
import { formIn, isMultipart } from "../../core/multipart.ts";
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
  if (!isMultipart(type)) throw notMultipart();
  const bytes = await readBody(req, {
    maxBytes: maxBytes + FORM_BYTES,
    timeoutMs: BODY_TIMEOUT_MS,
    stopping,
  });
  const form = await formIn(bytes, type, maxParts);
  if (form === "no boundary") throw notMultipart();
  if (form === "too many fields") {
    throw ApiError.detail(400, `Too many chunks: a request may have ${maxParts}.`);
  }
  if (form === "not whole") {
    throw ApiError.detail(400, "The body is not whole multipart/form-data.");
  }
  const files: FormFile[] = [];
  for (const [field, value] of form) {
    if (typeof value === "string") continue;
    files.push({ field, name: value.name, bytes: await value.bytes() });
  }
  return files;
}

function notMultipart(): ApiError {
  return ApiError.detail(415, "Send the files as multipart/form-data.");
}

/**
 * Unpacks gzip, and not a byte more than allowed.
 *
 * @throws {ApiError} 400 above `maxBytes` with `tooLarge` as its sentence, and for what is no whole gzip or in too many pieces
 */
export function unpackedPart(bytes: Uint8Array, maxBytes: number, tooLarge: string): Uint8Array {
  try {
    return gunzip(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    const isTooLarge = error instanceof Error && "code" in error &&
      error.code === "ERR_BUFFER_TOO_LARGE";
    throw ApiError.detail(400, isTooLarge ? tooLarge : "A part is no whole gzip data.");
  }
}
