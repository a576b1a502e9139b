import { PROFILE_BODY } from "../body_size.ts";
import type { Batch } from "@/lib/records/mod.ts";
import type { Protocol } from "../../protocol.ts";
import { CORS_HEADERS } from "../../sentry/cors.ts";
import { refused } from "../../sentry/reply.ts";
import { pyroscopeKey } from "./credentials.ts";
import { decodePush } from "@/lib/formats/pyroscope/push.ts";

/** `POST /ingest`: how Pyroscope's SDKs and agents push profiles. */
export const pyroscopePush: Protocol<Promise<Batch>> = {
  name: "pyroscope_push",
  category: "profile",
  body: PROFILE_BODY,
  keyTypes: ["server"],
  credentials: pyroscopeKey,
  decode: decodePush,
  reply: () => new Response(null, { status: 200, headers: CORS_HEADERS }),
  refuse: refused,
};
