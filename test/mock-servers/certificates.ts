/**
 * Self-signed certificates for servers on loopback, valid from 2020 to 2120. The tests' runtime trusts both: one with the right name, one
 * with a different name. Only the tests trust them.
 */
import { readFileSync } from "node:fs";

interface Certificate {
  readonly cert: string;
  readonly key: string;
}

const [ownCert = "", ownKey = "", otherCert = "", otherKey = ""] =
  readFileSync(new URL("certificates.pem", import.meta.url), "utf8").match(
    /-----BEGIN [\s\S]+?-----END [A-Z ]+-----\n/g,
  ) ?? [];

/** The certificate of `127.0.0.1`. */
export const LOOPBACK_CERTIFICATE: Certificate = { cert: ownCert, key: ownKey };

/** The certificate of `mail.example`, which is the name of no server here. */
export const OTHER_CERTIFICATE: Certificate = { cert: otherCert, key: otherKey };
