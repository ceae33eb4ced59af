/** Who may call, and what a call does: it becomes a task, or a push indexes codebases. */
import type { ReactNode } from "react";
import type { IncomingWebhook } from "../../api/types.generated.ts";
import { CheckField, SelectField, TextArea, TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { DeliveryFields, LimitFields } from "../tasks/more-fields.tsx";
import { faultAt } from "../tasks/new-task.ts";
import { AgentAndProject } from "../tasks/new-task-form.tsx";
import {
  doesAct,
  hasEvents,
  type IncomingDraft,
  type IncomingType,
  indexesCodebases,
  mayBeCopied,
  toActsFor,
  USUAL_HEADER,
} from "./incoming-draft.ts";
import { PushedCodebases } from "./pushed-codebases.tsx";
import { FILLED_IN, OLD_SECRET_CHOICES, ONCE_PER_BODY_HINTS, TYPES } from "./incoming-words.ts";

interface IncomingFormProps {
  readonly draft: IncomingDraft;
  readonly secret: string;
  readonly isNew: boolean;
  readonly set: (change: Partial<IncomingDraft>) => void;
  readonly setSecret: (secret: string) => void;
  /** Seconds for which the old secret stays valid; null without an old secret. */
  readonly oldSeconds: string | null;
  readonly setOldSeconds: (seconds: string) => void;
  /** The person for whom its tasks act now; null: nobody. */
  readonly person: IncomingWebhook["acts_for"];
  readonly faults: Readonly<Record<string, string>>;
  readonly onSubmit: () => void;
  /** Rendered after the fields: notices and buttons. */
  readonly children: ReactNode;
}

type PartProps = Pick<IncomingFormProps, "draft" | "set" | "faults">;

export function IncomingForm(props: IncomingFormProps) {
  const { draft, set, faults, onSubmit, children } = props;
  const isIndexing = indexesCodebases(draft);
  return (
    <Form onSubmit={onSubmit} className="flex flex-col gap-6">
      <CallerFields {...props} />
      <fieldset className="flex flex-col gap-4">
        <legend className="mb-2 font-medium">What a call does</legend>
        <ActionField {...{ draft, set, faults }} />
        {isIndexing ? <PushedCodebases /> : <TaskFields {...{ draft, set, faults }} />}
      </fieldset>
      {isIndexing ? null : (
        <>
          <PersonField {...props} />
          <DeliveryFields task={draft} onChange={set} faults={faults} />
          <LimitFields task={draft} onChange={set} faults={faults} />
        </>
      )}
      <CheckField
        label="It is on"
        checked={draft.enabled}
        onChange={({ target }) => set({ enabled: target.checked })}
        hint={draft.enabled ? undefined : "Calls are refused as long as it is off."}
      />
      {children}
    </Form>
  );
}

/** Asked only for GitHub: no other caller sends pushes. */
function ActionField({ draft, set, faults }: PartProps) {
  if (draft.type !== "github") return null;
  return (
    <SelectField
      label="Action"
      value={draft.reindex ? "reindex" : "task"}
      onChange={({ target }) => set({ reindex: target.value === "reindex" })}
      hint={draft.reindex ? "Each push indexes what it changed. No call becomes a task." : undefined}
      error={faults["reindex"]}
    >
      <option value="task">Create a task</option>
      <option value="reindex">Index codebases again</option>
    </SelectField>
  );
}

function TaskFields(props: PartProps) {
  const { draft, set, faults } = props;
  return (
    <>
      <PromptField {...props} />
      <AgentAndProject task={draft} onChange={set} faults={faults} />
      <p className="text-sm text-quiet">
        What comes in is marked as data, never as instructions. Even so, what a task may do is what its agent may do:
        choose one with few permissions.
      </p>
    </>
  );
}

function CallerFields(props: IncomingFormProps) {
  const { draft, set, faults, isNew, secret, setSecret } = props;
  const { type } = draft;
  return (
    <fieldset className="flex flex-col gap-4">
      <legend className="mb-2 font-medium">Who calls</legend>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Name"
          required
          autoComplete="off"
          maxLength={64}
          value={draft.name}
          onChange={({ target }) => set({ name: target.value })}
          hint="Letters, digits, _ and -."
          error={faults["name"]}
        />
        <SelectField
          label="Called by"
          disabled={!isNew}
          value={type}
          onChange={({ target }) => set({ type: readType(target.value) })}
          hint={isNew ? TYPES[type].signs : "This cannot be changed: make another one."}
          error={faults["type"]}
        >
          {Object.entries(TYPES).map(([key, { word }]) => (
            <option key={key} value={key}>
              {word}
            </option>
          ))}
        </SelectField>
      </div>
      {type === "generic" ? (
        <TextField
          label="Header with the signature (optional)"
          autoComplete="off"
          placeholder={USUAL_HEADER}
          value={draft.signatureHeader}
          onChange={({ target }) => set({ signatureHeader: target.value })}
          error={faults["signature_header"]}
        />
      ) : null}
      <TextField
        label={type === "stripe" ? "Secret" : "Secret (optional)"}
        type="password"
        autoComplete="off"
        value={secret}
        onChange={({ target }) => setSecret(target.value)}
        hint={secretHint(type, isNew)}
        error={faults["secret"]}
      />
      <OldSecretField {...props} />
      {mayBeCopied(type) ? (
        <SelectField
          label="Calls with a repeated body"
          value={draft.oncePerBody}
          onChange={({ target }) => set({ oncePerBody: toOncePerBody(target.value) })}
          hint={ONCE_PER_BODY_HINTS[draft.oncePerBody]}
          error={faults["once_per_body"]}
        >
          <option value="">{type === "github" ? "Drop as a repeat (default for GitHub)" : "Choose…"}</option>
          <option value="yes">Drop as a repeat</option>
          <option value="no">Create another task</option>
        </SelectField>
      ) : null}
    </fieldset>
  );
}

/** Asked only when a secret is replaced. */
function OldSecretField({ secret, oldSeconds, setOldSeconds, faults }: IncomingFormProps) {
  if (oldSeconds === null || secret === "") return null;
  return (
    <SelectField
      label="Old secret"
      value={oldSeconds}
      onChange={({ target }) => setOldSeconds(target.value)}
      hint={
        oldSeconds === "0"
          ? "Calls that are still signed with it are refused from now on. Choose this when others know it."
          : "Change the sender in that time: calls signed with either secret are taken, so that none is lost."
      }
      error={faults["old_secret_seconds"]}
    >
      {OLD_SECRET_CHOICES.map(({ seconds, word }) => (
        <option key={seconds} value={seconds}>
          {word}
        </option>
      ))}
    </SelectField>
  );
}

function PersonField({ draft, set, person, faults }: IncomingFormProps) {
  const hasPerson = person !== null;
  return (
    <CheckField
      label={hasPerson ? `Act for ${person.name}` : "Act for me"}
      checked={doesAct(draft.actsFor, hasPerson)}
      onChange={({ target }) => set({ actsFor: toActsFor(target.checked, hasPerson) })}
      hint={
        hasPerson
          ? "Somebody else who changes the task, the events, the deliveries or the secret ends this."
          : "Its tasks use your accounts that are allowed while you are away. Otherwise they use shared accounts only."
      }
      error={faults["acts_for"]}
    />
  );
}

function toOncePerBody(value: string): IncomingDraft["oncePerBody"] {
  return value === "yes" || value === "no" ? value : "";
}

function readType(value: string): IncomingType {
  return (Object.keys(TYPES) as IncomingType[]).find((type) => type === value) ?? "generic";
}

function secretHint(type: IncomingType, isNew: boolean): string {
  if (!isNew) return "Left empty, the secret stays. Another one counts at once.";
  if (type === "stripe") return "The one that Stripe shows (whsec_…). You can set it later.";
  return "Left empty, one is made and shown once.";
}

function PromptField({ draft, set, faults }: PartProps) {
  return (
    <>
      <TextArea
        label="Task input (optional)"
        rows={4}
        dir="auto"
        maxLength={20_000}
        placeholder={"A webhook came in. Read it, and do what is useful.\n\n{{payload}}"}
        value={draft.prompt}
        onChange={({ target }) => set({ prompt: target.value })}
        error={faultAt(faults, "prompt")}
      />
      <details className="rounded-lg border border-line">
        <summary className="px-3 py-2 text-sm font-medium">What may be filled in</summary>
        <dl className="flex flex-col gap-2 border-t border-line p-3 text-sm">
          {FILLED_IN.map(({ field, says }) => (
            <div key={field} className="grid gap-x-4 sm:grid-cols-[14rem_1fr]">
              <dt className="font-mono [overflow-wrap:anywhere]">{field}</dt>
              <dd>{says}</dd>
            </div>
          ))}
        </dl>
      </details>
      {hasEvents(draft.type) ? (
        <TextArea
          label="Only these events (optional)"
          isCode
          rows={2}
          value={draft.events}
          onChange={({ target }) => set({ events: target.value })}
          hint="One on a line, such as pull_request or invoice.paid. The others are received, and make no task."
          error={faultAt(faults, "events")}
        />
      ) : null}
    </>
  );
}
