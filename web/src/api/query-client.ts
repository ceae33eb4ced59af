/** How answers are kept and asked for again. */
import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import { tellOfChange } from "./other-windows.ts";
import { toApiError } from "./problem.ts";

/** How often a read is tried again when the server is away; a restart takes a few seconds. */
const TRIES = 6;

/** Re-reads the session when an answer says that nobody is signed in: it may have ended while the page was open. */
function lookAtSession(thrown: unknown): void {
  if (toApiError(thrown).status === 401) void queryClient.invalidateQueries({ queryKey: ["session"] });
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onError: lookAtSession }),
  mutationCache: new MutationCache({ onError: lookAtSession, onSuccess: tellOfChange }),
  defaultOptions: {
    // The browser's word on the network says nothing of this server, which may run on the same machine.
    queries: {
      networkMode: "always",
      refetchOnReconnect: true,
      staleTime: 5_000,
      retry: (failures, thrown) => failures < TRIES && toApiError(thrown).isPassing,
      retryDelay: (failures) => Math.min(500 * 2 ** failures, 8_000),
    },
    // What changes something is sent again only by a person, or under a request key: never held back to be sent later.
    mutations: { networkMode: "always", retry: false },
  },
});
