/** Where something is sent: to people, to Slack, by mail, or to webhooks. */
import { Plus, X } from "lucide-react";
import { Button, IconButton } from "../../ui/button.tsx";
import { SelectField, TextField } from "../../ui/field.tsx";
import { type Faults, faultIn } from "../../ui/faults.ts";
import { findDeliveryTarget, DELIVERY_TARGETS } from "../../ui/channel-words.ts";
import type { Delivery } from "./new-task.ts";

interface PlacesFieldProps {
  readonly legend: string;
  /** What the places are for, so that several such fields can be told apart: "result". */
  readonly of: string;
  /** The API's name of the field. */
  readonly field: string;
  readonly places: readonly Delivery[];
  readonly faults: Faults;
  readonly onChange: (places: readonly Delivery[]) => void;
}

export function PlacesField({ legend, of, field, places, faults, onChange }: PlacesFieldProps) {
  const set = (index: number, part: Partial<Delivery>): void =>
    onChange(places.map((one, at) => (at === index ? { ...one, ...part } : one)));
  const wholeFault = faults[field];
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-2 text-sm font-medium">{legend}</legend>
      {places.map(({ channel, to }, index) => (
        // Places have no names of their own, and are changed where they stand.
        <div
          key={index}
          className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-2 sm:grid-cols-[10rem_minmax(0,1fr)_auto]"
        >
          <SelectField
            label={`Channel of ${of} ${index + 1}`}
            hidesLabel
            className="col-span-2 sm:col-span-1"
            value={channel}
            onChange={({ target }) => set(index, { channel: findDeliveryTarget(target.value)?.name ?? "person" })}
          >
            {DELIVERY_TARGETS.map(({ name, label }) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </SelectField>
          <TextField
            label={`Address of ${of} ${index + 1}`}
            hidesLabel
            autoComplete="off"
            value={to}
            onChange={({ target }) => set(index, { to: target.value })}
            hint={findDeliveryTarget(channel)?.hint}
            error={faultIn(faults, `${field}.${index}`)}
          />
          <IconButton
            label={`Remove ${of} ${index + 1}`}
            onClick={() => onChange(places.filter((_, at) => at !== index))}
          >
            <X aria-hidden className="size-4" />
          </IconButton>
        </div>
      ))}
      {wholeFault === undefined ? null : <p className="text-sm text-danger">{wholeFault}</p>}
      <div>
        <Button
          size="small"
          aria-label={`Add destination for ${of}`}
          icon={<Plus aria-hidden className="size-4" />}
          onClick={() => onChange([...places, { channel: "person", to: "" }])}
        >
          Add destination
        </Button>
      </div>
    </fieldset>
  );
}
