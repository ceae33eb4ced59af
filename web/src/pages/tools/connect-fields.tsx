/** How people connect accounts of an imported API. */
import { faultIn, type Faults } from "../../ui/faults.ts";
import { SelectField, TextArea, TextField } from "../../ui/field.tsx";
import { CONNECT_KINDS, type ConnectDraft, KEY_FIELDS } from "./connect-draft.ts";

interface ConnectFieldsProps {
  readonly draft: ConnectDraft;
  readonly set: (change: Partial<ConnectDraft>) => void;
  readonly secret: string;
  readonly setSecret: (secret: string) => void;
  readonly faults: Faults;
}

const KINDS: Readonly<Record<ConnectDraft["kind"], string>> = {
  none: "No: calls need none, or use the secrets below",
  oauth2: "By the sign-in page of its provider (OAuth)",
  api_key: "By an API key",
  bearer: "By a token (bearer)",
  basic: "By a name and a password (basic)",
};

export function ConnectFields(props: ConnectFieldsProps) {
  const { draft, set, faults } = props;
  const { kind, per, scheme } = draft;
  return (
    <>
      <SelectField
        label="People connect accounts"
        hint="Calls then act through the account of the person for whom a task acts."
        value={kind}
        onChange={({ target }) => set({ kind: CONNECT_KINDS.find((one) => one === target.value) ?? "none" })}
        error={faults["connect.kind"] ?? faults["connect"]}
      >
        {CONNECT_KINDS.map((one) => (
          <option key={one} value={one}>
            {KINDS[one]}
          </option>
        ))}
      </SelectField>
      {kind === "none" ? null : (
        <fieldset className="flex flex-col gap-4 rounded-md border border-line p-3">
          <legend className="px-1 text-sm font-medium">Accounts</legend>
          <SelectField
            label="Whose"
            value={per}
            onChange={({ target }) => set({ per: target.value === "shared" ? "shared" : "person" })}
            error={faults["connect.per"]}
          >
            <option value="person">Each person connects an account</option>
            <option value="shared">An administrator connects one for everyone</option>
          </SelectField>
          {kind === "oauth2" ? <OAuthFields {...props} /> : <KeyLabels {...props} kind={kind} />}
          <TextField
            label="Security scheme (optional)"
            hint="Of the document. Without it, the first that fits."
            autoComplete="off"
            value={scheme}
            onChange={({ target }) => set({ scheme: target.value })}
            error={faults["connect.scheme"]}
          />
        </fieldset>
      )}
    </>
  );
}

function OAuthFields({ draft, set, secret, setSecret, faults }: ConnectFieldsProps) {
  const text = (field: keyof ConnectDraft) => ({
    value: draft[field],
    onChange: ({ target }: { readonly target: { readonly value: string } }) => set({ [field]: target.value }),
  });
  return (
    <>
      <SelectField
        label="The provider"
        value={draft.at}
        onChange={({ target }) => set({ at: target.value === "endpoints" ? "endpoints" : "issuer" })}
      >
        <option value="issuer">Describes itself at its issuer address</option>
        <option value="endpoints">Has these endpoints</option>
      </SelectField>
      {draft.at === "issuer" ? (
        <TextField
          label="Issuer"
          inputMode="url"
          placeholder="https://accounts.example.com"
          {...text("issuer")}
          error={faults["connect.issuer"]}
        />
      ) : (
        <>
          <TextField
            label="Authorization endpoint"
            inputMode="url"
            {...text("authorization")}
            error={faults["connect.authorization_endpoint"] ?? faults["connect.issuer"]}
          />
          <TextField
            label="Token endpoint"
            inputMode="url"
            {...text("token")}
            error={faults["connect.token_endpoint"]}
          />
          <TextField
            label="Revocation endpoint (optional)"
            inputMode="url"
            {...text("revocation")}
            error={faults["connect.revocation_endpoint"]}
          />
        </>
      )}
      <p className="text-sm [overflow-wrap:anywhere] text-quiet">
        Register this redirect address at the provider:{" "}
        <code className="font-mono">{window.location.origin}/connect/callback</code>
      </p>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Client id"
          autoComplete="off"
          hint={draft.at === "issuer" ? "When empty, Otto registers itself." : undefined}
          {...text("clientId")}
          error={faults["connect.client_id"]}
        />
        <TextField
          label="Client secret (optional)"
          type="password"
          autoComplete="off"
          value={secret}
          onChange={({ target }) => setSecret(target.value)}
          hint="It is sealed at once and never shown."
          error={faults["connect.client_secret"]}
        />
      </div>
      <TextArea
        label="Scopes"
        rows={2}
        hint="Separated by spaces. An operation that needs another scope becomes no tool."
        {...text("scopes")}
        error={faultIn(faults, "connect.scopes")}
      />
      <TextArea
        label="More fields of the request (optional)"
        rows={2}
        hint="One on each line, such as access_type=offline."
        {...text("params")}
        error={faultIn(faults, "connect.params")}
      />
    </>
  );
}

type KeyKind = keyof typeof KEY_FIELDS;

function KeyLabels({ draft, set, faults, kind }: ConnectFieldsProps & { readonly kind: KeyKind }) {
  const [first, second] = KEY_FIELDS[kind];
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField
        label={second === undefined ? "Label of the field (optional)" : "Label of the name (optional)"}
        placeholder={first?.label}
        autoComplete="off"
        value={draft.firstLabel}
        onChange={({ target }) => set({ firstLabel: target.value })}
        error={faultIn(faults, "connect.fields")}
      />
      {second === undefined ? null : (
        <TextField
          label="Label of the password (optional)"
          placeholder={second.label}
          autoComplete="off"
          value={draft.secondLabel}
          onChange={({ target }) => set({ secondLabel: target.value })}
        />
      )}
    </div>
  );
}
