/** The services of the shop: what they are made of, and which release ran when. */

export type ServiceName = "web" | "storefront" | "orders" | "payments";

export interface Service {
  readonly platform: string;
  readonly sdk: { readonly name: string; readonly version: string };
  /** Newest first, with how many days ago each came out. */
  readonly releases: readonly (readonly [release: string, daysAgo: number])[];
}

export const SERVICES: Readonly<Record<ServiceName, Service>> = {
  web: {
    platform: "javascript",
    sdk: { name: "sentry.javascript.react", version: "11.12.0" },
    releases: [["web@3.1.1", 3.6], ["web@3.1.0", 9.4], ["web@3.0.4", Infinity]],
  },
  storefront: {
    platform: "node",
    sdk: { name: "sentry.javascript.node", version: "11.12.0" },
    releases: [
      ["storefront@5.3.0", 0.9],
      ["storefront@5.2.1", 6.2],
      ["storefront@5.2.0", Infinity],
    ],
  },
  orders: {
    platform: "java",
    sdk: { name: "opentelemetry", version: "1.58.0" },
    releases: [["1.9.0", 4.3], ["1.8.2", 8.1], ["1.8.1", Infinity]],
  },
  payments: {
    platform: "python",
    sdk: { name: "sentry.python.flask", version: "2.68.0" },
    releases: [["payments@0.14.2", 5.1], ["payments@0.14.1", 10.5], ["payments@0.14.0", Infinity]],
  },
};

export type Environment = "production" | "staging";

/** Staging gets a release a day before production does. */
const STAGING_AHEAD_DAYS = 1;

/** The release of a service that ran so many days ago. */
export function releaseOf(service: ServiceName, environment: Environment, daysAgo: number): string {
  const ahead = environment === "staging" ? STAGING_AHEAD_DAYS : 0;
  const { releases } = SERVICES[service];
  return releases.find(([, since]) => daysAgo <= since + ahead)?.[0] ?? "";
}
