import { HttpError } from "fresh";
import { readBody } from "../core/read_body.ts";

/** A dashboard of many panels is a tenth of this. */
const MAX_BYTES = 1_000_000;

/**
 * Reads a form that may have files, which become fields with their text.
 *
 * @throws {HttpError} 415 for another content type or a body that is no form
 * @throws {Refusal} 413 above 1 MB, 408 when it comes too slowly, as `readBody()`
 */
export async function readUpload(request: Request): Promise<ReadonlyMap<string, string>> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^(?:multipart\/form-data|application\/x-www-form-urlencoded)\b/i.test(type)) {
    throw new HttpError(415, "This address takes HTML forms only.");
  }
  const bytes = new Uint8Array(await readBody(request, { maxBytes: MAX_BYTES }));
  const fields = new Map<string, string>();
  for (const [name, value] of await parse(bytes, type)) {
    fields.set(name, typeof value === "string" ? value : await value.text());
  }
  return fields;
}

async function parse(bytes: Uint8Array<ArrayBuffer>, type: string): Promise<FormData> {
  try {
    return await new Response(bytes, { headers: { "content-type": type } }).formData();
  } catch {
    throw new HttpError(415, "This form could not be read. Open the page here and try again.");
  }
}
