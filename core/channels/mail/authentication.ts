/**
 * Whether a mail comes from the domain that it names, by the findings of the receiving server (RFC 8601). Email Routing
 * writes its `Authentication-Results` above all headers of the sender, under the name below. A later header with that
 * name may be forged.
 */

/** The name with which Email Routing signs its findings. */
const RECEIVER = "mx.cloudflare.net";

/** A header of a mail. Names are in lower case, and the topmost header comes first. */
export interface MailHeader {
  readonly key: string;
  readonly value: string;
}

/**
 * True when DMARC passes for the domain. For a domain without DMARC, the domain of a signature (DKIM) or of the sending
 * server (SPF) has to be the same or a parent. The receiver reports DMARC once: a second finding is the sender's.
 */
export function isAuthentic(headers: readonly MailHeader[], domain: string): boolean {
  const topmost = headers.find(({ key }) => key === "authentication-results");
  const findings = topmost === undefined ? null : readFindings(topmost.value);
  if (findings === null) return false;
  const dmarc = findings.filter(({ method }) => method === "dmarc");
  if (dmarc.length > 1 || dmarc.some(({ result }) => result !== "pass" && result !== "none")) return false;
  if (dmarc.some(({ result, of: properties }) => result === "pass" && properties.get("header.from") === domain))
    return true;
  return findings.some(({ method, result, of }) => {
    if (result !== "pass") return false;
    if (method === "dkim") return covers(of.get("header.d"), domain);
    const sender = of.get("smtp.mailfrom");
    return method === "spf" && covers(sender?.slice(sender.lastIndexOf("@") + 1), domain);
  });
}

interface Finding {
  readonly method: string;
  readonly result: string;
  /** Its properties, such as `header.d`, all in lower case. */
  readonly of: ReadonlyMap<string, string>;
}

/** Null when another server wrote it. */
function readFindings(value: string): readonly Finding[] | null {
  const [name = "", ...parts] = stripComments(value).toLowerCase().split(";");
  if (name.trim().split(/\s+/)[0] !== RECEIVER) return null;
  return parts.flatMap((part) => {
    const [first = "", ...rest] = part.trim().split(/\s+/);
    const [method, result] = first.split("=");
    if (method === undefined || result === undefined) return [];
    const properties = rest.flatMap((word): [string, string][] => {
      const at = word.indexOf("=");
      return at === -1 ? [] : [[word.slice(0, at), word.slice(at + 1).replace(/^"|"$/g, "")]];
    });
    return [{ method, result, of: new Map(properties) }];
  });
}

/** Comments and quoted text may contain semicolons. No property that is read is quoted. */
function stripComments(value: string): string {
  let depth = 0;
  let isQuoted = false;
  let text = "";
  for (let at = 0; at < value.length; at += 1) {
    const character = value.charAt(at);
    if (character === "\\" && (depth > 0 || isQuoted)) at += 1;
    else if (character === '"' && depth === 0) isQuoted = !isQuoted;
    else if (character === "(" && !isQuoted) depth += 1;
    else if (character === ")" && depth > 0) depth -= 1;
    else if (depth === 0 && !(isQuoted && /[;\s=]/.test(character))) text += character;
  }
  return text;
}

/** A domain vouches for its subdomains. */
function covers(upper: string | undefined, domain: string): boolean {
  return upper !== undefined && upper.includes(".") && (domain === upper || domain.endsWith(`.${upper}`));
}
