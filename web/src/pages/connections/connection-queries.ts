/** The connections that the page lists, the apps that can be connected, and the way to a connect link. */
import { queryOptions, useMutation } from "@tanstack/react-query";
import { answered, api } from "../../api/client.ts";
import { usePaged } from "../../api/paged.ts";
import type { Connection, ConnectionsOwner, NewConnectionInput } from "../../api/types.generated.ts";
import type { NewWindow } from "../../ui/new-window.ts";

/** Milliseconds between reads while somebody signs in to an app in another window. */
export const SIGN_IN_MS = 3_000;

export const connectionsKey = ["connections"];

export const appsQuery = queryOptions({
  queryKey: ["apps"],
  queryFn: async () => (await answered(api.GET("/v1/apps"))).data,
  staleTime: 30_000,
});

/** The connections of `owner`; undefined: the reader's own and the shared ones. */
export function useConnections(owner: ConnectionsOwner | undefined, isBusy: (rows: readonly Connection[]) => boolean) {
  return usePaged<Connection>(
    [...connectionsKey, owner ?? "mine"],
    async (cursor) => await answered(api.GET("/v1/connections", { params: { query: { owner, cursor } } })),
    (rows) => (isBusy(rows) ? SIGN_IN_MS : false),
  );
}

interface Connecting {
  readonly request: NewConnectionInput;
  readonly opened: NewWindow;
}

/** Where the sign-in continues. */
export interface Link {
  readonly address: string;
  /** False: the browser opened no window, so the reader follows the link. */
  readonly isOpened: boolean;
}

/** Gets a link and goes to it in the window that was opened for it. */
export function useConnecting(onLink: (request: NewConnectionInput, link: Link) => void) {
  return useMutation({
    mutationFn: async ({ request, opened }: Connecting): Promise<Link> => {
      const made = await opened.closeIfFailed(answered(api.POST("/v1/connections", { body: request })));
      return { address: made.connect_url, isOpened: opened.go(made.connect_url) };
    },
    onSuccess: (link, { request }) => onLink(request, link),
  });
}
