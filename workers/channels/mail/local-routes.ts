/**
 * Delivers a mail by hand to a system on one machine, instead of Email Routing: `POST /cdn-cgi/local/email?from=&to=` with the
 * mail as its body. The caller writes the mail, its proof of the sender included, and can speak for any person of the tenant:
 * it needs an `admin` key of the tenant that the address belongs to. In the cloud the route is 404.
 */
import { isLocalFromEnv } from "../../../adapters/env/settings.ts";
import { ownAddressesFromEnv } from "../../../adapters/env/mail.ts";
import { raise } from "../../../core/base/errors.ts";
import { findKeyOwner } from "../../../core/tenant/keys.ts";
import { readMailHeaders } from "../../../core/channels/mail/head.ts";
import { type IncomingMail, acceptMail } from "./entry.ts";
import type { App, AppContext } from "../../http/context.ts";
import { readCounted } from "../../http/counted-body.ts";
import { admitKey, readBearerToken } from "../../http/middleware/authenticate.ts";

/** Above the limit of `acceptMail`, which rejects a mail as Email Routing expects. */
const MAX_BYTES = 30 * 1024 * 1024;

export function localMailRoutes(app: App): void {
  app.post("/cdn-cgi/local/email", async (c, next) => {
    if (!isLocalFromEnv(c.env)) return await next();
    const [from = "", to = ""] = [c.req.query("from"), c.req.query("to")];
    await requireMailKey(c, to);
    const bytes = await readCounted(c.req.raw, MAX_BYTES);
    if (bytes === null) raise("too_large", "The mail is larger than 25 MB. Send a smaller one.", { field: "body" });
    const reason = await deliver(c, { from, to, bytes });
    return reason === null ? c.text("The mail was accepted.") : c.text(reason, 400);
  });
}

/** Refuses any key but an `admin` key of the address's tenant. An unknown address passes: `acceptMail` rejects it. */
async function requireMailKey(c: AppContext, to: string): Promise<void> {
  const key = readBearerToken(c);
  const owner = findKeyOwner(key);
  const admission = owner === null ? null : await admitKey(c, owner, key);
  if (admission === null) raise("unauthenticated", "Send a valid API key: `Authorization: Bearer otto_…`.");
  if (admission.kind === "limited") raise("rate_limited", "This key has sent too many requests.", admission);
  if (!admission.key.scopes.includes("admin")) raise("forbidden", "This key lacks the scope admin.");
  const own = (await ownAddressesFromEnv(c.env)?.read(to)) ?? null;
  if (own !== null && own.tenant !== admission.key.tenant)
    raise("forbidden", "This address belongs to another tenant than the key.", { field: "to" });
}

/** Returns null if the mail was accepted, or else the SMTP reply that rejects it. */
async function deliver(
  c: AppContext,
  { from, to, bytes }: { readonly from: string; readonly to: string; readonly bytes: Uint8Array },
): Promise<string | null> {
  let reason: string | null = null;
  const mail: IncomingMail = {
    from,
    to,
    raw: toStream(bytes),
    rawSize: bytes.length,
    headers: readMailHeaders(bytes),
    setReject: (why) => {
      reason = why;
    },
  };
  await acceptMail(c.env, mail);
  return reason;
}

function toStream(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
}
