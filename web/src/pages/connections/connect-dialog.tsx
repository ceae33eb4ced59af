/** Chooses the app and whose account, and goes to the app's sign-in in another window. */
import { ExternalLink } from "lucide-react";
import { useState } from "react";
import { toApiError } from "../../api/problem.ts";
import type { ConnectableApp, ConnectionOwner, NewConnectionInput } from "../../api/types.generated.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { faultIn } from "../../ui/faults.ts";
import { SelectField, TextField } from "../../ui/field.tsx";
import { UnattendedField } from "./unattended-field.tsx";
import { Form } from "../../ui/form.tsx";
import { ProblemNotice } from "../../ui/notice.tsx";
import { honestProse } from "../../ui/visible-text.ts";
import type { useConnecting } from "./connection-queries.ts";
import { connectionOf, type NewFields, ownersFor, type Reader } from "./connection-words.ts";

/** Characters of an alias. */
export const MAX_ALIAS = 60;

const OWNERS: Readonly<Record<ConnectionOwner, string>> = {
  me: "Mine: only my tasks use it",
  shared: "Shared: everyone's tasks use it",
};

interface ConnectDialogProps {
  /** The app that is chosen first; null: closed. */
  readonly app: string | null;
  /** The apps that the reader can connect. */
  readonly apps: readonly ConnectableApp[];
  readonly reader: Reader;
  readonly connecting: ReturnType<typeof useConnecting>;
  readonly onConnect: (request: NewConnectionInput) => void;
  readonly onClose: () => void;
}

export function ConnectDialog({ app, ...rest }: ConnectDialogProps) {
  return (
    <Dialog isOpen={app !== null} title="Connect an account" onClose={rest.onClose}>
      {app === null ? null : <ConnectForm app={app} {...rest} />}
    </Dialog>
  );
}

function ConnectForm({
  app: first,
  apps,
  reader,
  connecting,
  onConnect,
  onClose,
}: ConnectDialogProps & { readonly app: string }) {
  const [fields, setFields] = useState<NewFields>({ app: first, owner: "me", alias: "", isUnattended: false });
  const set = (change: Partial<NewFields>): void => setFields({ ...fields, ...change });
  const chosen = apps.find(({ app }) => app === fields.app);
  const owners = chosen === undefined ? [] : ownersFor(chosen, reader);
  const owner = owners.find((one) => one === fields.owner) ?? owners[0] ?? "me";
  const faults = connecting.isError ? toApiError(connecting.error).fields : {};
  return (
    <Form
      onSubmit={() => !connecting.isPending && onConnect(connectionOf({ ...fields, owner }))}
      className="flex flex-col gap-4"
    >
      <SelectField
        label="App"
        value={fields.app}
        onChange={({ target }) => set({ app: target.value })}
        error={faultIn(faults, "app")}
      >
        {apps.map(({ app, title }) => (
          <option key={app} value={app}>
            {honestProse(title)}
          </option>
        ))}
      </SelectField>
      {owners.length > 1 || owner === "shared" ? (
        <SelectField
          label="Whose account"
          value={owner}
          onChange={({ target }) => set({ owner: target.value === "shared" ? "shared" : "me" })}
          error={faultIn(faults, "owner")}
        >
          {owners.map((one) => (
            <option key={one} value={one}>
              {OWNERS[one]}
            </option>
          ))}
        </SelectField>
      ) : null}
      <TextField
        label="Name (optional)"
        hint="For one more account of the same app, such as work."
        maxLength={MAX_ALIAS}
        autoComplete="off"
        value={fields.alias}
        onChange={({ target }) => set({ alias: target.value })}
        error={faultIn(faults, "alias")}
      />
      {owner === "me" ? (
        <UnattendedField
          isUnattended={fields.isUnattended}
          onChange={(isUnattended) => set({ isUnattended })}
          error={faultIn(faults, "unattended")}
        />
      ) : null}
      {connecting.isError ? <ProblemNotice error={connecting.error} doing="Couldn't connect" /> : null}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button
          type="submit"
          look="primary"
          isBusy={connecting.isPending}
          icon={<ExternalLink aria-hidden className="size-4" />}
        >
          Connect
        </Button>
      </div>
    </Form>
  );
}
