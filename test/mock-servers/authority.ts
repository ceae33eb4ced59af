/** An authority of the tests' own, and certificates of it, valid from 2020 to 2120. Only a test that says so trusts it. */
import { readFileSync } from "node:fs";

const [authority = "", namedCert = "", namedKey = "", localCert = "", localKey = ""] =
  readFileSync(new URL("authority.pem", import.meta.url), "utf8").match(
    /-----BEGIN [\s\S]+?-----END [A-Z ]+-----\n/g,
  ) ?? [];

/** The certificate of the authority. */
export const AUTHORITY = authority;

/** A certificate of `db.example.com` and of `127.0.0.1`. */
export const NAMED_CERTIFICATE = { cert: namedCert, key: namedKey };

/** A certificate of `localhost` alone. */
export const LOCALHOST_CERTIFICATE = { cert: localCert, key: localKey };
