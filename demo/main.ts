/**
 * Fills a project with the life of a small shop: two weeks of traces and errors from its pages, its API, its order and
 * payment services, a worker, a back office and a stock service, with logs, feedback, files, sessions, check-ins, metrics
 * and profiles, sent to the real endpoints in the shapes of the stock Sentry SDKs, of OpenTelemetry's exporters and of pprof.
 */
import { createKeys } from "../test/support/api_client.ts";
import { envelopeUrl } from "../test/support/envelopes.ts";
import { Random } from "./chance.ts";
import { health, logsOf, withCompanions } from "./companions.ts";
import { metricsOfTwoWeeks } from "./metrics.ts";
import { mishaps } from "./mishaps.ts";
import { stockUploads, storefrontUploads } from "./profiles.ts";
import {
  type Delivery,
  envelopeDelivery,
  otlpDelivery,
  Progress,
  sendAll,
  uploadDelivery,
} from "./send.ts";
import { history, telemetryOf } from "./traces.ts";
import { organize, releaseAll, shareOut, workplaceOf } from "./teamwork.ts";
import { watch } from "./watching.ts";

/** Share of errors whose request wrote a log. */
const LOGGED = 0.1;
const USAGE = `Which project shall be filled?

  deno task demo <DSN>                           an existing project, by the server DSN on its Setup page
  SENTRY_AUTH_TOKEN=… deno task demo <DSN>       the same with releases, deploys, teams, and issues that somebody works on
  SENTRY_AUTH_TOKEN=… deno task demo [URL]       a new project with all that, alerts and a dashboard

The token is one of yours with all scopes (Settings → Tokens of the organization), or the service's SERVICE_ADMIN_TOKEN, which writes no comments.
`;

const token = Deno.env.get("SENTRY_AUTH_TOKEN") ?? Deno.env.get("SERVICE_ADMIN_TOKEN");
const isNew = !isDsn(Deno.args[0]);
const dsn = await target(Deno.args[0]);
console.log("Making up two weeks of a shop …");
const now = new Date();
const deliveries = twoWeeks(dsn, now);
const { origin, pathname } = new URL(dsn);
const url = `${origin}${pathname.replace(/\/[^/]+$/, "")}`;
const projectId = pathname.split("/").at(-1) ?? "";
const workplace = token ? await workplaceOf(url, token, projectId) : null;
if (workplace) {
  console.log("Releasing and deploying …");
  await organize(workplace);
  await releaseAll(workplace, now);
}
console.log(
  `Sending ${deliveries.length.toLocaleString("en")} requests, which takes some minutes …`,
);
const progress = new Progress(
  deliveries.length,
  (text) => Deno.stdout.writeSync(new TextEncoder().encode(text)),
  Deno.stdout.isTerminal(),
);
const { sent, refused } = await sendAll(deliveries, () => progress.step());
console.log(
  `${sent.toLocaleString("en")} requests are stored${refused ? `, ${refused} were refused` : ""}.`,
);
const project = `${url}/projects/${projectId}`;
const pages = ["issues", "performance", "traces", "logs", "metrics", "profiling", "releases"];
if (workplace) {
  console.log("Sharing the issues out …");
  for (const word of await shareOut(workplace, now)) console.log(`There are ${word}.`);
}
if (token && isNew) {
  await watch(url, token, projectId);
  pages.push("dashboards", "alerts");
}
console.log(["Look at them:", ...pages.map((page) => `  ${project}/${page}`)].join("\n"));
Deno.exit(refused > 0 ? 1 : 0);

/** The DSN to send to, from the command line or by making a project. */
async function target(argument = "http://localhost:8000"): Promise<string> {
  if (isDsn(argument)) return argument;
  if (!token || !URL.canParse(argument)) {
    console.error(USAGE);
    Deno.exit(2);
  }
  const url = argument.replace(/\/+$/, "");
  try {
    return (await createKeys(url, token, "Demo shop", "javascript")).serverDsn;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    console.error(`Cannot make a project at ${url}: ${reason}`);
    Deno.exit(1);
  }
}

function isDsn(argument = ""): boolean {
  return URL.canParse(argument) && new URL(argument).username !== "";
}

/** Everything up to `now`, errors oldest first, the way they would have arrived. */
function twoWeeks(dsn: string, now: Date): Delivery[] {
  const random = new Random(20_261_120);
  const errors = mishaps(random, now);
  const traces = history(random, now);
  const telemetry = telemetryOf(traces);
  const logged = errors.filter(() => random.chance(LOGGED));
  const envelopes = [
    ...health(random, now),
    ...logged.map((event) => logsOf(event, random)),
    ...[...errors, ...telemetry.errors].map((event) => withCompanions(event, random)),
    ...telemetry.envelopes,
  ];
  const requests = [...telemetry.requests, ...metricsOfTwoWeeks(random, now, traces)];
  const uploads = [...stockUploads(random, now), ...storefrontUploads(random, now, traces)];
  const url = envelopeUrl(dsn);
  return [
    ...envelopes.map((envelope) => envelopeDelivery(url, envelope)),
    ...requests.map((request) => otlpDelivery(dsn, request)),
    ...uploads.map((upload) => uploadDelivery(dsn, upload)),
  ];
}
