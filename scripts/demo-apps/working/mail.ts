/** Mail, with Gmail's names. */
import {
  count,
  defineApp,
  DELETES,
  type Done,
  type Given,
  isFound,
  notFound,
  READS,
  readCount,
  readText,
  readTexts,
  text,
  texts,
} from "./working-app.ts";

const HOUR_MS = 3_600_000;
const DEFAULT_RESULTS = 10;

interface Mail {
  readonly messageId: string;
  readonly threadId: string;
  readonly sender: string;
  readonly to: string;
  readonly subject: string;
  readonly messageText: string;
  readonly messageTimestamp: string;
  labelIds: string[];
}

interface Mailbox {
  readonly address: string;
  messages: Mail[];
  next: number;
}

function addMail(
  box: Mailbox,
  mail: Omit<Mail, "messageId" | "threadId" | "messageTimestamp">,
  at: number,
  thread?: string,
): Mail {
  const messageId = `msg_${String(box.next).padStart(4, "0")}`;
  box.next += 1;
  const threadId = thread ?? `thr_${messageId.slice(4)}`;
  const added = { messageId, threadId, messageTimestamp: new Date(at).toISOString(), ...mail };
  box.messages = [added, ...box.messages];
  return added;
}

function send(given: Given, box: Mailbox, now: number, label: string): Done {
  const to = readText(given, "recipient_email");
  if (!to.includes("@")) return { status: 400, message: "recipient_email has to be a mail address" };
  const mail = {
    sender: box.address,
    to,
    subject: readText(given, "subject"),
    messageText: readText(given, "body"),
    labelIds: [label],
  };
  const { messageId, threadId, labelIds } = addMail(box, mail, now);
  return { data: { id: messageId, threadId, labelIds } };
}

const findMail = (box: Mailbox, id: string): Mail | undefined => box.messages.find(({ messageId }) => messageId === id);

const OUTGOING = {
  recipient_email: text("Mail address of the recipient."),
  subject: text("Subject line."),
  body: text("Content of the mail, plain text."),
  cc: texts("Further recipients."),
};

