/**
 * Fills a project with the life of a small shop: two weeks of errors from a web page, an API, a worker, a
 * back office and a stock service, with logs, feedback, files, sessions and check-ins, sent to the real
 * endpoint in the shapes of the stock SDKs.
 */
import { createKeys } from "../test/support/api_client.ts";
import { envelopeUrl } from "../test/support/envelopes.ts";
import { logsOf, withCompanions } from "./companions.ts";
import type { Envelope } from "./envelope.ts";
import { health } from "./health.ts";
import { Random } from "./random.ts";
import { sendAll } from "./send.ts";
import { browserStories } from "./stories/browser.ts";
import { nodeStories } from "./stories/node.ts";
import { serverStories } from "./stories/servers.ts";
import { tell } from "./story.ts";

const DAY_MS = 86_400_000;
/** Share of errors whose request wrote a log. */
const LOGGED = 0.1;
const USAGE = `Which project shall be filled?

  deno task demo <DSN>                           an existing project, by the DSN on its Setup page
  SERVICE_ADMIN_TOKEN=… deno task demo [URL]     a new project on a service that was started with that token
`;

const dsn = await target(Deno.args[0]);
const envelopes = twoWeeks(new Date());
console.log(`Sending ${envelopes.length.toLocaleString("en")} envelopes …`);
const { sent, refused } = await sendAll(envelopeUrl(dsn), envelopes);
console.log(
  `${sent.toLocaleString("en")} envelopes are stored${refused ? `, ${refused} were refused` : ""}.`,
);
console.log(
  `Look at them: ${new URL(dsn).origin}/projects/${new URL(dsn).pathname.split("/").at(-1)}/issues`,
);
Deno.exit(refused > 0 ? 1 : 0);

/** The DSN to send to, from the command line or by making a project. */
async function target(argument = "http://localhost:8000"): Promise<string> {
  if (URL.canParse(argument) && new URL(argument).username) return argument;
  const token = Deno.env.get("SERVICE_ADMIN_TOKEN");
  if (!token || !URL.canParse(argument)) {
    console.error(USAGE);
    Deno.exit(2);
  }
  const url = argument.replace(/\/+$/, "");
  return (await createKeys(url, token, "Demo shop", "javascript")).serverDsn;
}

/** Everything up to `now`, errors oldest first, the way they would have arrived. */
function twoWeeks(now: Date): Envelope[] {
  const random = new Random(20_261_120);
  const errors = errorsOf(random, now);
  return [
    ...health(random, now),
    ...errors.filter(() => random.next() < LOGGED).map((event) => logsOf(event, random)),
    ...errors.map((event) => withCompanions(event, random)),
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
