/**
 * Certificates of servers on loopback, valid from 2020 to 2120, each signed by itself. The runtime of the tests trusts both, so
 * that one is right, and the other is trusted and another's. Their keys protect nothing: nobody else trusts them.
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

/** Of `127.0.0.1`. */
export const LOOPBACK_CERTIFICATE: Certificate = { cert: ownCert, key: ownKey };

/** Of `mail.example`, which none of these servers is. */
export const OTHER_CERTIFICATE: Certificate = { cert: otherCert, key: otherKey };
