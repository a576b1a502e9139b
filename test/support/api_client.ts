/** The management API as tests use it: what a script of a user would call. */

export interface ProjectKeys {
  readonly id: string;
  readonly slug: string;
  readonly serverDsn: string;
  readonly browserDsn: string;
}

export interface ApiIssue {
  readonly id: string;
  readonly title: string;
  readonly culprit: string;
  readonly count: string;
  readonly status: string;
}

/** Calls the API and returns the decoded body. Throws when the status is not 2xx. */
export async function api<T>(
  url: string,
  token: string,
  path: string,
  init: { method?: string; body?: unknown } = {},
): Promise<T> {
  const response = await fetch(`${url}/api/0${path}`, {
    method: init.method ?? "GET",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(init.body === undefined ? {} : { body: JSON.stringify(init.body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${init.method ?? "GET"} ${path}: ${response.status} ${text}`);
  return JSON.parse(text || "null");
}

/** Makes a project in the first organization and reads the DSNs of its keys. */
export async function createKeys(
  url: string,
  token: string,
  name: string,
  platform = "node",
): Promise<ProjectKeys> {
  const [organization] = await api<{ slug: string }[]>(url, token, "/organizations/");
  if (organization === undefined) {
    throw new Error("there is no organization yet, the first account makes it");
  }
  const project = await api<{ id: string; slug: string }>(
    url,
    token,
    `/organizations/${organization.slug}/projects/`,
    { method: "POST", body: { name, platform } },
  );
  const keys = await api<{ type: string; dsn: { public: string } }[]>(
    url,
    token,
    `/projects/${organization.slug}/${project.slug}/keys/`,
  );
  const dsn = (type: string) => keys.find((key) => key.type === type)?.dsn.public ?? "";
  return { ...project, serverDsn: dsn("server"), browserDsn: dsn("browser") };
}

/** The issues of a project, newest first. */
export async function issuesOf(
  url: string,
  token: string,
  project: { slug: string },
): Promise<ApiIssue[]> {
  const [organization] = await api<{ slug: string }[]>(url, token, "/organizations/");
  return await api(url, token, `/projects/${organization?.slug}/${project.slug}/issues/`);
}