export const MAIL = defineApp<Mailbox>({
  slug: "gmail",
  title: "Gmail",
  description: "Mail by Google: read, search, label, draft and send messages.",
  category: "email",
  scopes: ["https://www.googleapis.com/auth/gmail.modify"],
  begin(now) {
    const box: Mailbox = { address: "ana@demo.example", messages: [], next: 1 };
    const seeds = [
      [
        "Tom Reyes <tom@acme.example>",
        "Budget for the spring campaign",
        "Hi Ana, the budget is 12,000 euros. Could you confirm by Friday?",
      ],
      [
        "Build bot <builds@acme.example>",
        "Build 4127 failed",
        "The build of main failed in step test: 2 of 318 tests.",
      ],
      [
        "Priya Nair <priya@globex.example>",
        "Contract renewal",
        "Our contract ends next month. Shall we renew it for a year?",
      ],
      [
        "Newsletter <news@letters.example>",
        "Ten tips for better meetings",
        "1. Write an agenda. 2. Invite few people.",
      ],
    ] as const;
    for (const [at, [sender, subject, messageText]] of seeds.entries())
      addMail(
        box,
        { sender, to: box.address, subject, messageText, labelIds: ["INBOX", "UNREAD"] },
        now - (seeds.length - at) * HOUR_MS,
      );
    return box;
  },
  actions: [
    {
      slug: "GMAIL_FETCH_EMAILS",
      title: "Fetch emails",
      description: "Lists mails of the mailbox, the newest first. `query` selects those that contain its words.",
      tags: ["important", ...READS],
      parameters: {
        query: text("Words to search for, in Gmail's syntax."),
        max_results: count("Maximum number of mails.", DEFAULT_RESULTS),
      },
      required: [],
      run(given, box) {
        const query = readText(given, "query")
          .replace(/\b(?:after|before|in|is|label|newer_than|older_than):\S+/g, " ")
          .trim();
        const found = box.messages.filter(({ subject, messageText, sender }) =>
          isFound(query, subject, messageText, sender),
        );
        return {
          data: {
            messages: found.slice(0, readCount(given, "max_results", DEFAULT_RESULTS)),
            resultSizeEstimate: found.length,
          },
        };
      },
    },
    {
      slug: "GMAIL_FETCH_MESSAGE_BY_MESSAGE_ID",
      title: "Fetch message by message ID",
      description: "Reads one mail by its id.",
      tags: READS,
      parameters: { message_id: text("Id of the mail.") },
      required: ["message_id"],
      run: (given, box) => {
        const mail = findMail(box, readText(given, "message_id"));
        return mail === undefined ? notFound("Message") : { data: { ...mail } };
      },
    },
    {
      slug: "GMAIL_SEND_EMAIL",
      title: "Send email",
      description: "Sends a mail from the connected account at once.",
      tags: ["important"],
      parameters: OUTGOING,
      required: ["recipient_email", "body"],
      run: (given, box, now) => send(given, box, now, "SENT"),
    },
    {
      slug: "GMAIL_CREATE_EMAIL_DRAFT",
      title: "Create email draft",
      description: "Stores a draft that a person can check and send.",
      tags: ["important"],
      parameters: OUTGOING,
      required: ["recipient_email", "body"],
      run: (given, box, now) => send(given, box, now, "DRAFT"),
    },
    {
      slug: "GMAIL_REPLY_TO_THREAD",
      title: "Reply to thread",
      description: "Sends a reply in the thread of a mail.",
      tags: ["important"],
      parameters: { thread_id: text("Id of the thread."), message_body: text("Content of the reply, plain text.") },
      required: ["thread_id", "message_body"],
      run(given, box, now) {
        const thread = readText(given, "thread_id");
        const last = box.messages.find(({ threadId }) => threadId === thread);
        if (last === undefined) return notFound("Thread");
        const reply = {
          sender: box.address,
          to: last.sender,
          subject: `Re: ${last.subject}`,
          messageText: readText(given, "message_body"),
          labelIds: ["SENT"],
        };
        const { messageId } = addMail(box, reply, now, thread);
        return { data: { id: messageId, threadId: thread, labelIds: ["SENT"] } };
      },
    },
    {
      slug: "GMAIL_LIST_LABELS",
      title: "List labels",
      description: "Lists the labels of the mailbox.",
      tags: READS,
      parameters: {},
      required: [],
      run: (_given, box) => ({
        data: {
          labels: [...new Set(box.messages.flatMap(({ labelIds }) => labelIds))].map((id) => ({ id, name: id })),
        },
      }),
    },
    {
      slug: "GMAIL_ADD_LABEL_TO_EMAIL",
      title: "Add label to email",
      description: "Adds and removes labels of a mail.",
      tags: ["idempotentHint"],
      parameters: {
        message_id: text("Id of the mail."),
        add_label_ids: texts("Labels to add."),
        remove_label_ids: texts("Labels to remove."),
      },
      required: ["message_id"],
      run(given, box) {
        const mail = findMail(box, readText(given, "message_id"));
        if (mail === undefined) return notFound("Message");
        const removed = readTexts(given, "remove_label_ids");
        mail.labelIds = [...new Set([...mail.labelIds, ...readTexts(given, "add_label_ids")])].filter(
          (label) => !removed.includes(label),
        );
        return { data: { id: mail.messageId, labelIds: mail.labelIds } };
      },
    },
    {
      slug: "GMAIL_DELETE_MESSAGE",
      title: "Delete message",
      description: "Deletes a mail. It cannot be undone.",
      tags: DELETES,
      parameters: { message_id: text("Id of the mail.") },
      required: ["message_id"],
      run(given, box) {
        const id = readText(given, "message_id");
        if (findMail(box, id) === undefined) return notFound("Message");
        box.messages = box.messages.filter(({ messageId }) => messageId !== id);
        return { data: { success: true } };
      },
    },
  ],
});
