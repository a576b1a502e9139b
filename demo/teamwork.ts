/** What the shop's people do: they release, deploy, and share their issues out among teams. */
import { createHash } from "node:crypto";
import { DAY_MS } from "../lib/core/time.ts";
import { api } from "../test/support/api_client.ts";
import { service, type ServiceName } from "./shop.ts";

/** A project of the service, as somebody may change it. */
export interface Workplace {
  readonly url: string;
  /** Of an administrator or of a person: only people comment. */
  readonly token: string;
  readonly organization: string;
  readonly slug: string;
}

/** The project of this id. */
export async function workplaceOf(
  url: string,
  token: string,
  projectId: string,
): Promise<Workplace> {
  const projects = await api<
    { id: string; slug: string; organization: { slug: string } }[]
  >(url, token, "/projects/");
  const found = projects.find(({ id }) => id === projectId);
  if (found === undefined) throw new Error(`The token sees no project ${projectId}`);
  return { url, token, organization: found.organization.slug, slug: found.slug };
}

const ANA = ["Ana Prokopová", "ana@shop.example.com"] as const;
const BEN = ["Ben Adeyemi", "ben@shop.example.com"] as const;
const CLEO = ["Cléo Martin", "cleo@shop.example.com"] as const;
const DAN = ["Dan Okafor", "dan@shop.example.com"] as const;

type Author = readonly [name: string, email: string];
/** The first line of a commit, who wrote it, and the files that it changed. */
type Change = readonly [message: string, author: Author, ...files: string[]];

/** By release; what is not named has had a few small changes. */
const CHANGES: Readonly<Record<string, readonly Change[]>> = {
  "web@3.1.1": [
    ["Load routes once more before giving up", ANA, "src/router.ts"],
    [
      "Keep the cart while the buyer signs in",
      BEN,
      "src/checkout/Summary.tsx",
      "src/cart/store.ts",
    ],
  ],
  "web@3.1.0": [
    ["Write totals in the buyer's currency", ANA, "src/money/format.ts", "src/money/rates.ts"],
    ["Lay out the summary in two columns", CLEO, "src/checkout/Summary.css"],
  ],
  "api@2.9.0": [
    ["Give back idle connections after five seconds", DAN, "src/db/pool.ts", "config/db.json"],
    ["Describe the routes of products", BEN, "docs/products.md"],
  ],
  "api@2.8.0": [["Tell buyers when stock is low", BEN, "src/carts/stock.ts"]],
  "api@2.7.0": [
    ["Try a charge three times", CLEO, "src/orders/charge.ts", "src/orders/provider.ts"],
  ],
  "storefront@5.3.0": [
    ["Show how prices have changed", ANA, "src/prices/history.ts", "src/cart/show.ts"],
  ],
  "worker@1.12.0": [
    ["Import prices of suppliers", DAN, "imports/rows.py", "imports/tasks.py"],
  ],
  "stock@0.9.1": [
    ["Normalize article numbers", DAN, "internal/sku/normalize.go", "internal/server/reserve.go"],
  ],
  "backoffice@5.3.0": [
    ["Refresh reports when they are opened", CLEO, "app/Http/Controllers/ReportController.php"],
  ],
};
const USUAL: readonly Change[] = [
  ["Update dependencies", BEN, "package.json"],
  ["Mend a flaky test", CLEO, "test/helpers.ts"],
];

const SERVICES: readonly ServiceName[] = [
  "web",
  "storefront",
  "orders",
  "payments",
  "api",
  "worker",
  "backoffice",
  "stock",
];
/** When what is older than the two weeks came out. */
const BEFORE_DAYS = 20;

/** Makes the releases with their commits and deploys, the oldest first: before their first event, as a build does. */
export async function releaseAll(place: Workplace, now: Date): Promise<void> {
  const ask = asker(place);
  const releases = SERVICES.flatMap((name) =>
    service(name).releases.map(([version, days]) => ({
      name,
      version,
      at: new Date(now.getTime() - Math.min(days, BEFORE_DAYS) * DAY_MS),
    }))
  ).sort((a, b) => a.at.getTime() - b.at.getTime());
  for (const name of SERVICES) {
    await ask("organizations/ORG/repos/", { name: `shop/${name}`, url: repository(name) });
  }
  for (const { name, version, at } of releases) {
    await ask("organizations/ORG/releases/", {
      version,
      projects: [place.slug],
      dateReleased: at.toISOString(),
      commits: commitsOf(name, version, at),
    });
    for (const [environment, ahead] of [["staging", 1], ["production", 0]] as const) {
      const dateFinished = new Date(at.getTime() - ahead * DAY_MS).toISOString();
      await ask(`organizations/ORG/releases/${encodeURIComponent(version)}/deploys/`, {
        environment,
        dateFinished,
      });
    }
  }
}

function repository(name: ServiceName): string {
  return `https://git.shop.example.com/shop/${name}`;
}

