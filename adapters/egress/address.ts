/**
 * Decides which destinations a request of a tenant or a model may reach: public ones on web ports only. The Worker's
 * egress adapter checks the URL before it forwards it; the sidecar checks it again when it connects, with every address
 * that the name resolves to.
 */
import ipaddr from "ipaddr.js";

/** Destinations that are allowed although they are not public, each as `host:port` with the host as in a URL. */
export type EgressAllow = ReadonlySet<string>;

/** An allowed URL (`opened`: the allow list admits it at any address), or the reason for anyone to read. */
export type UrlJudgement =
  | { readonly ok: true; readonly url: URL; readonly opened: boolean }
  | { readonly ok: false; readonly message: string };

const WEB_PORTS: ReadonlySet<number> = new Set([80, 443]);
const SSH_PORTS: ReadonlySet<number> = new Set([22]);
export const MAX_URL_CHARACTERS = 8_192;

/** Names of this network or of a cloud's metadata service, including their subdomains. */
const INWARD_NAMES = [
  "localhost",
  "localdomain",
  "local",
  "internal",
  "intranet",
  "private",
  "corp",
  "lan",
  "home",
  "home.arpa",
  "arpa",
  "onion",
  "invalid",
  "test",
  "metadata.tencentyun.com",
  "metadata.packet.net",
  "metadata.platformequinix.com",
] as const;

/**
 * Azure's host agent has a public address:
 * https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16
 */
const METADATA_ADDRESSES: ReadonlySet<string> = new Set(["168.63.129.16"]);

/** The range assigned to the public internet; ipaddr.js calls unassigned space `unicast` too. */
const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * True for a public unicast address in its usual form: four decimal parts, or IPv6 without a zone. Any other spelling
 * is refused, and so is an IPv6 address that contains an IPv4 one (mapped, compatible, NAT64, 6to4, Teredo, ISATAP):
 * its destination depends on the network.
 */
export function isPublicAddress(address: string): boolean {
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) {
    return ipaddr.IPv4.parse(address).range() === "unicast" && !METADATA_ADDRESSES.has(address);
  }
  if (address.includes("%") || !ipaddr.IPv6.isValid(address)) return false;
  const parsed = ipaddr.IPv6.parse(address);
  if (parsed.range() !== "unicast" || !parsed.match(GLOBAL_UNICAST_V6)) return false;
  return !isIsatap(parsed.parts);
}

/** RFC 5214: an interface id of `0000:5efe` or `0200:5efe` is followed by an IPv4 address. */
function isIsatap(parts: readonly number[]): boolean {
  return parts[5] === 0x5efe && (parts[4] === 0 || parts[4] === 0x0200);
}

/**
 * Decides from the URL alone whether a request may be sent. A name that passes has to be resolved and each address
 * checked by `isPublicAddress`, unless `opened`. `portIsListed`: the agent lists this host with this port.
 */
export function judgeUrl(url: string, allow: EgressAllow, portIsListed = false): UrlJudgement {
  if (url.length > MAX_URL_CHARACTERS) return refuse(`The URL is longer than ${MAX_URL_CHARACTERS} characters.`);
  const parsed = URL.parse(url);
  if (parsed === null) return refuse("This is not a URL. Give a complete one, such as https://example.com/page.");
  if (parsed.protocol !== "http:" && parsed.protocol !== "https:") {
    return refuse(`Only http and https URLs can be requested, not ${parsed.protocol.slice(0, 20)}`);
  }
  if (parsed.username !== "" || parsed.password !== "") {
    return refuse("A URL must not contain a user name or password. Send credentials in a header.");
  }
  return judgeDestination(parsed, WEB_PORTS, allow, portIsListed);
}

/** Like `judgeUrl` for an SSH server, whose port is 22. Returns the destination as a URL. */
export function judgeSshDestination(
  host: string,
  port: number,
  allow: EgressAllow,
  portIsListed = false,
): UrlJudgement {
  const url = toSshUrl(host, port);
  return url === null
    ? refuse("This is not a host. Give a name or an address.")
    : judgeDestination(url, SSH_PORTS, allow, portIsListed);
}

/** The destination as an https URL, the form that lists of hosts are matched with; null if it is no host. */
export function toSshUrl(host: string, port: number): URL | null {
  const bare = /^[0-9a-f:.]*:[0-9a-f:.]*$/i.test(host) ? `[${host}]` : host;
  if (!/^(?:\[[0-9a-f:.]+\]|[^\s:/?#@\\%[\]{}*]{1,255})$/i.test(bare)) return null;
  return URL.parse(`http://${bare}:${port}/`);
}

function judgeDestination(
  parsed: URL,
  ports: ReadonlySet<number>,
  allow: EgressAllow,
  portIsListed: boolean,
): UrlJudgement {
  const host = normalizeHost(parsed.hostname);
  const port = getPort(parsed);
  if (host === "") return refuse("The URL names no host.");
  if (allow.has(formatDestination(host, port))) return { ok: true, url: parsed, opened: true };
  if (!ports.has(port) && !portIsListed) {
    const open = ports === SSH_PORTS ? "22 is" : "80 and 443 are";
    return refuse(`Port ${port} is not open: only ${open}, unless the agent's allowed_domains name host:port.`);
  }
  if (isLiteralAddress(host)) {
    if (isPublicAddress(host.replace(/^\[|\]$/g, ""))) return { ok: true, url: parsed, opened: false };
    return refuse(`The address ${host} is not public.`);
  }
  if (isInwardName(host)) return refuse(`The name ${host} does not belong to a public host.`);
  return { ok: true, url: parsed, opened: false };
}

/**
 * Parses `OTTO_EGRESS_ALLOW`: comma-separated `host:port` pairs, an IPv6 host in brackets. Throws a RangeError with the
 * number of an invalid entry; its text is omitted because /health shows the message. Half-read settings would be
 * unsafe.
 */
export function parseEgressAllow(text: string): EgressAllow {
  const places = new Set<string>();
  for (const [index, entry] of text
    .split(",")
    .map((part) => part.trim())
    .entries()) {
    if (entry === "") continue;
    const match = /^(\[[^\]]+\]|[^:/@?#\\\s[\]]+):(\d{1,5})$/.exec(entry);
    const parsed = match === null ? null : URL.parse(`http://${entry}/`);
    if (parsed === null)
      throw new RangeError(`OTTO_EGRESS_ALLOW has to be host:port pairs, and entry ${index + 1} is not one`);
    places.add(formatDestination(normalizeHost(parsed.hostname), getPort(parsed)));
  }
  return places;
}

/** The port of a request to this URL. */
function getPort(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

function formatDestination(host: string, port: number): string {
  return `${host}:${port}`;
}

/** The host as the URL parser writes it (lower case, decimal IPv4), without trailing dots. */
function normalizeHost(hostname: string): string {
  return hostname.replace(/\.+$/, "");
}

/** The URL parser has already normalized every numeric spelling of IPv4. */
function isLiteralAddress(host: string): boolean {
  return host.startsWith("[") || ipaddr.IPv4.isValidFourPartDecimal(host);
}

/** A name of one label is looked up in the network's own search domains. */
function isInwardName(host: string): boolean {
  return !host.includes(".") || INWARD_NAMES.some((name) => host === name || host.endsWith(`.${name}`));
}

function refuse(message: string): UrlJudgement {
  return { ok: false, message };
}
