/** What a person enters for an app without a sign-in page, and the credential that it makes. */
import { toBase64 } from "../base/base64.ts";
import { failed, ok, type Result } from "../base/errors.ts";
import type { AppClient } from "./app-client.ts";

/** A field of the form. */
export interface KeyField {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  /** False for a name, which may be shown while it is typed. */
  readonly isSecret: boolean;
}

/** UTF-16 units of one value. */
const MAX_VALUE = 8_000;

type KeyApp = Pick<AppClient, "kind" | "fields">;

/** True for an app whose people enter a key or a password. */
export function isKeyApp({ kind }: Pick<AppClient, "kind">): boolean {
  return kind === "api_key" || kind === "bearer" || kind === "basic";
}

/** Returns the fields to enter: the app's own, or one for the key; for basic authentication a name and a password. */
export function listKeyFields({ kind, fields }: KeyApp): readonly KeyField[] {
  if (kind === "basic") {
    const [user, password] = fields;
    return [
      { ...(user ?? { name: "username", label: "User name" }), isSecret: false },
      { ...(password ?? { name: "password", label: "Password" }), isSecret: true },
    ];
  }
  const [key = kind === "bearer" ? { name: "token", label: "Token" } : { name: "key", label: "API key" }] = fields;
  return [{ ...key, isSecret: true }];
}

/**
 * Makes the credential of the entered values: the key, or the base64 of a name and a password (RFC 7617). A failure names
 * the field.
 */
export function readKeyValue(app: KeyApp, values: ReadonlyMap<string, string>): Result<string> {
  const entered: string[] = [];
  for (const [index, { name, label }] of listKeyFields(app).entries()) {
    const given = values.get(name) ?? "";
    const value = app.kind === "basic" ? given : given.trim();
    const problem = findProblem(value, { label, isKey: app.kind !== "basic", isUser: index === 0 });
    if (problem !== null) return failed("invalid_input", problem, { field: name });
    entered.push(value);
  }
  return ok(app.kind === "basic" ? toBase64(new TextEncoder().encode(entered.join(":"))) : (entered[0] ?? ""));
}

interface EnteredField {
  readonly label: string;
  readonly isKey: boolean;
  readonly isUser: boolean;
}

/** A key is sent in a header as it is, so it is visible ASCII. A colon ends the name of basic authentication. */
function findProblem(value: string, { label, isKey, isUser }: EnteredField): string | null {
  if (value.trim() === "") return `${label}: enter a value.`;
  if (value.length > MAX_VALUE) return `${label}: has at most ${MAX_VALUE} characters.`;
  if (/\p{Cc}/u.test(value) || !value.isWellFormed()) return `${label}: contains a character that cannot be sent.`;
  if (isKey && !/^[\x20-\x7e]+$/.test(value)) return `${label}: contains a character that cannot be sent.`;
  return !isKey && isUser && value.includes(":") ? `${label}: contains a colon, which cannot be sent.` : null;
}
