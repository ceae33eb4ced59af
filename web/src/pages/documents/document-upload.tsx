/** Adding documents: files that are dropped or chosen, and addresses. Each is sent once; one that failed can be sent again. */
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useRef, useState } from "react";
import { answered, api, isSpent, newRequestKey, once, sendBytes } from "../../api/client.ts";
import { toApiError } from "../../api/problem.ts";
import { useRequestKey } from "../../api/request-key.ts";
import type { Document } from "../../api/types.generated.ts";
import { Button } from "../../ui/button.tsx";
import { TextField } from "../../ui/field.tsx";
import { FileDrop } from "../../ui/file-drop.tsx";
import { Name } from "../../ui/name.tsx";
import { ProblemNotice } from "../../ui/notice.tsx";
import { useToast } from "../../ui/toast.tsx";

interface Upload {
  /** The name under which a request that is sent again adds no second document. */
  readonly key: string;
  readonly file: File;
  /** Null while it is being sent. */
  readonly fault: string | null;
}

export function DocumentUpload() {
  const [project, setProject] = useState("");
  return (
    <div className="flex flex-col gap-3">
      <TextField
        label="Project (optional)"
        hint="Only tasks of this project find the documents. Without one, every task does."
        value={project}
        maxLength={64}
        onChange={({ target }) => setProject(target.value)}
      />
      <Files project={project.trim()} />
      <Address project={project.trim()} />
    </div>
  );
}

/** Files are sent one after another: a browser holds each in memory while it sends it. */
function Files({ project }: { readonly project: string }) {
  const queries = useQueryClient();
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const turn = useRef<Promise<void>>(Promise.resolve());

  const update = (key: string, fault: string | null): void =>
    setUploads((all) => all.map((one) => (one.key === key ? { ...one, fault } : one)));
  const send = async ({ key, file }: Upload): Promise<void> => {
    const form = new FormData();
    form.append("file", file, file.name);
    if (project !== "") form.append("project", project);
    try {
      await sendBytes<Document>("POST", "/v1/knowledge/documents", form, once(key));
      setUploads((all) => all.filter((one) => one.key !== key));
      await queries.invalidateQueries({ queryKey: ["documents"] });
    } catch (error) {
      update(key, toApiError(error).message);
    }
  };
  const begin = (added: readonly Upload[]): void => {
    for (const upload of added) turn.current = turn.current.then(async () => await send(upload));
  };
  const add = (files: readonly File[]): void => {
    const added = files.map((file): Upload => ({ key: newRequestKey(), file, fault: null }));
    setUploads((all) => [...all, ...added]);
    begin(added);
  };
  const retry = (upload: Upload): void => {
    const again = { ...upload, key: isSpent(upload.key) ? newRequestKey() : upload.key, fault: null };
    setUploads((all) => all.map((one) => (one.key === upload.key ? again : one)));
    begin([again]);
  };
  return (
    <FileDrop onFiles={add}>
      {uploads.length === 0 ? null : (
        <ul aria-label="Uploads" className="divide-y divide-line">
          {uploads.map((upload) => (
            <li key={upload.key} className="flex flex-wrap items-center gap-3 py-1.5">
              <span className="min-w-0 flex-1 [overflow-wrap:anywhere]">
                <Name>{upload.file.name}</Name>
                {upload.fault === null ? null : <span className="block text-sm text-danger">{upload.fault}</span>}
              </span>
              {upload.fault === null ? (
                <span className="text-sm text-quiet">Being sent</span>
              ) : (
                <span className="flex gap-2">
                  <Button size="small" onClick={() => retry(upload)}>
                    Send again
                  </Button>
                  <Button
                    size="small"
                    look="quiet"
                    onClick={() => setUploads((all) => all.filter(({ key }) => key !== upload.key))}
                  >
                    Remove
                  </Button>
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
    </FileDrop>
  );
}

function Address({ project }: { readonly project: string }) {
  const queries = useQueryClient();
  const say = useToast();
  const { headersFor, renew } = useRequestKey();
  const [url, setUrl] = useState("");
  const adding = useMutation({
    mutationFn: async () => {
      const body = { url: url.trim(), ...(project === "" ? {} : { project }) };
      return await answered(api.POST("/v1/knowledge/documents", { body, headers: headersFor(body) }));
    },
    onSuccess: async () => {
      renew();
      setUrl("");
      say("The address is read in the background.");
      await queries.invalidateQueries({ queryKey: ["documents"] });
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!adding.isPending && url.trim() !== "") adding.mutate();
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-2">
      <div className="flex flex-wrap items-end gap-2">
        <div className="min-w-0 flex-1 basis-64">
          <TextField
            label="Or the address of a public page or file"
            type="url"
            value={url}
            maxLength={2_000}
            placeholder="https://www.example.com/manual.pdf"
            onChange={({ target }) => setUrl(target.value)}
          />
        </div>
        <Button type="submit" isBusy={adding.isPending}>
          Add the address
        </Button>
      </div>
      {adding.isError ? <ProblemNotice error={adding.error} doing="Couldn't add the address" /> : null}
    </form>
  );
}
