/** What follows a consent: its entry in the audit log, and messages to the owner. */
import { databaseFromEnv } from "../../adapters/env/database.ts";
import { makeId } from "../../core/base/ids.ts";
import type { AppClient } from "../../core/connections/app-client.ts";
import type { Connection } from "../../core/connections/connection.ts";
import type { OutMessage } from "../../core/channels/outbox/message.ts";
import { createConnectedMessage, createForeignConsentMessage } from "../../core/people/connected-message.ts";
import type { AuditEntry } from "../../core/ports/audit.ts";
import { sendMessage } from "../channels/outbox/notify.ts";
import type { AppContext } from "../http/context.ts";
import { logFailure } from "../http/log.ts";

/** The act of a consent. `actor` is the id of the person who consents, or of the key that asked for it. */
export function createConnectAct(requestId: string, actor: string, connection: string): AuditEntry {
  const at = Date.now();
  const id = makeId("audit", at, crypto.getRandomValues(new Uint8Array(10)));
  return { id, at, actor, action: "connection.connect", target: connection, requestId };
}

/** A connection before and after a consent. */
interface ChangedAccount {
  readonly app: AppClient;
  readonly before: Connection;
  readonly now: Connection;
}

/** Notifies the owner of a new account; not of a reconnect of the same one. */
export async function notifyOfAccount(c: AppContext, { app, before, now }: ChangedAccount): Promise<void> {
  const isSame = before.consent > 0 && before.label !== null && before.label === now.label;
  if (isSame) return;
  const create = (tenantName: string) => createConnectedMessage({ title: app.title, label: now.label, tenantName });
  await sendToOwner(c, now, { seed: `connection.connect ${now.id} ${now.consent}`, create });
}

/** Notifies the owner that another browser finished a consent of theirs. */
export async function notifyOfForeignConsent(
  c: AppContext,
  app: Pick<AppClient, "title">,
  { connection, nonce }: { readonly connection: Connection; readonly nonce: string },
): Promise<void> {
  const create = (tenantName: string) => createForeignConsentMessage({ title: app.title, tenantName });
  await sendToOwner(c, connection, { seed: `connection.foreign ${connection.id} ${nonce}`, create });
}

interface OwnerMessage {
  /** One delivery for each seed. */
  readonly seed: string;
  readonly create: (tenantName: string) => OutMessage;
}

/** A shared account has no owner. A failure is logged: the account is connected, or is not, without the message. */
async function sendToOwner(
  c: AppContext,
  { tenant, owner }: Connection,
  { seed, create }: OwnerMessage,
): Promise<void> {
  if (owner.kind === "shared") return;
  const { people, tenants } = databaseFromEnv(c.env);
  const [person, found] = await Promise.all([people.get(tenant, owner.id), tenants.get(tenant)]);
  if (!person.ok || person.value.addresses.length === 0) return;
  const message = create(found.ok ? found.value.name : tenant);
  const about = { tenant, deliver: [{ channel: "person", to: owner.id } as const], message };
  const sent = await sendMessage(c.env, about, { kind: "notification", seed, at: Date.now() });
  if (!sent.ok) logFailure({ id: c.get("requestId"), method: c.req.method, path: c.req.path }, sent.error.message);
}
