import { z } from "zod";
import { onProject } from "../api/access.ts";
import { PAGE_QUERY, SCOPE_QUERY } from "../api/lists.ts";
import type { ApiRoutes } from "../api/route.ts";
import {
  flamegraphReply,
  pprofReply,
  profileListReply,
  profileReply,
  topReply,
} from "./api/replies.ts";

const text = z.string().optional();

/** Which profiles are meant. */
const CHOICE = {
  kind: text,
  type: text.describe("As cpu:nanoseconds, or memory:inuse_space:bytes"),
  transaction: text,
  label: z.array(z.string()).describe("key=value"),
  profile: z.array(z.string()),
  profiler: text,
  thread: text,
  trace: text,
  span: text,
  clip: text.describe("1 for the time of the span alone"),
  ...SCOPE_QUERY,
};

/** What they are compared with, and how the tree of all of them is looked at. */
const VIEW = {
  compareStart: text,
  compareEnd: text,
  compareRelease: z.array(z.string()),
  compareEnvironment: z.array(z.string()),
  scale: text.describe("none for values as they are"),
  focus: text.describe("A regular expression, as ignore, hide and query"),
  ignore: text,
  hide: text,
  query: text,
  invert: text.describe("1 to begin with the innermost functions"),
  by: text.describe("function, file, module or package"),
};

const ProfileJson = z.looseObject({
  id: z.string(),
  start: z.iso.datetime(),
  duration: z.number(),
  kind: z.string(),
  service: z.string(),
  traceId: z.string().nullable(),
  values: z.array(
    z.object({ id: z.string(), type: z.string(), unit: z.string(), total: z.string() }),
  ),
  size: z.int(),
  hasOriginal: z.boolean(),
}).meta({ title: "Profile" });

/** What was merged; more of two that were compared. */
const merged = {
  kind: z.string(),
  start: z.iso.datetime(),
  end: z.iso.datetime(),
  nature: z.string(),
  profiles: z.int(),
  left: z.int(),
};

const FunctionJson = z.object({
  name: z.string(),
  file: z.string(),
  module: z.string(),
  line: z.int(),
  isInApp: z.boolean().nullable(),
  self: z.string(),
  total: z.string(),
  selfShare: z.number(),
  totalShare: z.number(),
  baseSelf: z.string().optional(),
  baseTotal: z.string().optional(),
}).meta({ title: "Function" });

const PROJECT = "/projects/:organization/:project";

/** What the addresses below `/api/0` do that are about profiles, by method. */
export const profileRoutes: ApiRoutes = {
  [`${PROJECT}/profiles`]: {
    GET: onProject("project:read", {
      summary: "The profiles of a project, newest first",
      query: z.object({
        sort: text.describe("newest, longest, largest"),
        ...CHOICE,
        ...PAGE_QUERY,
      }),
      answer: z.array(ProfileJson),
    }, profileListReply),
  },
  [`${PROJECT}/profiles/flamegraph`]: {
    GET: onProject("project:read", {
      summary: "The merged flame graph of a selection of profiles, or of two of them",
      query: z.object({ format: text, path: text, ...VIEW, ...CHOICE }),
      answer: z.looseObject(merged),
    }, flamegraphReply),
  },
  [`${PROJECT}/profiles/top`]: {
    GET: onProject("project:read", {
      summary: "The functions that take the most",
      query: z.object({ sort: text.describe("self, total, growth"), ...VIEW, ...CHOICE }),
      answer: z.looseObject({
        ...merged,
        total: z.string(),
        baseTotal: z.string().nullable(),
        count: z.int(),
        functions: z.array(FunctionJson),
      }),
    }, topReply),
  },
  // After the fixed names: the first that matches answers.
  [`${PROJECT}/profiles/:profile`]: {
    GET: onProject("project:read", {
      summary: "What the index tells of one profile",
      answer: ProfileJson,
    }, profileReply),
  },
  [`${PROJECT}/profiles/:profile/pprof`]: {
    GET: onProject("project:read", {
      summary: "One profile as it is stored: pprof, compressed by gzip",
      file: "application/octet-stream",
    }, pprofReply),
  },
};
