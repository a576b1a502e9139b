import { LIMITS } from "../../formats/pprof/limits.ts";
import type { BodySize } from "../receive.ts";

/** Of requests that bring profiles: a minute of a large program takes a megabyte or two. */
export const PROFILE_BODY: BodySize = {
  maxBytes: 8 * 1024 * 1024,
  // Room for what stands around a profile, as the parts of a form.
  maxDecodedBytes: LIMITS.rawBytes + 1024 * 1024,
};
