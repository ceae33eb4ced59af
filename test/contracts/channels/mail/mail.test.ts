/** The fake of mail against the contract of mail; the providers are tested in test/workerd/channels/mail/mail.contract.test.ts. */
import { createHash } from "node:crypto";
import { fakeMail } from "../../../fakes/mail.ts";
import type { Mailbox } from "../../../../core/ports/mail.ts";
import { mailContract } from "./suite.ts";

mailContract("the fake in memory", () => {
  const port = fakeMail();
  const formatMailbox = ({ name, address }: Mailbox) => (name === "" ? address : `${name} <${address}>`);
  return {
    port,
    arrivedFor: (address) =>
      Promise.resolve(
        port.sent
          .map(({ mail }) => mail)
          .filter(({ to }) => to.some((mailbox) => mailbox.address === address))
          .map((mail) => ({
            ...mail,
            to: mail.to.map(formatMailbox),
            cc: mail.cc.map(formatMailbox),
            replyTo: mail.replyTo === null ? null : formatMailbox(mail.replyTo),
            attachments: mail.attachments.map(({ filename, contentType, bytes }) => {
              return { filename, contentType, hash: createHash("sha256").update(bytes).digest("hex") };
            }),
          })),
      ),
  };
});
