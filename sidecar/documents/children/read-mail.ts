/** Reads a mail (RFC 5322, MIME) as Markdown: its header, its text, and the names of its attachments. */
import PostalMime, { type Address, type Attachment, type Email } from "postal-mime";
import { getImageType } from "../images.ts";
import { NotReadable } from "./not-readable.ts";
import type { ReadPart } from "./read-question.ts";

const LIMITS = { maxNestingDepth: 50, maxHeadersSize: 1024 * 1024, maxRfc822NestingDepth: 5 };
const MAX_ADDRESSES = 100;
const MAX_ATTACHMENTS = 200;

export async function readMail(bytes: Uint8Array): Promise<ReadPart> {
  const mail = await PostalMime.parse(bytes, { ...LIMITS, attachmentEncoding: "arraybuffer" }).catch(() => {
    throw new NotReadable("The mail is damaged: its parts cannot be told apart.");
  });
  const { subject = "", text = "", html = "" } = mail;
  if (mail.headers.length === 0 && text === "" && html === "") throw new NotReadable("The mail is empty.");
  const attachments = mail.attachments.slice(0, MAX_ATTACHMENTS).map(describeAttachment);
  const heading = cleanLine(subject);
  const body = html === "" ? text.replaceAll(/\r\n?/g, "\n").trimEnd() : "";
  const blocks = [
    heading === "" ? "" : `# ${heading}`,
    formatHeader(mail).join("\n"),
    attachments.map(({ line }) => line).join("\n"),
    body,
  ];
  return {
    markdown: blocks.filter((block) => block !== "").join("\n\n"),
    units: null,
    warnings: noteAttachments(mail.attachments),
    images: attachments.flatMap(({ image }) => (image === null ? [] : [image])),
    // Its text part is a copy, often without links and tables.
    ...(html === "" ? {} : { html }),
  };
}

function formatHeader({ from, to = [], cc = [], replyTo = [], date = "" }: Email): string[] {
  const lines = [
    ["From", formatAddresses(from === undefined ? [] : [from])],
    ["To", formatAddresses(to)],
    ["Cc", formatAddresses(cc)],
    ["Reply to", formatAddresses(replyTo)],
    ["Date", cleanLine(date)],
  ];
  return lines.flatMap(([name, value]) => (value === "" ? [] : [`- ${name}: ${value}`]));
}

function formatAddresses(addresses: readonly Address[]): string {
  const listed = addresses
    .flatMap(({ group, ...one }) => group ?? [one])
    .slice(0, MAX_ADDRESSES)
    .map(({ name, address = "" }) => cleanLine(name === "" ? address : `${name} <${address}>`));
  return listed.join(", ");
}

function cleanLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

interface Described {
  readonly line: string;
  readonly image: { readonly name: string; readonly bytes: Uint8Array } | null;
}

/** Names an attachment. A picture is referred to by a name with its number, since names may occur twice. */
function describeAttachment({ filename, mimeType, content }: Attachment, index: number): Described {
  const bytes = typeof content === "string" ? Buffer.from(content) : new Uint8Array(content);
  const name = cleanLine(filename ?? "") || "without a name";
  const line = `- Attachment: ${name.replaceAll(/[[\]]/g, "")} (${cleanLine(mimeType)}, ${bytes.length} bytes)`;
  if (getImageType(name) === null) return { line, image: null };
  const path = `attachment-${index + 1}/${name.replaceAll(/[^A-Za-z0-9._-]+/g, "-")}`;
  return { line: `${line} ![](${path})`, image: { name: path, bytes } };
}

function noteAttachments({ length }: readonly Attachment[]): string[] {
  if (length === 0) return [];
  const listed = length > MAX_ATTACHMENTS ? ` Only the first ${MAX_ATTACHMENTS} are listed.` : "";
  return [`The mail has ${length} attachments, which are named but not read.${listed}`];
}
