import { createRoute } from "@tanstack/react-router";
import { rootRoute } from "../../shell/root-route.tsx";
import { lazyPage } from "../../api/when-reached.ts";

/** `next`: where one wanted to go. Only a path of this console is followed. */
export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sign-in",
  validateSearch: ({ next }: Record<string, unknown>): { next?: string } =>
    typeof next === "string" && /^\/(?![/\\])/.test(next) ? { next } : {},
  component: lazyPage(async () => await import("./sign-in-page.tsx"), "SignInPage"),
});
