/** The hosts under which a system on one machine is reached, and where a request as it came is addressed to. */

/** Names of this machine (RFC 6761, 6.3). */
const LOOPBACK = /^(?:localhost|(?:[a-z0-9-]+\.)+localhost|127\.0\.0\.1|\[::1\])$/;

/**
 * True for a `Host` header that names this system: a name of this machine, or the host of its public address. Any other host
 * belongs to a page whose name was made to resolve to this machine (DNS rebinding), which could then read our answers.
 * `publicUrl` is null when no public address is set. Ports are not compared.
 */
export function isOwnHost(host: string, publicUrl: string | null): boolean {
  const name = parseHost(host)?.hostname;
  return name !== undefined && (LOOPBACK.test(name) || name === URL.parse(publicUrl ?? "")?.hostname);
}

/** A request as its first line and its header have it. */
export interface ReceivedTarget {
  /** What stands behind the method (RFC 9112, 3.2). */
  readonly target: string;
  /** The runtime joins two fields with a comma. */
  readonly host: string | null;
  /** `X-Forwarded-Proto`: how a proxy in front was reached. */
  readonly forwardedProto: string | null;
}

/**
 * The address of a request. Null where HTTP/1.1 names none: no `Host`, several, or one that is no host (RFC 9112, 3.2), another
 * host in an absolute target, or a target that is no address at all, as that of `OPTIONS *`.
 */
export function readAddress({ target, host, forwardedProto }: ReceivedTarget): string | null {
  const named = parseHost(host ?? "");
  if (named === null) return null;
  const path = target.startsWith("/") ? target : pathAt(named.host, target);
  if (path === null) return null;
  const proto = forwardedProto?.split(",", 1)[0]?.trim().toLowerCase();
  return `${proto === "https" ? "https" : "http"}://${host}${path}`;
}

/** The path of an absolute target, which has to name the same host as the header. */
function pathAt(host: string, target: string): string | null {
  const url = /^https?:\/\//i.test(target) ? URL.parse(target) : null;
  return url === null || url.host !== host || url.username !== "" ? null : url.pathname + url.search;
}

/** Null for what is no single host with at most a port. */
function parseHost(host: string): URL | null {
  return /^[^\s,/?#@\\]+$/.test(host) ? URL.parse(`http://${host}`) : null;
}
