/** Opens a connect link: what it is about, or the page that says why it cannot be used. */
import { appsFromEnv, connectionTableFromEnv } from "../../adapters/env/connections.ts";
import { countConnectLinkFromEnv } from "../../adapters/env/console.ts";
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { type Failure, OttoError } from "../../core/base/errors.ts";
import { hasServerGrant } from "../../core/connections/app-client.ts";
import type { AppContext } from "../http/context.ts";
import { unwrap } from "../http/unwrap.ts";
import { type ConnectLink, isLinkExpired, openConnectLink } from "./connect-token.ts";
import type { OpenedLink } from "./opened-link.ts";
import { type PageStatus, renderNote } from "./page.ts";
import { describeServerGrant } from "./server-grant-page.ts";
import { findViewer } from "./viewer.ts";

/** A link that can be used, or the page to answer with. */
export type LinkOpening = { readonly opened: OpenedLink } | { readonly page: Response };

const NO_LINK = "This is not a link of this system, or it was cut off. Copy the whole link, or ask for a new one.";
const EXPIRED = "This link has expired. It works for 15 minutes. Ask for a new one.";
export const LINK_USED = "This link was used. Each link works once. Ask for a new one.";
const LIMITED = "This link was opened too often. Wait a minute, then reload the page.";
const ELSEWHERE = "This browser is signed in to another tenant of Otto. Sign out there, then open the link again.";
const NO_TENANT = "The tenant of this link no longer exists.";
const NO_PERSON = "The person of this link no longer exists.";
const RETRY_AFTER_S = "60";

export async function openLink(c: AppContext, token: string): Promise<LinkOpening> {
  const link = await openConnectLink(c.env, token);
  if (link === null) return stop(c, 400, NO_LINK);
  if (!(await countConnectLinkFromEnv(c.env, link.tenant, link.person))) {
    c.header("retry-after", RETRY_AFTER_S);
    return stop(c, 429, LIMITED);
  }
  if (isLinkExpired(link, Date.now())) return stop(c, 410, EXPIRED);
  const viewer = await findViewer(c, link);
  if (viewer === "limited") return stop(c, 429, LIMITED);
  if (viewer === "elsewhere") return stop(c, 403, ELSEWHERE);
  const personName = await readPersonName(c, link);
  if (link.person !== null && personName === null) return stop(c, 410, NO_PERSON);
  if (viewer === "other") return stop(c, 403, `This link is for ${personName ?? "an administrator"}.`);
  return await describeLink(c, link, { viewer, personName });
}

async function describeLink(
  c: AppContext,
  link: ConnectLink,
  { viewer, personName }: Pick<OpenedLink, "viewer" | "personName">,
): Promise<LinkOpening> {
  const { tenant, nonce, createdAt } = link;
  const [found, stored, linked] = await Promise.all([
    databaseFromEnv(c.env).tenants.get(tenant),
    appsFromEnv(c.env, tenant).find(link.app),
    connectionTableFromEnv(c.env, tenant).findLinked(link, { createdAt, nonce }),
  ]);
  if (isMissing(found)) return stop(c, 410, NO_TENANT);
  if (isMissing(stored)) return stop(c, 410, `${link.app} is no longer an app of this tenant.`);
  const [known, app, connection] = [unwrap(found), unwrap(stored), unwrap(linked)];
  if (hasServerGrant(app)) return stop(c, 410, describeServerGrant(app));
  if (app.unavailable !== undefined) return stop(c, 410, app.unavailable);
  if (connection.isUsed) return stop(c, 410, LINK_USED);
  return { opened: { link, tenantName: known.name, personName, app, linked: connection, viewer } };
}

/** The name of the link's person; null for a shared account and for a deleted person. */
async function readPersonName(c: AppContext, { tenant, person }: ConnectLink): Promise<string | null> {
  if (person === null) return null;
  const found = await databaseFromEnv(c.env).people.get(tenant, person);
  if (found.ok) return found.value.name;
  if (found.error.code === "not_found") return null;
  throw new OttoError(found.error);
}

function isMissing(result: { readonly ok: true } | { readonly ok: false; readonly error: Failure }): boolean {
  return !result.ok && result.error.code === "not_found";
}

function stop(c: AppContext, status: PageStatus, message: string): LinkOpening {
  return { page: renderNote(c, status, message) };
}
