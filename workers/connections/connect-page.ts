/**
 * `/connect/{token}`: the page on which a person agrees to connect an account, and the step after it. Opening the page
 * binds nothing, because programs that preview links open it too. The console's own session skips it.
 */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { isKeyApp, listKeyFields, readKeyValue } from "../../core/connections/key-fields.ts";
import { toTitle } from "../../core/channels/outbox/message-delivery.ts";
import type { AppContext } from "../http/context.ts";
import { readCounted } from "../http/counted-body.ts";
import { isFromOwnPage } from "../http/own-origin.ts";
import { beginConsent, storeKey } from "./consent.ts";
import type { ConnectLink } from "./connect-token.ts";
import { openLink } from "./open-link.ts";
import type { OpenedLink } from "./opened-link.ts";
import { isProposedUnattended, renderLink, renderNote } from "./page.ts";

const MAX_FORM_BYTES = 65_536;
const FORM_TYPE = "application/x-www-form-urlencoded";
const FOREIGN = "This form was not sent by Otto's own page. Open the link in a browser, and use the button there.";

/** Answers `GET /connect/{token}`. */
export async function showLink(c: AppContext, token: string): Promise<Response> {
  const opening = await openLink(c, token);
  if ("page" in opening) return opening.page;
  const { opened } = opening;
  if (opened.viewer === "self" && !isKeyApp(opened.app))
    return await beginConsent(c, opened, isProposedUnattended(opened));
  return renderLink(c, opened, { task: await readTask(c, opened.link), error: null });
}

/** Answers `POST /connect/{token}/go`. */
export async function useLink(c: AppContext, token: string): Promise<Response> {
  if (!isFromOwnPage(c)) return renderNote(c, 403, FOREIGN);
  const opening = await openLink(c, token);
  if ("page" in opening) return opening.page;
  const form = await readForm(c);
  if ("page" in form) return form.page;
  const { opened } = opening;
  const isUnattended = opened.link.person !== null && form.values.get("unattended") === "on";
  if (!isKeyApp(opened.app)) return await beginConsent(c, opened, isUnattended);
  const key = readKeyValue(opened.app, pickFields(opened, form.values));
  if (key.ok) return await storeKey(c, opened, { value: key.value, isUnattended });
  const error = { field: key.error.field ?? null, message: key.error.message };
  return renderLink(c, opened, { task: await readTask(c, opened.link), error });
}

async function readForm(c: AppContext): Promise<{ readonly values: URLSearchParams } | { readonly page: Response }> {
  const type = c.req.header("content-type")?.split(";")[0]?.trim().toLowerCase();
  if (type !== FORM_TYPE) return { page: renderNote(c, 415, "Send the form of Otto's page.") };
  const bytes = await readCounted(c.req.raw, MAX_FORM_BYTES);
  if (bytes === null) return { page: renderNote(c, 413, "The form is too large.") };
  return { values: new URLSearchParams(new TextDecoder().decode(bytes)) };
}

function pickFields({ app }: OpenedLink, values: URLSearchParams): ReadonlyMap<string, string> {
  return new Map(listKeyFields(app).map(({ name }) => [name, values.get(`field.${name}`) ?? ""]));
}

/** The first line of the task that waits; null without one, and while it cannot be read. */
async function readTask(c: AppContext, { tenant, wait }: ConnectLink): Promise<string | null> {
  if (wait === null) return null;
  const found = await databaseFromEnv(c.env).tasks.find(tenant, wait.task);
  if (!found.ok || found.value === null) return null;
  const { input } = found.value.view;
  const text = typeof input === "string" ? input : (input.at(-1)?.content ?? "");
  return typeof text === "string" && text.trim() !== "" ? toTitle(text) : null;
}
