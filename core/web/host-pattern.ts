/**
 * Lists of hosts: those that an agent sets (`allowed_domains`, `idempotent_hosts`), and those that a secret is bound to. An entry is a host name, `*.example.com`
 * for every name below one (not the name itself), or `*` for all; `:port` at its end binds it to that port. Case and a
 * final dot mean nothing.
 */

const MAX_PORT = 65_535;

/** Whether the URL's host is on the list. */
export function hostIsListed(url: URL, entries: readonly string[]): boolean {
  const host = toHostName(url);
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
  return entries.some((entry) => {
    const wanted = partsOf(entry);
    return (wanted.port === undefined || wanted.port === port) && nameMatches(host, wanted.name);
  });
}

/** Whether an entry that names hosts, and not all of them, has the URL's host. */
export function hostIsNamed(url: URL, entries: readonly string[]): boolean {
  return hostIsListed(
    url,
    entries.filter((entry) => partsOf(entry).name !== "*"),
  );
}

/** Whether two URLs have one host: a final dot, `www.` in front and the schemes' own ports make no difference. */
export function isSameHost(one: URL, other: URL): boolean {
  return toBareHost(one) === toBareHost(other) && toBareHost(one) !== "" && one.port === other.port;
}

/** The URL's host without a final dot. */
export function toHostName({ hostname }: URL): string {
  return withoutFinalDot(hostname.toLowerCase());
}

/** The URL's host without a final dot and without `www.` in front. */
export function toBareHost(url: URL): string {
  return toHostName(url).replace(/^www\./, "");
}

/** Whether an entry that names hosts, and not all of them, binds this URL's host to its port. */
export function portIsListed(url: URL, entries: readonly string[]): boolean {
  return hostIsListed(
    url,
    entries.filter((entry) => /:\d{1,5}\s*$/.test(entry) && !entry.trim().startsWith("*:")),
  );
}

/** Whether everything that a pattern admits is admitted by one of these entries. */
export function patternIsCovered(pattern: string, entries: readonly string[]): boolean {
  const { name, port } = partsOf(pattern);
  return entries.some((entry) => {
    const wider = partsOf(entry);
    if (wider.port !== undefined && wider.port !== port) return false;
    if (!name.startsWith("*")) return nameMatches(name, wider.name);
    return wider.name === "*" || wider.name === name || (name !== "*" && nameMatches(name.slice(2), wider.name));
  });
}

function partsOf(entry: string): { readonly name: string; readonly port: string | undefined } {
  const [, name = "", port] = /^(.*?)(?::(\d{1,5}))?$/s.exec(entry.trim().toLowerCase()) ?? [];
  return { name: withoutFinalDot(name), port };
}

function nameMatches(host: string, name: string): boolean {
  if (name === "*") return true;
  if (name.startsWith("*.")) return host.endsWith(name.slice(1)) && host.length > name.length - 1;
  return host === name;
}

function withoutFinalDot(name: string): string {
  return name.replace(/\.$/, "");
}

/**
 * An entry as it is kept: lower case, the name as URLs write it (punycode, four decimal parts). Null for what is no host,
 * for `*`, and for `*.` before a name of one label: a whole top-level domain is nobody's.
 */
export function normalHostPattern(entry: string): string | null {
  const [, star = "", rest = ""] = /^(\*\.)?(.*)$/s.exec(entry.trim()) ?? [];
  const [, name = "", port = ""] = /^(\[[0-9a-fA-F:.]+\]|[^\s:/?#@\\*{}%[\]]+)(:\d{1,5})?$/.exec(rest) ?? [];
  if (name === "" || Number(port.slice(1)) > MAX_PORT) return null;
  const host = withoutFinalDot(URL.parse(`http://${name}/`)?.hostname ?? "");
  if (host === "" || (star !== "" && (host.startsWith("[") || !host.includes(".")))) return null;
  return `${star}${host}${port}`;
}
