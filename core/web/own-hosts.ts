/** The hosts of a system on one machine, and the address of a received request. */

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

/** A request's target and headers as received. */
export interface ReceivedTarget {
  /** The request target (RFC 9112, 3.2). */
  readonly target: string;
  /** The runtime joins repeated fields with a comma. */
  readonly host: string | null;
  /** `X-Forwarded-Proto`: the scheme at a proxy in front. */
  readonly forwardedProto: string | null;
}

/**
 * The URL of a request. Null where HTTP/1.1 names none: `Host` is missing, repeated or invalid (RFC 9112, 3.2), an
 * absolute target has another host, or the target is no URL, as in `OPTIONS *`.
 */
export function readAddress({ target, host, forwardedProto }: ReceivedTarget): string | null {
  const named = parseHost(host ?? "");
  if (named === null) return null;
  const path = target.startsWith("/") ? target : findPath(named.host, target);
  if (path === null) return null;
  const proto = forwardedProto?.split(",", 1)[0]?.trim().toLowerCase();
  return `${proto === "https" ? "https" : "http"}://${host}${path}`;
}

/** The path of an absolute target, whose host has to match the header. */
function findPath(host: string, target: string): string | null {
  const url = /^https?:\/\//i.test(target) ? URL.parse(target) : null;
  return url === null || url.host !== host || url.username !== "" ? null : url.pathname + url.search;
}

/** Null for anything but one host with an optional port. */
function parseHost(host: string): URL | null {
  return /^[^\s,/?#@\\]+$/.test(host) ? URL.parse(`http://${host}`) : null;
}
