import { Buffer } from "node:buffer";
import { unreadableBody } from "../pprof/refusals.ts";

/** What an agent puts into a form. */
export interface ProfileForm {
  readonly profile: Uint8Array;
  /** JSON text, or `""`. */
  readonly sampleTypeConfig: string;
}

/** Agents send three. Reading a form of a hundred thousand takes a second. */
const MAX_FIELDS = 32;

/** Whether a body of this content type is a form with files. */
export function isForm(contentType: string): boolean {
  return /^\s*multipart\/form-data\b/i.test(contentType);
}

/** Reads `multipart/form-data`. @throws {Refusal} 400 when it is none, or has no field `profile` */
export async function readForm(body: Uint8Array, contentType: string): Promise<ProfileForm> {
  const form = await formIn(new Uint8Array(body), contentType);
  const profile = await bytesOf(form.get("profile"));
  if (profile === null) throw unreadableBody('The form has no field "profile"');
  const config = await bytesOf(form.get("sample_type_config"));
  return {
    profile,
    sampleTypeConfig: config === null ? "" : new TextDecoder().decode(config),
  };
}

async function formIn(body: Uint8Array<ArrayBuffer>, contentType: string): Promise<FormData> {
  const boundary = boundaryIn(contentType);
  if (boundary === null) throw unreadableBody("The form's Content-Type has no boundary");
  if (partsOf(body, boundary) > MAX_FIELDS) {
    throw unreadableBody(`The form has more than ${MAX_FIELDS} fields`);
  }
  // With the boundary that was counted: a header may have several, of which the parser takes another.
  const headers = { "content-type": `multipart/form-data; boundary="${boundary}"` };
  try {
    return await new Response(body, { headers }).formData();
  } catch {
    throw unreadableBody("The body is not the form that its Content-Type says");
  }
}

/** Of the characters that boundaries may have (RFC 2046): none that quotes mean something to. */
function boundaryIn(contentType: string): string | null {
  return /;\s*boundary="?([\w'()+,./:=? -]{0,69}[\w'()+,./:=?-])/i.exec(contentType)?.[1] ?? null;
}

function partsOf(body: Uint8Array<ArrayBuffer>, boundary: string): number {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const mark = `--${boundary}`;
  let count = 0;
  for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + mark.length)) {
    if (++count > MAX_FIELDS + 1) break;
  }
  return count - 1;
}

async function bytesOf(field: FormDataEntryValue | null): Promise<Uint8Array | null> {
  if (field === null) return null;
  return typeof field === "string" ? new TextEncoder().encode(field) : await field.bytes();
}
