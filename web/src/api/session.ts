/** Who is signed in. The session itself is a cookie that no script can read. */
import { queryOptions } from "@tanstack/react-query";
import { answered, api } from "./client.ts";
import { ApiError } from "./problem.ts";
import { queryClient } from "./query-client.ts";
import type { paths } from "./types.generated.ts";

export type Session = paths["/v1/session"]["get"]["responses"][200]["content"]["application/json"];

/** What a person signs in with. */
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

/** Tells the other windows of this browser, which share the cookie, that the session is another one. */
const SIGNAL = "otto session";

/** Calls `onChange` when another window signed in or out. Gives what ends that. */
export function watchOtherWindows(onChange: () => void): () => void {
  const channel = new BroadcastChannel(SIGNAL);
  channel.addEventListener("message", onChange);
  return () => channel.close();
}

function tellOtherWindows(): void {
  const channel = new BroadcastChannel(SIGNAL);
  channel.postMessage(null);
  channel.close();
}

export async function signIn(credential: Credential): Promise<Session> {
  const session = await answered(api.POST("/v1/session", { body: credential }));
  queryClient.clear();
  queryClient.setQueryData(sessionQuery.queryKey, session);
  tellOtherWindows();
  return session;
}

/** A session in place of one that is over, while a page stands open: what is read and typed in it stays. */
export async function signInAgain(credential: Credential): Promise<Session> {
  const session = await answered(api.POST("/v1/session", { body: credential }));
  queryClient.setQueryData(sessionQuery.queryKey, session);
  tellOtherWindows();
  return session;
}

/**
 * Ends the session and drops everything that was read in it. Throws when the end is not known: an answer that
 * is no success may come after its end, which the server could not write down.
 */
export async function signOut(): Promise<void> {
  try {
    await answered(api.DELETE("/v1/session"));
  } catch (thrown) {
    const left = await readSession().catch(() => undefined);
    if (left !== null) throw thrown;
  }
  queryClient.clear();
  queryClient.setQueryData(sessionQuery.queryKey, null);
  tellOtherWindows();
}
