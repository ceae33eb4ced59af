/** How a server is reached: at an address, or as a program that is started. */
import { Link } from "@tanstack/react-router";
import { CheckField, SelectField, TextArea, TextField } from "../../ui/field.tsx";
import { PairsField } from "./pairs-field.tsx";
import { faultOf, type ServerFields, SIGN_INS } from "./server-fields.ts";

interface AccessProps {
  readonly fields: ServerFields;
  readonly set: (change: Partial<ServerFields>) => void;
  readonly faults: Readonly<Record<string, string>>;
  /** Names of the tenant's secrets. */
  readonly secrets: readonly string[];
}

const SIGN_IN_WORDS = {
  headers: "not at all, or by the headers below",
  consent: "by the consent of a person (OAuth)",
  client: "as a client with a secret (OAuth)",
} as const;

export function UrlFields({ fields, set, faults, secrets }: AccessProps) {
  return (
    <>
      <TextField
        label="Address"
        type="url"
        required
        value={fields.url}
        onChange={({ target }) => set({ url: target.value })}
        placeholder="https://mcp.example.com/mcp"
        hint="Its endpoint for streamable HTTP."
        error={faultOf(faults, "url")}
      />
      <SelectField
        label="Otto signs in"
        value={fields.signIn}
        onChange={({ target }) => set({ signIn: SIGN_INS.find((one) => one === target.value) ?? "headers" })}
      >
        {SIGN_INS.map((one) => (
          <option key={one} value={one}>
            {SIGN_IN_WORDS[one]}
          </option>
        ))}
      </SelectField>
      {fields.signIn === "headers" ? null : <OAuthFields {...{ fields, set, faults, secrets }} />}
      <PairsField
        title="Headers"
        noun="header"
        nameLabel="Header"
        namePlaceholder="Authorization"
        valuePlaceholder="Bearer ${NOTES_TOKEN}"
        pairs={fields.headers}
        onChange={(headers) => set({ headers })}
        secrets={secrets}
        hint={<SecretHint />}
        error={faultOf(faults, "headers")}
      />
    </>
  );
}

function OAuthFields({ fields, set, faults }: AccessProps) {
  const isClient = fields.signIn === "client";
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField
        label="Client id"
        required={isClient}
        autoComplete="off"
        value={fields.clientId}
        onChange={({ target }) => set({ clientId: target.value })}
        {...(isClient ? {} : { hint: "When empty, Otto registers itself." })}
        error={faultOf(faults, "oauth")}
      />
      <TextField
        label="Client secret"
        type="password"
        required={isClient}
        autoComplete="off"
        value={fields.clientSecret}
        onChange={({ target }) => set({ clientSecret: target.value })}
        hint="It is sealed at once and never shown."
      />
      <TextField
        label="Scope"
        autoComplete="off"
        value={fields.scope}
        onChange={({ target }) => set({ scope: target.value })}
        hint="Asked for where the server names none."
      />
      {isClient ? null : (
        <CheckField
          className="sm:col-span-2"
          label="Each person connects an account"
          checked={fields.isPerPerson}
          onChange={({ target }) => set({ isPerPerson: target.checked })}
          hint="A task then acts through the account of its own person. Otherwise, one account serves everyone. You agree to the tools once, as your account lists them."
          error={faultOf(faults, "oauth.per")}
        />
      )}
    </div>
  );
}

export function ProcessFields({ fields, set, faults, secrets }: AccessProps) {
  return (
    <>
      <TextField
        label="Command"
        required
        autoComplete="off"
        spellCheck="false"
        value={fields.command}
        onChange={({ target }) => set({ command: target.value })}
        placeholder="npx"
        hint="Started in a cage: an empty folder of its own, no shell, and no network but the hosts below."
        error={faultOf(faults, "command")}
      />
      <TextArea
        label="Arguments, one on each line"
        isCode
        rows={3}
        value={fields.args}
        onChange={({ target }) => set({ args: target.value })}
        hint="Everyone here can read them: write a secret as ${NAME}."
        error={faultOf(faults, "args")}
      />
      <PairsField
        title="Variables"
        noun="variable"
        nameLabel="Variable"
        namePlaceholder="API_TOKEN"
        valuePlaceholder="${NOTES_TOKEN}"
        pairs={fields.env}
        onChange={(env) => set({ env })}
        secrets={secrets}
        hint={<SecretHint />}
        error={faultOf(faults, "env")}
      />
      <TextArea
        label="Hosts that it may reach, one on each line"
        isCode
        rows={2}
        value={fields.network}
        onChange={({ target }) => set({ network: target.value })}
        placeholder="api.example.com"
        hint="None, unless you say so. A program that installs itself when it starts needs the hosts of its installer."
        error={faultOf(faults, "network")}
      />
    </>
  );
}

function SecretHint() {
  return (
    <>
      Values are sealed at once. Better still, keep a token under{" "}
      <Link to="/secrets" className="text-accent underline">
        Secrets
      </Link>{" "}
      and write <code className="font-mono">{"${NAME}"}</code>: it goes only to the hosts that it is meant for.
    </>
  );
}
