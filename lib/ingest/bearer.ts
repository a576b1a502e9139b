import { isPublicKey } from "../accounts/keys.ts";
import type { Credentials } from "./credentials.ts";

/** The key in `Authorization: Bearer <PUBLIC_KEY>`; null when there is none. */
export function bearerKey({ headers }: Request): Credentials | null {
  const [, token = ""] = /^Bearer +([^\s,]+)\s*$/i.exec(headers.get("authorization") ?? "") ?? [];
  if (token === "") return null;
  // What has another form is an unknown key, not a missing one.
  return { publicKey: isPublicKey(token) ? token : token.slice(0, 100), client: null };
}
