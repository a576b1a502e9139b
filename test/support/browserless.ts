/** A person at a running server, without a browser: signs in, reads pages, sends forms. */

export interface Person {
  get(path: string): Promise<{ status: number; text: string }>;
  post(path: string, fields: Record<string, string>): Promise<{ status: number; text: string }>;
}

/** Signs in as the administrator that `startServer()` made. */
export async function signIn(
  url: string,
  email = "admin@example.test",
  password = "correct horse battery",
): Promise<Person> {
  const cookies = new Map<string, string>();
  const send = async (path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    headers.set("origin", url);
    headers.set("sec-fetch-site", "same-origin");
    headers.set("cookie", [...cookies].map((pair) => pair.join("=")).join("; "));
    const response = await fetch(url + path, { ...init, headers, redirect: "manual" });
    for (const each of response.headers.getSetCookie()) {
      const [name = "", value = ""] = each.split(";", 1)[0]?.split("=") ?? [];
      cookies.set(name, value);
    }
    return { status: response.status, text: await response.text() };
  };
  const post: Person["post"] = (path, fields) =>
    send(path, { method: "POST", body: new URLSearchParams(fields) });
  const { status } = await post("/sign-in", { email, password });
  if (status !== 303) throw new Error(`Cannot sign in: ${status}`);
  return { get: (path) => send(path), post };
}
