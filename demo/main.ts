/**
 * Fills a project with the life of a small shop: two weeks of traces and errors from its pages, its API, its order and
 * payment services, a worker, a back office and a stock service, with logs, feedback, files, sessions, check-ins, metrics
 * and profiles, sent to the real endpoints in the shapes of the stock Sentry SDKs, of OpenTelemetry's exporters and of pprof.
 */
import { createKeys } from "../test/support/api_client.ts";
import { envelopeUrl } from "../test/support/envelopes.ts";
import { health, logsOf, withCompanions } from "./companions.ts";
import {
  type Delivery,
  type Envelope,
  envelopeDelivery,
  otlpDelivery,
  Progress,
  sendAll,
} from "./send.ts";
import { Random, tell } from "./story.ts";
import { metricsOfTwoWeeks } from "./metrics/history.ts";
import { stockUploads } from "./profiles/stock.ts";
import { uploadDelivery } from "./profiles/upload.ts";
import { browserStories } from "./stories/browser.ts";
import { nodeStories } from "./stories/node.ts";
import { serverStories } from "./stories/servers.ts";
import { tracesOfTwoWeeks } from "./traces/history.ts";
import { watch } from "./watching.ts";

const DAY_MS = 86_400_000;
/** Share of errors whose request wrote a log. */
const LOGGED = 0.1;
const USAGE = `Which project shall be filled?

  deno task demo <DSN>                           an existing project, by the server DSN on its Setup page
  SERVICE_ADMIN_TOKEN=… deno task demo [URL]     a new project on a service that was started with that token,
                                                 with alerts and a dashboard as well
`;

const token = Deno.env.get("SERVICE_ADMIN_TOKEN");
const isNew = !isDsn(Deno.args[0]);
const dsn = await target(Deno.args[0]);
console.log("Making up two weeks of a shop …");
const deliveries = twoWeeks(dsn, new Date());
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
const { origin, pathname } = new URL(dsn);
const service = `${origin}${pathname.replace(/\/[^/]+$/, "")}`;
const projectId = pathname.split("/").at(-1) ?? "";
const project = `${service}/projects/${projectId}`;
const pages = ["issues", "performance", "traces", "logs", "metrics", "profiling", "releases"];
if (token && isNew) {
  await watch(service, token, projectId);
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
  return (await createKeys(url, token, "Demo shop", "javascript")).serverDsn;
}

function isDsn(argument = ""): boolean {
  return URL.canParse(argument) && new URL(argument).username !== "";
}

/** Everything up to `now`, errors oldest first, the way they would have arrived. */
function twoWeeks(dsn: string, now: Date): Delivery[] {
  const random = new Random(20_261_120);
  const errors = errorsOf(random, now);
  const traces = tracesOfTwoWeeks(random, now);
  const logged = errors.filter(() => random.next() < LOGGED);
  const envelopes: Envelope[] = [
    ...health(random, now),
    ...logged.map((event) => logsOf(event, random)),
    ...errors.map((event) => withCompanions(event, random)),
    ...traces.errors.map((event) => withCompanions(event, random)),
    ...traces.envelopes,
  ];
  const url = envelopeUrl(dsn);
  return [
    ...envelopes.map((envelope) => envelopeDelivery(url, envelope)),
    ...traces.requests.map((request) => otlpDelivery(dsn, request)),
    ...metricsOfTwoWeeks(random, now, traces.traces).map((request) => otlpDelivery(dsn, request)),
    ...[...stockUploads(random, now), ...traces.profiles].map((one) => uploadDelivery(dsn, one)),
  ];
}

function errorsOf(random: Random, now: Date): Record<string, unknown>[] {
  return [...browserStories, ...nodeStories, ...serverStories]
    .flatMap((story) =>
      Array.from({ length: story.times }, () => {
        const age = story.until + random.next() * (story.since - story.until);
        return tell(story, random, new Date(now.getTime() - age * DAY_MS));
      })
    )
    // Event ids must differ from run to run, or a second demo would be nothing but repeats.
    .map((event) => ({ ...event, event_id: crypto.randomUUID().replaceAll("-", "") }))
    .sort((a, b) => Number(Reflect.get(a, "timestamp")) - Number(Reflect.get(b, "timestamp")));
}
