import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Play } from "lucide-react";
import { type ClipboardEvent, useId, useRef, useState } from "react";
import { agentsQuery } from "../../api/agents.ts";
import { answered, api, isSpent, newRequestKey, once } from "../../api/client.ts";
import { toApiError } from "../../api/problem.ts";
import { projectsQuery } from "../../api/projects.ts";
import { queryClient } from "../../api/query-client.ts";
import { Button } from "../../ui/button.tsx";
import { useDraft } from "../../ui/draft.ts";
import { SelectField, TextArea, TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { Notice, ProblemNotice } from "../../ui/notice.tsx";
import { Card } from "../../ui/page.tsx";
import { focusFault } from "../../ui/faults.ts";
import { ChosenFiles } from "./chosen-files.tsx";
import { MoreFields } from "./more-fields.tsx";
import { DemoNotice, ExampleButton } from "./first-words.tsx";
import { faultAt, type NewTask, readNewTask, type TaskRequest } from "./new-task.ts";
import { uploadsOf } from "./uploads.ts";
import { addFiles, type ChosenFile, tooLarge } from "./upload-names.ts";
import { whatAgentMay } from "./what-agent-may.ts";

interface NewTaskFormProps {
  readonly draftName: string;
  readonly start: NewTask;
}

export function NewTaskForm({ draftName, start }: NewTaskFormProps) {
  const [task, setTask, forget] = useDraft(draftName, start);
  const [files, setFiles] = useState<readonly ChosenFile[]>([]);
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});
  const form = useRef<HTMLDivElement>(null);
  const agents = useQuery(agentsQuery).data ?? [];
  const model = agents.find(({ id, name }) => id === task.agent || name === task.agent)?.model ?? null;
  const making = useMaking(draftName, files, forget);
  const refused = making.isError ? toApiError(making.error) : null;
  const shown = { ...refused?.fields, ...faults };
  const change = (part: Partial<NewTask>): void => {
    setTask({ ...task, ...part });
    setFaults({});
  };
  const useExample = (input: string): void => {
    change({ input });
    // The button is gone with the empty text.
    form.current?.querySelector("textarea")?.focus();
  };
  const choose = (chosen: readonly ChosenFile[]): void => {
    setFiles(chosen);
    change({ fileNames: chosen.map(({ name }) => name) });
  };
  const submit = (): void => {
    const read = readNewTask(task, files.length > 0);
    setFaults(read.ok ? {} : read.faults);
    if (!read.ok) return focusFault(form.current);
    if (!making.isPending && tooLarge(files).length === 0) making.mutate(read.request);
  };
  return (
    <div ref={form}>
      <Form onSubmit={submit} className="flex flex-col gap-5">
        <DemoNotice model={model} />
        <Card className="flex flex-col gap-5">
          <TextArea
            label="What should the agent do?"
            hint="Ctrl+Enter starts it."
            rows={6}
            dir="auto"
            data-takes-focus
            value={task.input}
            onChange={({ target }) => change({ input: target.value })}
            onPaste={(event: ClipboardEvent) => {
              const pasted = [...event.clipboardData.files];
              if (pasted.length === 0) return;
              event.preventDefault();
              choose(addFiles(files, pasted));
            }}
            error={faultAt(shown, "input")}
          />
          {task.input === "" ? <ExampleButton onUse={useExample} /> : null}
          <ChosenFiles files={files} lost={task.fileNames} onChange={choose} />
          <AgentAndProject task={task} onChange={change} faults={shown} />
        </Card>
        <MoreFields task={task} onChange={change} faults={shown} />
        <Refusal error={making.error} isRefused={making.isError} />
        <div>
          <Button
            type="submit"
            look="primary"
            isBusy={making.isPending}
            disabled={tooLarge(files).length > 0}
            icon={<Play aria-hidden className="size-4" />}
          >
            {files.length === 0 ? "Start" : "Upload files and start"}
          </Button>
        </div>
      </Form>
    </div>
  );
}

interface AgentAndProjectProps {
  readonly task: Pick<NewTask, "agent" | "project">;
  readonly onChange: (part: Partial<Pick<NewTask, "agent" | "project">>) => void;
  readonly faults: Readonly<Record<string, string | undefined>>;
}

export function AgentAndProject({ task, onChange, faults }: AgentAndProjectProps) {
  const agents = useQuery(agentsQuery).data ?? [];
  const projects = useQuery(projectsQuery).data ?? [];
  const projectsId = useId();
  const agent = agents.find(({ id, name }) => id === task.agent || name === task.agent) ?? agents.find(isBuiltIn);
  const isThere = task.agent === "" || agents.length === 0 || agent?.id === task.agent || agent?.name === task.agent;
  return (
    <div className="grid gap-5 sm:grid-cols-2">
      <SelectField
        label="Agent"
        value={isThere ? (agent?.id ?? task.agent) : task.agent}
        onChange={({ target }) => onChange({ agent: target.value })}
        hint={isThere && agent !== undefined ? whatAgentMay(agent) : undefined}
        error={isThere ? faultAt(faults, "agent") : "This agent is not there any more. Choose another one."}
      >
        {agents.length === 0 ? <option value={task.agent}>{task.agent === "" ? "default" : task.agent}</option> : null}
        {isThere ? null : <option value={task.agent}>{task.agent}</option>}
        {agents.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      <TextField
        label="Project (optional)"
        list={projectsId}
        autoComplete="off"
        maxLength={64}
        value={task.project}
        onChange={({ target }) => onChange({ project: target.value })}
        hint="Tasks of one project share memory and files. A new name makes a new project."
        error={faultAt(faults, "project")}
      />
      <datalist id={projectsId}>
        {projects.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </datalist>
    </div>
  );
}

/** The built-in agent, which works when a request names none. */
function isBuiltIn({ id }: { readonly id: string }): boolean {
  return id === "agent_default";
}

/** What the API says that stands at no field. */
function Refusal({ error, isRefused }: { readonly error: unknown; readonly isRefused: boolean }) {
  if (!isRefused) return null;
  const { status } = toApiError(error);
  if (status === 422) return <ProblemNotice error={error} doing="Couldn't start" />;
  return (
    <>
      <ProblemNotice error={error} doing="Couldn't start" />
      {status === 0 ? (
        <Notice
          tone="info"
          title="Press again when Otto is back: the task is made once, also when it was made already."
        />
      ) : null}
    </>
  );
}

function useMaking(draftName: string, files: readonly ChosenFile[], forget: () => void) {
  const navigate = useNavigate();
  // A reload, or an answer that did not arrive, leaves the same request to be sent under the same key.
  const [lastTry, setLastTry, forgetTry] = useDraft(`${draftName} try`, { body: "", key: "" });
  return useMutation({
    mutationFn: async (body: TaskRequest) => {
      const text = JSON.stringify(body);
      const key = lastTry.body === text ? lastTry.key : newRequestKey();
      setLastTry({ body: text, key });
      try {
        return await answered(api.POST("/v1/tasks", { body, headers: once(key) }));
      } finally {
        if (isSpent(key)) setLastTry({ body: "", key: "" });
      }
    },
    onSuccess: async ({ id }) => {
      forget();
      forgetTry();
      void queryClient.invalidateQueries({ queryKey: ["tasks"] });
      if (files.length === 0) return await navigate({ to: "/tasks/$taskId", params: { taskId: id } });
      uploadsOf(id).add(files);
      await navigate({ to: "/tasks/new", search: { held: id }, replace: true });
    },
  });
}
