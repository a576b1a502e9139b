import { isPublicKey } from "../../accounts/keys.ts";
import { bearerKey } from "../bearer.ts";
import type { Credentials } from "../credentials.ts";

/** The key as a bearer token, or in Basic authentication as password or user; null when there is none. */
export function pyroscopeKey(req: Request): Credentials | null {
  return bearerKey(req) ?? basicKey(req);
}

function basicKey({ headers }: Request): Credentials | null {
  const [, encoded = ""] = /^Basic +([\w+/=-]+)\s*$/i.exec(headers.get("authorization") ?? "") ??
    [];
  const [user = "", password = ""] = textOf(encoded).split(/:(.*)/s);
  const key = [password, user].find(isPublicKey) ?? (password || user);
  // What has another form is an unknown key, not a missing one.
  return key === "" ? null : { publicKey: key.slice(0, 100), client: null };
}

function textOf(encoded: string): string {
  try {
    return atob(encoded);
  } catch {
    return "";
  }
}
