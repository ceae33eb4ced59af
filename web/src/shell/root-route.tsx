/** The two roots of all pages: the window itself, and what only somebody who is signed in sees. */
import { createRootRoute, createRoute, Outlet, redirect } from "@tanstack/react-router";
import { sessionQuery } from "../api/session.ts";
import { queryClient } from "../api/query-client.ts";
import { Skeleton } from "../ui/notice.tsx";
import { NotFound } from "./not-found.tsx";
import { PageError } from "./page-error.tsx";
import { Shell } from "./shell.tsx";

export const rootRoute = createRootRoute({ component: Outlet, notFoundComponent: NotFound });

export const consoleRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: "console",
  beforeLoad: async ({ location }) => {
    const session = await queryClient.ensureQueryData(sessionQuery);
    if (session === null) redirect({ to: "/sign-in", search: { next: location.href }, replace: true, throw: true });
  },
  component: Shell,
  pendingComponent: () => (
    <main className="mx-auto max-w-2xl p-6">
      <Skeleton label="Connecting…" />
    </main>
  ),
  errorComponent: ({ error }) => (
    <main>
      <PageError error={error} />
    </main>
  ),
});
