/** The triggers of an app that the reader sees: pausing, resuming and deleting them. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answered, api } from "../../api/client.ts";
import { useAgentNames } from "../../api/names.ts";
import { usePaged } from "../../api/paged.ts";
import type { AppTrigger, Connection, Trigger } from "../../api/types.generated.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { Listing } from "../../ui/listing.tsx";
import { Name } from "../../ui/name.tsx";
import { Empty, ProblemNotice } from "../../ui/notice.tsx";
import { Section } from "../../ui/page.tsx";
import { type Column, Table } from "../../ui/table.tsx";
import { useToast } from "../../ui/toast.tsx";
import { honestProse } from "../../ui/visible-text.ts";
import type { Reader } from "../connections/connection-words.ts";
import { getTriggerPermissions, nameAccount, TRIGGER_STATE_WORDS, triggersKey } from "./trigger-words.ts";

interface CreatedTriggersProps {
  readonly app: string;
  readonly events: readonly AppTrigger[];
  /** Those of the app that the reader sees, in any state. */
  readonly accounts: readonly Connection[];
  readonly reader: Reader;
  /** True if the reader can create triggers of the app now. */
  readonly canMake: boolean;
}

export function CreatedTriggers({ app, events, accounts, reader, canMake }: CreatedTriggersProps) {
  const [ending, setEnding] = useState<Trigger | null>(null);
  const names = useAgentNames();
  const list = usePaged<Trigger>(
    [...triggersKey, app],
    async (cursor) => await answered(api.GET("/v1/triggers", { params: { query: { cursor, app } } })),
  );
  const switching = useSwitching();
  const title = ({ trigger }: Trigger): string => events.find(({ name }) => name === trigger)?.display_name ?? trigger;
  const findAccount = ({ connection }: Trigger) => accounts.find(({ id }) => id === connection);
  const columns: readonly Column<Trigger>[] = [
    { title: "Event", cell: (one) => <Name className="font-medium">{title(one)}</Name> },
    {
      title: "Account",
      cell: (one) => {
        const account = findAccount(one);
        return account === undefined ? "Account not visible" : <Name>{nameAccount(account)}</Name>;
      },
    },
    {
      title: "Agent",
      cell: ({ agent }) => (agent === undefined ? "The built-in agent" : <Name>{names.get(agent) ?? agent}</Name>),
    },
    {
      title: "State",
      cell: ({ state, why }) => (
        <span className="flex flex-col items-start gap-1">
          <Badge tone={TRIGGER_STATE_WORDS[state].tone}>{TRIGGER_STATE_WORDS[state].word}</Badge>
          {why === null ? null : <span className="text-sm text-quiet">{why}</span>}
        </span>
      ),
    },
    {
      title: "Actions",
      cell: (one) => {
        const isOn = one.state === "active" || one.state === "pending";
        const may = getTriggerPermissions(findAccount(one), reader);
        if (!may.change) return null;
        const verb = isOn ? "Pause" : "Resume";
        return (
          <span className="flex flex-wrap gap-2">
            {isOn || may.resume ? (
              <Button
                size="small"
                aria-label={honestProse(`${verb} the trigger of ${title(one)}`)}
                isBusy={switching.isPending && switching.variables.id === one.id}
                onClick={() => switching.mutate({ id: one.id, isOn })}
              >
                {verb}
              </Button>
            ) : null}
            <Button
              size="small"
              aria-label={honestProse(`Delete the trigger of ${title(one)}`)}
              onClick={() => setEnding(one)}
            >
              Delete
            </Button>
          </span>
        );
      },
    },
  ];
  return (
    <Section title="Triggers">
      {switching.isError ? <ProblemNotice error={switching.error} doing="Couldn't change the trigger" /> : null}
      <Listing
        list={list}
        empty={<Empty title="No triggers yet">{canMake ? "Create one from an event below." : undefined}</Empty>}
      >
        <Table caption="Triggers of this app" columns={columns} rows={list.rows} rowKey={({ id }) => id} />
      </Listing>
      <DeleteTrigger trigger={ending} title={ending === null ? "" : title(ending)} onClose={() => setEnding(null)} />
    </Section>
  );
}

function useSwitching() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ id, isOn }: { readonly id: string; readonly isOn: boolean }) => {
      const request = { params: { path: { id } } };
      return isOn
        ? await answered(api.POST("/v1/triggers/{id}/pause", request))
        : await answered(api.POST("/v1/triggers/{id}/resume", request));
    },
    onSettled: async () => await queries.invalidateQueries({ queryKey: triggersKey }),
  });
}

function DeleteTrigger({
  trigger,
  title,
  onClose,
}: {
  /** Null: closed. */
  readonly trigger: Trigger | null;
  readonly title: string;
  readonly onClose: () => void;
}) {
  const queries = useQueryClient();
  const say = useToast();
  const deleting = useMutation({
    mutationFn: async (id: string) => await answered(api.DELETE("/v1/triggers/{id}", { params: { path: { id } } })),
    onSuccess: async () => {
      onClose();
      say("The trigger is deleted.");
      await queries.invalidateQueries({ queryKey: triggersKey });
    },
  });
  const close = (): void => {
    deleting.reset();
    onClose();
  };
  return (
    <Confirm
      isOpen={trigger !== null}
      title={`Delete the trigger of ${title}?`}
      action="Delete"
      isBusy={deleting.isPending}
      onConfirm={() => trigger !== null && deleting.mutate(trigger.id)}
      onClose={close}
    >
      <p>Its events begin no more tasks, and the events that were received are deleted. Tasks continue.</p>
      {deleting.isError ? <ProblemNotice error={deleting.error} doing="Couldn't delete" /> : null}
    </Confirm>
  );
}
