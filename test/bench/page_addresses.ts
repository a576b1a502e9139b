import type { Sql } from "@/lib/store/database.ts";

/** The pages of a project over 30 days, and what their pickers and searches offer. */
export async function addressesOf(sql: Sql, projectId: string): Promise<string[]> {
  const named = await namesIn(sql, projectId);
  const base = `/projects/${projectId}`;
  const whole = ["range=30d"];
  const scopes = [
    ...whole,
    "range=30d&environment=staging",
    "range=30d&environment=production",
    `range=30d&release=${encodeURIComponent(named.release)}`,
    "range=24h",
  ];
  const services = [...scopes, "range=30d&service=checkout"];
  const of = (path: string, searches: readonly string[], scopes: readonly string[] = whole) =>
    scopes.flatMap((scope) =>
      searches.map((search) => `${base}/${path}?${[scope, search].filter(Boolean).join("&")}`)
    );
  const asked = (...queries: readonly string[]) =>
    queries.map((query) => `query=${encodeURIComponent(query)}`);
  const name = encodeURIComponent(named.transaction);
  const page = encodeURIComponent(named.page);
  const group = encodeURIComponent(named.statement);
  const issue = named.issue === "" ? [] : [
    `issues/${named.issue}`,
    `issues/${named.issue}/events`,
    `issues/${named.issue}/similar`,
    `issues/${named.issue}/groups`,
  ];
  return [
    "/projects",
    ...of("performance", [""], services),
    ...of("transactions", ["", ...asked("order"), "op=pageload", "sort=p95"], services),
    ...of("transactions/summary", [`name=${name}`, `name=${name}&samples=failed`], scopes),
    ...of("endpoints", ["", ...asked("order"), "method=POST"], services),
    ...of("endpoints/detail", [`endpoint=${name}`], scopes),
    ...of(
      "queries",
      ["category=db", "category=http", "category=cache", ...asked("order")],
      services,
    ),
    ...of("queries/detail", [`category=db&group=${group}`], scopes),
    ...of("web-vitals", ["", ...asked("order")], scopes),
    ...of("web-vitals/page", [`name=${page}`, `name=${page}&vital=lcp`], scopes),
    ...of("traces", [""], services),
    ...of("traces", asked(...TRACES)),
    `${base}/traces/${named.trace}`,
    ...of("logs", [""], scopes),
    ...of("logs", ["level=error", "level=fatal", ...asked(...LOGS, `trace:${named.trace}`)]),
    ...of("issues", ["", "sort=times_seen", "sort=users"], scopes),
    ...of("issues", asked(...ISSUES)),
    ...issue.flatMap((path) => of(path, [""], scopes)),
    ...of("releases", ["", "sort=events"], scopes),
    ...of("releases/detail", [`name=${encodeURIComponent(named.release)}`]),
    ...of("profiling", ["", "view=top", "view=changes", "view=list"], services),
    ...of("metrics", ["", ...asked("http"), "kind=counter"], scopes),
    ...named.metrics.flatMap((metric) => of("metrics/explore", [`metric=${metric}`], scopes)),
    ...of("dashboards", [""]),
    ...READY.map((ready) => `${base}/dashboards/ready/${ready}?range=24h`),
    ...["site", "alerts", "monitors", "feedback", "settings"].flatMap((path) => of(path, [""])),
  ];
}

const TRACES = [
  ...["server_name:api-3", "customer:c77", "has:customer", "has:server_name", "!has:server_name"],
  ...["platform:java", "platform:cobol", "duration:>3s", "duration:>8s", "duration:>30s"],
  ...["browser.name:Edge device.class:mobile", "browser.name:Opera", "user.geo.country_code:AU"],
  ...["host.name:host-checkout", "host.name:none", "db.system.name:postgresql"],
  ...["db.system.name:mysql", "has:db.namespace", "has:rpc.system", "status:internal_error"],
  ...["status:404", "op:pageload", "op:none", "service:checkout", "no-such-name", "user:id:77"],
  ...["order", "environment:staging", "release:shop@2.0.0", "http.method:POST duration:>500ms"],
];

const LOGS = [
  ...["placed", "customer-77777", "77777", "no such word", "logger:shop.stock", "logger:shop.*"],
  ...[
    "server:web-3",
    "item:4711",
    "!item:4711",
    "item:47*",
    "route:/orders/7",
    "!logger:shop.mail",
  ],
];

const ISSUES = [
  ...["browser:Firefox", "customer:c77", "!browser:Firefox", "user:id:77", "of undefined"],
  ...["lib/router/layer", "step77_2", "nowhere at all", "stack.function:handle7"],
  ...["stack.filename:*layer7.js", "is:escalating", "is:for_review", "timesSeen:>100", "url:*"],
];

const READY = ["node", "host", "http-server"];

async function namesIn(sql: Sql, projectId: string) {
  const text = async (query: PromiseLike<readonly { readonly text: string }[]>) =>
    (await query)[0]?.text ?? "";
  const within = sql`project_id = ${projectId} and "timestamp" > now() - interval '20 days'`;
  const metrics = await sql<{ name: string }[]>`
    select name from metrics where project_id = ${projectId} order by name limit 4
  `;
  return {
    release: await text(sql`
      select release as text from transactions where ${within} order by "timestamp" desc limit 1
    `),
    trace: await text(sql`
      select replace(trace_id::text, '-', '') as text from transactions
      where ${within} and parent_span_id is not null order by "timestamp" desc limit 1
    `),
    transaction: await text(sql`
      select name as text from transactions where ${within} and op = 'http.server'
      order by "timestamp" desc limit 1
    `),
    page: await text(sql`
      select name as text from transactions where ${within} and op = 'pageload'
      order by "timestamp" desc limit 1
    `),
    statement: await text(sql`
      select name as text from stat_series where project_id = ${projectId} and category = 'db'
        and name <> '' order by series_id limit 1
    `),
    issue: await text(sql`
      select id::text as text from issues where project_id = ${projectId}
      order by times_seen desc limit 1
    `),
    metrics: metrics.map(({ name }) => encodeURIComponent(name)),
  };
}
