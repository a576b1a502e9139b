import { bearerKey } from "../bearer.ts";
import type { DecodeContext, Protocol } from "../protocol.ts";
import { CORS_HEADERS } from "./cors.ts";
import { refused } from "./reply.ts";
import { PROFILE_BODY } from "./body_size.ts";
import { serviceIn } from "../../formats/pprof/label_facts.ts";
import { badParameter } from "../../formats/pprof/refusals.ts";
import { indexSamples } from "../../formats/pprof/sample_index.ts";
import { readUpload, type Upload, type UploadBatch, uploadBatch } from "../../formats/pprof/upload.ts";
import { readUploadParameters, type UploadParameters } from "../../formats/pprof/upload_parameters.ts";

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
