/** A browser without script against a real server: keeps its session, does not follow redirects. */
export interface SignedIn {
  /** The body of a page. @throws {Error} unless it is answered with 200 */
  get(path: string): Promise<string>;
  /** Sends a form and reports the status. */
  post(path: string, fields: Record<string, string>): Promise<number>;
}

/** Signs in as the administrator that `startServer()` makes. */
export async function signedIn(
  baseUrl: string,
  email = "admin@example.test",
  password = "correct horse battery",
): Promise<SignedIn> {
  const send = (path: string, cookie: string, fields?: Record<string, string>) =>
    fetch(baseUrl + path, {
      redirect: "manual",
      headers: { cookie, "sec-fetch-site": "same-origin" },
      ...(fields && { method: "POST", body: new URLSearchParams(fields) }),
    });
  const answer = await send("/sign-in", "", { email, password });
  await answer.body?.cancel();
  const cookie = answer.headers.getSetCookie().map((text) => text.split(";")[0]).join("; ");
  if (answer.status !== 303) throw new Error(`Cannot sign in: ${answer.status}`);
  return {
    async get(path) {
      const response = await send(path, cookie);
      const text = await response.text();
      if (response.status !== 200) throw new Error(`GET ${path}: ${response.status}`);
      return text;
    },
    async post(path, fields) {
      const response = await send(path, cookie, fields);
      await response.body?.cancel();
      return response.status;
    },
  };
}
