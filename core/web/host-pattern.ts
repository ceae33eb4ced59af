/**
 * Lists of hosts: an agent's (`allowed_domains`, `idempotent_hosts`), and those that a secret is bound to. An entry is
 * a host name, `*.example.com` for every name below one (not the name itself), or `*` for all; `:port` restricts it to
 * that port. Case and a final dot are ignored.
 */

const MAX_PORT = 65_535;

/** Whether the URL's host is on the list. */
export function isHostListed(url: URL, entries: readonly string[]): boolean {
  const host = toHostName(url);
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
  return entries.some((entry) => {
    const wanted = splitEntry(entry);
    return (wanted.port === undefined || wanted.port === port) && matchesName(host, wanted.name);
  });
}

/** Whether an entry other than `*` matches the URL's host. */
export function isHostNamed(url: URL, entries: readonly string[]): boolean {
  return isHostListed(
    url,
    entries.filter((entry) => splitEntry(entry).name !== "*"),
  );
}

/** Whether two URLs have the same host, ignoring a final dot, a leading `www.` and the schemes' default ports. */
export function isSameHost(one: URL, other: URL): boolean {
  return toBareHost(one) === toBareHost(other) && toBareHost(one) !== "" && one.port === other.port;
}

/** The URL's host without a final dot. */
export function toHostName({ hostname }: URL): string {
  return stripFinalDot(hostname.toLowerCase());
}

/** The URL's host without a final dot and without `www.` in front. */
export function toBareHost(url: URL): string {
  return toHostName(url).replace(/^www\./, "");
}

/** Whether an entry other than `*` restricts this URL's host to its port. */
export function isPortListed(url: URL, entries: readonly string[]): boolean {
  return isHostListed(
    url,
    entries.filter((entry) => /:\d{1,5}\s*$/.test(entry) && !entry.trim().startsWith("*:")),
  );
}

/** Whether these entries allow everything that a pattern allows. */
export function isPatternCovered(pattern: string, entries: readonly string[]): boolean {
  const { name, port } = splitEntry(pattern);
  return entries.some((entry) => {
    const wider = splitEntry(entry);
    if (wider.port !== undefined && wider.port !== port) return false;
    if (!name.startsWith("*")) return matchesName(name, wider.name);
    return wider.name === "*" || wider.name === name || (name !== "*" && matchesName(name.slice(2), wider.name));
  });
}

function splitEntry(entry: string): { readonly name: string; readonly port: string | undefined } {
  const [, name = "", port] = /^(.*?)(?::(\d{1,5}))?$/s.exec(entry.trim().toLowerCase()) ?? [];
  return { name: stripFinalDot(name), port };
}

function matchesName(host: string, name: string): boolean {
  if (name === "*") return true;
  if (name.startsWith("*.")) return host.endsWith(name.slice(1)) && host.length > name.length - 1;
  return host === name;
}

function stripFinalDot(name: string): string {
  return name.replace(/\.$/, "");
}

/**
 * The stored form of an entry: lower case, the name as in URLs (punycode, four decimal parts). Null for an invalid
 * host, for `*`, and for `*.` before one label: a whole top-level domain belongs to no one.
 */
export function normalizeHostPattern(entry: string): string | null {
  const [, star = "", rest = ""] = /^(\*\.)?(.*)$/s.exec(entry.trim()) ?? [];
  const [, name = "", port = ""] = /^(\[[0-9a-fA-F:.]+\]|[^\s:/?#@\\*{}%[\]]+)(:\d{1,5})?$/.exec(rest) ?? [];
  if (name === "" || Number(port.slice(1)) > MAX_PORT) return null;
  const host = stripFinalDot(URL.parse(`http://${name}/`)?.hostname ?? "");
  if (host === "" || (star !== "" && (host.startsWith("[") || !host.includes(".")))) return null;
  return `${star}${host}${port}`;
}
