import type { ApiRoutes } from "../api/route.ts";
import { bundleRoutes } from "./artifacts/api_bundles.ts";
import { uploadRoutes } from "./artifacts/api_upload.ts";

/** Uploads of source maps and ProGuard mappings. */
export const sourceMapRoutes: ApiRoutes = { ...uploadRoutes, ...bundleRoutes };
