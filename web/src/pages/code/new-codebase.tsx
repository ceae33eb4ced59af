/** Adds a codebase: from a git repository, a ZIP file or the files of a project. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { answered, api, newRequestKey, once, sendBytes } from "../../api/client.ts";
import { toApiError } from "../../api/problem.ts";
import { useRequestKey } from "../../api/request-key.ts";
import type { CodebaseArchive, NewCodebaseInput } from "../../api/types.generated.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { Form } from "../../ui/form.tsx";
import { ProblemNotice } from "../../ui/notice.tsx";
import { useToast } from "../../ui/toast.tsx";
import { UserFields } from "../../users/user-fields.tsx";
import { NEW_USERS, toNewUsers } from "../../users/users-draft.ts";
import { findRuleFault, NO_RULE, readRule } from "./code-schedule.ts";
import { ScheduleFields } from "./schedule-fields.tsx";
import { findSourceFault, NEW_SOURCE, type SourceDraft, suggestName } from "./source-draft.ts";
import { SourceFields } from "./source-fields.tsx";

export function NewCodebase({ onClose }: { readonly onClose: () => void }) {
  const queries = useQueryClient();
  const say = useToast();
  const [typedName, setName] = useState<string | null>(null);
  const [source, setSource] = useState<SourceDraft>(NEW_SOURCE);
  const [rule, setRule] = useState(NO_RULE);
  const [users, setUsers] = useState(NEW_USERS);
  const [own, setOwn] = useState<Readonly<Record<string, string>>>({});
  const { headersFor } = useRequestKey();
  const every = source.kind === "zip" ? null : readRule(rule);
  const name = typedName ?? suggestName(source);
  const adding = useMutation({
    mutationFn: async () => {
      const body = {
        name: name.trim(),
        source: await sendSource(source),
        ...toNewUsers(users),
        ...(every === null ? {} : { reindex: { every } }),
      };
      return await answered(api.POST("/v1/codebases", { body, headers: headersFor(body) }));
    },
    onSuccess: async ({ name: added }) => {
      onClose();
      say(`“${added}” is indexed in the background.`);
      await queries.invalidateQueries({ queryKey: ["codebases"] });
    },
  });
  const submit = (): void => {
    if (adding.isPending) return;
    const fault = { ...findSourceFault(source), ...(source.kind === "zip" ? {} : findRuleFault(rule)) };
    setOwn(fault);
    if (Object.keys(fault).length === 0) adding.mutate();
  };
  const faults = { ...(adding.isError ? toApiError(adding.error).fields : {}), ...own };
  return (
    <Form className="flex flex-col gap-4" onSubmit={submit} noValidate>
      <SourceFields
        source={source}
        onChange={(next) => {
          setSource(next);
          setOwn({});
        }}
        faults={faults}
      />
      <TextField
        label="Name"
        autoComplete="off"
        spellCheck="false"
        maxLength={64}
        value={name}
        onChange={({ target }) => setName(target.value)}
        hint="Agents choose it by this name. Lower-case letters, digits, dots, hyphens and underscores."
        error={faults["name"]}
      />
      {source.kind === "zip" ? null : (
        <ScheduleFields
          rule={rule}
          onChange={(next) => {
            setRule(next);
            setOwn({});
          }}
          faults={faults}
          isRepository={source.kind === "git"}
        />
      )}
      <UserFields users={users} onChange={setUsers} faults={faults} thing="codebase" />
      {adding.isError ? <ProblemNotice error={adding.error} doing="Couldn't add it" /> : null}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" isBusy={adding.isPending}>
          Add
        </Button>
      </div>
    </Form>
  );
}

/** The source as the API takes it. An archive is stored first, under its hash: sent twice, it is stored once. */
async function sendSource({ kind, git, ref, secret, file, project }: SourceDraft): Promise<NewCodebaseInput["source"]> {
  if (kind === "project") return { project: project.trim() };
  if (kind === "git")
    return {
      git: git.trim(),
      ...(ref.trim() === "" ? {} : { ref: ref.trim() }),
      ...(secret === "" ? {} : { secret }),
    };
  if (file === null) throw new Error("a form without a file was sent");
  const headers = { ...once(newRequestKey()), "content-type": "application/zip" };
  return { zip: (await sendBytes<CodebaseArchive>("POST", "/v1/codebases/archives", file, headers)).hash };
}
