import type { Random } from "../random.ts";
import { type Environment, releaseOf, type ServiceName } from "./services.ts";

/** A share of traces that clients keep, with the threshold that stands for it in a `tracestate`. */
export interface Sampling {
  readonly rate: number;
  readonly threshold: string;
}

/** When and where something happens in the shop, and to whom. */
export interface Scene {
  readonly random: Random;
  readonly at: Date;
  readonly environment: Environment;
  /** Number of the person who visits, or null for jobs. */
  readonly person: number | null;
  readonly sampling: Sampling;
  /** The release of a service at this time. */
  release(service: ServiceName): string;
}

const DAY_MS = 86_400_000;
const PEOPLE = 400;
const STAGING = 0.12;
/** Of the tail that is looked at most, SDKs keep half, of what was before one in sixteen. */
const RECENT: Sampling = { rate: 1 / 2, threshold: "8" };
const EARLIER: Sampling = { rate: 1 / 16, threshold: "f" };
/** Days ago that the SDKs began to keep more. */
export const RECENT_DAYS = 1;

/** A visit so many milliseconds before `now`. */
export function sceneAt(random: Random, now: Date, agoMs: number): Scene {
  const daysAgo = agoMs / DAY_MS;
  const environment = random.chance(STAGING) ? "staging" : "production";
  return {
    random,
    at: new Date(now.getTime() - agoMs),
    environment,
    person: random.integer(1, PEOPLE),
    sampling: daysAgo <= RECENT_DAYS ? RECENT : EARLIER,
    release: (service) => releaseOf(service, environment, daysAgo),
  };
}

/** A job in production so many milliseconds before `now`: jobs are always kept. */
export function jobAt(random: Random, now: Date, agoMs: number): Scene {
  return {
    random,
    at: new Date(now.getTime() - agoMs),
    environment: "production",
    person: null,
    sampling: { rate: 1, threshold: "0" },
    release: (service) => releaseOf(service, "production", agoMs / DAY_MS),
  };
}
