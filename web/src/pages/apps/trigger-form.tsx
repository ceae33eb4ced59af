/** Creates a trigger of an event: its account, its settings, and the task that each event becomes. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answered, api } from "../../api/client.ts";
import { toApiError } from "../../api/problem.ts";
import { useRequestKey } from "../../api/request-key.ts";
import type { AppTrigger, Connection, TriggerInput } from "../../api/types.generated.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { faultIn } from "../../ui/faults.ts";
import { CheckField, SelectField, TextArea } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { ProblemNotice } from "../../ui/notice.tsx";
import { type Filled, readFilled } from "../../ui/schema-form/json-edit.ts";
import { isJson } from "../../ui/schema-form/json-value.ts";
import { NOTHING_FILLED, SchemaForm } from "../../ui/schema-form/schema-form.tsx";
import { useToast } from "../../ui/toast.tsx";
import { AgentField } from "../agents/agent-field.tsx";
import { nameAccount, triggersKey } from "./trigger-words.ts";

interface NewTriggerProps {
  /** Null: closed. */
  readonly event: AppTrigger | null;
  readonly accounts: readonly Connection[];
  /** False for a reader who is no person. */
  readonly hasPerson: boolean;
  readonly onClose: () => void;
}

export function NewTrigger({ event, ...rest }: NewTriggerProps) {
  return (
    <Dialog
      isOpen={event !== null}
      title={event === null ? "" : `Create a trigger of ${event.display_name}`}
      onClose={rest.onClose}
    >
      {event === null ? null : <TriggerForm event={event} {...rest} />}
    </Dialog>
  );
}

function TriggerForm({ event, accounts, hasPerson, onClose }: NewTriggerProps & { readonly event: AppTrigger }) {
  const [filled, setFilled] = useState<Filled>(NOTHING_FILLED);
  const [fields, setFields] = useState({ connection: accounts[0]?.id ?? "", agent: "", prompt: "", isMine: false });
  const set = (change: Partial<typeof fields>): void => setFields({ ...fields, ...change });
  const making = useMaking(onClose);
  const faults = making.isError ? toApiError(making.error).fields : {};
  const read = readFilled(filled);
  const config = read.ok && isJson(read.value) ? read.value : null;
  const submit = (): void => {
    if (making.isPending || config === null) return;
    const { connection, agent, prompt, isMine } = fields;
    making.mutate({
      app: event.app_name,
      trigger: event.name,
      config: { ...config },
      connection,
      ...(agent === "" ? {} : { agent }),
      ...(prompt.trim() === "" ? {} : { prompt }),
      acts_for: isMine ? "me" : null,
    });
  };
  return (
    <Form onSubmit={submit} className="flex flex-col gap-4">
      <SelectField
        label="Account"
        value={fields.connection}
        onChange={({ target }) => set({ connection: target.value })}
        error={faultIn(faults, "connection")}
      >
        {accounts.map((account) => (
          <option key={account.id} value={account.id}>
            {nameAccount(account)}
          </option>
        ))}
      </SelectField>
      <SchemaForm
        label="Settings of the event"
        schema={event.config}
        filled={filled}
        onChange={setFilled}
        faults={toConfigFaults(faults)}
      />
      <TextArea
        label="Instructions (optional)"
        rows={4}
        value={fields.prompt}
        onChange={({ target }) => set({ prompt: target.value })}
        hint="{{data.subject}} inserts a field of the event, {{payload}} all of it. What comes in is marked as data, never as instructions."
        error={faultIn(faults, "prompt")}
      />
      <AgentField
        value={fields.agent}
        onChange={(agent) => set({ agent })}
        error={faultIn(faults, "agent") ?? undefined}
      />
      {hasPerson ? (
        <CheckField
          label="Act for me"
          checked={fields.isMine}
          onChange={({ target }) => set({ isMine: target.checked })}
          hint="Its tasks use your accounts that are allowed while you are away. Otherwise they use shared accounts only."
          error={faultIn(faults, "acts_for")}
        />
      ) : null}
      {making.isError ? <ProblemNotice error={making.error} doing="Couldn't create" /> : null}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" isBusy={making.isPending}>
          Create trigger
        </Button>
      </div>
    </Form>
  );
}

/** The faults of the settings, by their own names. */
function toConfigFaults(faults: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const own = Object.entries(faults).filter(([field]) => field.startsWith("config."));
  return Object.fromEntries(own.map(([field, message]) => [field.slice("config.".length), message]));
}

function useMaking(onClose: () => void) {
  const queries = useQueryClient();
  const say = useToast();
  const { headersFor } = useRequestKey();
  return useMutation({
    mutationFn: async (body: TriggerInput) =>
      await answered(api.POST("/v1/triggers", { body, headers: headersFor(body) })),
    onSuccess: async ({ state }) => {
      onClose();
      say(state === "active" ? "The trigger is active." : "The trigger is being created.");
      await queries.invalidateQueries({ queryKey: triggersKey });
    },
  });
}
