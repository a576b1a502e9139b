/** Stand-ins for the APIs of trackers over HTTP, as their documentation says: addresses, headers, statuses, bodies. */

export interface Asked {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Headers;
  readonly body: unknown;
}

export interface TrackerServer extends AsyncDisposable {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  readonly asked: readonly Asked[];
  /** By number or key: whether it is open there. */
  readonly issues: Map<string, { title: string; isOpen: boolean; body: string }>;
  /** What is answered in place of everything, until null is set. */
  breakWith(answer: (() => Response | Promise<Response>) | null): void;
}

type Issues = TrackerServer["issues"];
type Answer = (asked: Asked, issues: Issues) => Response;

function tracker(answer: Answer): TrackerServer {
  const asked: Asked[] = [];
  const issues: Issues = new Map();
  let broken: (() => Response | Promise<Response>) | null = null;
  const ending = new AbortController();
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {}, signal: ending.signal },
    async (request) => {
      const { pathname, search } = new URL(request.url);
      const text = await request.text();
      const one = {
        method: request.method,
        path: pathname + search,
        headers: request.headers,
        body: text === "" ? null : JSON.parse(text),
      };
      asked.push(one);
      return broken === null ? answer(one, issues) : await broken();
    },
  );
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    asked,
    issues,
    breakWith(next) {
      broken = next;
    },
    async [Symbol.asyncDispose]() {
      ending.abort();
      await server.finished;
    },
  };
}

const json = (body: unknown, status = 200) => Response.json(body, { status });

/** GitHub Enterprise's REST API, version 2022-11-28, for the repository `acme/shop`. */
export function githubServer(token = "ghp_right"): TrackerServer {
  return tracker(({ method, path, headers, body }, issues) => {
    if (headers.get("authorization") !== `Bearer ${token}`) {
      return json({ message: "Bad credentials", documentation_url: "https://docs" }, 401);
    }
    if (!headers.get("user-agent")) return json({ message: "Request forbidden" }, 403);
    const [, rest] = /^\/api\/v3\/repos\/acme\/shop(.*)$/.exec(path) ?? [];
    if (rest === undefined) return json({ message: "Not Found", status: "404" }, 404);
    if (rest === "") return json({ full_name: "acme/shop", has_issues: true });
    return forgeIssues(method, rest, body, issues);
  });
}

/** Gitea's and Forgejo's API for the repository `acme/shop`. */
export function giteaServer(token = "gitea-right"): TrackerServer {
  return tracker(({ method, path, headers, body }, issues) => {
    if (headers.get("authorization") !== `token ${token}`) {
      return json({ message: "user does not exist [uid: 0]", url: "/api/swagger" }, 401);
    }
    const [, rest] = /^\/api\/v1\/repos\/acme\/shop(.*)$/.exec(path) ?? [];
    if (rest === undefined) {
      return json({ message: "The target couldn't be found.", errors: null }, 404);
    }
    if (rest === "") return json({ full_name: "acme/shop", has_issues: true });
    return forgeIssues(method, rest, body, issues);
  });
}

function forgeIssues(method: string, rest: string, body: unknown, issues: Issues): Response {
  const given = (body ?? {}) as { title?: string; body?: string; state?: string };
  if (method === "POST" && rest === "/issues") {
    if (!given.title) {
      const errors = [{ resource: "Issue", code: "missing_field", field: "title" }];
      return json({ message: "Validation Failed", errors }, 422);
    }
    const number = issues.size + 1;
    issues.set(String(number), { title: given.title, isOpen: true, body: given.body ?? "" });
    return json({ number, title: given.title, state: "open" }, 201);
  }
  const number = /^\/issues\/(\d+)$/.exec(rest)?.[1] ?? "";
  const issue = issues.get(number);
  if (issue === undefined) return json({ message: "Not Found" }, 404);
  if (method === "PATCH" && given.state === "closed") issue.isOpen = false;
  const state = issue.isOpen ? "open" : "closed";
  return json({ number: Number(number), title: issue.title, state });
}

/** GitLab's API v4 for the project `acme/web/shop`. */
export function gitlabServer(token = "glpat-right"): TrackerServer {
  return tracker(({ method, path, headers, body }, issues) => {
    if (headers.get("private-token") !== token) return json({ message: "401 Unauthorized" }, 401);
    const [, rest] = /^\/api\/v4\/projects\/acme%2Fweb%2Fshop(.*)$/.exec(path) ?? [];
    if (rest === undefined) return json({ message: "404 Project Not Found" }, 404);
    if (rest === "") return json({ id: 7, path_with_namespace: "acme/web/shop" });
    const given = (body ?? {}) as { title?: string; description?: string; state_event?: string };
    if (method === "POST" && rest === "/issues") {
      if (!given.title) return json({ message: { title: ["can't be blank"] } }, 400);
      const iid = issues.size + 1;
      issues.set(String(iid), { title: given.title, isOpen: true, body: given.description ?? "" });
      return json({ id: 1000 + iid, iid, title: given.title, state: "opened" }, 201);
    }
    const iid = /^\/issues\/(\d+)$/.exec(rest)?.[1] ?? "";
    const issue = issues.get(iid);
    if (issue === undefined) return json({ message: "404 Not found" }, 404);
    if (method === "PUT" && given.state_event === "close") issue.isOpen = false;
    const state = issue.isOpen ? "opened" : "closed";
    return json({ id: 1000 + Number(iid), iid: Number(iid), title: issue.title, state });
  });
}

