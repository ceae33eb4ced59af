/** All fields of an agent, with a live summary in words of what it may do. */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { CheckField, TextArea, TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { ProblemNotice } from "../../ui/notice.tsx";
import { Card } from "../../ui/page.tsx";
import { toolsQuery } from "../tools/tool-queries.ts";
import { PERMISSIONS } from "./agent-config.ts";
import { readDraft } from "./agent-draft.ts";
import { ApprovalFields, type FieldsProps } from "./approval-fields.tsx";
import { FileFields, HostFields, LimitFields, MoreFields } from "./limits-fields.tsx";
import { LinesField } from "./lines-field.tsx";
import { PERMISSION_WORDS, permissionsInWords, type WordedTool } from "./permissions-in-words.ts";
import { ToolsChooser } from "./tools-chooser.tsx";
import { WordsList } from "./words-list.tsx";

interface AgentFormProps extends FieldsProps {
  readonly onSubmit: () => void;
  /** Buttons and what the API refused, at the end of the form. */
  readonly children: ReactNode;
}

const NO_TOOLS: readonly WordedTool[] = [];

export function AgentForm({ draft, faults, set, onSubmit, children }: AgentFormProps) {
  const { data: tools = NO_TOOLS, error, refetch } = useQuery(toolsQuery());
  const fields = { draft, faults, set };
  return (
    <div className="grid items-start gap-5 xl:grid-cols-[3fr_2fr]">
      <Form noValidate onSubmit={onSubmit} className="flex min-w-0 flex-col gap-5">
        <Part title="What it is">
          <BasicFields {...fields} />
        </Part>
        <Part title="Permissions and tools">
          <PermissionFields {...fields} />
          {error === null ? null : (
            <ProblemNotice error={error} doing="Couldn't load the tools" onRetry={() => void refetch()} />
          )}
          <ToolsChooser
            patterns={draft.tools}
            permissions={draft.permissions}
            tools={tools}
            error={Object.entries(faults).find(([at]) => at === "tools" || at.startsWith("tools."))?.[1]}
            onChange={(patterns) => set({ tools: patterns })}
          />
        </Part>
        <Part title="Approval">
          <ApprovalFields {...fields} />
        </Part>
        <Part title="Limits">
          <LimitFields {...fields} />
        </Part>
        <Part title="Hosts">
          <HostFields {...fields} />
        </Part>
        <Part title="Files">
          <FileFields {...fields} />
        </Part>
        <Part title="Memory, skills and settings">
          <MoreFields {...fields} />
        </Part>
        {children}
      </Form>
      <aside
        aria-label="What it may do"
        tabIndex={0}
        className="min-w-0 xl:sticky xl:top-4 xl:max-h-[calc(100dvh-2rem)] xl:overflow-y-auto"
      >
        <Card>
          <h2 className="mb-3 text-base font-semibold">What it may do</h2>
          <Words {...fields} tools={tools} />
        </Card>
      </aside>
    </div>
  );
}

function Words({ draft, tools }: FieldsProps & { readonly tools: readonly WordedTool[] }) {
  const read = readDraft(draft);
  return read.ok ? (
    <WordsList parts={permissionsInWords(read.config, tools)} />
  ) : (
    <p className="text-quiet">Something in the form cannot be read yet.</p>
  );
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section aria-label={title}>
      <Card className="flex flex-col gap-4">
        <h2 className="text-base font-semibold">{title}</h2>
        {children}
      </Card>
    </section>
  );
}

function BasicFields({ draft, faults, set }: FieldsProps) {
  return (
    <>
      <TextField
        label="Name"
        hint="1 to 64 letters, digits, _ or -. Tasks and schedules call it by this name."
        autoComplete="off"
        maxLength={64}
        value={draft.name}
        onChange={({ target }) => set({ name: target.value })}
        error={faults["name"]}
      />
      <TextArea
        label="Instructions"
        hint="What it is there for, and how it should work. It reads this before every task."
        rows={6}
        dir="auto"
        value={draft.instructions}
        onChange={({ target }) => set({ instructions: target.value })}
        error={faults["instructions"]}
      />
      <TextField
        label="Model (optional)"
        hint="Default: this installation's model."
        autoComplete="off"
        value={draft.model}
        onChange={({ target }) => set({ model: target.value })}
        error={faults["model"]}
      />
      <LinesField
        label="Fallback models"
        hint="In their order, at most five."
        unset="None: it waits until the model answers."
        value={draft.fallbacks}
        error={Object.entries(faults).find(([at]) => at.startsWith("fallbacks"))?.[1]}
        onChange={(fallbacks) => set({ fallbacks })}
      />
    </>
  );
}

function PermissionFields({ draft, faults, set }: FieldsProps) {
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 text-sm font-medium">It may…</legend>
      {PERMISSIONS.map((permission) => (
        <CheckField
          key={permission}
          label={`${permission}: ${PERMISSION_WORDS[permission].does}`}
          checked={draft.permissions.includes(permission)}
          onChange={({ target }) =>
            set({
              permissions: PERMISSIONS.filter((one) =>
                one === permission ? target.checked : draft.permissions.includes(one),
              ),
            })
          }
        />
      ))}
      {faults["permissions"] === undefined ? null : <p className="text-sm text-danger">{faults["permissions"]}</p>}
    </fieldset>
  );
}
