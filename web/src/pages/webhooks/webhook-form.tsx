/** What a webhook is set to: its address, its events, a note, and whether it is on. */
import type { ReactNode } from "react";
import type { Webhook } from "../../api/types.generated.ts";
import { CheckField, TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { EVENT_GROUPS, type EventPattern, EVERYTHING, withEvent } from "./webhook-events.ts";

export type WebhookSetting = Pick<Webhook, "url" | "events" | "description" | "enabled">;

export const NEW_WEBHOOK: WebhookSetting = {
  url: "",
  events: ["task.completed", "task.failed", "task.cancelled"],
  description: "",
  enabled: true,
};

export function settingOf({ url, events, description, enabled }: Webhook): WebhookSetting {
  return { url, events, description, enabled };
}

interface WebhookFormProps {
  readonly setting: WebhookSetting;
  readonly set: (change: Partial<WebhookSetting>) => void;
  readonly faults: Readonly<Record<string, string>>;
  readonly onSubmit: () => void;
  /** Rendered after the fields: notices and buttons. */
  readonly children: ReactNode;
}

export function WebhookForm({ setting, set, faults, onSubmit, children }: WebhookFormProps) {
  const { url, events, description, enabled } = setting;
  return (
    <Form onSubmit={onSubmit} className="flex flex-col gap-5">
      <TextField
        label="Address"
        type="url"
        inputMode="url"
        required
        autoComplete="off"
        maxLength={2000}
        placeholder="https://example.com/otto"
        value={url}
        onChange={({ target }) => set({ url: target.value })}
        hint="Public, https, port 443. Redirects are not followed."
        error={faults["url"]}
      />
      <EventFields events={events} onChange={(next) => set({ events: next })} error={faultOfEvents(events, faults)} />
      <TextField
        label="Note (optional)"
        autoComplete="off"
        maxLength={500}
        dir="auto"
        value={description}
        onChange={({ target }) => set({ description: target.value })}
        hint="For people: what it is for, and who looks after it."
        error={faults["description"]}
      />
      <CheckField
        label="It is on"
        checked={enabled}
        onChange={({ target }) => set({ enabled: target.checked })}
        hint={enabled ? undefined : "Nothing is sent to it, and what happens meanwhile is not sent later."}
      />
      {children}
    </Form>
  );
}

function faultOfEvents(events: readonly EventPattern[], faults: Readonly<Record<string, string>>): string | undefined {
  if (events.length === 0) return "Choose at least one.";
  return Object.entries(faults).find(([field]) => field.startsWith("events"))?.[1];
}

interface EventFieldsProps {
  readonly events: EventPattern[];
  readonly onChange: (events: EventPattern[]) => void;
  readonly error: string | undefined;
}

function EventFields({ events, onChange, error }: EventFieldsProps) {
  const isEverything = events.includes(EVERYTHING);
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-2 text-sm font-medium">Events</legend>
      <CheckField
        label="Everything, also what later versions of Otto add"
        checked={isEverything}
        onChange={({ target }) => onChange(withEvent(events, EVERYTHING, target.checked))}
      />
      <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
        {EVENT_GROUPS.map(({ title, family, types }) => {
          const isWhole = isEverything || (family !== null && events.includes(family));
          return (
            <fieldset key={title} className="flex min-w-0 flex-col gap-1 rounded-lg border border-line p-3">
              <legend className="px-1 text-sm font-medium">{title}</legend>
              {family === null ? null : (
                <CheckField
                  label="All of these"
                  checked={isWhole}
                  disabled={isEverything}
                  onChange={({ target }) => onChange(withEvent(events, family, target.checked))}
                />
              )}
              {types.map(({ type, words }) => (
                <CheckField
                  key={type}
                  label={words}
                  checked={isWhole || events.includes(type)}
                  disabled={isWhole}
                  onChange={({ target }) => onChange(withEvent(events, type, target.checked))}
                />
              ))}
            </fieldset>
          );
        })}
      </div>
      {error === undefined ? null : <p className="text-sm text-danger">{error}</p>}
    </fieldset>
  );
}
