/** What the form of an import holds about accounts, and the member `connect` of the request that it makes. */

export const CONNECT_KINDS = ["none", "oauth2", "api_key", "bearer", "basic"] as const;
type Kind = (typeof CONNECT_KINDS)[number];
type KeyKind = Exclude<Kind, "none" | "oauth2">;

/** Everything but the client's secret, which is not stored in the tab. */
export interface ConnectDraft {
  readonly kind: Kind;
  readonly per: "person" | "shared";
  /** How the provider is found. */
  readonly at: "issuer" | "endpoints";
  readonly issuer: string;
  readonly authorization: string;
  readonly token: string;
  readonly revocation: string;
  readonly clientId: string;
  /** Separated by spaces or line breaks. */
  readonly scopes: string;
  /** `name=value`, one on each line. */
  readonly params: string;
  /** What the fields are called that people fill in; the second is the password of `basic`. */
  readonly firstLabel: string;
  readonly secondLabel: string;
  readonly scheme: string;
}

export const NO_CONNECT: ConnectDraft = {
  kind: "none",
  per: "person",
  at: "issuer",
  issuer: "",
  authorization: "",
  token: "",
  revocation: "",
  clientId: "",
  scopes: "",
  params: "",
  firstLabel: "",
  secondLabel: "",
  scheme: "",
};

interface KeyField {
  readonly name: string;
  readonly label: string;
}

/** The names of an app's fields, and what they are called unless the form says otherwise. */
export const KEY_FIELDS: Readonly<Record<KeyKind, readonly KeyField[]>> = {
  api_key: [{ name: "key", label: "API key" }],
  bearer: [{ name: "token", label: "Token" }],
  basic: [
    { name: "username", label: "User name" },
    { name: "password", label: "Password" },
  ],
};

export type ConnectInput =
  | ({ readonly kind: "oauth2"; readonly per: ConnectDraft["per"]; scopes: string[] } & Partial<Provider>)
  | { readonly kind: KeyKind; readonly per: ConnectDraft["per"]; fields?: KeyField[]; scheme?: string };

interface Provider {
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly revocation_endpoint: string;
  readonly client_id: string;
  readonly client_secret: string;
  readonly scheme: string;
  readonly params: Record<string, string>;
}

/** The member `connect`; null for an API without accounts. */
export function toConnect(draft: ConnectDraft, clientSecret: string): ConnectInput | null {
  const { kind, per } = draft;
  if (kind === "none") return null;
  if (kind !== "oauth2") return { kind, per, ...toFields(kind, draft), ...filled({ scheme: draft.scheme }) };
  const params = toParams(draft.params);
  const provider =
    draft.at === "issuer"
      ? { issuer: draft.issuer }
      : {
          authorization_endpoint: draft.authorization,
          token_endpoint: draft.token,
          revocation_endpoint: draft.revocation,
        };
  return {
    kind,
    per,
    scopes: draft.scopes.split(/\s+/).filter((scope) => scope !== ""),
    ...filled({ ...provider, client_id: draft.clientId, scheme: draft.scheme }),
    ...(clientSecret === "" ? {} : { client_secret: clientSecret }),
    ...(Object.keys(params).length === 0 ? {} : { params }),
  };
}

function toFields(kind: KeyKind, { firstLabel, secondLabel }: ConnectDraft): { fields?: KeyField[] } {
  const labels = [firstLabel.trim(), secondLabel.trim()];
  const fields = KEY_FIELDS[kind].map(({ name, label }, at) => ({ name, label: labels[at] || label }));
  const isUsual = fields.every(({ label }, at) => label === KEY_FIELDS[kind][at]?.label);
  return isUsual ? {} : { fields };
}

function toParams(text: string): Record<string, string> {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return Object.fromEntries(
    lines.map((line) => {
      const [name = "", ...value] = line.split("=");
      return [name.trim(), value.join("=").trim()];
    }),
  );
}

/** The texts that say something, trimmed. */
function filled<Texts extends Readonly<Record<string, string>>>(texts: Texts): Partial<Texts> {
  const said = Object.entries(texts).map(([name, text]) => [name, text.trim()] as const);
  return Object.fromEntries(said.filter(([, text]) => text !== "")) as Partial<Texts>;
}
