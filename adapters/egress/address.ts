/**
 * Which places a request for a tenant or a model may reach: public ones on the web's ports, and nothing else.
 * The Worker's egress adapter judges the URL before it sends it on; the sidecar judges it again, and every address that
 * the name resolves to, when it connects.
 */
import ipaddr from "ipaddr.js";

/** Places that are open although they are not public, each as `host:port` with the host as a URL writes it. */
export type EgressAllow = ReadonlySet<string>;

/** A URL that may be requested (`opened`: by the allow list, whatever its address), or why not, in words for anyone. */
export type UrlJudgement =
  | { readonly ok: true; readonly url: URL; readonly opened: boolean }
  | { readonly ok: false; readonly message: string };

const WEB_PORTS: ReadonlySet<number> = new Set([80, 443]);
const SSH_PORTS: ReadonlySet<number> = new Set([22]);
export const MAX_URL_CHARACTERS = 8_192;

/** Names that mean "this network" or a cloud's metadata service. A name that ends in `.` + one of them counts too. */
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

/** Azure's host agent answers at a public address: https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16 */
const METADATA_ADDRESSES: ReadonlySet<string> = new Set(["168.63.129.16"]);

/** All that is handed out for the public internet; ipaddr.js calls unassigned space `unicast` too. */
const GLOBAL_UNICAST_V6 = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Whether `address` is a public unicast address in its usual form: four decimal parts, or IPv6 without a zone. Any other
 * spelling is not public, and neither is an IPv6 address that holds an IPv4 one (mapped, compatible, NAT64, 6to4, Teredo,
 * ISATAP): where it leads depends on the network that reads it.
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
 * Whether a request to `url` may be sent, by what the URL says. A name that passes still has to be resolved and each of
 * its addresses judged by `isPublicAddress`, unless `opened`. `portIsListed`: the agent names this host with this port.
 */
export function judgeUrl(url: string, allow: EgressAllow, portIsListed = false): UrlJudgement {
  if (url.length > MAX_URL_CHARACTERS) return refuse(`The URL is longer than ${MAX_URL_CHARACTERS} characters.`);
  const parsed = URL.parse(url);
  if (parsed === null) return refuse("That is not a URL. Give a whole one, such as https://example.com/page.");
  if (parsed.protocol !== "http:" && parsed.protocol !== "https:") {
    return refuse(`Only http and https URLs can be requested, not ${parsed.protocol.slice(0, 20)}`);
  }
  if (parsed.username !== "" || parsed.password !== "") {
    return refuse("A URL with a user name or password in it is not requested. Send credentials in a header.");
  }
  return judgePlace(parsed, WEB_PORTS, allow, portIsListed);
}

/** As `judgeUrl`, for a server of SSH, whose port is 22. The URL is one that stands for the place. */
export function judgeSshPlace(host: string, port: number, allow: EgressAllow, portIsListed = false): UrlJudgement {
  const url = sshPlace(host, port);
  return url === null
    ? refuse("That is not a host. Give a name or an address.")
    : judgePlace(url, SSH_PORTS, allow, portIsListed);
}

/** The place as a URL of the web's, by which lists of hosts are read; null: that is no host. */
export function sshPlace(host: string, port: number): URL | null {
  const bare = /^[0-9a-f:.]*:[0-9a-f:.]*$/i.test(host) ? `[${host}]` : host;
  if (!/^(?:\[[0-9a-f:.]+\]|[^\s:/?#@\\%[\]{}*]{1,255})$/i.test(bare)) return null;
  return URL.parse(`http://${bare}:${port}/`);
}

function judgePlace(parsed: URL, ports: ReadonlySet<number>, allow: EgressAllow, portIsListed: boolean): UrlJudgement {
  const host = plainHost(parsed.hostname);
  const port = portOf(parsed);
  if (host === "") return refuse("The URL names no host.");
  if (allow.has(placeOf(host, port))) return { ok: true, url: parsed, opened: true };
  if (!ports.has(port) && !portIsListed) {
    const open = ports === SSH_PORTS ? "22 is" : "80 and 443 are";
    return refuse(`Port ${port} is not open: only ${open}, unless the agent's allowed_domains name host:port.`);
  }
  if (isLiteralAddress(host)) {
    if (isPublicAddress(host.replace(/^\[|\]$/g, ""))) return { ok: true, url: parsed, opened: false };
    return refuse(`The address ${host} is not a public one.`);
  }
  if (isInwardName(host)) return refuse(`The name ${host} does not belong to a public host.`);
  return { ok: true, url: parsed, opened: false };
}

/**
 * Reads `OTTO_EGRESS_ALLOW`: `host:port` pairs with commas between, an IPv6 host in brackets. Throws a RangeError that
 * tells the number of the entry it cannot read, and does not quote it, because anybody can read it at /health: a guard
 * that ignores half of its settings is worse than none.
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
      throw new RangeError(`OTTO_EGRESS_ALLOW has to be host:port pairs, and number ${index + 1} is none`);
    places.add(placeOf(plainHost(parsed.hostname), portOf(parsed)));
  }
  return places;
}

/** The port that a request to this URL goes to. */
function portOf(url: URL): number {
  if (url.port !== "") return Number(url.port);
  return url.protocol === "https:" ? 443 : 80;
}

function placeOf(host: string, port: number): string {
  return `${host}:${port}`;
}

/** The host as the URL parser writes it (lower case, decimal IPv4), without the dots of a fully qualified name. */
function plainHost(hostname: string): string {
  return hostname.replace(/\.+$/, "");
}

/** The URL parser has already turned every numeric spelling of IPv4 into four decimal parts. */
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
