/** The logo of a status page: a small picture of pixels. Drawings (SVG) are refused: they can carry scripts. */
import { t } from "../../core/language/translate.ts";
import { keyOf } from "../../accounts/kv.ts";
import { sha256 } from "../../accounts/secrets.ts";
import { InvalidInput } from "../../core/errors.ts";
import { changePage, type StatusPage } from "./status_page.ts";

/** A value of KV holds 64 KiB. */
export const MAX_LOGO_BYTES = 48 * 1024;

/** How files of a type begin; the name and what the browser says count for nothing. */
const SIGNATURES: readonly (readonly [type: string, matches: (bytes: Uint8Array) => boolean])[] = [
  ["image/png", (bytes) => startsWith(bytes, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])],
  ["image/jpeg", (bytes) => startsWith(bytes, [0xff, 0xd8, 0xff])],
  ["image/gif", (bytes) => startsWith(bytes, [0x47, 0x49, 0x46, 0x38])],
  [
    "image/webp",
    (bytes) =>
      startsWith(bytes, [0x52, 0x49, 0x46, 0x46]) &&
      startsWith(bytes.subarray(8), [0x57, 0x45, 0x42, 0x50]),
  ],
];

function startsWith(bytes: Uint8Array, signature: readonly number[]): boolean {
  return signature.every((byte, place) => bytes[place] === byte);
}

/**
 * Keeps a logo.
 *
 * @throws {InvalidInput} for a file that is too large or no picture
 */
export async function saveLogo(
  kv: Deno.Kv,
  organizationId: string,
  bytes: Uint8Array,
  by: string,
): Promise<StatusPage | null> {
  if (bytes.length > MAX_LOGO_BYTES) {
    throw new InvalidInput("logo", t("Choose a picture of at most 48 KiB."));
  }
  const type = SIGNATURES.find(([, matches]) => matches(bytes))?.[0];
  if (type === undefined) {
    throw new InvalidInput("logo", t("Choose a picture: PNG, JPEG, GIF or WebP."));
  }
  const logo = { type, hash: sha256(bytes.toHex()).slice(0, 16) };
  return await changePage(
    kv,
    organizationId,
    () => ({ logo }),
    by,
    (atomic) => void atomic.set(keyOf.statusLogo(organizationId), bytes),
  );
}

/** Takes the logo away. */
export async function removeLogo(kv: Deno.Kv, organizationId: string, by: string): Promise<void> {
  await changePage(
    kv,
    organizationId,
    () => ({ logo: null }),
    by,
    (atomic) => void atomic.delete(keyOf.statusLogo(organizationId)),
  );
}

/** The bytes of the logo, or null. */
export async function readLogo(
  kv: Deno.Kv,
  organizationId: string,
): Promise<Uint8Array<ArrayBuffer> | null> {
  return (await kv.get<Uint8Array<ArrayBuffer>>(keyOf.statusLogo(organizationId))).value;
}
