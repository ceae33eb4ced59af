/** Files that look like secrets. They are left out of an index: a search would give them to every agent that may use it. */

/** Names that commonly hold credentials; the denied patterns of a sandbox apply in addition. */
const SECRET_NAMES =
  /^(?:id_(?:rsa|dsa|ecdsa|ed25519)|\.npmrc|\.netrc|_netrc|\.pgpass|\.htpasswd|\.git-credentials|\.dockercfg|credentials(?:\.(?:json|ya?ml|xml|ini|csv))?|service[-_]account.*\.json|.*\.(?:p12|pfx|jks|keystore|kdbx|ppk|asc|gpg|tfstate|tfvars))$/i;

/** Values that are credentials wherever they are written. */
const SECRET_TEXTS: readonly RegExp[] = [
  /-----BEGIN (?:[A-Z]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/,
  /\bgh[pousr]_[A-Za-z0-9]{36}/,
  /\bgithub_pat_[A-Za-z0-9_]{60}/,
  /\bglpat-[A-Za-z0-9_-]{20}/,
  /\bxox[abeprs]-[A-Za-z0-9-]{20}/,
  /\bsk-(?:ant-|proj-)?[A-Za-z0-9_-]{40}/,
  /\b[rs]k_live_[A-Za-z0-9]{20}/,
  /\bAIza[0-9A-Za-z_-]{35}\b/,
];

export function isSecretName(path: string): boolean {
  return SECRET_NAMES.test(path.slice(path.lastIndexOf("/") + 1));
}

export function hasSecretText(text: string): boolean {
  return SECRET_TEXTS.some((pattern) => pattern.test(text));
}
