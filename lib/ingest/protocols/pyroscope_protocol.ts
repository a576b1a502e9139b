import { PROFILE_BODY } from "./body_size.ts";
import type { Batch } from "../../records/mod.ts";
import type { Protocol } from "../protocol.ts";
import { CORS_HEADERS } from "./cors.ts";
import { refused } from "./reply.ts";
import { pyroscopeKey } from "./pyroscope_credentials.ts";
import { decodePush } from "../../formats/pyroscope/push.ts";

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
