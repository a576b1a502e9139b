import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import {
  FirstEventStatus,
  type FirstEventView,
  parseFirstEvent,
} from "../lib/projects/first_event.tsx";

export interface FirstEventProps {
  /** Address of the stream that tells of the first event. */
  readonly stream: string;
  /** What the server knew when it drew the page. */
  readonly initial: FirstEventView | null;
  /** Whether who looks may add monitors. */
  readonly mayAddMonitors: boolean;
}

/** Turns green by itself when the project's first event arrives. */
export default function FirstEvent({ stream, initial, mayAddMonitors }: FirstEventProps) {
  const first = useSignal(initial);

  useEffect(() => {
    if (first.value !== null) return;
    // The browser reconnects by itself after a restart of the server.
    const source = new EventSource(stream);
    source.addEventListener("first", ({ data }) => {
      first.value = parseFirstEvent(data);
      if (first.value !== null) source.close();
    });
    return () => source.close();
  }, [stream]);

  return (
    <div aria-live="polite">
      <FirstEventStatus first={first.value} mayAddMonitors={mayAddMonitors} />
    </div>
  );
}
