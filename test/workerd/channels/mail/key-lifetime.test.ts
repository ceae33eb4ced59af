/** Deliveries by Resend, whose mock server forgets a key on request, as Resend does after a day. */
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, inject, test } from "vitest";
import type { Attempt, Delivery } from "../../../../core/channels/outbox/delivery.ts";
import { addressee } from "../../../contracts/channels/mail/suite.ts";
import { sendByEmail } from "../../../../workers/channels/mail/sender.ts";
import { outMessage } from "../../../setup/out-message.ts";
import { deliveryOf } from "../outbox/delivery-of.ts";
import { arrivedMail, forgetMailKeys } from "./server.ts";
import { newTenant } from "../../tenant/client.ts";

const HOUR = 3_600_000;
const FIRST: Attempt = { number: 1, mayHaveLeft: false, refs: {} };
const { mail: mailServer } = inject("servers");
const byResend = {
  ...env,
  RESEND_API_KEY: "re_right",
  RESEND_BASE_URL: mailServer.url,
  OTTO_MAIL_FROM: "otto@mail.test",
};

let tenant = "";
beforeAll(async () => {
  tenant = (await newTenant()).id;
});

function mailTo(to: string): Delivery {
  return deliveryOf(tenant, { to, content: { ...outMessage() } });
}

/** A later attempt at a delivery whose first one may have left so long ago. */
const after = (ms: number): Attempt => ({ number: 2, mayHaveLeft: true, mayHaveLeftSince: Date.now() - ms, refs: {} });

describe("a mail by Resend whose answer was lost", () => {
  test("may have left, and is sent again under its key", async () => {
    const delivery = mailTo(addressee("broken"));
    expect(await sendByEmail(byResend, delivery, FIRST)).toMatchObject({ kind: "later", mayHaveLeft: true });
    expect(await sendByEmail(byResend, delivery, after(HOUR))).toMatchObject({ kind: "sent" });
    expect(await arrivedMail(delivery.to)).toHaveLength(1);
  });

  test("is unknown, and arrived once, when its key is forgotten before it can be sent again", async () => {
    const delivery = mailTo(addressee("broken"));
    await sendByEmail(byResend, delivery, FIRST);
    await forgetMailKeys(delivery.to);
    expect(await sendByEmail(byResend, delivery, after(25 * HOUR))).toMatchObject({
      kind: "unknown",
      why: expect.stringContaining("may have sent this mail"),
    });
    expect(await arrivedMail(delivery.to)).toHaveLength(1);
  });

  test("arrives a second time when a person resends it", async () => {
    const delivery = mailTo(addressee("ana"));
    await sendByEmail(byResend, delivery, FIRST);
    await forgetMailKeys(delivery.to);
    expect(await sendByEmail(byResend, delivery, { ...FIRST, number: 3 })).toMatchObject({ kind: "sent" });
    expect(await arrivedMail(delivery.to)).toHaveLength(2);
  });

  test("is unknown, not dead, when a later attempt is refused", async () => {
    const delivery = mailTo(addressee("refused"));
    expect(await sendByEmail(byResend, delivery, FIRST)).toMatchObject({ kind: "dead" });
    expect(await sendByEmail(byResend, delivery, after(HOUR))).toMatchObject({ kind: "unknown" });
  });
});
