/** The address of a database: a URL with user, password, host, port and database. */
import { notSent, ok, type Result } from "../base/errors.ts";

const DEFAULT_PORT = 5432;
const MAX_CHARACTERS = 2_000;

/** A parsed DSN. `host` is a name or an address, without brackets. */
export interface Dsn {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** Parses a DSN. `invalid_input` says what is wrong without repeating any part of it, since it holds a password. */
export function parseDsn(text: string): Result<Dsn> {
  const url = text.length > MAX_CHARACTERS ? null : URL.parse(text);
  if (url === null || !/^postgres(?:ql)?:$/.test(url.protocol))
    return refuse("has to be a URL such as postgres://user:password@db.example.com:5432/name");
  if (url.search !== "" || url.hash !== "")
    return refuse("must not have parameters. TLS is always required; use the field tls for a development database");
  const parts = [url.username, url.password, url.pathname.slice(1)].map(decode);
  if (parts.includes(null)) return refuse("has a percent sign that does not begin an encoded character");
  const [user, password, database] = parts as [string, string, string];
  const host = url.hostname
    .replace(/^\[|\]$/g, "")
    .replace(/\.+$/, "")
    .toLowerCase();
  if (host === "" || user === "") return refuse("has to name a host and a user");
  if (database === "" || database.includes("/")) return refuse("has to name one database after the host");
  if ([user, password, database].some((part) => part.includes("\0"))) return refuse("must not contain a NUL character");
  return ok({ host, port: url.port === "" ? DEFAULT_PORT : Number(url.port), user, password, database });
}

/** Host and port of a stored DSN, without user and password: `db.example.com:5432`. Null if it cannot be parsed. */
export function getHost(dsn: string): string | null {
  const parsed = parseDsn(dsn);
  if (!parsed.ok) return null;
  const { host, port } = parsed.value;
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function refuse(what: string): Result<never> {
  return notSent("invalid_input", `The DSN ${what}.`, { field: "dsn" });
}
