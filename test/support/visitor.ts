import type { Handle } from "./built_app.ts";
import { PASSWORD } from "./people.ts";

/** A browser without script: keeps cookies, sends forms, does not follow redirects. */
export interface Visitor {
  get(path: string): Promise<Answer>;
  post(path: string, fields?: Record<string, string> | [string, string][]): Promise<Answer>;
  signIn(email: string, password?: string): Promise<Answer>;
  readonly cookies: Map<string, string>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Where a redirect leads, or null. */
  readonly location: string | null;
  readonly html: string;
}

/** Somebody with a browser of their own, not signed in. */
export function newVisitor(handle: Handle): Visitor {
  const cookies = new Map<string, string>();
  const send = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const headers = new Headers(init.headers);
    headers.set("sec-fetch-site", "same-origin");
    headers.set("cookie", [...cookies].map(([name, value]) => `${name}=${value}`).join("; "));
    const url = new URL(path, "http://localhost:8000");
    const response = await handle(new Request(url, { ...init, headers }));
    for (const cookie of response.headers.getSetCookie()) keep(cookies, cookie);
    const location = response.headers.get("location");
    return {
      status: response.status,
      headers: response.headers,
      location,
      html: await response.text(),
    };
  };
  const post: Visitor["post"] = (path, fields = {}) =>
    send(path, { method: "POST", body: new URLSearchParams(fields) });
  return {
    cookies,
    get: (path) => send(path),
    post,
    signIn: (email, password = PASSWORD) => post("/sign-in", { email, password }),
  };
}

/** Paths are not looked at: the tests read every page right after the redirect to it. */
function keep(cookies: Map<string, string>, cookie: string): void {
  const [pair = "", ...attributes] = cookie.split("; ");
  const [name = "", value = ""] = pair.split("=", 2);
  if (attributes.includes("Max-Age=0")) cookies.delete(name);
  else cookies.set(name, value);
}