/** Jira's REST API 2 for the project `OPS`; with a user as Jira Cloud, without as Server. */
export function jiraServer(authorization = "Bearer jira-right"): TrackerServer {
  return tracker(({ method, path, headers, body }, issues) => {
    if (headers.get("authorization") !== authorization) {
      return new Response("<html>Unauthorized (401)</html>", { status: 401 });
    }
    if (path === "/rest/api/2/project/OPS") {
      const issueTypes = [{ id: "10001", name: "Story" }, { id: "10004", name: "Bug" }];
      return json({ id: "10000", key: "OPS", name: "Operations", issueTypes });
    }
    if (method === "POST" && path === "/rest/api/2/issue") {
      const { fields } = body as { fields: Record<string, unknown> & { summary: string } };
      if ((fields.issuetype as { name: string }).name !== "Bug") {
        const errors = { issuetype: "Specify a valid issue type" };
        return json({ errorMessages: [], errors }, 400);
      }
      const key = `OPS-${issues.size + 1}`;
      issues.set(key, { title: fields.summary, isOpen: true, body: String(fields.description) });
      return json({ id: "10100", key, self: "https://jira" }, 201);
    }
    const [, key = "", rest] = /^\/rest\/api\/2\/issue\/(OPS-\d+)(.*)$/.exec(path) ?? [];
    const issue = issues.get(key);
    if (issue === undefined) {
      const errorMessages = ["Issue does not exist or you do not have permission to see it."];
      return json({ errorMessages, errors: {} }, 404);
    }
    if (rest === "/transitions" && method === "GET") return json({ transitions: TRANSITIONS });
    if (rest === "/transitions") {
      const { transition: { id } } = body as { transition: { id: string } };
      if (id === "31") issue.isOpen = false;
      return new Response(null, { status: 204 });
    }
    const status = issue.isOpen
      ? { name: "To Do", statusCategory: { key: "new" } }
      : { name: "Done", statusCategory: { key: "done" } };
    return json({ id: "10100", key, fields: { summary: issue.title, status } });
  });
}

const TRANSITIONS = [
  {
    id: "21",
    name: "Begin",
    to: { name: "In Progress", statusCategory: { key: "indeterminate" } },
  },
  { id: "31", name: "Finish", to: { name: "Done", statusCategory: { key: "done" } } },
];

/** YouTrack's REST API for the project `OPS`. */
export function youtrackServer(token = "perm:right"): TrackerServer {
  return tracker(({ method, path, headers, body }, issues) => {
    if (headers.get("authorization") !== `Bearer ${token}`) {
      return json({ error: "Unauthorized", error_description: "You are not logged in" }, 401);
    }
    if (path.startsWith("/api/admin/projects/OPS?")) {
      return json({ id: "0-7", name: "Operations", shortName: "OPS", $type: "Project" });
    }
    const resolvedOf = (isOpen: boolean) => isOpen ? null : 1_700_000_000_000;
    if (method === "POST" && path.startsWith("/api/issues?")) {
      const given = body as { project: { id: string }; summary: string; description: string };
      if (given.project.id !== "0-7") {
        return json({ error: "bad_request", error_description: "Project is required" }, 400);
      }
      const key = `OPS-${issues.size + 1}`;
      issues.set(key, { title: given.summary, isOpen: true, body: given.description });
      return json({ idReadable: key, summary: given.summary, resolved: null });
    }
    if (method === "POST" && path === "/api/commands") {
      const { query, issues: [one] } = body as { query: string; issues: { idReadable: string }[] };
      const issue = issues.get(one?.idReadable ?? "");
      if (issue && query === "State Fixed") issue.isOpen = false;
      return json({ query });
    }
    const key = /^\/api\/issues\/(OPS-\d+)\?/.exec(path)?.[1] ?? "";
    const issue = issues.get(key);
    if (issue === undefined) {
      return json(
        { error: "Not Found", error_description: `Entity with id ${key} not found` },
        404,
      );
    }
    return json({ idReadable: key, summary: issue.title, resolved: resolvedOf(issue.isOpen) });
  });
}
