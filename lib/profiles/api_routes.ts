import { requireProject } from "../api/access.ts";
import {
  flamegraphReply,
  pprofReply,
  profileListReply,
  profileReply,
  topReply,
} from "./api/replies.ts";
import type { ApiRoutes } from "../api/route.ts";

/** What the addresses below `/api/0` do that are about profiles, by method. */
export const profileRoutes: ApiRoutes = {
  "/projects/:organization/:project/profiles": {
    GET: async (ctx) => profileListReply(ctx, await requireProject(ctx, "project:read")),
  },
  "/projects/:organization/:project/profiles/flamegraph": {
    GET: async (ctx) => flamegraphReply(ctx, await requireProject(ctx, "project:read")),
  },
  "/projects/:organization/:project/profiles/top": {
    GET: async (ctx) => topReply(ctx, await requireProject(ctx, "project:read")),
  },
  // After the fixed names: the first that matches answers.
  "/projects/:organization/:project/profiles/:profile": {
    GET: async (ctx) => profileReply(ctx, await requireProject(ctx, "project:read")),
  },
  "/projects/:organization/:project/profiles/:profile/pprof": {
    GET: async (ctx) => pprofReply(ctx, await requireProject(ctx, "project:read")),
  },
};
