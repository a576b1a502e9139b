/** Reads forms with files (RFC 7578) that strangers made. */
import { Buffer } from "node:buffer";

/** Why a body is no form that is taken. */
export type FormFault = "no boundary" | "not whole" | "too many fields";

/** Of the characters that boundaries may have (RFC 2046): none that quotes mean something to. */
const BOUNDARY = /;\s*boundary="?([\w'()+,./:=? -]{0,69}[\w'()+,./:=?-])/i;

/** Whether a body of this content type is such a form. */
export function isMultipart(contentType: string): boolean {
  return /^\s*multipart\/form-data\b/i.test(contentType);
}

/**
 * The fields of a form. They are counted before anything is made of them: of a million the parser makes hundreds of
 * megabytes, and holds the thread for seconds.
 *
 * @param contentType with the boundary
 */
export async function formIn(
  body: Uint8Array,
  contentType: string,
  maxFields: number,
): Promise<FormData | FormFault> {
  // Some send an empty form as nothing at all.
  if (body.length === 0) return new FormData();
  const [, boundary] = BOUNDARY.exec(contentType) ?? [];
  if (boundary === undefined) return "no boundary";
  if (countOf(body, `--${boundary}`, maxFields + 2) > maxFields + 1) return "too many fields";
  // With the boundary that was counted: a header may have several, of which the parser takes another.
  const headers = { "content-type": `multipart/form-data; boundary="${boundary}"` };
  try {
    return await new Response(new Uint8Array(body), { headers }).formData();
  } catch {
    return "not whole";
  }
}

function countOf(body: Uint8Array, mark: string, most: number): number {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  let count = 0;
  for (let at = bytes.indexOf(mark); at >= 0 && count < most; count++) {
    at = bytes.indexOf(mark, at + mark.length);
  }
  return count;
}
