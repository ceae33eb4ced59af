/** Which client speaks with the provider of an app: Otto's own of OAuth, or that of a provider that stores the tokens. */
import { isCatalogueApp } from "../../core/connections/catalogue-app.ts";
import type { AppClient } from "../../core/connections/app-client.ts";
import type { AuthorizationsPort } from "../../core/ports/authorizations.ts";

export interface RoutedAuthorizations {
  /** Opened with its first use. */
  readonly own: () => Promise<AuthorizationsPort>;
  readonly accounts: AuthorizationsPort;
}

export function routeAuthorizations({ own, accounts }: RoutedAuthorizations): AuthorizationsPort {
  const choose = async (app: AppClient) => (isCatalogueApp(app) ? accounts : await own());
  return {
    begin: async (app, at) => await (await choose(app)).begin(app, at),
    complete: async (app, flow, returned) => await (await choose(app)).complete(app, flow, returned),
    refresh: async (app, tokens) => await (await choose(app)).refresh(app, tokens),
    identify: async (app, tokens) => await (await choose(app)).identify(app, tokens),
    // By the tokens: an import with the name of an app of the catalogue may have replaced its provider since.
    revoke: async (app, tokens) =>
      tokens.kind === "account" ? await accounts.revoke(app, tokens) : await (await own()).revoke(app, tokens),
  };
}
