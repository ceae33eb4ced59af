/** Reads, starts and ends the console's session, a cookie that no script can read. */
import { queryOptions } from "@tanstack/react-query";
import { answered, api } from "./client.ts";
import { ApiError } from "./problem.ts";
import { queryClient } from "./query-client.ts";
import type { paths } from "./types.generated.ts";

export type Session = paths["/v1/session"]["get"]["responses"][200]["content"]["application/json"];

/** An API key, or the token of a sign-in link. */
export type Credential = { readonly key: string } | { readonly link: string };

/** The session, or null when nobody is signed in. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: readSession,
  staleTime: 60_000,
});

async function readSession(): Promise<Session | null> {
  try {
    return await answered(api.GET("/v1/session"));
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.status === 401) return null;
    throw thrown;
  }
}

/** The channel that tells this browser's other windows, which share the cookie, that the session changed. */
const SIGNAL = "otto session";

/** Calls `onChange` when another window signed in or out. Returns a function that stops watching. */
export function watchOtherWindows(onChange: () => void): () => void {
  const channel = new BroadcastChannel(SIGNAL);
  channel.addEventListener("message", onChange);
  return () => channel.close();
}

function notifyOtherWindows(): void {
  const channel = new BroadcastChannel(SIGNAL);
  channel.postMessage(null);
  channel.close();
}

export async function signIn(credential: Credential): Promise<Session> {
  const session = await answered(api.POST("/v1/session", { body: credential }));
  queryClient.clear();
  queryClient.setQueryData(sessionQuery.queryKey, session);
  notifyOtherWindows();
  return session;
}

/** Replaces an expired session while a page is open, without losing what was read or typed on it. */
export async function signInAgain(credential: Credential): Promise<Session> {
  const session = await answered(api.POST("/v1/session", { body: credential }));
  queryClient.setQueryData(sessionQuery.queryKey, session);
  notifyOtherWindows();
  return session;
}

/**
 * Ends the session and clears the cached data. A failed request may still have ended the session, so this reads it
 * again and throws unless it is gone.
 */
export async function signOut(): Promise<void> {
  try {
    await answered(api.DELETE("/v1/session"));
  } catch (thrown) {
    const remaining = await readSession().catch(() => undefined);
    if (remaining !== null) throw thrown;
  }
  queryClient.clear();
  queryClient.setQueryData(sessionQuery.queryKey, null);
  notifyOtherWindows();
}
