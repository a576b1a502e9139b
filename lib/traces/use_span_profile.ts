import { useEffect, useRef, useState } from "preact/hooks";
import type { EmbeddedProfile } from "../profiles/profile/load_embedded.ts";
import type { ProfileReading } from "./span_profile.tsx";
import { partHref, type SpanProfile } from "./span_profiles.ts";

/**
 * Reads the profile of the open span, each once. Browser only.
 *
 * @param first the one to read, or null
 * @returns how far it has come, and a function that tries again
 */
export function useSpanProfile(
  first: SpanProfile | null,
): [reading: ProfileReading, retry: () => void] {
  const read = useRef(new Map<string, EmbeddedProfile>());
  const [failedHref, setFailedHref] = useState<string | null>(null);
  const [, setRound] = useState(0);
  const href = first && partHref(first.profile, first.part, "/embedded");
  const profile = href === null ? undefined : read.current.get(href);

  useEffect(() => {
    if (href === null || read.current.has(href) || failedHref === href) return;
    const asking = new AbortController();
    loadProfile(href, asking.signal).then(
      (profile) => {
        read.current.set(href, profile);
        setRound((round) => round + 1);
      },
      () => {
        if (!asking.signal.aborted) setFailedHref(href);
      },
    );
    return () => asking.abort();
  }, [href, failedHref]);

  const retry = () => setFailedHref(null);
  if (href === null) return [{ kind: "none" }, retry];
  if (profile) return [{ kind: "read", profile }, retry];
  return [{ kind: failedHref === href ? "failed" : "loading" }, retry];
}

async function loadProfile(href: string, signal: AbortSignal): Promise<EmbeddedProfile> {
  const response = await fetch(href, { signal });
  // Somebody whose session has ended is sent to the sign-in page, which is no JSON.
  if (!response.ok || response.redirected) throw new Error(`Cannot read ${href}`);
  return await response.json() as EmbeddedProfile;
}
