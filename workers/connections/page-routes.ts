/** The routes of connecting in a browser. Their code is loaded with the first request, because most isolates get none. */
import { createRoute, z } from "@hono/zod-openapi";
import { openAnswers } from "../http/answers.ts";
import type { App } from "../http/context.ts";
import { CALLBACK_PATH, PROVIDER_CALLBACK_PATH } from "./connect-token.ts";

const html = ["text/html"] as const;
const text = (length: number) => z.string().max(length);
const params = z.object({ token: z.string().describe("The token of a `connect_url`.") });
const refusals = {
  400: { description: "The link is not one of this system.", other: html },
  403: { description: "The link is for another person.", other: html },
  410: { description: "The link has expired or was used.", other: html },
  429: { description: "The link was opened too often.", other: html },
};

const returned = openAnswers(
  {
    200: { description: "The account is connected.", other: html },
    303: { description: "The account is connected; back to where it began." },
    400: { description: "The account is not connected; the page says why.", other: html },
    403: { description: "Another browser began this.", other: html },
    410: { description: "This consent has ended; the page says how.", other: html },
  },
  [503],
);

const show = createRoute({
  tags: ["Connections"],
  method: "get",
  operationId: "connectLinks.open",
  path: "/connect/{token}",
  summary: "Open a link to connect an account",
  description:
    "For browsers. The page names the tenant, the person, the app and the purpose. A session of the console of the same person is redirected to the app at once.",
  request: { params },
  responses: openAnswers(
    {
      200: { description: "The page, with a form for `POST /connect/{token}/go`.", other: html },
      303: { description: "Redirects to the app's sign-in page." },
      ...refusals,
    },
    [503],
  ),
});

const go = createRoute({
  tags: ["Connections"],
  method: "post",
  operationId: "connectLinks.use",
  path: "/connect/{token}/go",
  summary: "Begin to connect an account",
  description:
    "For the form of the page: `unattended` (`on`), and `field.{name}` for each field of an app with a key. It works once. Only the browser that sent it can return from the app.",
  request: { params },
  responses: openAnswers(
    {
      200: { description: "The account is connected by its key, or the page says what failed.", other: html },
      303: { description: "Redirects to the app's sign-in page, or back to where it began." },
      ...refusals,
      413: { description: "The form is too large.", other: html },
      415: { description: "It is not a form.", other: html },
      422: { description: "A value is not valid; the page names it.", other: html },
    },
    [503],
  ),
});

const callback = createRoute({
  tags: ["Connections"],
  method: "get",
  operationId: "connectLinks.complete",
  path: CALLBACK_PATH,
  summary: "Return from an app's sign-in page",
  description: "For browsers. `state` comes from Otto. It is valid once, for 15 minutes, in the browser that began.",
  request: {
    // Providers add fields of their own.
    query: z.looseObject({ state: text(4_000), code: text(4_096).optional(), iss: text(2_000).optional() }),
  },
  responses: returned,
});

const providerCallback = createRoute({
  tags: ["Connections"],
  method: "get",
  operationId: "connectLinks.completeAtProvider",
  path: PROVIDER_CALLBACK_PATH,
  summary: "Return from the page of the provider of the catalogue",
  description:
    "For browsers. `state` comes from Otto. It is valid once, for 15 minutes, in the browser that began. The other fields decide nothing: Otto reads the account at the provider.",
  request: {
    query: z.looseObject({
      state: text(4_000),
      status: text(100).optional(),
      connected_account_id: text(200).optional(),
    }),
  },
  responses: returned,
});

export function connectPageRoutes(app: App): void {
  app.openapi(providerCallback, async (c) => {
    const { completeLink } = await import("./callback.ts");
    return await completeLink(c, c.req.valid("query").state);
  });

  // Before the path of links, which would match it too.
  app.openapi(callback, async (c) => {
    const { completeLink } = await import("./callback.ts");
    return await completeLink(c, c.req.valid("query").state);
  });

  app.openapi(show, async (c) => {
    const { showLink } = await import("./connect-page.ts");
    return await showLink(c, c.req.valid("param").token);
  });

  app.openapi(go, async (c) => {
    const { useLink } = await import("./connect-page.ts");
    return await useLink(c, c.req.valid("param").token);
  });
}
