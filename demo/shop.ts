/** The shop: its services and their releases, and the people who visit it. */
export type Environment = "production" | "staging";

interface Service {
  readonly platform: string;
  /** Name and version. */
  readonly sdk: readonly [string, string];
  /** Newest first, with how many days ago each came out. */
  readonly releases: readonly (readonly [release: string, daysAgo: number])[];
  /** What catches its errors. */
  readonly mechanism?: string;
  /** What its events tell of where it runs. */
  readonly contexts?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const NODE = {
  platform: "node",
  sdk: ["sentry.javascript.node", "11.12.0"],
  mechanism: "auto.http.express",
  contexts: {
    runtime: { name: "node", version: "v24.4.0" },
    os: { name: "Debian GNU/Linux", version: "13" },
    device: { arch: "x64", memory_size: 8_589_934_592, processor_count: 4 },
  },
} as const;
const PYTHON = {
  platform: "python",
  contexts: { runtime: { name: "CPython", version: "3.13.2" } },
} as const;

/** Those of the first four work together and are traced; the others tell of their errors only. */
export const SERVICES = {
  web: {
    platform: "javascript",
    sdk: ["sentry.javascript.react", "11.12.0"],
    releases: [["web@3.1.1", 3.6], ["web@3.1.0", 9.4], ["web@3.0.4", Infinity]],
    mechanism: "auto.browser.global_handlers.onerror",
  },
  storefront: {
    ...NODE,
    releases: [["storefront@5.3.0", 0.9], ["storefront@5.2.1", 6.2], [
      "storefront@5.2.0",
      Infinity,
    ]],
  },
  orders: {
    platform: "java",
    sdk: ["opentelemetry", "1.58.0"],
    releases: [["1.9.0", 4.3], ["1.8.2", 8.1], ["1.8.1", Infinity]],
  },
  payments: {
    ...PYTHON,
    sdk: ["sentry.python.flask", "2.68.0"],
    releases: [["payments@0.14.2", 5.1], ["payments@0.14.1", 10.5], ["payments@0.14.0", Infinity]],
    mechanism: "flask",
  },
  api: {
    ...NODE,
    releases: [["api@2.9.0", 3.5], ["api@2.8.1", 7], ["api@2.8.0", 10.5], ["api@2.7.0", Infinity]],
  },
  worker: {
    ...PYTHON,
    sdk: ["sentry.python.celery", "2.68.0"],
    releases: [["worker@1.13.0", 7], ["worker@1.12.0", Infinity]],
    mechanism: "celery",
  },
  backoffice: {
    platform: "php",
    sdk: ["sentry.php.laravel", "4.29.0"],
    releases: [["backoffice@5.3.0", Infinity]],
    contexts: { runtime: { name: "php", version: "8.4.6" }, os: { name: "Linux" } },
  },
  stock: {
    platform: "go",
    sdk: ["sentry.go", "0.47.0"],
    releases: [["stock@0.9.1", 7], ["stock@0.9.0", Infinity]],
    contexts: {
      runtime: { name: "go", version: "go1.26.8" },
      device: { arch: "arm64", num_cpu: 2 },
    },
  },
} as const satisfies Readonly<Record<string, Service>>;

export type ServiceName = keyof typeof SERVICES;

export function service(name: ServiceName): Service {
  return SERVICES[name];
}

/** Staging gets a release a day before production does. */
const STAGING_AHEAD_DAYS = 1;

/** The release of a service that ran so many days ago. */
export function releaseOf(name: ServiceName, environment: Environment, daysAgo: number): string {
  const ahead = environment === "staging" ? STAGING_AHEAD_DAYS : 0;
  return service(name).releases.find(([, since]) => daysAgo <= since + ahead)?.[0] ?? "";
}

/** What people look at the shop with, each with a device and where most of them are. */
const CLIENTS = [
  [
    { name: "Chrome", version: "141.0.0" },
    "Windows",
    "PC",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36",
  ],
  [
    { name: "Mobile Safari", version: "19.0" },
    "iOS",
    "iPhone",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1",
  ],
  [
    { name: "Chrome Mobile", version: "141.0.0" },
    "Android",
    "Pixel 9",
    "Mozilla/5.0 (Linux; Android 16; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36",
  ],
  [
    { name: "Firefox", version: "145.0" },
    "Linux",
    "PC",
    "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0",
  ],
] as const;
/** As the shop's delivery network tells it. */
const COUNTRIES = ["DE", "DE", "GB", "BR", "US", "PL", "DE"] as const;

/** What a person looks at the shop with, and from where: the same at every visit. */
export function clientOf(person: number) {
  const [browser, os, device, agent] = CLIENTS[person % CLIENTS.length] ?? CLIENTS[0];
  return { browser, os, device, agent, country: COUNTRIES[person % COUNTRIES.length] ?? "DE" };
}
