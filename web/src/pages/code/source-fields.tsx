/** The fields of a codebase's source. */
import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { answered, api } from "../../api/client.ts";
import { projectsQuery } from "../../api/projects.ts";
import { bytes } from "../../ui/amounts.ts";
import { type Faults, faultIn } from "../../ui/faults.ts";
import { SelectField, TextField } from "../../ui/field.tsx";
import { FileDrop } from "../../ui/file-drop.tsx";
import { Name } from "../../ui/name.tsx";
import type { SourceDraft, SourceKind } from "./source-draft.ts";

interface SourceFieldsProps {
  readonly source: SourceDraft;
  readonly onChange: (source: SourceDraft) => void;
  readonly faults: Faults;
}

export function SourceFields(props: SourceFieldsProps) {
  const { source, onChange } = props;
  return (
    <>
      <SelectField
        label="Source"
        value={source.kind}
        onChange={({ target }) => onChange({ ...source, kind: target.value as SourceKind })}
      >
        <option value="git">Git repository</option>
        <option value="zip">ZIP file</option>
        <option value="project">Files of a project</option>
      </SelectField>
      {source.kind === "git" ? <GitFields {...props} /> : null}
      {source.kind === "zip" ? <ZipField {...props} /> : null}
      {source.kind === "project" ? <ProjectField {...props} /> : null}
    </>
  );
}

/** Secrets of one page; a tenant with more stores the token under one of these. */
const SECRETS = 100;

function GitFields({ source, onChange, faults }: SourceFieldsProps) {
  const { data: secrets } = useQuery({
    queryKey: ["secrets", "names"],
    queryFn: async () => await answered(api.GET("/v1/secrets", { params: { query: { limit: SECRETS } } })),
  });
  return (
    <>
      <TextField
        label="Address of the repository"
        type="url"
        autoComplete="off"
        maxLength={2_000}
        placeholder="https://code.example.com/shop.git"
        value={source.git}
        onChange={({ target }) => onChange({ ...source, git: target.value })}
        error={faultIn(faults, "source.git") ?? faults["source"]}
      />
      <TextField
        label="Branch, tag or commit (optional)"
        autoComplete="off"
        spellCheck="false"
        maxLength={250}
        value={source.ref}
        onChange={({ target }) => onChange({ ...source, ref: target.value })}
        hint="Without one, the branch that the repository opens with."
        error={faultIn(faults, "source.ref")}
      />
      <SelectField
        label="Secret (optional)"
        value={source.secret}
        onChange={({ target }) => onChange({ ...source, secret: target.value })}
        hint="For a private repository: a secret with a token that may read it, bound to the repository's host."
        error={faultIn(faults, "source.secret")}
      >
        <option value="">None: the repository is public</option>
        {(secrets?.data ?? []).map(({ id, name }) => (
          <option key={id} value={name}>
            {name}
          </option>
        ))}
      </SelectField>
    </>
  );
}

function ZipField({ source, onChange, faults }: SourceFieldsProps) {
  const { file } = source;
  const fault = faultIn(faults, "source.zip");
  return (
    <div className="flex flex-col gap-1">
      <FileDrop
        only=".zip"
        hint="or drop a ZIP file here. At most 25 MB."
        onFiles={([first]) => onChange({ ...source, file: first ?? null })}
      >
        {file === null ? null : (
          <p>
            <Name>{file.name}</Name> <span className="text-sm text-quiet">{bytes(file.size)}</span>
          </p>
        )}
      </FileDrop>
      {fault === undefined ? null : (
        <p role="alert" className="text-sm text-danger">
          {fault}
        </p>
      )}
    </div>
  );
}

function ProjectField({ source, onChange, faults }: SourceFieldsProps) {
  const { data: projects = [] } = useQuery(projectsQuery);
  const listId = useId();
  return (
    <>
      <TextField
        label="Project"
        list={listId}
        autoComplete="off"
        maxLength={64}
        value={source.project}
        onChange={({ target }) => onChange({ ...source, project: target.value })}
        hint="The files that its tasks share."
        error={faultIn(faults, "source.project")}
      />
      <datalist id={listId}>
        {projects.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </datalist>
    </>
  );
}
