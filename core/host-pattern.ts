/**
 * The lists of hosts that an agent sets (`allowed_domains`, `idempotent_hosts`). An entry is a host name, `*.example.com`
 * for every name below one (not the name itself), or `*` for all; `:port` at its end binds it to that port. Case and a
 * final dot mean nothing.
 */

/** Whether the URL's host is on the list. */
export function hostIsListed(url: URL, entries: readonly string[]): boolean {
  const host = withoutFinalDot(url.hostname);
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
  return entries.some((entry) => {
    const [, name = "", wantedPort] = /^(.*?)(?::(\d{1,5}))?$/s.exec(entry.trim().toLowerCase()) ?? [];
    return (wantedPort === undefined || wantedPort === port) && nameMatches(host, withoutFinalDot(name));
  });
}

function nameMatches(host: string, name: string): boolean {
  if (name === "*") return true;
  if (name.startsWith("*.")) return host.endsWith(name.slice(1)) && host.length > name.length - 1;
  return host === name;
}

function withoutFinalDot(name: string): string {
  return name.replace(/\.$/, "");
}
