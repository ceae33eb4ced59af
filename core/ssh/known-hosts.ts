/** The host keys in an agent's configuration: by `host`, or `host:port` for a port other than 22. */
import { z } from "zod";

const MAX_HOSTS = 100;
const MAX_KEYS = 10;
const SSH_PORT = 22;

/** The SHA-256 of a key as OpenSSH prints it: base64 of 32 bytes, without `=`. */
const fingerprintSchema = z
  .string()
  .regex(/^SHA256:[A-Za-z0-9+/]{43}$/, "has to be SHA256:… as ssh-keygen -l prints it");

export const knownHostsSchema = z
  .record(z.string().min(1).max(270), z.array(fingerprintSchema).min(1).max(MAX_KEYS))
  .refine((hosts) => Object.keys(hosts).length <= MAX_HOSTS, { message: `has more than ${MAX_HOSTS} hosts` });

/** The name of a host in the list. */
export function getKnownHostName(host: string, port: number): string {
  const bare = /^[0-9a-f.:]*:[0-9a-f.:]*$/i.test(host) ? `[${host}]` : host;
  const name = (URL.parse(`http://${bare}/`)?.hostname ?? host).replace(/^\[|\]$|\.+$/g, "");
  return port === SSH_PORT ? name : `${name}:${port}`;
}

/** The fingerprints that are listed for a host. */
export function findFingerprints(
  known: z.infer<typeof knownHostsSchema>,
  host: string,
  port: number,
): readonly string[] {
  const wanted = getKnownHostName(host, port);
  return Object.entries(known).flatMap(([name, keys]) => (parseListedName(name) === wanted ? keys : []));
}

function parseListedName(listed: string): string {
  const [, host = "", port] = /^(\[[^\]]*\]|[^:]*(?::[^:]*:.*)?)(?::(\d{1,5}))?$/.exec(listed.trim()) ?? [];
  return getKnownHostName(host.replace(/^\[(.*)\]$/, "$1"), port === undefined ? SSH_PORT : Number(port));
}
