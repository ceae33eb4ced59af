/** The hosts under which a system on one machine is reached. */

/** Names of this machine (RFC 6761, 6.3). */
const LOOPBACK = /^(?:localhost|(?:[a-z0-9-]+\.)+localhost|127\.0\.0\.1|\[::1\])$/;

/**
 * True for a `Host` header that names this system: a name of this machine, or the host of its public address. Any other host
 * belongs to a page whose name was made to resolve to this machine (DNS rebinding), which could then read our answers.
 * `publicUrl` is null when no public address is set. Ports are not compared.
 */
export function isOwnHost(host: string, publicUrl: string | null): boolean {
  if (/[\s,/?#@\\]/.test(host)) return false;
  const name = URL.parse(`http://${host}`)?.hostname;
  return name !== undefined && (LOOPBACK.test(name) || name === URL.parse(publicUrl ?? "")?.hostname);
}
