/** Settings with a value in each place that there is, as exports have them and the API takes them. */

const BERLIN = "Europe/Berlin";
const NIGHTS = { days: [0, 6], fromMinute: 1_320, toMinute: 360, timeZone: BERLIN };
const ALERT = {
  environments: ["production"],
  condition: { comparison: ">", warning: 5, critical: 10, recovery: 4 },
  windowMinutes: 5,
  forMinutes: 1,
  noData: "keep",
  schedule: NIGHTS,
  mutedUntil: "2026-11-30T18:00:00.000Z",
  isEnabled: true,
};
const MATCHER = { label: "host", operator: "=~", value: "a.*" };
const QUERY = {
  id: "a",
  metric: "cpu.load",
  kind: "gauge",
  unit: "1",
  aggregation: "avg",
  filter: [MATCHER],
  groupBy: ["zone"],
  top: 10,
};
const FORMULA = { id: "f1", expression: "a * 100", unit: "%" };

/** One of each kind. */
export const ALERTS: readonly Readonly<Record<string, unknown>>[] = [
  {
    ...ALERT,
    name: "Load",
    source: { kind: "metric", queries: [QUERY], formulas: [FORMULA], judged: "f1" },
  },
  {
    ...ALERT,
    name: "Errors",
    source: { kind: "errors", measure: "events", search: "level:error" },
  },
  {
    ...ALERT,
    name: "Slow",
    source: { kind: "transactions", measure: "p95", transaction: "GET /" },
  },
];

export const CRONS: readonly Readonly<Record<string, unknown>>[] = [
  {
    slug: "nightly",
    name: "Nightly",
    isActive: true,
    isMuted: false,
    config: {
      schedule_type: "crontab",
      schedule: "0 3 * * *",
      timezone: BERLIN,
      checkin_margin: 5,
      max_runtime: 30,
      failure_issue_threshold: 2,
      recovery_threshold: 1,
    },
  },
  {
    slug: "hourly",
    name: "Hourly",
    isActive: true,
    isMuted: false,
    config: { schedule_type: "interval", schedule: [1, "hour"], timezone: "UTC" },
  },
];

const UPTIME = {
  intervalSec: 60,
  failureThreshold: 3,
  recoveryThreshold: 2,
  certificateDays: [30, 7],
  windows: [
    { ...NIGHTS, kind: "weekly", note: "Nights" },
    {
      kind: "once",
      start: "2026-11-30T18:00:00Z",
      end: "2026-11-30T20:00:00Z",
      note: "A move",
    },
  ],
  isPaused: true,
};
const TIMING = { timeoutMs: 5_000, slowMs: 1_000 };

/** One of each kind. */
export const UPTIMES: readonly Readonly<Record<string, unknown>>[] = [
  {
    ...UPTIME,
    name: "Shop",
    target: {
      ...TIMING,
      kind: "http",
      url: "https://shop.example.com/health",
      method: "POST",
      headers: [["accept", "text/plain"]],
      body: "{}",
      basicAuth: { user: "ann", password: "secret" },
      expectedStatus: "200-299,301",
      keyword: { text: "fine", isAbsent: false },
      json: { path: "data.items[0].name", comparison: "=", value: "ok" },
      maxRedirects: 3,
      allowsDowngrade: false,
      family: "4",
      ignoresTls: false,
      http2: true,
    },
  },
  ...[
    { kind: "tcp", host: "db.example.com", port: 5432, family: "any" },
    { kind: "tls", host: "db.example.com", port: 443, servername: "example.com", family: "6" },
    {
      kind: "dns",
      name: "example.com",
      type: "TXT",
      expected: "a",
      match: "contains",
      nameServer: "192.0.2.1",
    },
    { kind: "ping", host: "db.example.com", family: "any" },
  ].map((target) => ({ ...UPTIME, name: target.kind, target: { ...TIMING, ...target } })),
];

const place = (y: number) => ({ x: 0, y, w: 6, h: 2 });

export const DASHBOARDS: readonly Readonly<Record<string, unknown>>[] = [{
  format: "watchpost-dashboard",
  version: 1,
  name: "Shop",
  description: "Of the shop",
  variables: [{ label: "host", value: "a" }],
  panels: [
    {
      kind: "metrics",
      id: "p1",
      title: "Load",
      place: place(0),
      queries: [QUERY],
      formulas: [FORMULA],
      hidden: ["a"],
      view: "line",
      stepMs: 60_000,
      comparesPrevious: true,
    },
    { kind: "errors", id: "p2", title: "Errors", place: place(2), search: "level:error" },
    {
      kind: "transactions",
      id: "p3",
      title: "Slow",
      place: place(4),
      measure: "p95",
      transaction: "GET /",
    },
    { kind: "text", id: "p4", title: "Note", place: place(6), markdown: "# Hello" },
  ],
}];

const MAPPING = { repository: "acme/shop", stackRoot: "/app", sourceRoot: "src" };
const CHANNEL = { type: "webhook", name: "Ops" };

/** Of a project, as `settings.json` of an export has them. @param email of a member */
export function wholeSettings(email: string) {
  return {
    format: "watchpost-settings",
    version: 1,
    project: {
      ratePerSec: 100,
      sampleRate: 0.5,
      apdexMs: 450,
      sourceLink: "https://git.example.com/{file}#L{line}",
      sourceRoot: "/app",
      privacy: { scrubs: true, keepsAddresses: false, extraFields: ["iban"], safeFields: ["id"] },
      filters: {
        browserExtensions: true,
        localhost: true,
        legacyBrowsers: true,
        crawlers: true,
        releases: ["shop@0.*"],
        messages: ["*nothing*"],
        addresses: ["10.0.0.0/8"],
      },
      fingerprintRules: "type:TypeError -> type-errors",
      resolveAfterDays: 30,
      language: "en",
      retention: { logs: 7 },
    },
    channels: [{ ...CHANNEL, target: "hooks.example.com" }],
    alerts: ALERTS.map((alert) => ({ ...alert, channels: [CHANNEL] })),
    cronMonitors: CRONS,
    uptimeMonitors: UPTIMES.map((monitor) => ({ ...monitor, channels: [CHANNEL] })),
    dashboards: DASHBOARDS,
    ownership: {
      raw: `path:src/* ${email}`,
      fallthrough: true,
      autoAssignment: "Auto Assign to Issue Owner",
      autoSync: true,
    },
    codeMappings: [{
      ...MAPPING,
      host: "gitlab",
      address: "https://git.example.com/acme/shop",
      defaultBranch: "main",
    }],
    codeowners: { raw: "* @ann", names: { "@ann": email }, codeMapping: MAPPING },
    savedSearches: [{ name: "Ours", query: "is:unresolved", sort: "freq" }],
    discards: [{
      type: "error",
      title: "TypeError",
      culprit: "pay",
      level: "error",
      hashes: [{ hash: "a".repeat(32), version: 1 }],
    }],
  };
}