function commitsOf(name: ServiceName, version: string, at: Date, more: readonly Change[] = []) {
  return [...more, ...CHANGES[version] ?? USUAL].map((
    [message, [author, email], ...files],
    place,
  ) => ({
    id: createHash("sha1").update(`${version} ${message}`).digest("hex"),
    repository: `shop/${name}`,
    author_name: author,
    author_email: email,
    timestamp: new Date(at.getTime() - (place + 1) * DAY_MS / 6).toISOString(),
    message,
    patch_set: files.map((path) => ({ path, type: "M" })),
  }));
}

interface Shown {
  readonly id: string;
  readonly title: string;
  readonly shortId: string;
}

/** What becomes of an issue. */
interface Decision {
  /** In its title. */
  readonly about: string;
  readonly change: Readonly<Record<string, unknown>>;
  readonly says?: string;
}

const DECISIONS: readonly Decision[] = [
  {
    about: "reading 'currency'",
    change: { assignedTo: "#checkout", priority: "high" },
    says:
      "Carts from before the release have no `price` yet. #checkout: can we read it from the *first item* until they are gone?",
  },
  {
    about: "Cannot charge order",
    change: { assignedTo: "me" },
    says: "The provider is slow between 02:00 and 02:20 UTC. Waiting for their answer.",
  },
  { about: "timeout exceeded", change: { assignedTo: "#platform", priority: "high" } },
  { about: "Stock below", change: { status: "ignored", substatus: "archived_until_escalating" } },
  { about: "Deadlock found", change: { status: "resolved" } },
  { about: "cannot reserve item", change: { assignedTo: "#platform" } },
  { about: "cannot be imported", change: { status: "resolvedInNextRelease" } },
];
const TEAMS = ["Checkout", "Platform"] as const;
/** Who owns which files; issues get nobody by that alone. */
const RULES = `# The pages
path:*/src/checkout/* #checkout
path:*/src/router.ts #checkout
# What they stand on
path:*/src/db/* #platform
path:*/internal/* #platform
`;

/** Makes the teams, and says what they own: before the events that are to be judged by it. */
export async function organize(place: Workplace): Promise<void> {
  const ask = asker(place);
  const teams = await ask<{ slug: string }[]>("organizations/ORG/teams/");
  for (const name of TEAMS) {
    const slug = name.toLowerCase();
    // Another project's demo may have made them.
    if (!teams.some((team) => team.slug === slug)) {
      await ask("organizations/ORG/teams/", { name, slug });
    }
    await ask(`projects/ORG/PROJECT/teams/${slug}/`, {});
  }
  await ask("projects/ORG/PROJECT/ownership/", {
    raw: RULES,
    autoAssignment: "Turn off Auto-Assignment",
  }, "PUT");
}

/** Shares the issues out, once their events are there. @returns what could not be done, in words */
export async function shareOut(place: Workplace, now: Date): Promise<readonly string[]> {
  const ask = asker(place);
  const me = await ask<{ id: string }>("users/me/").catch(() => null);
  const find = async (about: string) => {
    const query = new URLSearchParams({ query: `"${about}"`, statsPeriod: "14d", limit: "1" });
    const [issue] = await ask<Shown[]>(`projects/ORG/PROJECT/issues/?${query}`);
    return issue;
  };
  const missing: string[] = [];
  const invoices = await find("Connection unexpectedly closed");
  for (const { about, change, says } of DECISIONS) {
    const issue = await find(about);
    if (issue === undefined) {
      missing.push(`no issue about ${about}`);
      continue;
    }
    const isMine = change.assignedTo === "me";
    const body = isMine && me === null
      ? null
      : { ...change, ...isMine && { assignedTo: `user:${me?.id}` } };
    if (body !== null) await ask(`organizations/ORG/issues/${issue.id}/`, body, "PUT");
    if (says === undefined) continue;
    if (me === null) missing.push("no comments: only people write them");
    else await ask(`organizations/ORG/issues/${issue.id}/comments/`, { text: says });
  }
  if (invoices !== undefined) await mend(place, invoices, now);
  return [...new Set(missing)];
}

/** A release resolves an issue by the words of a commit. */
async function mend(place: Workplace, { shortId }: Shown, now: Date): Promise<void> {
  const [version, days] = service("worker").releases[0] ?? ["", 0];
  const at = new Date(now.getTime() - days * DAY_MS);
  const fix: Change = [
    `Open a connection for each invoice\n\nFixes ${shortId}`,
    DAN,
    "billing/jobs.py",
  ];
  await asker(place)(`organizations/ORG/releases/${encodeURIComponent(version)}/`, {
    commits: commitsOf("worker", version, at, [fix]),
  }, "PUT");
}

/** Asks the API: with a body to make something, without one to read. */
function asker({ url, token, organization, slug }: Workplace) {
  return async <T = unknown>(path: string, body?: unknown, method = "POST"): Promise<T> => {
    const place = path.replace("ORG", organization).replace("PROJECT", slug);
    return await api<T>(url, token, `/${place}`, body === undefined ? {} : { method, body });
  };
}
