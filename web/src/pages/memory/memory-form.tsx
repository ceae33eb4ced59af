/** The text of a memory, its tags, and, while it is new, its project. */
import type { FormEvent } from "react";
import { toApiError } from "../../api/problem.ts";
import { Button } from "../../ui/button.tsx";
import { TextArea, TextField } from "../../ui/field.tsx";
import { ProblemNotice } from "../../ui/notice.tsx";
import { useProjects } from "./memory-filters.tsx";
import { TagsField } from "./tags-field.tsx";

export interface MemoryFields {
  readonly content: string;
  readonly tags: readonly string[];
  /** Empty: of the whole tenant. */
  readonly project: string;
}

interface MemoryFormProps {
  readonly fields: MemoryFields;
  readonly onChange: (fields: MemoryFields) => void;
  readonly isNew: boolean;
  readonly action: string;
  readonly isBusy: boolean;
  readonly error: unknown;
  readonly onSave: (fields: MemoryFields) => void;
}

/** Code points of a memory. */
const MAX_CHARACTERS = 4_000;

export function MemoryForm({ fields, onChange, isNew, action, isBusy, error, onSave }: MemoryFormProps) {
  const { content, tags, project } = fields;
  const faults = error === null ? {} : toApiError(error).fields;
  const tagFault = Object.entries(faults).find(([field]) => field.startsWith("tags"))?.[1];
  const isPlaced = faults["content"] !== undefined || tagFault !== undefined || faults["project"] !== undefined;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!isBusy) onSave(fields);
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <TextArea
        label="Text to remember"
        required
        dir="auto"
        rows={5}
        value={content}
        onChange={({ target }) => onChange({ ...fields, content: target.value })}
        hint={<Room used={Array.from(content).length} />}
        error={faults["content"]}
      />
      <TagsField tags={tags} onChange={(next) => onChange({ ...fields, tags: next })} error={tagFault} />
      {isNew ? (
        <ProjectField
          value={project}
          onChange={(next) => onChange({ ...fields, project: next })}
          error={faults["project"]}
        />
      ) : null}
      {error === null || isPlaced ? null : <ProblemNotice error={error} doing="Couldn't save" />}
      <Button type="submit" look="primary" isBusy={isBusy} className="self-end">
        {action}
      </Button>
    </form>
  );
}

function Room({ used }: { readonly used: number }) {
  if (used < MAX_CHARACTERS * 0.8) return <>One fact or rule, in a few sentences. At most 4,000 characters.</>;
  return (
    <>
      {used} of {MAX_CHARACTERS} characters
    </>
  );
}

interface ProjectFieldProps {
  readonly value: string;
  readonly onChange: (project: string) => void;
  readonly error: string | undefined;
}

function ProjectField({ value, onChange, error }: ProjectFieldProps) {
  const projects = useProjects();
  return (
    <>
      <TextField
        label="Project"
        list="memory-projects"
        value={value}
        maxLength={64}
        pattern="[a-zA-Z0-9_\-]{1,64}"
        onChange={({ target }) => onChange(target.value)}
        hint="Tasks of this project find it. When empty, every task does."
        error={error}
      />
      <datalist id="memory-projects">
        {projects.map(({ name }) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </datalist>
    </>
  );
}
