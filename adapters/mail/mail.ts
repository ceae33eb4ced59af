/** The configured mail provider, for all tenants and for the tools of one. */
import { sleep } from "../../core/base/deadline.ts";
import { getSandboxPrefix } from "../files/blob-keys.ts";
import { catchFailure } from "../files/r2.ts";
import { openMailOutbox } from "./outbox.ts";
import { openResend } from "./resend.ts";
import { openSmtp } from "./smtp.ts";
import { failed, ok } from "../../core/base/errors.ts";
import { sha256Hex } from "../../core/base/sha256.ts";
import type { MailPort, TaskMailPort } from "../../core/ports/mail.ts";
import type { TaskFacts } from "../../core/task/state.ts";

export function openMail(settings: MailSettings, bucket: R2Bucket): MailPort {
  switch (settings.kind) {
    case "resend":
      return openResend(settings);
    case "smtp":
      return openSmtp(settings);
    case "outbox":
      return openMailOutbox(bucket, settings.from);
  }
}

/** The mail of a task tree. The count of sent mails is one key each in the bucket, under the tree's prefix. */
export function openTaskMail(
  port: MailPort,
  bucket: R2Bucket,
  tree: Pick<TaskFacts, "tenant" | "rootId">,
): TaskMailPort {
  const prefix = `${getSandboxPrefix({ kind: "tree", ...tree })}mail/`;
  const nameOf = async (key: string) => prefix + (await sha256Hex(key)).slice(0, 32);
  return {
    provider: port.provider,
    keyedForMs: port.keyedForMs,
    send: (mail, options) => port.send(tree.tenant, mail, options),
    reserve: (key, most) =>
      catchFailure(async () => {
        const name = await nameOf(key);
        if (most > 0) await bucket.put(name, "", { onlyIf: { etagDoesNotMatch: "*" } });
        const { objects } = await bucket.list({ prefix });
        const first = objects.toSorted(compareAge).slice(0, most);
        if (first.some((object) => object.key === name)) return ok(undefined);
        await bucket.delete(name);
        return failed("budget_exceeded", `This task has sent its maximum of ${most} emails. This one was not sent.`);
      }),
    async release(key) {
      await bucket.delete(await nameOf(key)).catch(() => undefined);
    },
    pause: async (ms, signal) => await sleep(globalThis, ms, signal),
  };
}

function compareAge(one: R2Object, other: R2Object): number {
  return one.uploaded.getTime() - other.uploaded.getTime() || (one.key < other.key ? -1 : 1);
}

/** How mail is sent; `outbox`: no provider is configured, and mail is stored for inspection. */
export type MailSettings =
  | { readonly kind: "resend"; readonly baseUrl: string; readonly apiKey: string; readonly from: string }
  | {
      readonly kind: "smtp";
      readonly host: string;
      readonly port: number;
      /** TLS from the first byte; otherwise STARTTLS if the server offers it. */
      readonly secure: boolean;
      readonly username: string | null;
      readonly password: string | null;
      readonly from: string;
    }
  | { readonly kind: "outbox"; readonly from: string };
