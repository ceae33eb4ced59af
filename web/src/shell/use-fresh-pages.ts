/** Pages read again by themselves what they may have missed; the live feed tells of tasks alone. */
import { useEffect, useRef } from "react";
import type { StreamState } from "../api/event-stream.ts";
import { watchForChanges } from "../api/other-windows.ts";
import { queryClient } from "../api/query-client.ts";
import { readAgain } from "../api/read-again.ts";

/** Reads again what is shown when the server is back, and when another window of this browser changed something. */
export function useFreshPages(connection: StreamState): void {
  const wasLost = useRef(false);
  useEffect(() => {
    if (connection === "lost") wasLost.current = true;
    if (connection !== "live" || !wasLost.current) return;
    wasLost.current = false;
    void readAgain(queryClient);
  }, [connection]);
  useEffect(() => watchForChanges(readShown), []);
}

async function readShown(): Promise<void> {
  // A hidden window reads when it is looked at: what is stale is asked for then.
  const isSeen = document.visibilityState === "visible";
  await readAgain(queryClient, { refetchType: isSeen ? "active" : "none" });
}
