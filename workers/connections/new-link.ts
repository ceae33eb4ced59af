/** Creates the link with which a person connects an account, for who asks for it. */
import { appsFromEnv } from "../../adapters/env/connections.ts";
import { raise } from "../../core/base/errors.ts";
import { type AppClient, hasServerGrant } from "../../core/connections/app-client.ts";
import { getActorId } from "../http/audit-entry.ts";
import type { AppContext } from "../http/context.ts";
import { getAuthor, getTenant, hasScope } from "../http/principal.ts";
import { requirePerson } from "../http/require-person.ts";
import { unwrap } from "../http/unwrap.ts";
import { LINK_LIFE_MS, makeConnectUrl } from "./connect-token.ts";
import { describeServerGrant } from "./server-grant-page.ts";

export interface WantedLink {
  /** Of the app, as the directory has it. */
  readonly name: string;
  readonly owner: "me" | "shared";
  readonly alias: string | null;
  /** Undefined: the page proposes what was chosen before. */
  readonly unattended: boolean | undefined;
  /** Where the browser goes once the account is connected: an address of this system. */
  readonly returnTo?: string;
}

export interface NewLink {
  readonly url: string;
  readonly app: AppClient;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** Throws for an app that this person or key cannot connect. */
export async function createLink(
  c: AppContext,
  { name, owner, alias, unattended, returnTo }: WantedLink,
): Promise<NewLink> {
  const person = owner === "me" ? requirePerson(c).id : null;
  if (owner === "shared" && !hasScope(c, "admin"))
    raise("forbidden", "Only an administrator connects a shared account.");
  const tenant = getTenant(c);
  const app = unwrap(await appsFromEnv(c.env, tenant).find(name));
  refuseOwner(app, owner);
  if (unattended === true && person === null)
    raise("invalid_input", "A shared account serves every task. Omit unattended.", { field: "unattended" });
  const link = {
    tenant,
    app: app.app,
    person,
    alias,
    wait: null,
    by: getAuthor(c),
    key: getActorId(c),
    ...(unattended === undefined ? {} : { unattended }),
    ...(returnTo === undefined ? {} : { returnTo }),
  };
  const expiresAt = Date.now() + LINK_LIFE_MS;
  return { url: await makeConnectUrl(c.env, link, new URL(c.req.url).origin), app, expiresAt };
}

/** An app says whether each person connects it, or an administrator for everyone. */
function refuseOwner(app: AppClient, owner: "me" | "shared"): void {
  const { title, per, unavailable } = app;
  if (hasServerGrant(app)) raise("invalid_input", describeServerGrant(app), { field: "app" });
  if (unavailable !== undefined) raise("not_available", unavailable);
  if (per === "person" && owner === "shared")
    raise("invalid_input", `Each person connects an own account of ${title}. Set owner to me.`, { field: "owner" });
  if (per === "shared" && owner === "me")
    raise("invalid_input", `${title} has one account for everyone. An administrator sets owner to shared.`, {
      field: "owner",
    });
}
