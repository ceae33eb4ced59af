/** Where a person is reached: mail addresses and Slack members, in the order in which they are used. */
import { Mail, MessageSquare, X } from "lucide-react";
import { Button, IconButton } from "../../ui/button.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { faultIn, type Faults } from "../../ui/faults.ts";
import { type AddressDraft, emptyAddress, type PersonDraft } from "./person-draft.ts";

interface AddressFieldsProps {
  readonly draft: PersonDraft;
  readonly onChange: (part: Partial<PersonDraft>) => void;
  readonly faults: Faults;
}

export function AddressFields({ draft: { addresses, preferred }, onChange, faults }: AddressFieldsProps) {
  const add = (kind: AddressDraft["kind"]): void => onChange({ addresses: [...addresses, emptyAddress(kind)] });
  const wholeFault = faults["addresses"];
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-2 font-medium">Where questions reach them</legend>
      {addresses.length === 0 ? (
        <p className="text-sm text-quiet">Nowhere yet: what they are asked waits in the inbox of this console.</p>
      ) : null}
      {addresses.map((address, index) => (
        // Addresses have no names of their own, and are changed in their places.
        <div key={index} className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-2">
          <OneAddress
            address={address}
            place={index + 1}
            faults={faults}
            onChange={(part) =>
              onChange({ addresses: addresses.map((one, at) => (at === index ? { ...one, ...part } : one)) })
            }
          />
          <IconButton
            label={`Remove address ${index + 1}`}
            className="mt-6"
            onClick={() => onChange({ addresses: addresses.filter((_, at) => at !== index) })}
          >
            <X aria-hidden className="size-4" />
          </IconButton>
        </div>
      ))}
      {wholeFault === undefined ? null : <p className="text-sm text-danger">{wholeFault}</p>}
      <div className="flex flex-wrap gap-2">
        <Button size="small" icon={<Mail aria-hidden className="size-4" />} onClick={() => add("email")}>
          Add a mail address
        </Button>
        <Button size="small" icon={<MessageSquare aria-hidden className="size-4" />} onClick={() => add("slack")}>
          Add a Slack member
        </Button>
      </div>
      <SelectField
        label="Tried first"
        className="sm:max-w-xs"
        value={preferred}
        onChange={({ target }) => onChange({ preferred: readKind(target.value) })}
        error={faults["preferred"]}
      >
        <option value="">Slack, if there is one</option>
        <option value="slack">Slack</option>
        <option value="email">Mail</option>
      </SelectField>
    </fieldset>
  );
}

interface OneAddressProps {
  readonly address: AddressDraft;
  readonly place: number;
  readonly faults: Faults;
  readonly onChange: (part: Partial<AddressDraft>) => void;
}

function OneAddress({ address, place, faults, onChange }: OneAddressProps) {
  const error = faultIn(faults, `addresses.${place - 1}`);
  if (address.kind === "email")
    return (
      <TextField
        label={`Mail address ${place}`}
        type="email"
        inputMode="email"
        autoComplete="off"
        maxLength={254}
        value={address.address}
        onChange={({ target }) => onChange({ address: target.value })}
        error={error}
      />
    );
  return (
    <div className="grid gap-2 sm:grid-cols-2">
      <TextField
        label={`Slack workspace ${place}`}
        autoComplete="off"
        placeholder="T0123456789"
        value={address.team}
        onChange={({ target }) => onChange({ team: target.value })}
        hint="Starts with T; copy it from Slack's address in a browser."
        error={error}
      />
      <TextField
        label={`Slack member ${place}`}
        autoComplete="off"
        placeholder="U0123456789"
        value={address.user}
        onChange={({ target }) => onChange({ user: target.value })}
        hint="Starts with U; in Slack: the profile, then “Copy member ID”."
        error={error}
      />
    </div>
  );
}

function readKind(text: string): PersonDraft["preferred"] {
  return text === "slack" || text === "email" ? text : "";
}
