import { badParameter, LIMITS } from "../../formats/pprof/faults.ts";
import { serviceIn } from "../../formats/pprof/labels.ts";
import { indexSamples } from "../../formats/pprof/profile_record.ts";
import {
  readUpload,
  readUploadParameters,
  type Upload,
  type UploadBatch,
  uploadBatch,
  type UploadParameters,
} from "../../formats/pprof/upload.ts";
import { bearerKey } from "../identify.ts";
import type { DecodeContext } from "../../formats/decode_context.ts";
import type { Protocol } from "../protocol.ts";
import type { BodySize } from "../receive.ts";
import { CORS_HEADERS, refused } from "./sentry_reply.ts";

/** Of requests that bring profiles: a minute of a large program takes a megabyte or two. */
export const PROFILE_BODY: BodySize = {
  maxBytes: 8 * 1024 * 1024,
  // Room for what stands around a profile, as the parts of a form.
  maxDecodedBytes: LIMITS.rawBytes + 1024 * 1024,
};

/** `POST /api/v1/profiles/pprof`: one pprof profile, as `curl` or a program sends it. */
export const pprof: Protocol = {
  name: "pprof",
  category: "profile",
  body: PROFILE_BODY,
  keyTypes: ["server"],
  credentials: bearerKey,
  decode,
  reply: ({ answer }: UploadBatch) => Response.json(answer, { headers: CORS_HEADERS }),
  refuse: refused,
};

function decode(body: Uint8Array, context: DecodeContext): UploadBatch {
  const parameters = readUploadParameters(context);
  const upload = readUpload(body);
  const service = serviceOf(parameters, upload);
  return uploadBatch(
    upload,
    { ...parameters, service, labels: parameters.labels.lists() },
    context,
  );
}

/** @throws {Refusal} 400 when nobody names the service */
function serviceOf({ service }: UploadParameters, { profile }: Upload): string {
  const found = service || serviceIn(indexSamples(profile, [], null).labels);
  if (found === "") throw badParameter("service", "is missing: name the program of the profile");
  return found;
}
