import { sentryEnvelope } from "@/lib/ingest/protocols/sentry.ts";
import { ingestRoute } from "@/lib/server/ingest_route.ts";

/** Where pages with the loader send: the intake of envelopes, whose key is in the envelope as behind any SDK's `tunnel`. */
export const handler = ingestRoute({ POST: sentryEnvelope });
