import { WifiOff } from "lucide-react";
import type { StreamState } from "../api/event-stream.ts";

/** Says that the server is away. It takes no room of its own, so that nothing jumps when it comes and goes. */
export function ConnectionBar({ state }: { readonly state: StreamState }) {
  return (
    <div
      role="status"
      aria-live="polite"
      className="pointer-events-none fixed inset-x-0 top-12 z-30 flex justify-center lg:top-2"
    >
      {state === "lost" ? (
        <p className="flex items-center gap-2 rounded-full border border-warn bg-warn-soft px-4 py-1.5 text-sm font-medium text-warn shadow">
          <WifiOff aria-hidden className="size-4" />
          Otto does not answer. Trying again…
        </p>
      ) : null}
    </div>
  );
}
