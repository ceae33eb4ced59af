/** A tool tried by hand: its arguments as a form, and what came of the call. */
import { useMutation, useQuery } from "@tanstack/react-query";
import { Play } from "lucide-react";
import { type FormEvent, useId, useRef, useState } from "react";
import { toApiError } from "../../api/problem.ts";
import { projectsQuery } from "../../api/projects.ts";
import { useRequestKey } from "../../api/request-key.ts";
import type { Tool } from "../../api/types.generated.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/dialog.tsx";
import { useDraft } from "../../ui/draft.ts";
import { SelectField, TextField } from "../../ui/field.tsx";
import { type Filled, readFilled } from "../../ui/schema-form/json-edit.ts";
import { Notice, ProblemNotice } from "../../ui/notice.tsx";
import { Card, Section } from "../../ui/page.tsx";
import { NOTHING_FILLED, SchemaForm } from "../../ui/schema-form/schema-form.tsx";
import { isJson } from "../../ui/schema-form/json-value.ts";
import { AgentField } from "../agents/agent-field.tsx";
import { CallOutcome } from "./call-outcome.tsx";
import { argumentFaults, type CallAnswer, tryCall, type TriedCall } from "./tool-call.ts";
import { callWarning } from "./tool-words.ts";

export function TryTool({ tool }: { readonly tool: Tool }) {
  const [filled, setFilled] = useDraft<Filled>(`try ${tool.name}`, NOTHING_FILLED);
  const [around, setAround] = useState({ agent: "", project: "", task_id: "" });
  const [isAsking, setAsking] = useState(false);
  const sending = useRef<HTMLButtonElement>(null);
  const { headersFor, renew } = useRequestKey();
  const calling = useMutation({
    mutationFn: async (call: TriedCall): Promise<CallAnswer> => await tryCall(call, headersFor(call)),
    onSuccess: renew,
    onSettled: () => {
      if (!isAsking) return;
      setAsking(false);
      // The window that had the focus is gone.
      sending.current?.focus();
    },
  });
  const warning = callWarning(tool);
  const read = readFilled(filled);
  const call = (): void => {
    if (!read.ok || !isJson(read.value)) return;
    const { agent, project, task_id } = around;
    const given = { name: tool.name, arguments: read.value };
    calling.mutate(
      task_id.trim() === ""
        ? {
            ...given,
            ...(agent === "" ? {} : { agent }),
            ...(project.trim() === "" ? {} : { project: project.trim() }),
          }
        : { ...given, task_id: task_id.trim() },
    );
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (calling.isPending || !read.ok) return;
    if (warning === null) call();
    else setAsking(true);
  };
  const names = Object.keys(asObject(tool.input_schema["properties"]));
  const problem = calling.isError ? toApiError(calling.error) : null;
  const done = calling.data?.result;
  const faults = {
    ...argumentFaults(calling.error),
    ...(done?.ok === false && done.error.field !== undefined && names.includes(done.error.field.split(".")[0] ?? "")
      ? { [done.error.field]: done.error.message }
      : {}),
  };
  return (
    <div className="grid items-start gap-5 xl:grid-cols-2">
      <Card>
        <form onSubmit={submit} noValidate className="flex flex-col gap-5">
          <Examples tool={tool} onChoose={(value) => setFilled({ value, text: null })} />
          <SchemaForm
            label="Arguments"
            schema={tool.input_schema}
            filled={filled}
            onChange={setFilled}
            faults={faults}
          />
          <Around tool={tool} around={around} onChange={setAround} faults={problem?.fields ?? {}} />
          {read.ok && !isJson(read.value) ? (
            <p className="text-sm text-danger">The arguments are one JSON object.</p>
          ) : null}
          <Button
            ref={sending}
            type="submit"
            look="primary"
            className="self-start"
            isBusy={calling.isPending}
            disabled={!read.ok || !isJson(read.value)}
            icon={<Play aria-hidden className="size-4" />}
          >
            {calling.isPending ? "Calling…" : "Call it"}
          </Button>
        </form>
      </Card>
      <Section title="Result">
        <div aria-live="polite" className="flex flex-col gap-3">
          {problem !== null ? <ProblemNotice error={problem} doing="Couldn't call the tool" /> : null}
          {calling.isPending ? (
            <Notice title="The call is under way">Up to a minute is waited for its result.</Notice>
          ) : null}
          {calling.data !== undefined && !calling.isPending ? <CallOutcome answer={calling.data} /> : null}
          {calling.isIdle ? <p className="text-quiet">Nothing yet. Fill in the arguments and call it.</p> : null}
        </div>
      </Section>
      <Confirm
        isOpen={isAsking}
        title={`Call ${tool.name} for real?`}
        action="Call it"
        isBusy={calling.isPending}
        onConfirm={call}
        onClose={() => setAsking(false)}
      >
        <p>{warning}</p>
        <p className="text-quiet">An agent's approval policy can still ask somebody first.</p>
      </Confirm>
    </div>
  );
}

/** Fills the form in with an example. */
function Examples({ tool, onChoose }: { readonly tool: Tool; readonly onChoose: (given: unknown) => void }) {
  if (tool.examples.length === 0) return null;
  return (
    <SelectField
      label="Start with an example"
      value=""
      onChange={({ target }) => onChoose(tool.examples[Number(target.value)]?.arguments)}
    >
      <option value="">Choose one…</option>
      {tool.examples.map(({ note }, index) => (
        <option key={note} value={index}>
          {note}
        </option>
      ))}
    </SelectField>
  );
}

interface AroundCall {
  readonly agent: string;
  readonly project: string;
  readonly task_id: string;
}

/** As whom and where it is called. */
function Around({
  tool,
  around,
  onChange,
  faults,
}: {
  readonly tool: Tool;
  readonly around: AroundCall;
  readonly onChange: (around: AroundCall) => void;
  readonly faults: Readonly<Record<string, string>>;
}) {
  const isInTask = around.task_id.trim() !== "";
  const listId = useId();
  const { data: projects = [] } = useQuery(projectsQuery);
  return (
    <details open={tool.steers} className="rounded-md border border-line">
      <summary className="px-3 py-2 text-sm font-medium">As which agent, and where</summary>
      <div className="flex flex-col gap-4 border-t border-line p-3">
        <AgentField
          value={around.agent}
          isDisabled={isInTask}
          hint="Its permissions, settings and approval policy hold."
          error={faults["agent"]}
          onChange={(agent) => onChange({ ...around, agent })}
        />
        <TextField
          label="Project (optional)"
          hint="Whose memory and files it sees."
          list={listId}
          autoComplete="off"
          disabled={isInTask}
          value={around.project}
          error={faults["project"]}
          onChange={({ target }) => onChange({ ...around, project: target.value })}
        />
        <datalist id={listId}>
          {projects.map((project) => (
            <option key={project} value={project}>
              {project}
            </option>
          ))}
        </datalist>
        <TextField
          label={tool.steers ? "Task" : "Task (optional)"}
          hint="The id of a task that has not ended, task_…: the call works in its sandbox, as its agent."
          value={around.task_id}
          error={faults["task_id"]}
          onChange={({ target }) => onChange({ ...around, task_id: target.value })}
        />
      </div>
    </details>
  );
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return isJson(value) ? value : {};
}
